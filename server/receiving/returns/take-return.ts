// Takes a mail that came to a return path, and records what it says about the recipient that the path names.
import { eq } from "drizzle-orm";
import { messageRecipients } from "#db/schema/mail.ts";
import type { Ctx, System } from "../../base/context.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import { type Outcome, recordOutcome } from "../../recipients/outcomes/record.ts";
import type { Report } from "./report.ts";
import type { Returned } from "./return-path.ts";

export const RETURN_MAX_BYTES = 1024 * 1024;
const REPORT_CPU_MS = 2_000;
/** All returned mail shares one turn of the threads: nobody is known to have sent it. */
const TURN = "returns";
const NOT_A_COMPLAINT = "not-spam";

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
  const read = await readReport(ctx.threadPool, {
    organizationId: TURN,
    cpuMs: REPORT_CPU_MS,
    question: () => ({ raw: new Uint8Array(raw) }),
    transfer: (question) => [question.raw.buffer],
  });
  if ("ended" in read) {
    ctx.log.warn({ message: returned.messageId, reason: read.reason }, "a returned mail could not be read");
    return read.ended === "lost" ? "later" : "taken";
  }
  const recorded = await ctx.db.transaction(async (tx) => {
    const ofMessage = eq(messageRecipients.message_id, returned.messageId);
    const { index, address } = messageRecipients;
    const recipients = await tx.select({ index, address }).from(messageRecipients).where(ofMessage);
    const recipient = recipients.find((each) => each.index === returned.index);
    const outcome = recipient && outcomeOf(read.answer, { ...returned, address: recipient.address, at: ctx.now() });
    return outcome && recordOutcome(ctx, tx, outcome);
  });
  if (recorded) ctx.eventLog.announce(recorded);
  return "taken";
}

type About = Returned & { address: string; at: Date };

function outcomeOf(report: Report, about: About): Outcome | undefined {
  const { address, ...base } = about;
  const none = { smtp_code: null, enhanced_code: null };
  switch (report.kind) {
    case "automatic":
      return;
    case "complaint":
      if (report.feedback === NOT_A_COMPLAINT) return;
      return { ...base, ...none, status: "complained", reason: report.feedback || "abuse" };
    case "text":
      return textOutcome(report, base);
    case "delivery":
      return deliveryOutcome(report.recipients, base, address.toLowerCase());
  }
}

type Base = Omit<About, "address">;

function textOutcome({ words, ...codes }: Extract<Report, { kind: "text" }>, base: Base): Outcome {
  const { smtp_code, enhanced_code } = codes;
  // A warning: the server goes on trying, and nothing in the text says reliably that it gave up.
  const isLater = enhanced_code?.startsWith("4.") ?? false;
  const reason = isLater ? `delayed: ${words}` : words || null;
  return { ...base, smtp_code, enhanced_code, status: isLater ? "delayed" : "bounced", reason };
}

type Notified = Extract<Report, { kind: "delivery" }>["recipients"][number];

/** The path proves one recipient. A server that delivers an alias names another address, so a failure counts too. */
function deliveryOutcome(recipients: Notified[], base: Base, address: string): Outcome | undefined {
  const named = recipients.find(({ addresses }) => addresses.includes(address));
  const about = named ?? recipients.find(({ action }) => action === "failed") ?? recipients[0];
  if (!about) return;
  const { smtp_code, enhanced_code, action, reason } = about;
  const codes = { smtp_code, enhanced_code };
  if (action === "delivered") return { ...base, ...codes, status: "delivered", reason };
  if (action === "relayed" || action === "expanded") return;
  // `failed` with a temporary code: the server gave up after retrying (RFC 3464 §2.3.3).
  const isLater = action === "delayed" || (action !== "failed" && enhanced_code?.startsWith("4."));
  if (isLater) return { ...base, ...codes, status: "delayed", reason: `delayed: ${reason}` };
  return { ...base, ...codes, status: "bounced", reason };
}
