// The addresses at simulator.invalid, which behave as servers and people do, so that an agent's error paths can be tried with
// OUTBOUND=local. What comes back takes the same way as mail of others: bounces and complaints to the return path, answers to the mailbox.
import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { OutboundMail, RecipientResult } from "../base/ports/outbound.ts";
import { composeMail } from "./compose.ts";

const DOMAIN = "simulator.invalid";
const SLOW_MS = 5_000;
const REPLY_MS = 2_000;
/** What waits for its time in this process. More than that happens immediately. */
const WAITING_MAX = 1_000;
const DEFERRED_MAX = 1_000;
const QUOTED_CHARS = 2_000;
const ID_CHARS = 32;
const UNKNOWN = `550 5.1.1 No such address. ${DOMAIN} has bounce, complaint, defer, slow, away and reply, each with any +tag`;
const DEFERRED = "451 4.7.1 Try again later";

/** `returned`: takes a mail to a return path; `received`: takes a mail to a mailbox. Both reject if that cannot be done now. */
export type Ways = {
  returned(path: string, raw: Buffer): Promise<void>;
  received(mail: { envelopeFrom: string; to: string; raw: Buffer }): Promise<void>;
  /** Called when what was to come later could not be delivered. */
  lost(error: unknown): void;
  now(): Date;
};
type Envelope = { from: string; to: string };
type Sent = { mail: OutboundMail; envelope: Envelope };
/** What the server at simulator.invalid answers. `deferred`: try again later. */
export type Answer = RecipientResult | { address: string; outcome: "deferred"; detail: string };
export type Simulator = ReturnType<typeof createSimulator>;

/** What the addresses end with. */
export const SIMULATED = `@${DOMAIN}`;

export function createSimulator(ways: Ways) {
  const waiting = new Set<NodeJS.Timeout>();
  const deferred = new LRUCache<string, true>({ max: DEFERRED_MAX });

  async function after(ms: number, work: () => Promise<void>): Promise<void> {
    if (waiting.size >= WAITING_MAX) return work();
    const timer = setTimeout(() => {
      waiting.delete(timer);
      work().catch(ways.lost);
    }, ms).unref();
    waiting.add(timer);
  }

  /** Taking the same mail again changes nothing that is there: what comes back has the same Message-ID. */
  async function take(mail: OutboundMail, envelope: Envelope): Promise<Answer> {
    const sent = { mail, envelope };
    const address = envelope.to;
    const accepted: RecipientResult = { address, outcome: "accepted", detail: "250 2.0.0 Queued by the simulator" };
    const delivered: RecipientResult = { address, outcome: "delivered" };
    switch (/^[^+@]*/.exec(address.toLowerCase())?.[0]) {
      case "bounce":
        await ways.returned(
          envelope.from,
          notification(sent, "failed", "5.1.1", "550 5.1.1 The mailbox does not exist"),
        );
        return accepted;
      case "complaint":
        await ways.returned(envelope.from, complaint(sent));
        return accepted;
      case "slow": {
        const late = () =>
          ways.returned(envelope.from, notification(sent, "delivered", "2.0.0", "250 2.0.0 Delivered"));
        await after(SLOW_MS, late);
        return accepted;
      }
      case "defer": {
        const key = `${mail.id} ${address}`;
        if (deferred.has(key)) return delivered;
        deferred.set(key, true);
        return { address, outcome: "deferred", detail: DEFERRED };
      }
      case "away": {
        const raw = await answer(sent, { subject: "Automatic reply", text: AWAY, now: ways.now(), isAutomatic: true });
        await ways.received({ envelopeFrom: "", to: mail.from.address, raw });
        return delivered;
      }
      case "reply":
        await after(REPLY_MS, async () => {
          const raw = await answer(sent, { subject: "Re", text: quoting(mail), now: ways.now() });
          await ways.received({ envelopeFrom: address, to: mail.from.address, raw });
        });
        return delivered;
      default:
        return { address, outcome: "refused", detail: UNKNOWN };
    }
  }

  return {
    take,
    close() {
      for (const timer of waiting) clearTimeout(timer);
    },
  };
}

const AWAY = "I am out of the office until Monday. I will read your message when I am back.";

function quoting({ text, date, from }: OutboundMail): string {
  const quoted = (text ?? "").slice(0, QUOTED_CHARS).replace(/^/gm, "> ");
  return `Thank you for your message. That works for me.\n\nRobin\n\nOn ${date.toUTCString()}, ${from.address} wrote:\n${quoted}\n`;
}

/** The same for one mail and recipient, so that a repetition is recognized. */
function idOf({ mail, envelope }: Sent): string {
  return `${hash("sha256", `${mail.id} ${envelope.to}`).slice(0, ID_CHARS)}@${DOMAIN}`;
}

type Written = { subject: string; text: string; now: Date; isAutomatic?: true };

/** Only the mailbox that sent the mail gets it, whatever Reply-To says: nobody makes the simulator write to others. */
function answer(sent: Sent, { subject, text, now, isAutomatic }: Written): Promise<Buffer> {
  const { mail, envelope } = sent;
  return composeMail({
    id: mail.id,
    from: { address: envelope.to, name: "Robin" },
    to: [mail.from.address],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: `${subject}: ${mail.subject}`,
    text,
    html: null,
    messageId: idOf(sent),
    inReplyTo: mail.messageId,
    references: [...mail.references, mail.messageId],
    date: now,
    attachments: [],
    ...(isAutomatic && { marks: { "Auto-Submitted": "auto-replied" } }),
  });
}

/** A delivery status notification (RFC 3464). */
function notification(sent: Sent, action: "failed" | "delivered", status: string, words: string): Buffer {
  const part = [
    `Reporting-MTA: dns; mx.${DOMAIN}`,
    "",
    `Final-Recipient: rfc822; ${sent.envelope.to}`,
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: smtp; ${words}`,
  ];
  return report(sent, "delivery-status", part, `${sent.envelope.to}: ${words}`);
}

/** An abuse report (RFC 5965). */
function complaint(sent: Sent): Buffer {
  const part = ["Feedback-Type: abuse", "User-Agent: Simulator/1.0", "Version: 1"];
  return report(sent, "feedback-report", part, "The recipient marked this mail as spam.");
}

function report(sent: Sent, type: "delivery-status" | "feedback-report", part: string[], words: string): Buffer {
  const lines = [
    `From: Mail Delivery System <mailer-daemon@${DOMAIN}>`,
    `To: <${sent.envelope.from}>`,
    "Subject: Report about your mail",
    `Message-ID: <${idOf(sent)}>`,
    "Auto-Submitted: auto-replied",
    "MIME-Version: 1.0",
    `Content-Type: multipart/report; report-type=${type}; boundary="edge"`,
    "",
    "--edge",
    "Content-Type: text/plain; charset=utf-8",
    "",
    words,
    "--edge",
    `Content-Type: message/${type}`,
    "",
    ...part,
    "--edge",
    "Content-Type: text/rfc822-headers",
    "",
    `Message-ID: <${sent.mail.messageId}>`,
    "--edge--",
    "",
  ];
  return Buffer.from(lines.join("\r\n"));
}
