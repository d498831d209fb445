// Reads the messages that deliveries of webhooks include, within a limit of memory.
import { setTimeout as delay } from "node:timers/promises";
import { and, sql } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { messages } from "#db/schema/mail.ts";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Services } from "../base/context.ts";
import { canBeRead, ensureParsed } from "../receiving/parse.ts";
import type { Included, ReadMessage } from "../webhooks/delivery/included.ts";
import { messageView } from "./view.ts";

/** The message as JSON. */
const MESSAGE_MAX_BYTES = 262_144;
/** Of all attempts together, counted as JSON; an attempt has it up to three times in memory. */
const HELD_MAX_BYTES = 33_554_432;
/** Before the message is read: its JSON has each character up to twice, and more fields. */
const JSON_FACTOR = 2;
const JSON_FIELDS_BYTES = 8_192;
/** Less than a lease leaves for an attempt, together with the attempt. */
const PARSE_WAIT_MS = 5_000;
/** A delivery returns later until its message is parsed, or as old as this. */
const NOT_READY_MS = 120_000;
const BATCH_MESSAGES = 50;
const IN_FLIGHT = 2;

type Needs = Parameters<typeof ensureParsed>[0] & Pick<Services, "messageStatements">;
type Wanted = Parameters<ReadMessage>[0];
type Held = { total: number; by: Map<string, number> };
type State = { services: () => Needs; held: Held; reads: GroupCommit<Wanted, Included | undefined> };

/** @param services when a delivery is made: they are not complete before */
export function createIncludedMessages(settings: Pick<Services, "settings">, services: () => Needs): ReadMessage {
  const held: Held = { total: 0, by: new Map() };
  const reads = groupCommit(settings, (wanted: Wanted[]) => readBatch(services(), held, wanted), {
    items: BATCH_MESSAGES,
    weight: BATCH_MESSAGES,
    inFlight: IN_FLIGHT,
    weigh: () => 1,
  });
  return (wanted) => readIncluded({ services, held, reads }, wanted);
}

async function readIncluded({ services, reads }: State, wanted: Wanted): Promise<Included | undefined> {
  const late = new AbortController();
  const timeUp = delay(PARSE_WAIT_MS, undefined, { signal: late.signal }).catch(() => undefined);
  const parsed = ensureParsed(services(), wanted.id);
  // After the time, its failure concerns no one.
  parsed.catch(() => undefined);
  try {
    await Promise.race([parsed, timeUp]);
  } finally {
    late.abort();
  }
  return reads.add(wanted);
}

async function readBatch(services: Needs, held: Held, wanted: Wanted[]): Promise<(Included | undefined)[]> {
  const sizes = await sizesOf(services, wanted);
  const holds = wanted.map(({ id, organizationId }) => {
    const bytes = sizes.get(`${organizationId} ${id}`);
    if (bytes === undefined) return { omitted: "deleted" as const };
    if (bytes > MESSAGE_MAX_BYTES) return { omitted: "too_large" as const };
    return takeHold(held, organizationId, JSON_FACTOR * bytes + JSON_FIELDS_BYTES);
  });
  const read = wanted.filter((_, n) => isHold(holds[n]));
  try {
    const rows = await services.messageStatements.some.execute({
      ids: read.map(({ id }) => id),
      organizationIds: read.map(({ organizationId }) => organizationId),
    });
    const found = new Map(rows.map((row) => [`${row.organization_id} ${row.id}`, row]));
    return wanted.map(({ id, organizationId }, n) => {
      const hold = holds[n];
      return isHold(hold) ? includedOf(services, found.get(`${organizationId} ${id}`), hold) : hold;
    });
  } catch (error) {
    for (const hold of holds) if (isHold(hold)) hold.release();
    throw error;
  }
}

type Hold = { release(): void; settle(bytes: number): void };
const isHold = (hold: Hold | Included | undefined): hold is Hold => hold !== undefined && "settle" in hold;
type Row = Parameters<typeof messageView>[0];

function includedOf({ now }: Needs, row: Row | undefined, hold: Hold): Included | undefined {
  // An undo of "not spam" can return it to quarantine.
  const isShown = row?.quarantine === null;
  const json = isShown && canBeRead(row) ? JSON.stringify(messageView(row)) : undefined;
  const bytes = json === undefined ? 0 : Buffer.byteLength(json);
  if (json !== undefined && bytes <= MESSAGE_MAX_BYTES) {
    hold.settle(bytes);
    return { json, release: hold.release };
  }
  hold.release();
  if (!isShown) return { omitted: "deleted" };
  if (json !== undefined) return { omitted: "too_large" };
  return now().getTime() - row.created_at.getTime() < NOT_READY_MS ? undefined : { omitted: "not_ready" };
}

/** Of their texts and headers as they are stored, so that large ones are not read. */
async function sizesOf({ db }: Needs, wanted: Wanted[]): Promise<Map<string, number>> {
  const { id, organization_id, text, html, extracted_text, safe_text, headers } = messages;
  const columns = [text, html, extracted_text, safe_text, sql`${headers}::text`];
  const bytes = sql<number>`${sql.join(
    columns.map((column) => sql`coalesce(octet_length(${column}), 0)`),
    sql` + `,
  )}`;
  const ids = wanted.map((each) => each.id);
  const organizationIds = wanted.map((each) => each.organizationId);
  const rows = await db
    .select({ id, organization_id, bytes })
    .from(messages)
    .where(and(anyOf(id, ids), anyOf(organization_id, organizationIds)));
  return new Map(rows.map((row) => [`${row.organization_id} ${row.id}`, row.bytes]));
}

/**
 * An organization may hold as much as is left, so that one alone gets half, and some is always left for another.
 * @returns undefined if it does not fit
 */
function takeHold(held: Held, organizationId: string, bytes: number): Hold | undefined {
  const own = held.by.get(organizationId) ?? 0;
  if (own + bytes > HELD_MAX_BYTES - held.total) return;
  let counted = 0;
  const count = (now: number) => {
    const all = (held.by.get(organizationId) ?? 0) + now - counted;
    held.total += now - counted;
    counted = now;
    if (all > 0) held.by.set(organizationId, all);
    else held.by.delete(organizationId);
  };
  count(bytes);
  return { settle: count, release: () => count(0) };
}
