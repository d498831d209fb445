// What the dashboard's palette finds by a part of its name: enrollment keys, agents, webhooks and domains.
import { type AnyColumn, and, desc, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import { domains } from "#db/schema/domains.ts";
import { agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { webhooks } from "#db/schema/events.ts";
import type { Ctx, Member } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { hasKey } from "../keys/list-agents.ts";

/** Of each kind, the newest so many are searched. An organization has at most 2,000 webhooks and 1,000 domains. */
const SEARCHED_MAX = 10_000;
/** Of each kind. */
const FOUND_MAX = 5;

type Searched = PgTable & Record<"id" | "organization_id", AnyColumn>;
/** Which rows are searched, and by which name. `only`: which rows besides. */
type Where = { table: Searched; name: SQLWrapper; only?: SQL };

/** The newest whose name contains the text, in any case. */
async function newest({ db, actor }: Ctx<Member>, { table, name, only }: Where, text: string) {
  const searched = db
    .select({ id: sql<string>`${table.id}`.as("id"), name: sql<string>`${name}`.as("name") })
    .from(table)
    .where(and(eq(table.organization_id, actor.organizationId), only))
    .orderBy(desc(table.id))
    .limit(SEARCHED_MAX)
    .as("searched");
  return db
    .select({ id: searched.id, name: searched.name })
    .from(searched)
    .where(sql`strpos(lower(${searched.name}), lower(${text})) > 0`)
    .orderBy(desc(searched.id))
    .limit(FOUND_MAX);
}

/** @returns the newest five of each kind, by their wire ids */
export async function findByName(ctx: Ctx<Member>, text: string) {
  const named = sql`concat_ws(' · ', ${webhooks.name}, ${webhooks.url})`;
  const called = sql`concat_ws(' · ', ${agents.name}, ${agents.handle})`;
  const [keys, found, hooks, names] = await Promise.all([
    newest(ctx, { table: enrollmentKeys, name: enrollmentKeys.name }, text),
    newest(ctx, { table: agents, name: called, only: hasKey(ctx.db) }, text),
    newest(ctx, { table: webhooks, name: named, only: isNull(webhooks.expires_at) }, text),
    newest(ctx, { table: domains, name: domains.domain }, text),
  ]);
  return {
    keys: keys.map(({ id, name }) => ({ id: encodeId("ekey", id), name })),
    agents: found.map(({ id, name }) => ({ id: encodeId("agt", id), name })),
    webhooks: hooks.map(({ id, name }) => ({ id: encodeId("whk", id), url: name })),
    domains: names.map(({ id, name }) => ({ id: encodeId("dom", id), domain: name })),
  };
}
