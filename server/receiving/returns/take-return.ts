// Takes a mail that came to a return path, and records what it says about the recipient that the path names.
import { and, eq } from "drizzle-orm";
import { messageRecipients } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import { type Outcome, recordOutcome } from "../../recipients/outcomes/record.ts";
import type { Notified, Report } from "./report.ts";
import type { Returned } from "./return-path.ts";

export const RETURN_MAX_BYTES = 1024 * 1024;
const REPORT_CPU_MS = 2_000;
/** All returned mail shares one turn of the threads: nobody is known to have sent it. */
const TURN = "returns";
/** The opposite of a complaint; and reports that no person made (RFC 6591). */
const NOT_COMPLAINTS = ["not-spam", "auth-failure"];

const readReport = createJob<typeof import("./report-worker.ts")>({
  name: "report",
  kind: "mail",
  program: new URL("./report-worker.ts", import.meta.url),
});

/**
 * Never causes mail of this service, so that no loop can start.
 * @returns `later` if it could not be read now
 */
export async function takeReturn(ctx: Ctx<System>, returned: Returned, raw: Buffer): Promise<"taken" | "later"> {
  const { message_id, index, address } = messageRecipients;
  const isReturned = and(eq(message_id, returned.messageId), eq(index, returned.index));
  const [recipient] = await ctx.db.select({ address }).from(messageRecipients).where(isReturned);
  if (!recipient) return "taken";
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

type Base = Returned & { at: Date };

function outcomeOf(report: Report, base: Base): Outcome | undefined {
  switch (report.kind) {
    case "automatic":
      return;
    case "complaint": {
      if (NOT_COMPLAINTS.includes(report.feedback)) return;
      const reason = report.feedback || "abuse";
      return { ...base, smtp_code: null, enhanced_code: null, status: "complained", reason };
    }
    case "text": {
      const { smtp_code, enhanced_code, words, isLater } = report;
      const reason = isLater ? `delayed: ${words}` : words || null;
      return { ...base, smtp_code, enhanced_code, status: isLater ? "delayed" : "bounced", reason };
    }
    case "delivery":
      return deliveryOutcome(report, base);
  }
}

function deliveryOutcome(
  { smtp_code, enhanced_code, action, reason, permanent }: Notified,
  base: Base,
): Outcome | undefined {
  const codes = { smtp_code, enhanced_code };
  if (action === "delivered") return { ...base, ...codes, status: "delivered", reason };
  // Answers to probes say `deliverable`. Other actions with a code of success report no failure either.
  const isNoFailure = action === "deliverable" || (action !== "failed" && enhanced_code?.startsWith("2."));
  if (action === "relayed" || action === "expanded" || isNoFailure) return;
  // `failed` with a temporary code: the server gave up after retrying (RFC 3464 §2.3.3).
  const isLater = action === "delayed" || (action !== "failed" && enhanced_code?.startsWith("4."));
  if (isLater) return { ...base, ...codes, status: "delayed", reason: `delayed: ${reason}` };
  return { ...base, ...codes, status: "bounced", reason, permanent };
}
