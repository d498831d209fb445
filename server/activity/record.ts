// Records what agent keys change, in the transaction of the change, so that it can be listed and undone.
import { lt, sql } from "drizzle-orm";
import type { Change } from "#db/activity-parts.ts";
import type { Transaction } from "#db/client.ts";
import { activity } from "#db/schema/activity.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { lowestId } from "../base/id-range.ts";
import { newId } from "../base/ids.ts";
import { daysAgo, deleteOld } from "../base/retention.ts";
import { settingsIn } from "./shown.ts";

/** More changes are several rows. */
const CHANGES_PER_ROW = 500;

/** Whose change it is, and in which call. */
export type Recorder = {
  organization_id: string;
  key_id: string;
  agent_id: string;
  verb: string;
  request_id: string;
};

/** `inbox_id`: the mailbox whose erasure takes the values of the changes away. `secret`: sealed with `id` as context. */
export type Entry = { by: Recorder; id?: string; inbox_id?: string | null; changes: Change[]; secret?: Buffer };

/** Undefined where nothing is recorded: for members, whose changes are in the audit log. */
export function recorderOf({ actor, call }: Pick<Ctx<Caller>, "actor" | "call">): Recorder | undefined {
  if (actor.kind !== "agent" || !call) return undefined;
  return {
    organization_id: actor.organizationId,
    key_id: actor.keyId,
    agent_id: actor.agentId,
    verb: call.verb,
    request_id: call.requestId,
  };
}

/**
 * Records the changes of one call as the last statement of its transaction. For members, the audit log gets the settings among them.
 * @throws ServiceError `unauthorized` if the key was revoked since the call began
 */
export async function record(
  ctx: Ctx<Caller>,
  tx: Transaction,
  changes: Change[],
  of: Pick<Entry, "id" | "inbox_id" | "secret"> = {},
): Promise<void> {
  await ctx.act?.note(tx, settingsIn(changes));
  const by = recorderOf(ctx);
  if (by && changes.length > 0) await recordEach(tx, ctx, [{ by, changes, ...of }]);
}

/** The same for changes in several mailboxes. */
export async function recordByInbox(
  ctx: Ctx<Caller>,
  tx: Transaction,
  changes: (Change & { inbox_id: string })[],
): Promise<void> {
  const by = recorderOf(ctx);
  if (!by) return;
  const entries = [...Map.groupBy(changes, ({ inbox_id }) => inbox_id)].map(([inbox_id, of]) => ({
    by,
    inbox_id,
    changes: of.map(({ inbox_id: _, ...change }) => change),
  }));
  await recordEach(tx, ctx, entries);
}

/**
 * Records changes of several keys in one statement. No row is written for a key that was revoked: an undo revokes the key first, and then
 * finds every change of it.
 * @throws ServiceError `unauthorized`
 */
export async function recordEach(tx: Transaction, { now }: Pick<Services, "now">, entries: Entry[]): Promise<void> {
  const rows = entries.flatMap(({ by, id, inbox_id = null, changes, secret }) =>
    inPieces(changes).map((piece) => ({
      ...by,
      id: id ?? newId(),
      inbox_id,
      changes: piece,
      secret: secret?.toString("hex") ?? null,
    })),
  );
  if (rows.length === 0) return;
  const { count } = await tx.execute(sql`
    insert into activity (id, organization_id, key_id, agent_id, inbox_id, verb, request_id, changes, secret, created_at)
    select r.id, r.organization_id, r.key_id, r.agent_id, r.inbox_id, r.verb, r.request_id, r.changes, decode(r.secret, 'hex'),
      ${now().toISOString()}::timestamptz
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as r(id uuid, organization_id uuid, key_id uuid, agent_id uuid,
      inbox_id uuid, verb text, request_id text, changes jsonb, secret text)
    join agent_keys k on k.id = r.key_id and k.organization_id = r.organization_id
    where k.revoked_at is null`);
  if (count < rows.length) throw new ServiceError("unauthorized", "This agent key was revoked.");
}

function inPieces(changes: Change[]): Change[][] {
  const starts = Array.from({ length: Math.ceil(changes.length / CHANGES_PER_ROW) }, (_, n) => n * CHANGES_PER_ROW);
  return starts.map((start) => changes.slice(start, start + CHANGES_PER_ROW));
}

const ERASED = "Its mailbox was deleted, with its content.";

/** Takes the values of a deleted mailbox out of the activity, in the transaction that erases its mail. What was done stays. */
export async function eraseActivity(tx: Transaction, inboxId: string): Promise<void> {
  await tx.execute(sql`
    update activity set secret = null, inbox_id = null, changes = (
      select coalesce(jsonb_agg(jsonb_build_object('kind', c->'kind', 'id', c->'id', 'before', null, 'after', null,
        'final', coalesce(c->'final', to_jsonb(${ERASED}::text)))), '[]')
      from jsonb_array_elements(changes) c)
    where inbox_id = ${inboxId}`);
}

/** Worker job: deletes rows past RETENTION_DAYS_ACTIVITY. */
export const pruneActivity = deleteOld({
  table: activity,
  key: activity.id,
  isOver: (ctx) => lt(activity.id, lowestId(daysAgo(ctx, ctx.settings.RETENTION_DAYS_ACTIVITY))),
  oldestFirst: activity.id,
});
