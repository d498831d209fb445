// Mailboxes with a pending payment: made live when it is settled, deleted when it fails.
import type { TransactionSql } from "postgres";
import { giveSlotBack } from "../keys/quota.ts";
import type { Reserved } from "../payments/fulfil.ts";
import { insertWebhooks } from "../webhooks/register.ts";

export const reservedInboxes: Reserved = {
  async goLive(tx, ctx, { inbox_id, organization_id, webhook }) {
    const identities = Boolean(ctx.outbound.identities);
    const [live] = await tx<{ id: string }[]>`
      update inboxes set status = 'live', identity_status = ${identities ? "opening" : "open"},
        identity_next_attempt_at = ${identities ? ctx.now() : null}
      where id = ${inbox_id} and status = 'reserved' returning id`;
    if (!live) return false;
    if (webhook) {
      const { id, url, sealed } = webhook;
      const events = ["message.received"] as const;
      // Its URL was checked before the payment, and the encrypted secret is stored as it is.
      const row = { id, url, events, sealed: Buffer.from(sealed, "base64"), inboxId: live.id };
      await insertWebhooks(tx, [{ organizationId: organization_id, webhook: { ...row, createdAt: ctx.now() } }]);
    }
    return true;
  },

  async giveBack(tx, { inbox_id, superseded_inbox_id, enrollment_key_id }) {
    const [gone] = await tx<{ address: string }[]>`
      delete from inboxes where id = ${inbox_id} and status = 'reserved' returning address`;
    if (!gone) return;
    await giveSlotBack(tx, enrollment_key_id);
    await giveAddressBack(tx, superseded_inbox_id ?? undefined, gone.address);
  },

  announce(ctx) {
    if (ctx.outbound.identities) ctx.signals.raise("identities");
  },
};

/**
 * A deleted inbox gets back the address that the reservation took over, so that no other organization can get it
 * (docs/decisions/009).
 */
export async function giveAddressBack(tx: TransactionSql, id: string | undefined, address: string): Promise<void> {
  if (id === undefined) return;
  await tx`
    update inboxes set address = ${address}
    where id = ${id} and status = 'deleted' and not exists (select from inboxes where address = ${address})`;
}
