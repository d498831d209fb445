// Writes webhooks: those of a batch of creates, and one that is registered.
import type { TransactionSql } from "postgres";
import type { WebhookFormat, WebhookKind } from "#db/event-kinds.ts";
import type { webhooks } from "#db/schema/events.ts";
import type { sealHeaders } from "./delivery/custom-headers.ts";
import { type StoredFilter, storedFilter } from "./delivery/filter.ts";

/** A webhook that is not written yet, with its secret as it is shown once, and sealed. */
export type NewWebhook = {
  id: string;
  url: string;
  name?: string | undefined;
  events: readonly WebhookKind[];
  format?: WebhookFormat | undefined;
  secret: string;
  sealed: Buffer;
  inboxId: string | null;
  /** Without a mailbox: of the organization's, only those that this agent created. */
  agentId?: string | null;
  filter?: StoredFilter;
  /** Sealed, with their names. */
  headers?: ReturnType<typeof sealHeaders>;
  includeMessage?: boolean;
  createdAt: Date;
  /** When a test receiver ends; absent: the webhook stays. */
  expiresAt?: Date;
};

/** Writes webhooks in the caller's transaction. */
export async function insertWebhooks(
  tx: TransactionSql,
  registered: { organizationId: string; webhook: Omit<NewWebhook, "secret"> }[],
): Promise<void> {
  if (registered.length === 0) return;
  const rows = registered.map(({ organizationId, webhook }): typeof webhooks.$inferInsert => ({
    id: webhook.id,
    organization_id: organizationId,
    inbox_id: webhook.inboxId,
    agent_id: webhook.agentId ?? null,
    url: webhook.url,
    name: webhook.name ?? null,
    events: [...webhook.events],
    ...(webhook.filter ?? storedFilter({})),
    ...(webhook.headers ?? { headers: null, header_names: null }),
    format: webhook.format ?? null,
    include_message: webhook.includeMessage ?? null,
    secret: webhook.sealed,
    active: true,
    created_at: webhook.createdAt,
    expires_at: webhook.expiresAt ?? null,
  }));
  await tx`insert into webhooks ${tx(rows)}`;
}
