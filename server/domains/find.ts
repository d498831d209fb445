// Finds domains of the caller's organization: one by name or id, or a page.
import { and, desc, eq, getTableColumns, lt, sql } from "drizzle-orm";
import { domains } from "#db/schema/domains.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { readCursor, toPage } from "../base/cursor.ts";
import { ServiceError } from "../base/errors.ts";
import { decodeId } from "../base/ids.ts";
import { isGrantedByOperator } from "../grants/granted-domains.ts";
import { readName } from "./name.ts";

/** Of a row of `domains`: the address of its catch-all mailbox. */
const catchAll = sql<string | null>`(select i.address from inboxes i
  where i.organization_id = domains.organization_id and i.domain = domains.domain and i.catch_all and i.status = 'live')`;

/** `granted`: the operator granted the domain, so mail may leave from it without proof of ownership. */
export const domainColumns = { ...getTableColumns(domains), granted: isGrantedByOperator, catch_all: catchAll };
export type DomainRow = typeof domains.$inferSelect & { granted: boolean; catch_all: string | null };

export function noDomain(): ServiceError {
  return new ServiceError("domain_not_found", "The domain does not exist.");
}

/**
 * @param named the domain, in any of its forms, or its id
 * @throws ServiceError `domain_not_found`, also if it belongs to another organization
 */
export async function findDomain({ actor, db }: Ctx<Caller>, named: string): Promise<DomainRow> {
  const id = decodeId("dom", named);
  const name = id ? undefined : readName(named);
  const condition = id ? eq(domains.id, id) : name ? eq(domains.domain, name) : undefined;
  if (!condition) throw noDomain();
  const [row] = await db
    .select(domainColumns)
    .from(domains)
    .where(and(eq(domains.organization_id, actor.organizationId), condition));
  if (!row) throw noDomain();
  return row;
}

/**
 * GET /v1/domains: newest first.
 * @throws ServiceError `invalid_cursor`
 */
export async function listDomains(ctx: Ctx<Caller>, input: { limit: number; cursor?: string | undefined }) {
  const { actor, db } = ctx;
  const list = `domains:${actor.organizationId}`;
  const before = input.cursor === undefined ? undefined : readCursor(ctx, list, input.cursor);
  const rows = await db
    .select(domainColumns)
    .from(domains)
    .where(and(eq(domains.organization_id, actor.organizationId), before ? lt(domains.id, before) : undefined))
    .orderBy(desc(domains.id))
    .limit(input.limit + 1);
  return toPage(ctx, list, rows, input.limit);
}
