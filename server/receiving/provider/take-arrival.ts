// Takes a mail that the provider received for this service: fetches its raw bytes, and stores it like mail over SMTP.
import type { Ctx, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import type { ProviderArrival } from "../../base/ports/provider-events.ts";
import { receiveMail } from "../receive.ts";
import { checkRecipient } from "../recipients.ts";
import { type Returned, readReturnPath } from "../returns/return-path.ts";
import { type ReturnOutcome, takeReturn } from "../returns/take-return.ts";
import { isTaken, spendEventIds } from "./event-ids.ts";

declare module "../../base/context.ts" {
  interface Services {
    /** The arrivals that this process is taking, by event: concurrent copies of an event share one download. */
    arrivals: Map<string, Promise<ArrivalResult>>;
  }
}

const ARRIVALS_MAX = 64;
const RETRY_AFTER_SECONDS = "10";

/**
 * `no_mailbox`: no recipient is a mailbox or return path of this service. `blocked`: the lists of every mailbox refuse the
 * sender. `too_large`, `looping` and `blocked`: never stored.
 */
export type ArrivalResult = "stored" | "repeated" | "no_mailbox" | "too_large" | "looping" | "blocked";

type Recipients = { returned: Returned[]; ready: string[]; isOneFull: boolean };

/**
 * Answers only after the commit, so that the provider repeats what was not stored. A repeated event stores nothing twice.
 * @throws ServiceError `unavailable` if the mail cannot be fetched or stored now
 */
export function takeArrival(ctx: Ctx<System>, eventId: string, mail: ProviderArrival): Promise<ArrivalResult> {
  const { arrivals } = ctx;
  const running = arrivals.get(eventId);
  if (running) return running;
  if (arrivals.size >= ARRIVALS_MAX) throw later("Too many mails are being fetched.");
  const taking = take(ctx, eventId, mail).finally(() => arrivals.delete(eventId));
  arrivals.set(eventId, taking);
  return taking;
}

function later(message: string): ServiceError {
  return new ServiceError("unavailable", message, { headers: { "Retry-After": RETRY_AFTER_SECONDS } });
}

async function take(ctx: Ctx<System>, eventId: string, mail: ProviderArrival): Promise<ArrivalResult> {
  if (await isTaken(ctx.db, eventId)) return "repeated";
  const recipients = await judge(ctx, mail.recipients);
  if (recipients.ready.length + recipients.returned.length === 0) {
    if (recipients.isOneFull) throw full();
    return "no_mailbox";
  }
  const fetched = await mail.fetchRaw(ctx.settings.SMTP_MAX_BYTES);
  if (fetched.outcome === "too_large") {
    ctx.log.warn({ email: mail.emailId }, "a mail at the provider is larger than SMTP_MAX_BYTES, and was not fetched");
    return "too_large";
  }
  if (fetched.outcome === "later") {
    ctx.log.warn({ email: mail.emailId, reason: fetched.error }, "a mail could not be fetched from the provider");
    throw later("The mail could not be fetched from the provider.");
  }
  try {
    const result = await store(ctx, mail, recipients, fetched.raw);
    await spendEventIds(ctx.db, [eventId], ctx.now());
    return result;
  } finally {
    fetched.release();
  }
}

async function judge(ctx: Ctx<System>, addresses: string[]): Promise<Recipients> {
  const recipients: Recipients = { returned: [], ready: [], isOneFull: false };
  for (const address of addresses) {
    const returned = readReturnPath(ctx, address);
    if (returned === "invalid") continue;
    if (returned) {
      recipients.returned.push(returned);
      continue;
    }
    const found = await checkRecipient(ctx, address, 0);
    if (found === "ready" || found === "caught") recipients.ready.push(address);
    if (found === "full") recipients.isOneFull = true;
  }
  return recipients;
}

async function store(
  ctx: Ctx<System>,
  mail: ProviderArrival,
  { returned, ready, isOneFull }: Recipients,
  raw: Buffer,
): Promise<ArrivalResult> {
  const taken = new Set<ReturnOutcome["outcome"]>();
  for (const path of returned) taken.add((await takeReturn(ctx, path, incoming(mail, raw))).outcome);
  const kept = await storeInMailboxes(ctx, mail, ready, raw);
  // Only now, so that a path whose mailbox is full does not stop the others.
  if (taken.has("later")) throw later("The returned mail could not be read.");
  if (taken.has("undecided")) throw undecided();
  if (isOneFull || kept === "full" || taken.has("over_quota")) throw full();
  if (ready.length > 0 || taken.has("recorded") || taken.has("stored")) return kept;
  return taken.has("looping") ? "looping" : taken.has("blocked") ? "blocked" : "no_mailbox";
}

/** Without a remote address SPF is not judged: only the provider saw the client. */
function incoming({ from, emailId }: ProviderArrival, raw: Buffer) {
  return { envelopeFrom: from, raw, remoteIp: null, helo: null, onceId: emailId };
}

function undecided(): ServiceError {
  return later("The sender of the mail could not be authenticated.");
}

function full(): ServiceError {
  return later("The storage quota of a recipient is exceeded.");
}

/** Stores for the mailboxes that are there and have room. One that is deleted or full must not stop the others. */
async function storeInMailboxes(
  ctx: Ctx<System>,
  mail: ProviderArrival,
  ready: string[],
  raw: Buffer,
): Promise<ArrivalResult | "full"> {
  let isOneFull = false;
  let recipients = ready;
  while (recipients.length > 0) {
    const outcome = await receiveMail(ctx, { ...incoming(mail, raw), recipients });
    if (outcome.outcome === "stored") return isOneFull ? "full" : "stored";
    if (outcome.outcome === "undecided") throw undecided();
    if (outcome.outcome === "looping") return "looping";
    if (outcome.outcome === "blocked") return isOneFull ? "full" : "blocked";
    isOneFull ||= outcome.outcome === "over_quota";
    recipients = recipients.filter((address) => address !== outcome.address);
  }
  return isOneFull ? "full" : "stored";
}
