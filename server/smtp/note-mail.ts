// Counts a mail that a client sent, and writes its line in the log.
import type { SMTPServerAddress } from "smtp-server";
import type { Ctx, System } from "../base/context.ts";
import { named, type WorkLine, writeWork } from "../base/log.ts";
import type { ReceiveOutcome } from "../receiving/receive.ts";
import type { Session } from "./session.ts";

// Reads the envelope of the mail that a session is sending.
/** The size that the client announced; 0 if it did not. */
export function declaredBytes({ args }: SMTPServerAddress): number {
  return args ? Number(args.SIZE ?? 0) : 0;
}

export function recipientsOf({ connection }: Session): string[] {
  return connection.session.envelope.rcptTo.map(({ address }) => address);
}

export function senderOf({ connection }: Session): string {
  const { mailFrom } = connection.session.envelope;
  return mailFrom ? mailFrom.address : "";
}

const ACCEPTED = 250;
const FIRST_REFUSAL = 500;

/** What is known of the mail of a session. */
export type TakenMail = {
  began: number;
  span: WorkLine["span"];
  bytes?: number;
  stored?: Extract<ReceiveOutcome, { outcome: "stored" }>;
};

/** @param code of the reply; undefined if the client disconnected before its mail was complete */
export function noteMail({ metrics, log }: Ctx<System>, session: Session, mail: TakenMail, code?: number): void {
  if (code !== undefined) metrics.mailsReceived.inc({ answer: String(code) });
  const { bytes, stored } = mail;
  const { ids = [], mailboxes = [] } = stored ?? {};
  const [first, ...others] = mailboxes;
  const several = others.length > 0 && {
    organizations: named("org", new Set(mailboxes.map((each) => each.organization_id))),
    inboxes: named(
      "inb",
      mailboxes.map(({ id }) => id),
    ),
    messages: named("msg", ids),
  };
  writeWork(log, "info", {
    kind: "mail",
    ...(first && !several && { organization: first.organization_id, inbox: first.id, message: ids[0] }),
    outcome: outcomeOf(code),
    ms: performance.now() - mail.began,
    span: mail.span,
    spanFacts: { "mailberth.smtp.answer": code, "mailberth.recipients": recipientsOf(session).length },
    facts: {
      answer: code,
      client: session.client.network,
      recipients: recipientsOf(session).length,
      bytes,
      ...several,
    },
  });
}

function outcomeOf(code: number | undefined): "accepted" | "refused" | "deferred" | "left" {
  if (code === undefined) return "left";
  if (code === ACCEPTED) return "accepted";
  return code >= FIRST_REFUSAL ? "refused" : "deferred";
}
