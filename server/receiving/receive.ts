// Receives mail into mailboxes, both over SMTP and between mailboxes of this service.
import { hash } from "node:crypto";
import { readMailbox } from "../base/addresses.ts";
import { type GroupCommit, groupCommit } from "../base/batching/group-commit.ts";
import type { Ctx, Services, System } from "../base/context.ts";
import { withRoom } from "../inboxes/storage/make-room.ts";
import { readHeaders } from "../mime/headers.ts";
import { findCatchAlls } from "./catch-all.ts";
import { summarize } from "./headers.ts";
import { kindOf } from "./kind.ts";
import { type Failure, type StoreNeeds, storeBatch } from "./receive-batch.ts";
import type { IncomingMail, PreparedMail, ReceiveOutcome, StoreOutcome } from "./receive-plan.ts";
import { createRecipients, type Recipients } from "./recipients.ts";
import { createSenderLists, mailboxesThatTake, type SenderLists } from "./sender-lists.ts";

export type { IncomingMail, ReceiveOutcome } from "./receive-plan.ts";

declare module "../base/context.ts" {
  interface Services {
    intake: Intake;
  }
}

const BATCH_MAILS = 64;
const BATCH_BYTES = 8 * 1024 * 1024;
/** What a mail counts at least in each mailbox, whose row, event and deliveries are written too: a batch has 128 mailboxes at most. */
const MAILBOX_BYTES = BATCH_BYTES / 128;
const BATCHES_IN_FLIGHT = 1;
/** With objects, each mail is stored alone: none waits for the object of another one. */
const OBJECTS_IN_FLIGHT = 32;
const LARGE_OBJECTS_IN_FLIGHT = 4;
/** Larger mails share transactions of their own, so that small ones do not wait while megabytes are written. */
const LARGE_BYTES = 256 * 1024;
/** More Received headers than this are a loop (RFC 5321 §6.3). */
const MAX_HOPS = 50;
/** Larger bodies are hashed on another thread. */
const HASH_HERE_BYTES = 256 * 1024;

type Intake = {
  small: GroupCommit<PreparedMail, StoreOutcome | Failure>;
  large: GroupCommit<PreparedMail, StoreOutcome | Failure>;
  recipients: Recipients;
  senders: SenderLists;
};

export function createIntake(services: StoreNeeds & Pick<Services, "trashRoom">): Intake {
  const inObjects = services.blobs.newIn === "objects";
  const mails = (objectsInFlight: number) =>
    groupCommit(services, (batch: PreparedMail[]) => storeBatch(services, batch), {
      items: inObjects ? 1 : BATCH_MAILS,
      weight: BATCH_BYTES,
      inFlight: inObjects ? objectsInFlight : BATCHES_IN_FLIGHT,
      weigh: ({ raw, mailboxes }) => Math.max(raw.length, MAILBOX_BYTES) * mailboxes.size,
    });
  return {
    small: mails(OBJECTS_IN_FLIGHT),
    large: mails(LARGE_OBJECTS_IN_FLIGHT),
    recipients: createRecipients(services),
    senders: createSenderLists(),
  };
}

async function sha256(bytes: Buffer): Promise<Buffer> {
  if (bytes.length <= HASH_HERE_BYTES) return hash("sha256", bytes, "buffer");
  return Buffer.from(await crypto.subtle.digest("SHA-256", new Uint8Array(bytes)));
}

/**
 * sha256(envelope sender, Message-ID, body), as hex. Without the header block, because every hop adds to it. Null: never
 * a duplicate.
 */
async function duplicateKey(mail: IncomingMail, messageId: string | null, bodyStart: number): Promise<string | null> {
  if (messageId === null) return mail.onceId === undefined ? null : hash("sha256", `once ${mail.onceId}`, "hex");
  const body = await sha256(mail.raw.subarray(bodyStart));
  return hash("sha256", JSON.stringify([mail.envelopeFrom, messageId, body.toString("hex")]), "hex");
}

