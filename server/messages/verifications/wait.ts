// GET wait_url: blocks until a mail with a code or a link arrives in the leased mailbox, and returns the same one until the
// lease ends. POST …/take returns it once, and no request returns it after that.
import { and, eq, gt, isNull } from "drizzle-orm";
import { isInForce } from "#db/conditions.ts";
import { provesSender } from "#db/message-parts.ts";
import { agentKeys, agents, enrollmentKeys } from "#db/schema/enrollment.ts";
import { inboxes } from "#db/schema/mail.ts";
import { mailboxLeases } from "#db/schema/verifications.ts";
import type { Agent, Services } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { encodeId } from "../../base/ids.ts";
import { leasedClientId } from "../../inboxes/leased.ts";
import type { MessageRow } from "../columns.ts";
import { messageView } from "../view.ts";
import { waitForEmail } from "../wait/wait.ts";
import type { WaitVerificationInput, WaitVerificationOutput } from "./schema.ts";
import { noVerification, readToken } from "./wait-url.ts";

/** Mails without a code or a link that one request passes over. */
const MAILS_MAX = 100;
const MS = 1_000;

export const TIMED_OUT: WaitVerificationOutput = {
  timed_out: true,
  otp: null,
  link: null,
  confidence: 0,
  sender_verified: null,
  message: null,
};

/**
 * @param signal aborts if the caller disconnects; then a code that was to be taken can still be read
 * @param isTaken whether this is the last request that returns the code. Link previews and scanners send GET, so GET takes nothing.
 * @throws ServiceError `verification_not_found`, `verification_answered`, `rate_limited`, `unavailable`
 */
export async function waitForCode(
  ctx: Services,
  { lease: signed, timeout_seconds }: WaitVerificationInput,
  signal: AbortSignal,
  isTaken: boolean,
): Promise<WaitVerificationOutput> {
  const id = readToken(ctx, signed);
  const lease = await findOpen(ctx, id);
  const allowed = async () => void (await findOpen(ctx, id));
  const ends = ctx.now().getTime() + timeout_seconds * MS;
  const leftMs = () => Math.max(0, Math.min(ends, lease.expires_at.getTime()) - ctx.now().getTime());
  // The mailbox is as old as its lease, so no other mail is in it.
  let after = lease.created_at.toISOString();
  for (let mails = 0; mails < MAILS_MAX; mails += 1) {
    const found = await waitForEmail(
      { ...ctx, actor: readerOf(lease) },
      {
        addr: encodeId("inb", lease.inbox_id),
        from: lease.sender ?? undefined,
        after,
        timeout_seconds: leftMs() / MS,
        claim: false,
      },
      { signal, allowed },
    );
    if (!found.match || signal.aborted) return TIMED_OUT;
    const { message } = found.match;
    if (message.extraction?.otp || message.extraction?.link) {
      if (!isTaken) return codeOf(message);
      return (await takeOnce(ctx, id, signal)) ? codeOf(message) : TIMED_OUT;
    }
    after = found.cursor;
  }
  return TIMED_OUT;
}

type Open = Awaited<ReturnType<typeof findOpen>>;

/** The lease with its mailbox, while the key that made it is valid. */
async function findOpen({ db, now }: Services, id: string) {
  const at = now();
  const [row] = await db
    .select({
      organization_id: mailboxLeases.organization_id,
      inbox_id: inboxes.id,
      agent_key_id: mailboxLeases.agent_key_id,
      agent_id: agents.id,
      enrollment_key_id: agents.enrollment_key_id,
      sender: mailboxLeases.sender,
      expires_at: mailboxLeases.expires_at,
      answered_at: mailboxLeases.answered_at,
      created_at: mailboxLeases.created_at,
    })
    .from(mailboxLeases)
    .innerJoin(
      inboxes,
      and(
        eq(inboxes.organization_id, mailboxLeases.organization_id),
        eq(inboxes.client_id, leasedClientId(id)),
        eq(inboxes.status, "live"),
      ),
    )
    .innerJoin(agentKeys, and(eq(agentKeys.id, mailboxLeases.agent_key_id), isInForce(agentKeys, at)))
    .innerJoin(
      agents,
      and(eq(agents.id, agentKeys.agent_id), eq(agents.organization_id, mailboxLeases.organization_id)),
    )
    .innerJoin(enrollmentKeys, eq(enrollmentKeys.id, agents.enrollment_key_id))
    .where(and(eq(mailboxLeases.id, id), gt(mailboxLeases.expires_at, at), isNull(enrollmentKeys.revoked_at)));
  if (!row) throw noVerification();
  if (row.answered_at) throw answered();
  return row;
}

/** Reads this mailbox for the key that made the lease: its open waits count for it. */
function readerOf(lease: Open): Agent {
  return {
    kind: "agent",
    organizationId: lease.organization_id,
    enrollmentKeyId: lease.enrollment_key_id,
    agentId: lease.agent_id,
    keyId: lease.agent_key_id,
    scopes: ["mailbox:read"],
    allowedDomains: [],
    inboxIds: [lease.inbox_id],
    madeBy: null,
    ancestorIds: [],
    budgetKeyIds: [],
  };
}

/**
 * @returns false: the caller disconnected, and the code was not taken
 * @throws ServiceError `verification_answered`
 */
async function takeOnce({ db, now, log }: Services, id: string, signal: AbortSignal): Promise<boolean> {
  const { count } = await db
    .update(mailboxLeases)
    .set({ answered_at: now() })
    .where(and(eq(mailboxLeases.id, id), isNull(mailboxLeases.answered_at)));
  if (count === 0) throw answered();
  const release = async () => {
    await db.update(mailboxLeases).set({ answered_at: null }).where(eq(mailboxLeases.id, id));
  };
  if (signal.aborted) {
    await release();
    return false;
  }
  const released = () =>
    release().catch((error: unknown) => log.warn({ error }, "a code that was not delivered cannot be read again"));
  signal.addEventListener("abort", () => void released(), { once: true });
  return true;
}

function codeOf(message: MessageRow): WaitVerificationOutput {
  const { otp = null, link = null, confidence = 0 } = message.extraction ?? {};
  const sender_verified = message.authentication && provesSender(message.authentication);
  return { timed_out: false, otp, link, confidence, sender_verified, message: messageView(message) };
}

function answered(): ServiceError {
  return new ServiceError("verification_answered", "The code of this verification was already taken.");
}
