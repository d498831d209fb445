// Mailboxes that are reserved until their payment is settled: makes them live, or removes them when the payment fails.
import { and, eq } from "drizzle-orm";
import { plainOf } from "#db/client.ts";
import { inboxes } from "#db/schema/mail.ts";
import { giveSlotBack } from "../keys/quota.ts";
import type { Reserved } from "../payments/fulfil.ts";
import { insertWebhooks } from "../webhooks/insert.ts";
import { giveAddressBack, takeOver } from "./insert.ts";
import { inboxEvent } from "./remove.ts";

export const reservedInboxes: Reserved = {
  async goLive(tx, ctx, { inbox_id, superseded_inbox_id, organization_id, webhook }) {
    if (inbox_id === null) return;
    const identities = Boolean(ctx.outbound.identities);
    const [live] = await tx
      .update(inboxes)
      .set({
        status: "live",
        identity_status: identities ? "opening" : "open",
        identity_next_attempt_at: identities ? ctx.now() : null,
      })
      .where(and(eq(inboxes.id, inbox_id), eq(inboxes.status, "reserved")))
      .returning({ id: inboxes.id, address: inboxes.address });
    if (!live) return;
    if (superseded_inbox_id !== null) {
      await takeOver(tx, ctx, { organizationId: organization_id, from: superseded_inbox_id, to: live.id });
    }
    if (webhook) {
      const { id, url, sealed } = webhook;
      const events = ["message.received"] as const;
      // Its URL was checked before the payment, and the secret is stored sealed.
      const row = { id, url, events, sealed: Buffer.from(sealed, "base64"), inboxId: live.id, createdAt: ctx.now() };
      await insertWebhooks(plainOf(tx), [{ organizationId: organization_id, webhook: row }]);
    }
    const created = inboxEvent("inbox.created", { organization_id, inbox_id: live.id, address: live.address });
    return ctx.eventLog.record(plainOf(tx), [created], ctx.now());
  },

  async giveBack(tx, { inbox_id, superseded_inbox_id, enrollment_key_id }) {
    if (inbox_id === null) return;
    const [gone] = await tx
      .delete(inboxes)
      .where(and(eq(inboxes.id, inbox_id), eq(inboxes.status, "reserved")))
      .returning({ address: inboxes.address });
    if (!gone) return;
    await giveSlotBack(tx, enrollment_key_id);
    await giveAddressBack(plainOf(tx), superseded_inbox_id ?? undefined, gone.address);
  },

  announce(ctx, recorded) {
    ctx.eventLog.announce(recorded);
    if (ctx.outbound.identities) ctx.signals.raise("identities");
  },
};
