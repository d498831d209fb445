// Decides by the lists of senders which mailboxes get a mail. Only where an allow entry decides, the sender is authenticated
// before the mail is accepted.
import { setTimeout as delay } from "node:timers/promises";
import type { Services } from "../base/context.ts";
import { createLimiter, type Limiter } from "../base/limiter.ts";
import { readRules } from "../recipients/lists/rules.ts";
import { type Mailbox, type Rules, refusalOf } from "../recipients/lists/verdict.ts";
import type { PreparedMail } from "./receive-plan.ts";

/** Mails that are authenticated before they are accepted: in this process, and of these for one organization. */
const JUDGED = { total: 32, each: 8 };
/** How long a mail may wait for that. Authentication itself ends its questions to DNS after 3 s. */
const JUDGE_MS = 8_000;

export type SenderNeeds = Pick<Services, "db" | "log" | "mailThreads">;
/** Mails that are being authenticated, by organization. */
export type SenderLists = Limiter;

export function createSenderLists(): SenderLists {
  return createLimiter(JUDGED);
}

/** @returns the ids of the mailboxes that take the mail; undefined if DMARC decides and could not be checked now */
export async function mailboxesThatTake(
  services: SenderNeeds,
  lists: SenderLists,
  mail: PreparedMail,
  mailboxes: Mailbox[],
): Promise<Set<string> | undefined> {
  const from = mail.summary.from?.address ?? mail.envelopeFrom;
  const rules = await readRules(services.db, mailboxes, "receive", [from, mail.envelopeFrom]);
  const proven = takers(mailboxes, rules, mail, [from]);
  const unproven = takers(mailboxes, rules, mail, []);
  const deciding = mailboxes.find(({ id }) => proven.has(id) && !unproven.has(id));
  if (!deciding || mail.isOwn) return proven;
  const isAligned = await authenticate(services, lists, { mail, from, organizationId: deciding.organization_id });
  if (isAligned === undefined) return;
  return isAligned ? proven : unproven;
}

/** A proven sender is refused by no more mailboxes than an unproven one: allow entries only ever let mail in. */
function takers(mailboxes: Mailbox[], rules: Rules, mail: PreparedMail, allowed: string[]): Set<string> {
  const blocked = [mail.summary.from?.address ?? "", mail.envelopeFrom];
  return new Set(mailboxes.filter((each) => !refusalOf(each, rules, { blocked, allowed })).map(({ id }) => id));
}

type Question = { mail: PreparedMail; from: string; organizationId: string };

/** Whether From passed DMARC; undefined if that could not be found out. */
async function authenticate(
  { mailThreads, log }: SenderNeeds,
  lists: SenderLists,
  { mail, from, organizationId }: Question,
): Promise<boolean | undefined> {
  const place = lists.open(organizationId);
  if (place.take()) return;
  const { raw, remoteIp, helo, envelopeFrom } = mail;
  const judging = mailThreads.judge.authenticate(organizationId, { raw, remoteIp, helo, envelopeFrom, from });
  const result = judging.then((found) => {
    place.release();
    return found?.aligned_from || (found?.dmarc === "temperror" ? undefined : found && false);
  });
  const isAligned = await Promise.race([result, delay(JUDGE_MS, undefined, { ref: false })]);
  if (isAligned === undefined) log.info({ from }, "a sender could not be authenticated; the mail is deferred");
  return isAligned;
}
