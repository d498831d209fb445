// GET /v1/domains/{domain}/zone-file: the records of a domain as a zone file.
import type { Caller, Ctx } from "../base/context.ts";
import { zoneFile } from "./dns/zone-file.ts";
import { expectedFor } from "./expected-for.ts";
import { findDomain } from "./find.ts";

/** @throws ServiceError `domain_not_found` */
export async function downloadZone(ctx: Ctx<Caller>, named: string) {
  const row = await findDomain(ctx, named);
  const text = zoneFile(row.domain, await expectedFor(ctx.db, ctx, row));
  async function* body() {
    yield text;
  }
  return { contentType: "text/plain", filename: `${row.domain}.zone`, size: Buffer.byteLength(text), body: body() };
}
