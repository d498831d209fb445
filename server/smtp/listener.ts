// Receives mail over SMTP: who may be written to, and the RFC 5321 replies for the results of receiving/receive.ts.
import type { SMTPServerAddress, SMTPServerError } from "smtp-server";
import type { Ctx, System } from "../base/context.ts";
import { encodeId } from "../base/ids.ts";
import { POSTMASTER_MAX_BYTES } from "../receiving/postmaster/forward.ts";
import { receiveMail } from "../receiving/receive.ts";
import { checkRecipient } from "../receiving/recipients.ts";
import type { Returned } from "../receiving/returns/return-path.ts";
import { type ReturnOutcome, takeReturn } from "../receiving/returns/take-return.ts";
import { reply } from "./answers.ts";
import type { SmtpLimits } from "./limits.ts";
import { declaredBytes, noteMail, recipientsOf, senderOf, type TakenMail } from "./note-mail.ts";
import {
  failureOf,
  type Listener,
  OTHER_COMMANDS,
  type Protocol,
  refused,
  type SmtpListener,
  startServer,
  within,
} from "./server.ts";
import type { Session } from "./session.ts";
import { answerToPostmaster, checkPostmaster, kindOfRecipient, singleOf } from "./single-recipient.ts";

/** A reply line holds 512 octets (RFC 5321 §4.5.3.1.5). */
const IDS_SHOWN = 8;

/**
 * Listens on HOST and SMTP_PORT until closed.
 * @param limits lower ones in tests
 * @throws if the port is in use or the certificate cannot be read
 */
export function startSmtp(ctx: Ctx<System>, limits: Partial<SmtpLimits> = {}): Promise<SmtpListener> {
  return startServer(ctx, RECEIVING, { port: ctx.settings.SMTP_PORT }, limits);
}

const RECEIVING: Protocol = {
  options: { disabledCommands: [...OTHER_COMMANDS, "AUTH"] },
  recipient: answerToRecipient,
  maxBytes({ ctx }, session) {
    const single = singleOf(ctx, recipientsOf(session));
    const isPostmaster = single !== undefined && "postmaster" in single;
    return Math.min(ctx.settings.SMTP_MAX_BYTES, isPostmaster ? POSTMASTER_MAX_BYTES : Number.POSITIVE_INFINITY);
  },
  take(listener, session, raw, taken) {
    if (isCopied(listener, raw.length, recipientsOf(session).length))
      return Promise.resolve(refused(listener, "copies"));
    const single = singleOf(listener.ctx, recipientsOf(session));
    if (single && "postmaster" in single)
      return answerToPostmaster(listener.ctx, single.postmaster, { envelopeFrom: senderOf(session), raw });
    return store(listener, session, { raw, returned: single?.returned }, taken);
  },
  note: ({ ctx }, session, taken, code) => noteMail(ctx, session, taken, code),
};

/** Whether a mail is too large to be stored so often, in one transaction that other mail waits for. */
function isCopied({ limits }: Listener, octets: number, recipients: number): boolean {
  return recipients > 1 && octets * recipients > limits.copiedBytes;
}

const noMailbox = () => reply(550, "5.1.1 No such mailbox here");

async function answerToRecipient(
  listener: Listener,
  session: Session,
  recipient: SMTPServerAddress,
): Promise<SMTPServerError | undefined> {
  const { mailFrom } = session.connection.session.envelope;
  const kind = kindOfRecipient(listener.ctx, recipient.address, recipientsOf(session));
  if (kind === "return_path") return;
  if (kind === "mixed")
    return reply(452, "4.5.3 Send a mail to this address, or to the one before it, to no other recipient");
  if (kind === "forged") return missed(listener, session);
  const declared = mailFrom ? declaredBytes(mailFrom) : 0;
  if (isCopied(listener, declared, recipientsOf(session).length + 1)) return refused(listener, "copies");
  try {
    const look = kind === "postmaster" ? checkPostmaster : checkRecipient;
    const found = await within(listener.limits.lookUpMs, look(listener.ctx, recipient.address, declared));
    if (found === "ready") return;
    // A guess, as an unknown recipient is, but no ban: the sender may repeat it in another mail.
    if (found === "caught") return listener.clients.guess(session.client) ? undefined : refused(listener, "guesses");
    if (found === "full") return refused(listener, "quota");
    // Not counted as a guess: many programs name every recipient of a mail, and the errors of a session are limited.
    if (found === "foreign") return noMailbox();
  } catch (error) {
    return failureOf(listener, error);
  }
  return missed(listener, session);
}

/** Counts a guess at an address. */
function missed(listener: Listener, session: Session): SMTPServerError {
  return listener.clients.miss(session.client) ? refused(listener, "banned") : noMailbox();
}

function answerTo(listener: Listener, outcome: ReturnOutcome): SMTPServerError | string {
  switch (outcome.outcome) {
    case "stored": {
      const ids = outcome.ids.slice(0, IDS_SHOWN).map((id) => encodeId("msg", id));
      const more = outcome.ids.length - ids.length;
      return `2.6.0 Queued as ${ids.join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
    }
    case "recorded":
      return "2.0.0 Recorded";
    case "later":
      return reply(451, "4.3.0 Try again later");
    case "unknown_recipient":
      return noMailbox();
    case "over_quota":
      return refused(listener, "quota");
    case "looping":
      return reply(554, "5.4.6 Too many hops, this mail is going round in circles");
    case "blocked":
    case "undecided":
      return refused(listener, outcome.outcome);
  }
}

async function store(
  listener: Listener,
  session: Session,
  { raw, returned }: { raw: Buffer; returned: Returned | undefined },
  taken: TakenMail,
): Promise<SMTPServerError | string> {
  const { remoteAddress, hostNameAppearsAs } = session.connection.session;
  const mail = {
    envelopeFrom: senderOf(session),
    raw,
    remoteIp: remoteAddress,
    helo: hostNameAppearsAs || null,
    span: taken.span,
  };
  const outcome = returned
    ? await takeReturn(listener.ctx, returned, mail)
    : await receiveMail(listener.ctx, { ...mail, recipients: recipientsOf(session) });
  if (outcome.outcome === "stored") taken.stored = outcome;
  return answerTo(listener, outcome);
}
