// Serves the MTA-STS policy of hosted domains at https://mta-sts.<domain> (RFC 8461 §3.3). Caddy asks the same path, with the name
// in `domain`, before it gets a certificate for it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isVerifiable, loadCertificate } from "../../base/certificate.ts";
import { methodNotAllowed, ServiceError } from "../../base/errors.ts";
import { queryOf } from "../../base/request-target.ts";
import { POLICY_HOST, policyText } from "../../domains/dns/mta-sts.ts";
import { isHosted } from "../../grants/hosted.ts";
import type { DoorNeeds } from "./link-page.ts";

export const MTA_STS_PATH = "/.well-known/mta-sts.txt";

/** @throws ServiceError `not_found` for a domain that has no policy here, `method_not_allowed`, `rate_limited` */
export async function handleMtaSts({ services, limits, client }: DoorNeeds, req: IncomingMessage, res: ServerResponse) {
  limits.takeAnonymous(client.network);
  if (req.method !== "GET" && req.method !== "HEAD") throw methodNotAllowed(req.method, ["GET", "HEAD"]);
  const { settings, now } = services;
  const asked = queryOf(req).get("domain") ?? req.headers.host ?? "";
  const host = asked.toLowerCase().replace(/:\d+$/, "");
  const isOurs = host.startsWith(POLICY_HOST) && settings.SMTP_TLS_CERT !== undefined;
  const isServed =
    isOurs &&
    isVerifiable(await loadCertificate(settings, now()), settings, now()) &&
    (await isHosted(services.db, services, `postmaster@${host.slice(POLICY_HOST.length)}`));
  if (!isServed) throw new ServiceError("not_found", `There is no MTA-STS policy for ${host}.`);
  const text = policyText(settings);
  res.writeHead(200, { "Content-Type": "text/plain", "Content-Length": Buffer.byteLength(text) });
  res.end(req.method === "HEAD" ? undefined : text);
  return { door: "mta-sts", route: MTA_STS_PATH };
}
