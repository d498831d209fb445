// POST /v1/verifications: leases a mailbox that receives one code.
import { hash } from "node:crypto";
import { eq } from "drizzle-orm";
import { mailboxLeases } from "#db/schema/verifications.ts";
import type { Agent, Ctx } from "../../base/context.ts";
import { invalidField, ServiceError } from "../../base/errors.ts";
import { newId } from "../../base/ids.ts";
import { readSender } from "../../base/sender-filter.ts";
import { createInbox } from "../../inboxes/create.ts";
import { leasedClientId } from "../../inboxes/leased.ts";
import type { ShownPayment } from "../../payments/header.ts";
import type { CreateVerificationInput } from "./schema.ts";

const MS = 1_000;
/** After these, the mailbox may still come into being. */
const OPEN_ENDED = new Set(["payment_pending", "unavailable", "internal_error"]);

type Lease = typeof mailboxLeases.$inferInsert;

/**
 * Creates a mailbox as every create does: it counts against the quota, and may have to be paid for. The lease is written first, so that the
 * mailbox is deleted at its end even if this process ends now.
 * @returns the lease, its address, and the headers of a payment's receipt
 * @throws ServiceError `insufficient_scope`, `invalid_request`, and what `createInbox` throws
 */
export async function createVerification(
  ctx: Ctx<Agent>,
  { from, ttl_seconds, ...wish }: CreateVerificationInput,
  shown: ShownPayment,
) {
  if (!ctx.actor.scopes.includes("mailbox:read")) {
    throw new ServiceError("insufficient_scope", "This key does not have the scope mailbox:read.");
  }
  // A part would let strangers answer.
  if (from !== undefined && "part" in readSender(from)) {
    throw invalidField("from", "an address such as no-reply@example.com, or a domain such as example.com");
  }
  const at = ctx.now();
  const lease: Lease = {
    id: leaseIdFor(ctx, shown),
    organization_id: ctx.actor.organizationId,
    agent_key_id: ctx.actor.keyId,
    sender: from ?? null,
    expires_at: new Date(at.getTime() + ttl_seconds * MS),
    created_at: at,
  };
  await hold(ctx, lease);
  const created = await createOrForget(ctx, lease, () =>
    createInbox(ctx, { ...wish, client_id: leasedClientId(lease.id) }, { ...shown, path: "/v1/verifications" }),
  );
  // A copy of this request that was refused may have removed the lease since.
  const { expires_at } = await hold(ctx, lease);
  return { id: lease.id, address: created.inbox.address, expires_at, receipt: created.receipt };
}

/** A repeated idempotency key or payment names the same lease, so that it returns the same mailbox. */
function leaseIdFor({ actor, keyed }: Ctx<Agent>, { header }: ShownPayment): string {
  if (keyed) return keyed.id;
  if (header === undefined) return newId();
  const digest = hash("sha256", JSON.stringify([actor.organizationId, actor.keyId, header]), "hex");
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

async function hold({ db }: Ctx<Agent>, lease: Lease): Promise<Pick<typeof mailboxLeases.$inferSelect, "expires_at">> {
  await db.insert(mailboxLeases).values(lease).onConflictDoNothing();
  const [row] = await db
    .select({ expires_at: mailboxLeases.expires_at })
    .from(mailboxLeases)
    .where(eq(mailboxLeases.id, lease.id));
  return row ?? lease;
}

async function createOrForget<Created>(ctx: Ctx<Agent>, lease: Lease, create: () => Promise<Created>) {
  try {
    return await create();
  } catch (error) {
    const isRefused = error instanceof ServiceError && !OPEN_ENDED.has(error.code);
    if (isRefused) await ctx.db.delete(mailboxLeases).where(eq(mailboxLeases.id, lease.id));
    throw error;
  }
}