/**
 * Stores one mail in all its mailboxes or none, with its event and deliveries. When this settles with `stored`, the
 * mail is on disk. The same mail (mailbox, envelope sender, Message-ID, body) within 72 h is not stored twice: its ids
 * are those of the first time. Mail without a Message-ID is new unless its `onceId` is known.
 * @param mail.recipients envelope recipients with plus tags; two of one mailbox make one message
 * @throws if the database is unavailable or rejects it: nothing was stored, or the result is unknown
 */
export async function receiveMail(ctx: Ctx<System>, mail: IncomingMail): Promise<ReceiveOutcome> {
  const block = readHeaders(mail.raw);
  const summary = summarize(block);
  if (summary.hops > MAX_HOPS) return { outcome: "looping" };
  const mailboxes = new Map<string, string>();
  for (const recipient of mail.recipients) {
    const mailbox = readMailbox(recipient);
    if (!mailbox) return { outcome: "unknown_recipient", address: recipient };
    if (!mailboxes.has(mailbox)) mailboxes.set(mailbox, recipient);
  }
  const prepared: PreparedMail = {
    ...mail,
    summary,
    kind: kindOf({ ...mail, block, from: summary.from?.address ?? mail.envelopeFrom, subject: summary.subject }),
    mailboxes,
    duplicateKey: await duplicateKey(mail, summary.messageId, block.bodyStart),
    isJudged: false,
  };
  const received = await storeThroughLists(ctx, prepared);
  const caught = received.outcome === "unknown_recipient" ? await withCatchAlls(ctx, prepared) : undefined;
  return caught ? storeThroughLists(ctx, caught) : received;
}

/** The mail with the catch-all mailboxes in place of unknown ones; undefined if there are none. */
async function withCatchAlls(ctx: Ctx<System>, mail: PreparedMail): Promise<PreparedMail | undefined> {
  const caught = await findCatchAlls(ctx, [...mail.mailboxes.keys()]);
  if (caught.size === 0) return;
  const mailboxes = new Map<string, string>();
  for (const [address, recipient] of mail.mailboxes) {
    const mailbox = caught.get(address) ?? address;
    if (!mailboxes.has(mailbox)) mailboxes.set(mailbox, recipient);
  }
  return { ...mail, mailboxes };
}

/** Stores the mail in the mailboxes whose lists allow its sender: one mailbox must not keep it from the others. */
async function storeThroughLists(ctx: Ctx<System>, mail: PreparedMail): Promise<ReceiveOutcome> {
  const first = await storeWithRoom(ctx, mail);
  if (first.outcome !== "listed") return first;
  const taking = await mailboxesThatTake(ctx, ctx.intake.senders, mail, first.mailboxes);
  if (!taking) return { outcome: "undecided" };
  if (taking.size === 0) return { outcome: "blocked" };
  const kept = first.mailboxes.filter(({ id }) => taking.has(id)).map(({ address }) => address);
  const mailboxes = new Map([...mail.mailboxes].filter(([address]) => kept.includes(address)));
  const stored = await storeWithRoom(ctx, { ...mail, mailboxes, isJudged: true });
  if (stored.outcome === "listed") throw new Error("unreachable: the lists were read");
  return stored;
}

/** The trash of a full mailbox gives way outside the batch, so that no other mail waits for it. */
function storeWithRoom(ctx: Ctx<System>, mail: PreparedMail): Promise<StoreOutcome> {
  return withRoom(
    ctx,
    () => store(ctx, mail),
    ({ result }) => (result?.outcome === "over_quota" ? { owner: result.mailbox, size: mail.raw.length } : undefined),
  );
}

async function store(ctx: Ctx<System>, mail: PreparedMail): Promise<StoreOutcome> {
  const { small, large, recipients } = ctx.intake;
  const outcome = await (mail.raw.length > LARGE_BYTES ? large : small).add(mail);
  if (outcome.outcome === "failed") throw outcome.error;
  if ("address" in outcome) recipients.known.delete(readMailbox(outcome.address) ?? "");
  return outcome;
}
