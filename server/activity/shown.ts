// What callers see of changes: ids and fields by the names that they have in the API, and settings from what they were to what they are.
import { isDeepStrictEqual } from "node:util";
import type { Change, ChangeKind, SettingChange, Values } from "#db/activity-parts.ts";
import type { Database } from "#db/client.ts";
import type { Caller, Ctx } from "../base/context.ts";
import { encodeId, type IdKind } from "../base/ids.ts";

const SETTINGS_MAX = 20;
const VALUE_CHARS = 200;

/** Entries of lists and suppressions have no id in the API: `before` or `after` names them. */
const ID_KINDS: Partial<Record<ChangeKind, IdKind>> = {
  message: "msg",
  send: "msg",
  draft: "drf",
  upload: "upl",
  inbox: "inb",
  webhook: "whk",
  key: "akey",
  domain: "dom",
};

/** The fields that callers know, by the names that they have in the API. */
const NAMES: Partial<Record<ChangeKind, Record<string, string>>> = {
  message: { read: "read", labels: "labels", trash: "deleted" },
  send: { status: "status", send_at: "send_at" },
  draft: { revision: "revision", sent: "sent" },
  inbox: {
    display_name: "display_name",
    metadata: "metadata",
    catch_all: "catch_all",
    outgoing_delay_seconds: "outgoing_delay_seconds",
  },
  list_entry: { direction: "direction", list: "list", entry: "entry", reason: "reason" },
  suppression: { address: "address", reason: "reason" },
  webhook: {
    url: "url",
    name: "name",
    events: "events",
    from_filter: "from",
    to_filter: "to",
    subject_filter: "subject",
    kind_filter: "kind",
    label_filter: "label",
    include_message: "include",
    active: "active",
  },
};

/** Not settings, or erased with their mailbox. */
const NO_SETTINGS = new Set(["metadata", "read", "labels", "deleted", "revision", "sent"]);

export function thingId({ kind, id }: Pick<Change, "kind" | "id">): string | null {
  const idKind = ID_KINDS[kind];
  return idKind ? encodeId(idKind, id) : null;
}

export function valuesView(kind: ChangeKind, values: Values | null): Values | null {
  const names = Object.entries(NAMES[kind] ?? {});
  return (
    values &&
    Object.fromEntries(
      names.flatMap(([stored, shown]) => (stored in values ? [[shown, valueView(stored, values[stored])]] : [])),
    )
  );
}

function valueView(name: string, value: unknown): unknown {
  if (name === "trash") return value !== null;
  if (name === "include_message") return value ? ["message"] : [];
  return name === "sent" ? typeof value === "string" : value;
}

/** The settings among changes. What was made or deleted has none. */
export function settingsIn(changes: Change[]): SettingChange[] {
  return changes
    .flatMap(({ kind, before, after }) =>
      before && after ? settingsBetween(valuesView(kind, before) ?? {}, valuesView(kind, after) ?? {}) : [],
    )
    .slice(0, SETTINGS_MAX);
}

/** The fields of `after` that are not as `before`. */
export function settingsBetween(before: Values, after: Values): SettingChange[] {
  return Object.keys(after)
    .filter((name) => !NO_SETTINGS.has(name) && !isDeepStrictEqual(before[name] ?? null, after[name] ?? null))
    .map((name) => ({ name, from: asText(before[name]), to: asText(after[name]) }));
}

/** Of a URL only its origin: its path may contain a token. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return asText(value.join(", "));
  if (value instanceof Date) return value.toISOString();
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return (/^https?:/.test(text) && URL.canParse(text) ? new URL(text).origin : text)
    .replace(/\p{Cc}+/gu, " ")
    .slice(0, VALUE_CHARS)
    .toWellFormed();
}

/** Notes in the audit log which settings a member changes, in the transaction of the change. For agents, `record` does. */
export async function noteSettings(ctx: Ctx<Caller>, tx: Database, before: Values, after: Values): Promise<void> {
  await ctx.act?.note(tx, settingsBetween(before, after));
}
