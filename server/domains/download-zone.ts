// GET /v1/domains/{domain}/zone-file: the records of a domain as a zone file.
import type { DomainRecord } from "#db/domain-records.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { expectedFor } from "./expected-for.ts";
import { findDomain } from "./find.ts";

// Writes records as a zone file in BIND's syntax (RFC 1035 §5).
const TTL_SECONDS = 3_600;
/** Of one character-string (RFC 1035 §3.3). */
const STRING_BYTES = 255;

type Written = Pick<DomainRecord, "name" | "type" | "value" | "priority">;

function zoneFile(domain: string, records: Written[]): string {
  const lines = records.map((record) => `${record.name}. ${TTL_SECONDS} IN ${record.type} ${dataOf(record)}`);
  return `; DNS records of ${domain} for its mail. Add them to the zone of the domain.\n${lines.join("\n")}\n`;
}

function dataOf({ type, value, priority }: Written): string {
  const host = `${value.replace(/\.$/, "")}.`;
  if (type === "MX") return `${priority} ${host}`;
  return type === "CNAME" ? host : quoted(value);
}

/** Values are ASCII, so a character is an octet. */
function quoted(value: string): string {
  const strings = value.match(new RegExp(`.{1,${STRING_BYTES}}`, "g")) ?? [""];
  return strings.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(" ");
}

/** @throws ServiceError `domain_not_found` */
export async function downloadZone(ctx: Ctx<Caller>, named: string) {
  const row = await findDomain(ctx, named);
  const text = zoneFile(row.domain, await expectedFor(ctx.db, ctx, row));
  async function* body() {
    yield text;
  }
  return { contentType: "text/plain", filename: `${row.domain}.zone`, size: Buffer.byteLength(text), body: body() };
}
