// Takes a mail that came to a return path: records what a report says about the recipient that the path names, and stores other mail, such
// as an absence note, in the mailbox that sent.
import { and, eq } from "drizzle-orm";
import { inboxes, messageRecipients, messages } from "#db/schema/mail.ts";
import { complaintReason } from "../../base/complaints.ts";
import type { Ctx, System } from "../../base/context.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import { type Outcome, recordOutcome } from "../../recipients/outcomes/record.ts";
import { type IncomingMail, type ReceiveOutcome, receiveMail } from "../receive.ts";
import type { Notified, Report } from "./report.ts";
import { hasExpired, type Returned } from "./return-path.ts";

/** What is read for a report. Servers put their words before the mail that they return. */
const REPORT_BYTES = 1024 * 1024;
const REPORT_CPU_MS = 2_000;
/** All returned mail shares one turn of the threads: nobody is known to have sent it. */
const TURN = "returns";

const readReport = createJob<typeof import("./report-worker.ts")>({
  name: "report",
  kind: "mail",
  program: new URL("./report-worker.ts", import.meta.url),
});

/** `recorded`: a report, which is not stored. `later`: it could not be read now. */
export type ReturnOutcome = ReceiveOutcome | { outcome: "recorded" } | { outcome: "later" };

/** Never causes mail of this service, so that no loop can start. */
export async function takeReturn(
  ctx: Ctx<System>,
  returned: Returned,
  mail: Omit<IncomingMail, "recipients">,
): Promise<ReturnOutcome> {
  const sent = await findSent(ctx, returned);
  const read = await readReport(ctx.threadPool, {
    organizationId: TURN,
    cpuMs: REPORT_CPU_MS,
    question: () => ({
      raw: new Uint8Array(mail.raw.subarray(0, REPORT_BYTES)),
      recipient: sent?.address ?? "",
      envelopeFrom: mail.remoteIp === null ? null : mail.envelopeFrom,
    }),
    transfer: (question) => [question.raw.buffer],
  });
  if ("ended" in read) {
    if (read.ended === "lost") return { outcome: "later" };
    ctx.log.warn({ message: returned.messageId, reason: read.reason }, "a returned mail could not be read");
  }
  const report: Report = "ended" in read ? { kind: "mail" } : read.answer;
  if (report.kind === "mail") return storeAnswer(ctx, sent, mail);
  const outcome = sent && outcomeOf(report, { ...returned, at: ctx.now() });
  if (outcome) ctx.eventLog.announce(await ctx.db.transaction((tx) => recordOutcome(ctx, tx, outcome)));
  return { outcome: "recorded" };
}

type Sent = { address: string; inbox: string; messageId: string | null };

/** The recipient that the path names, the mailbox that sent, and the Message-ID; undefined if the path has expired. */
async function findSent(ctx: Ctx<System>, returned: Returned): Promise<Sent | undefined> {
  const { message_id, index, address, counted_at, inbox_id } = messageRecipients;
  const isNamed = and(eq(message_id, returned.messageId), eq(index, returned.index));
  const [found] = await ctx.db
    .select({ address, counted_at, inbox: inboxes.address, sent_at: messages.sent_at, id: messages.rfc_message_id })
    .from(messageRecipients)
    .innerJoin(inboxes, eq(inboxes.id, inbox_id))
    .leftJoin(messages, eq(messages.id, message_id))
    .where(isNamed);
  if (!found) return;
  const left = found.sent_at ?? found.counted_at;
  if (left && hasExpired(ctx, left)) return;
  return { address: found.address.toLowerCase(), inbox: found.inbox, messageId: found.id };
}

/** Programs that answer write to the return path (RFC 3834 §4, RFC 5230 §4.6). */
async function storeAnswer(
  ctx: Ctx<System>,
  sent: Sent | undefined,
  mail: Omit<IncomingMail, "recipients">,
): Promise<ReceiveOutcome> {
  if (!sent) return { outcome: "unknown_recipient", address: "" };
  return receiveMail(ctx, { ...mail, recipients: [sent.inbox], answered: sent.messageId });
}

/** Whom the outcome is about, and when. */
type Recipient = Returned & { at: Date };

function outcomeOf(report: Exclude<Report, { kind: "mail" }>, recipient: Recipient): Outcome | undefined {
  switch (report.kind) {
    case "complaint": {
      const reason = complaintReason(report.feedback);
      if (reason === undefined) return;
      return { ...recipient, smtp_code: null, enhanced_code: null, status: "complained", reason };
    }
    case "text": {
      const { smtp_code, enhanced_code, words, isLater } = report;
      return { ...recipient, smtp_code, enhanced_code, status: isLater ? "delayed" : "bounced", reason: words || null };
    }
    case "delivery":
      return deliveryOutcome(report, recipient);
  }
}

function deliveryOutcome(
  { smtp_code, enhanced_code, action, reason, permanent }: Notified,
  recipient: Recipient,
): Outcome | undefined {
  const codes = { smtp_code, enhanced_code };
  if (action === "delivered") return { ...recipient, ...codes, status: "delivered", reason };
  // Answers to probes say `deliverable`. Other actions with a code of success report no failure either.
  const isNoFailure = action === "deliverable" || (action !== "failed" && enhanced_code?.startsWith("2."));
  if (action === "relayed" || action === "expanded" || isNoFailure) return;
  // `failed` with a temporary code: the server gave up after retrying (RFC 3464 §2.3.3).
  const isLater = action === "delayed" || (action !== "failed" && enhanced_code?.startsWith("4."));
  if (isLater) return { ...recipient, ...codes, status: "delayed", reason };
  return { ...recipient, ...codes, status: "bounced", reason, permanent };
}
