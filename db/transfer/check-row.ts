// Checks the form of a row of an export, which another person wrote: columns, types, states, lengths and times.
import { is } from "drizzle-orm";
import { getTableConfig, type PgArray, type PgColumn, PgTable } from "drizzle-orm/pg-core";
import { z } from "zod";
import { CHANGE_KINDS } from "../activity-parts.ts";
import { READING_NOTES, SPAM_VERDICTS } from "../message-parts.ts";
import * as activity from "../schema/activity.ts";
import * as content from "../schema/content.ts";
import * as domains from "../schema/domains.ts";
import * as enrollment from "../schema/enrollment.ts";
import * as events from "../schema/events.ts";
import * as lists from "../schema/lists.ts";
import * as mail from "../schema/mail.ts";
import * as outbox from "../schema/outbox.ts";
import * as reviews from "../schema/reviews.ts";
import * as sending from "../schema/sending.ts";
import * as team from "../schema/team.ts";
import * as verifications from "../schema/verifications.ts";
import type { Json, Row } from "./rules.ts";

const SCHEMA = [
  activity,
  content,
  domains,
  enrollment,
  events,
  lists,
  mail,
  outbox,
  reviews,
  sending,
  team,
  verifications,
].flatMap((file) => Object.values(file).filter((each) => is(each, PgTable)));
const COLUMNS = new Map(SCHEMA.map((table) => [getTableConfig(table).name, getTableConfig(table).columns]));

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Ids of rows carry their time, which orders lists. */
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const BYTES = /^\\x([0-9a-f]{2})*$/;
const SHA256 = /^\\x[0-9a-f]{64}$/;
/** They would also reach the terminal of the operator. */
const CONTROL = /\p{Cc}/u;
const INTEGER_MAX = 2_147_483_647;
/** More than any clock differs. */
const AHEAD_MAX_MS = 86_400_000;
const TEXT_MAX_CHARS = 10_000;
const NAME_MAX_CHARS = 200;
const ITEMS_MAX = 10_000;
/** Names that lists and pages show in one line. */
const NAMES = new Set(["name", "handle", "display_name", "client_id"]);
/** Their texts are from mail, and as long as the line of the row. */
const OF_MAIL = new Set([
  "messages",
  "trashed_messages",
  "threads",
  "events",
  "drafts",
  "draft_versions",
  "review_revisions",
]);
/** Times that may be in the future. */
const DUE = new Set([
  "expires_at",
  "previous_secret_expires_at",
  "next_attempt_at",
  "identity_next_attempt_at",
  "next_check_at",
  "send_at",
  "reply_by",
  "due_at",
]);

const texts = z.array(z.string());
const attachments = z.array(
  z.looseObject({
    id: z.string(),
    filename: z.string().nullable(),
    content_type: z.string(),
    parameters: z.string().optional(),
    size: z.int().min(0),
    inline: z.boolean(),
    content_id: z.string().optional(),
  }),
);
const written = { to: texts, cc: texts, bcc: texts, text: z.string().nullable(), html: z.string().nullable() };
const draftFields = z.looseObject({
  ...written,
  subject: z.string().nullable(),
  reply_to: z.string().nullable(),
  list_unsubscribe: z.boolean(),
  in_reply_to: z.string().nullable(),
  expected_last_message_id: z.string().nullable(),
  reply_all: z.boolean(),
  labels: texts.optional(),
});
const settingText = z.string().max(TEXT_MAX_CHARS).nullable();
const changed = { kind: z.enum(CHANGE_KINDS), id: z.uuid() };
const values = z.record(z.string(), z.unknown()).nullable();
/** The types of db/message-parts.ts, db/activity-parts.ts and db/domain-records.ts. */
const SHAPES: Record<string, z.ZodType> = {
  // Computed again after an import.
  "domains.records": z.array(z.unknown()),
  "domains.provider": z.null(),
  "inboxes.metadata": z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
  "messages.headers": z.array(z.tuple([z.string(), z.string()])).nullable(),
  "messages.recipient_names": z.array(z.tuple([z.string(), z.string()])).nullable(),
  "messages.extraction": z
    .looseObject({
      otp: z.string().nullable(),
      link: z.string().nullable(),
      confidence: z.number().min(0).max(1),
      link_host_matches_sender: z.boolean().nullable(),
    })
    .nullable(),
  "messages.authentication": z
    .looseObject({ spf: z.string(), dkim: z.string(), dmarc: z.string(), arc: z.string(), aligned_from: z.boolean() })
    .nullable(),
  "messages.security": z
    .looseObject({
      first_contact: z.boolean(),
      multiple_from: z.boolean(),
      hidden_text: z.boolean(),
      suspicious_links: texts,
      misleading_from: texts.optional(),
    })
    .nullable(),
  "messages.reading": z.object({ complete: z.boolean(), notes: z.array(z.enum(READING_NOTES)) }).nullable(),
  "messages.spam": z.object({ score: z.number().min(0), verdict: z.enum(SPAM_VERDICTS), reasons: texts }).nullable(),
  "messages.attachments": attachments,
  "drafts.attachments": attachments,
  "drafts.fields": draftFields,
  "draft_versions.attachments": attachments,
  "draft_versions.fields": draftFields,
  "activity.changes": z.array(
    z.strictObject({
      ...changed,
      before: values,
      after: values,
      kept: z.uuid().optional(),
      final: z.string().max(TEXT_MAX_CHARS).optional(),
      name: z.string().max(TEXT_MAX_CHARS).optional(),
    }),
  ),
  "audit_entries.changes": z
    .array(z.strictObject({ name: z.string().max(TEXT_MAX_CHARS), from: settingText, to: settingText }))
    .nullable(),
  "activity.not_undone": z.array(z.strictObject({ ...changed, reason: z.string().max(TEXT_MAX_CHARS) })).nullable(),
  "review_revisions.content": z.looseObject({ ...written, subject: z.string() }),
};

