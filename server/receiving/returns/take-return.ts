// Takes a mail that came to a return path, and records what it says about the recipient that the path names.
import { and, eq } from "drizzle-orm";
import { messageRecipients, messages } from "#db/schema/mail.ts";
import { complaintReason } from "../../base/complaints.ts";
import type { Ctx, System } from "../../base/context.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import { type Outcome, recordOutcome } from "../../recipients/outcomes/record.ts";
import type { Notified, Report } from "./report.ts";
import { hasExpired, type Returned } from "./return-path.ts";

export const RETURN_MAX_BYTES = 1024 * 1024;
const REPORT_CPU_MS = 2_000;
/** All returned mail shares one turn of the threads: nobody is known to have sent it. */
const TURN = "returns";

const readReport = createJob<typeof import("./report-worker.ts")>({
  name: "report",
  kind: "mail",
  program: new URL("./report-worker.ts", import.meta.url),
});

/**
 * Never causes mail of this service, so that no loop can start.
 * @returns `later` if it could not be read now. `taken` also for a report that the thread cannot read within its limits: a repetition
 * would end alike, so only a warning tells of it.
 */
export async function takeReturn(ctx: Ctx<System>, returned: Returned, raw: Buffer): Promise<"taken" | "later"> {
  const { message_id, index, address, counted_at } = messageRecipients;
  const isNamed = and(eq(message_id, returned.messageId), eq(index, returned.index));
  const [recipient] = await ctx.db
    .select({ address, counted_at, sent_at: messages.sent_at })
    .from(messageRecipients)
    .leftJoin(messages, eq(messages.id, message_id))
    .where(isNamed);
  if (!recipient) return "taken";
  const left = recipient.sent_at ?? recipient.counted_at;
  if (left && hasExpired(ctx, left)) return "taken";
  const read = await readReport(ctx.threadPool, {
    organizationId: TURN,
    cpuMs: REPORT_CPU_MS,
    question: () => ({ raw: new Uint8Array(raw), recipient: recipient.address.toLowerCase() }),
    transfer: (question) => [question.raw.buffer],
  });
  if ("ended" in read) {
    ctx.log.warn({ message: returned.messageId, reason: read.reason }, "a returned mail could not be read");
    return read.ended === "lost" ? "later" : "taken";
  }
  const outcome = outcomeOf(read.answer, { ...returned, at: ctx.now() });
  if (!outcome) return "taken";
  ctx.eventLog.announce(await ctx.db.transaction((tx) => recordOutcome(ctx, tx, outcome)));
  return "taken";
}

/** Whom the outcome is about, and when. */
type Recipient = Returned & { at: Date };

function outcomeOf(report: Report, recipient: Recipient): Outcome | undefined {
  switch (report.kind) {
    case "automatic":
      return;
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
