// Makes and follows links that download one file for a while without a key, as other APIs give them.
import type { IncomingMessage } from "node:http";
import type { AnyTRPCRouter } from "@trpc/server";
import type { Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import type { Download, RequestContext } from "../../procedures/procedures.ts";
import { type Api, downloadOf, type StoredFile } from "./route.ts";

export const DOWNLOAD_PATH = "/download/";
const VALID_MS = 15 * 60_000;
const PURPOSE = "compat download";
const LINK_CHARS = 4_000;

/** What a link opens, and the agent key with which it is read. */
type File = StoredFile & { key: string };
type Sealed = File & { until: number };

/**
 * The link contains the caller's key, encrypted: it downloads this file while the key may read it, and nothing else.
 */
export function downloadLink({ services, key, base }: Api, file: StoredFile) {
  const until = services.now().getTime() + VALID_MS;
  const sealed = services.secrets.seal(JSON.stringify({ ...file, key, until } satisfies Sealed), PURPOSE);
  return {
    url: `${base}${DOWNLOAD_PATH}${sealed.toString("base64url")}`,
    expires_at: new Date(until).toISOString(),
  };
}

type Asked = {
  req: IncomingMessage;
  path: string;
  /** The context of the request, for the key of its Authorization header. */
  contextOf(): Promise<RequestContext>;
};

/**
 * The file of a link, as the caller who got it reads it.
 * @throws ServiceError `not_found` for any other path, and what the procedure throws
 */
export async function openLink(
  { router, services }: { router: AnyTRPCRouter; services: Services },
  { req, path, contextOf }: Asked,
): Promise<Download> {
  const file = readLink(services, path);
  if (file) req.headers.authorization = `Bearer ${file.key}`;
  const context = await contextOf();
  if (!file) {
    context.takeAnonymous(context.client.network, context.headers);
    throw new ServiceError("not_found", "This link is not valid, or it has expired.");
  }
  if (req.method !== "GET" && req.method !== "HEAD") {
    throw new ServiceError("method_not_allowed", `A link does not take ${req.method}.`, {
      headers: { Allow: "GET, HEAD" },
    });
  }
  return downloadOf(router, context, file);
}

/** Undefined if the link is not ours, was altered, or has expired. */
function readLink({ secrets, now }: Pick<Services, "secrets" | "now">, path: string): File | undefined {
  if (path.length > LINK_CHARS) return;
  const sealed = Buffer.from(path.slice(DOWNLOAD_PATH.length), "base64url");
  if (!secrets.isOwn(sealed)) return;
  try {
    const { until, ...file }: Sealed = JSON.parse(secrets.open(sealed, PURPOSE));
    return until > now().getTime() ? file : undefined;
  } catch {
    return; // it was altered
  }
}
