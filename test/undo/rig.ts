// An organization with mail, a key that is undone, and the rows that an export of the organization has.
import { expect } from "vitest";
import { opened, rowsIn, withSecrets } from "#db/transfer/format.ts";
import { TRANSFERRED } from "#db/transfer/tables.ts";
import { decodeId } from "#server/base/ids.ts";
import { type api, inboxPath, type Page } from "#test/support/api.ts";
import type { TestService } from "#test/support/service.ts";

type Client = ReturnType<typeof api>;
type Listed = { kind: string; id: string | null; reason: string; verb: string };
export type Undone = {
  dry_run: boolean;
  revoked: boolean;
  operations: { verb: string; count: number }[];
  not_undone: Listed[];
  not_undone_count: number;
  more: boolean;
};
type Change = { kind: string; id: string | null; before: object | null; after: object | null; final: string | null };
export type Activity = {
  id: string;
  verb: string;
  request_id: string;
  inbox: string | null;
  changes: Change[];
  change_count: number;
  undone_at: string | null;
  not_undone: Listed[];
};
export type Message = { id: string; labels: string[]; read: boolean; thread_id: string; status: string };

const SCOPES = [
  "mailbox:create",
  "mailbox:read",
  "mailbox:send",
  "mailbox:delete",
  "mailbox:purge",
  "webhook:write",
  "list:manage",
  "key:issue",
];

/** `parent` issued `key`, which is undone. */
export async function newRig(service: TestService, client: Client, mails = 3) {
  const organization = await service.newOrganization();
  const parent = organization.agentKey;
  const { address, id: inboxId } = await client.createInbox(parent);
  for (let n = 0; n < mails; n += 1) {
    await service.mail({ from: `person${n % 5}@else.example`, to: address, subject: `Mail ${n}`, text: "Hello" });
  }
  const issued = await client.post<{ id: string; key: string }>("/v1/keys", { scopes: SCOPES }, { key: parent });
  expect(issued.status).toBe(201);
  const { id: keyId, key } = issued.body;
  const since = new Date().toISOString();
  const messages = async () =>
    (await client.get<Page<Message>>(inboxPath(address, "/messages?limit=100"), { key: parent })).body.data;
  // Reading a mail parses it.
  for (const { id } of await messages()) await client.get(`/v1/messages/${id}`, { key: parent });
  return {
    ...organization,
    parent,
    key,
    keyId,
    address,
    inboxId,
    since,
    messages,
    activity: async (as = parent, id = keyId) =>
      (await client.get<Page<Activity>>(`/v1/keys/${id}/activity?limit=100`, { key: as })).body.data,
    undo: async (json: object = {}, as = parent, id = keyId) =>
      client.post<Undone>(`/v1/keys/${id}/undo`, { since, ...json }, { key: as }),
  };
}

/** Tables of the log, and of what an undo itself writes. */
const NOT_COMPARED = new Set(["activity", "draft_versions", "events", "audit_entries", "sending_states"]);
const OF_MESSAGE = new Set(["message_recipients", "scheduled_sends", "reviews", "review_revisions", "attachments"]);
type Row = {
  id: string;
  thread_id: string;
  message_id: string;
  status: string;
  sent_by: string[] | null;
  ancestor_ids: string[];
  sent_message_id: string | null;
} & Partial<Record<"duplicate_key" | "idempotency_key" | "idempotency_hash" | "used_count", unknown>>;

/**
 * The export of the organization as it was before the key: without mail that the key sent and its threads, without what was made by creates
 * that leave a trace on purpose (a deleted mailbox keeps its address, an issued key stays revoked), and without counts.
 */
export async function exportOf({ system }: TestService, organizationId: string, keyId: string) {
  const organization = decodeId("org", organizationId) ?? "";
  const key = decodeId("akey", keyId) ?? "";
  const found = await system.sql.begin("isolation level repeatable read read only", async (tx) => {
    await tx`set local timezone = 'UTC'`;
    const tables = new Map<string, Row[]>();
    for (const table of TRANSFERRED) {
      if (NOT_COMPARED.has(table.name)) continue;
      const rows: Row[] = [];
      for await (const row of rowsIn(tx, table, organization)) {
        rows.push(JSON.parse(withSecrets(table, row, opened(system.secrets))));
      }
      tables.set(table.name, rows);
    }
    const versions = await tx<{ id: string }[]>`select id from draft_versions where organization_id = ${organization}`;
    return { tables, versions: new Set(versions.map(({ id }) => id)) };
  });
  const all = (name: string) => found.tables.get(name) ?? [];
  const isSent = ({ sent_by }: Row) => (sent_by ?? []).includes(key);
  const sent = [...all("messages"), ...all("trashed_messages")].filter(isSent);
  const ids = new Set(sent.map(({ id }) => id));
  const touched = new Set(sent.map(({ thread_id }) => thread_id));
  const kept = all("messages").filter((row) => !isSent(row));
  const newest = new Map(kept.map(({ thread_id, id }) => [thread_id, id]));
  // A deletion frees these keys (docs/decisions/103).
  const withoutKeys = ({ duplicate_key: _, idempotency_key: __, idempotency_hash: ___, ...row }: Row) => row;
  const filters: Record<string, (rows: Row[]) => unknown[]> = {
    messages: (rows) => rows.filter((row) => !isSent(row)).map(withoutKeys),
    trashed_messages: (rows) => rows.filter((row) => !isSent(row)).map(withoutKeys),
    threads: (rows) =>
      rows
        .filter(({ id }) => newest.has(id) || !touched.has(id))
        .map((row) => (touched.has(row.id) ? { ...row, last_message_id: newest.get(row.id) } : row)),
    inboxes: (rows) => rows.filter(({ status }) => status === "live"),
    enrollment_keys: (rows) => rows.map(({ used_count: _, ...row }) => row),
    agent_keys: (rows) =>
      rows
        .filter(({ id, ancestor_ids }) => id !== key && !ancestor_ids.includes(key))
        .map((row) => ({ ...row, last_used_at: null })),
    uploads: () => [],
    drafts: (rows) => rows.filter(({ sent_message_id }) => sent_message_id === null),
  };
  const uploads = new Set(all("uploads").map(({ id }) => id));
  const compared = [...found.tables].map(([name, rows]): [string, unknown[]] => {
    const own = OF_MESSAGE.has(name)
      ? rows.filter(
          ({ message_id }) => !ids.has(message_id) && !uploads.has(message_id) && !found.versions.has(message_id),
        )
      : rows;
    return [name, filters[name]?.(own) ?? own];
  });
  return Object.fromEntries(compared);
}
