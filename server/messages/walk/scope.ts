// Which index orders the rows of a selection of mailboxes, and the condition that a row is of the selection.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { anyOf } from "#db/conditions.ts";
import { inboxes } from "#db/schema/mail.ts";
import { FIRST_ID } from "../../base/id-range.ts";
import type { Selection } from "../../base/tenancy.ts";
import { laneId } from "./walk.ts";

/** More mailboxes are read from the index of the organization. */
const LANES_MAX = 100;

type Owned = { organization_id: PgColumn; inbox_id: PgColumn };

/** `only`: the one mailbox of the selection. `lanes`: its mailboxes, if each is read from an index of its own. */
export type Scope = { organizationId: string; only?: string; lanes?: readonly string[] };

export function scopeOf({ organizationId, inboxIds }: Selection): Scope {
  if (inboxIds === null || inboxIds.length > LANES_MAX) return { organizationId };
  if (inboxIds.length > 1) return { organizationId, lanes: inboxIds };
  return { organizationId, only: inboxIds[0] ?? FIRST_ID };
}

/** The first column of the index: the mailbox, or the organization. */
export function firstOfIndex({ organizationId, only, lanes }: Scope, of: Owned): SQL {
  if (only !== undefined) return eq(of.inbox_id, only);
  return lanes ? sql`${of.inbox_id} = ${laneId}` : eq(of.organization_id, organizationId);
}

/**
 * The condition that rows are of the selection, in mailboxes that are not deleted. A sub-select for each row: a join could read
 * all mailboxes first.
 */
export function isSelected({ organizationId, inboxIds }: Selection, of: Owned): SQL | undefined {
  const status = sql`(select ${inboxes.status} from ${inboxes} where ${inboxes.id} = ${of.inbox_id})`;
  const isAllowed = inboxIds ? anyOf(of.inbox_id, inboxIds) : undefined;
  return and(eq(of.organization_id, organizationId), isAllowed, sql`${status} = 'live'`);
}

/** What a cursor of a list is bound to. */
export function listName(kind: string, { organizationId, inboxIds }: Selection, filters: object = {}): string {
  return `${kind}:${organizationId}:${inboxIds?.join() ?? ""}:${JSON.stringify(Object.entries(filters).sort())}`;
}