/** @returns what is wrong, without the value; undefined if nothing is */
export function faultInRow(table: string, row: Row, now: Date): string | undefined {
  const columns = COLUMNS.get(table) ?? [];
  const known = new Set(columns.map(({ name }) => name));
  const unknown = Object.keys(row).find((name) => !known.has(name));
  if (unknown !== undefined)
    return `has the column ${JSON.stringify(unknown.slice(0, NAME_MAX_CHARS))}, which this version does not know`;
  for (const column of columns) {
    const value = row[column.name];
    if (value === undefined) return `${column.name} is missing`;
    const fault = value === null ? nullFault(column) : faultOf(column, value, { table, now });
    if (fault) return `${column.name} ${fault}`;
  }
  return undefined;
}

function nullFault(column: PgColumn): string | undefined {
  return column.notNull || column.primary ? "is missing" : undefined;
}

type Within = { table: string; now: Date };

function faultOf(column: PgColumn, value: Json, within: Within): string | undefined {
  switch (column.columnType) {
    case "PgUUID":
      return uuidFault(column, value, within);
    case "PgText":
      return textFault(column, value, within);
    case "PgInteger":
      return isCount(value, INTEGER_MAX) ? undefined : "is not a number in its range";
    case "PgBigInt53":
      return isCount(value, Number.MAX_SAFE_INTEGER) ? undefined : "is not a number in its range";
    case "PgBoolean":
      return typeof value === "boolean" ? undefined : "is not true or false";
    case "PgDateString":
      return typeof value === "string" && DAY.test(value) ? undefined : "is not a day";
    case "PgTimestamp":
      return timeFault(column.name, value, within.now);
    case "PgJsonb":
      return shapeFault(`${within.table}.${column.name}`, value);
    case "PgArray":
      return itemsFault(column as PgColumn as PgArray<never, never>, value, within);
    case "PgCustomColumn":
      return customFault(column, value);
    default:
      return `has the unknown type ${column.columnType}`;
  }
}

function uuidFault({ name }: PgColumn, value: Json, { now }: Within): string | undefined {
  if (typeof value !== "string" || !UUID.test(value)) return "is not an id";
  if (name !== "id") return undefined;
  const at = Number.parseInt(value.slice(0, 13).replace("-", ""), 16);
  return UUID_V7.test(value) && at <= now.getTime() + AHEAD_MAX_MS ? undefined : "is not an id with a time in the past";
}

function textFault({ name, enumValues }: PgColumn, value: Json, { table }: Within): string | undefined {
  if (typeof value !== "string" || value.includes("\0")) return "is not a text";
  if (enumValues && enumValues.length > 0 && !enumValues.includes(value)) return "has an unknown state";
  if (NAMES.has(name) && CONTROL.test(value)) return "has control characters";
  const most = NAMES.has(name) ? NAME_MAX_CHARS : OF_MAIL.has(table) ? Number.POSITIVE_INFINITY : TEXT_MAX_CHARS;
  return value.length <= most ? undefined : `is longer than ${most} characters`;
}

function isCount(value: Json, most: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= most;
}

function timeFault(name: string, value: Json, now: Date): string | undefined {
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return "is not a time";
  return DUE.has(name) || at <= now.getTime() + AHEAD_MAX_MS ? undefined : "is in the future";
}

function shapeFault(name: string, value: Json): string | undefined {
  return SHAPES[name.replace(/^trashed_/, "")]?.safeParse(value).success ? undefined : "has another form";
}

function itemsFault(column: PgArray<never, never>, value: Json, within: Within): string | undefined {
  if (!Array.isArray(value)) return "is not a list";
  if (!OF_MAIL.has(within.table) && value.length > ITEMS_MAX) return `has more than ${ITEMS_MAX} entries`;
  const base = column.baseColumn as PgColumn;
  for (const item of value) {
    const fault = item === null ? "is null" : faultOf(base, item, within);
    if (fault) return `has an entry that ${fault}`;
  }
  return undefined;
}

function customFault(column: PgColumn, value: Json): string | undefined {
  if (typeof value !== "string") return "is not a text";
  if (column.getSQLType() !== "bytea") return undefined;
  return (column.name === "secret_hash" ? SHA256 : BYTES).test(value) ? undefined : "is not bytes";
}
