// Which tables have the data of one organization, parents before the tables that refer to them, and what becomes of their rows.
import type { Fragment, Sql, TransactionSql } from "postgres";

const OWN = "organization_id";
const NOT_MOVED = "Not sent here: the organization was moved from another installation.";

/**
 * `rows`: which rows belong to the organization; default: those with its id. `order`: the columns that sort them. `changed`: what a row
 * has in the export in place of what it has here, as an SQL expression over its JSON `j`. `sealed`: columns that are encrypted with
 * ENCRYPTION_KEY. `hasContent`: the table has content, which may be in objects. `isShown`: an import shows the rows to the operator and
 * writes none.
 */
export type TransferTable = {
  name: string;
  order: string[];
  rows?: "organization" | "dkim";
  changed?: string;
  sealed?: string[];
  hasContent?: boolean;
  isShown?: boolean;
};

/** What waits to be sent leaves only from the installation that has it. */
const WAITS = "(j->>'direction') = 'outbound' and (j->>'status') in ('held', 'scheduled', 'queued', 'sending')";
const when = (condition: string, change: Record<string, unknown>) =>
  `case when ${condition} then j || '${JSON.stringify(change)}'::jsonb else j end`;

// The provider's ids would lead events of other messages here.
const NOT_SENT = `(${when(WAITS, { status: "failed", error: NOT_MOVED, next_attempt_at: null })}) || '{"provider_message_id": null}'`;

export const TRANSFERRED: TransferTable[] = [
  { name: "organizations", order: ["id"], rows: "organization", changed: `j || '{"paid_provisioning": false}'` },
  { name: "enrollment_keys", order: ["id"] },
  { name: "domain_grants", order: ["id"], isShown: true },
  // The provider of the other installation knows nothing of these domains. They are checked again after the import.
  {
    name: "domains",
    order: ["id"],
    changed: `j || '{"provider": null}' || jsonb_build_object('next_check_at', j->'created_at')`,
  },
  { name: "dkim_keys", order: ["id"], rows: "dkim", sealed: ["private_key"] },
  { name: "agents", order: ["id"] },
  { name: "agent_keys", order: ["id"] },
  {
    name: "inboxes",
    order: ["id"],
    // A payment that is under way stays with the other installation.
    changed: `case j->>'status' when 'reserved' then j || '{"status": "deleted"}' || jsonb_build_object('deleted_at', j->'created_at')
      when 'live' then j || '{"identity_status": "opening", "identity_ref": null, "identity_attempts": 0}'
      || jsonb_build_object('identity_next_attempt_at', j->'created_at') else j end`,
  },
  { name: "sending_states", order: ["inbox_id"] },
  { name: "suppressions", order: ["id"] },
  { name: "list_entries", order: ["id"] },
  { name: "retention_policies", order: ["inbox_id"] },
  { name: "spam_policies", order: ["inbox_id"] },
  { name: "review_policies", order: ["inbox_id"] },
  { name: "approved_recipients", order: ["inbox_id", "address"] },
  // Headers hold credentials that the other installation was given.
  {
    name: "webhooks",
    order: ["id"],
    sealed: ["secret", "previous_secret"],
    changed: `j || '{"headers": null, "header_names": null}'`,
  },
  { name: "threads", order: ["id"] },
  {
    name: "messages",
    order: ["id"],
    changed: NOT_SENT,
  },
  {
    name: "trashed_messages",
    order: ["id"],
    changed: NOT_SENT,
  },
  {
    name: "message_recipients",
    order: ["message_id", "index"],
    changed: when("(j->>'status') = 'queued'", { status: "failed", reason: NOT_MOVED }),
  },
  { name: "attachments", order: ["id"], hasContent: true },
  { name: "drafts", order: ["id"] },
  { name: "draft_versions", order: ["id"] },
  { name: "uploads", order: ["id"] },
  { name: "scheduled_sends", order: ["message_id"], changed: `j || '{"due_at": null}'` },
  { name: "expected_replies", order: ["message_id"], changed: `j || '{"due_at": null}'` },
  {
    name: "reviews",
    order: ["message_id"],
    changed: when("(j->>'status') = 'pending'", { status: "expired", reason: NOT_MOVED }),
  },
  { name: "review_revisions", order: ["message_id", "revision"] },
  { name: "events", order: ["position"] },
  { name: "mailbox_leases", order: ["id"] },
  { name: "activity", order: ["id"], sealed: ["secret"] },
  // Accounts are not exported: `actor` keeps the name of the person.
  { name: "audit_entries", order: ["id"], changed: `j || '{"user_id": null}'` },
];

/** The bytes of inbound mail, which are in the mbox. */
export const RAW_MAIL = "raw_messages";

/** Tables whose rows stay in the installation, and why. `test/boot/transfers.test.ts` finds a table that is in neither list. */
export const LEFT_OUT: Record<string, string> = {
  storage_usage: "counted again from the mail",
  send_usage: "counted again from the sent messages",
  event_positions: "counted again from the events",
  wait_ends: "used for two minutes",
  idempotency_keys: "used for a day, by keys that stay",
  correspondents: "who wrote first must be proven to the installation that counts replies",
  blob_orphans: "of the bucket of the installation",
  sending_pauses: "a member of the other installation pauses sending there",
  dismissed_failures: "a dismissal ends after three days",
  send_totals: "the installation counts what leaves from it",
  deliveries: "the installation that recorded an event delivers it",
  delivery_attempts: "the log of these deliveries",
  api_calls: "calls to the other installation",
  notices: "mail of the installation to people",
  letter_passes: "counts of the installation",
  notice_addresses: "confirmed to the installation",
  payments: "settled with the installation that asked for them",
  postmaster_days: "a count of the installation",
  provider_events: "of the mail provider of the installation",
  provider_removals: "of the mail provider of the installation",
  users: "an account may be in several organizations",
  sessions: "of accounts",
  accounts: "of accounts",
  second_factors: "of accounts",
  verifications: "of accounts",
  notice_routes: "of accounts",
  members: "of accounts: make an owner with `organizations owner-link`",
  invitations: "of accounts",
  sign_in_attempts: "of accounts",
  app_connections: "approved by accounts",
  oauth_clients: "of connected apps",
  oauth_access_tokens: "of connected apps",
  oauth_refresh_tokens: "of connected apps",
  oauth_client_assertions: "of connected apps",
  oauth_client_resources: "of connected apps",
  oauth_consents: "of connected apps",
  oauth_resources: "of connected apps",
};

/** Which rows of the table, under the name `t`, are the organization's. */
export function rowsOf(sql: Sql | TransactionSql, { rows }: TransferTable, organization: string): Fragment {
  if (rows === "organization") return sql`t.id = ${organization}`;
  if (rows === "dkim") return sql`t.domain_id in (select id from domains where organization_id = ${organization})`;
  return sql`t.${sql(OWN)} = ${organization}`;
}

/** A row `j` as the export has it. */
export function changedRow(sql: Sql | TransactionSql, { changed = "j" }: TransferTable): Fragment {
  return sql`${sql.unsafe(changed)}`;
}

/** A row of the table, under the name `t`, as the export has it. */
export function exported(sql: Sql | TransactionSql, table: TransferTable): Fragment {
  return sql`(select ${changedRow(sql, table)} from to_jsonb(t) as j)`;
}
