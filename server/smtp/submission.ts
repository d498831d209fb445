// Takes mail from mail programs that sign in with an agent key (RFC 6409, RFC 8314): the commands of a session, and their replies.
import type { SMTPServerError } from "smtp-server";
import { readAddress } from "../base/addresses.ts";
import type { Ctx, System } from "../base/context.ts";
import { type WorkLine, writeWork } from "../base/log.ts";
import { MAX_SEND_BYTES } from "../messages/schema.ts";
import { reply } from "./answers.ts";
import type { SmtpLimits } from "./limits.ts";
import { recipientsOf, type TakenMail } from "./note-mail.ts";
import { type Protocol, type SmtpListener, startServer } from "./server.ts";
import type { Session } from "./session.ts";

/** A program that signs in wrongly is sent away soon; parsing and storing a large mail takes its time. */
const LIMITS: Partial<SmtpLimits> = { errorsPerMail: 10, storeMs: 60_000 };
const SIGN_IN = "AUTH with the address of the mailbox and an agent key";
const ACCEPTED = 250;
const WRONG_SIGN_IN = 535;
/** The service, not the mail, is the cause (RFC 3463). */
const FAILURE = /^4\.3\./;
/** The result of a mail that was refused while it came: too large, with bare line ends, or beyond the memory for mail. */
const REFUSED_BEFORE = "smtp";

/** `text` begins with an enhanced code (RFC 3463) and is one line. */
type SmtpAnswer = { code: number; text: string };
/** `authorization`: the key as HTTP has it. `address`: of the mailbox. */
type SignedIn = { authorization: string; address: string };
/** What the log has of a mail: UUIDs, and the id of the request. */
type SubmittedFacts = Pick<WorkLine, "organization" | "inbox" | "message"> & {
  requestId: string;
  caller?: string | undefined;
  /** The status of the message, or the code of the error: of a closed set. */
  result: string;
};

/** What answers: the procedures that all doors call. */
export type SubmissionDoor = {
  /** @returns the reply that refuses it. Whatever is wrong, reply and time are the same */
  signIn(given: { user: string; password: string; remoteAddress: string }): Promise<SignedIn | SmtpAnswer>;
  /** @returns why the key or the mailbox is no longer valid */
  recheck(signedIn: SignedIn): Promise<SmtpAnswer | undefined>;
  /** Sends it; never rejects. @param span that the send belongs to */
  submit(
    signedIn: SignedIn,
    mail: { raw: Buffer; recipients: string[]; remoteAddress: string; span: WorkLine["span"] },
  ): Promise<SmtpAnswer & { facts: SubmittedFacts }>;
};

/**
 * Listens on HOST until closed.
 * @param place `secure`: TLS begins before the greeting; otherwise by STARTTLS
 * @throws if the port is in use or the certificate cannot be read
 */
export function startSubmission(
  ctx: Ctx<System>,
  door: SubmissionDoor,
  place: { port: number; secure: boolean },
): Promise<SmtpListener> {
  const { LOCAL_ONLY } = ctx.settings;
  const first = place.secure || LOCAL_ONLY ? "" : "STARTTLS, then ";
  const facts = new WeakMap<TakenMail, SubmittedFacts>();
  const protocol: Protocol = {
    options: {
      authOptional: false,
      authMethods: ["PLAIN", "LOGIN"],
      authRequiredMessage: `5.7.0 Sign in first: ${first}${SIGN_IN}`,
      // Only this machine reaches the service, so no network carries the key.
      allowInsecureAuth: LOCAL_ONLY,
      size: MAX_SEND_BYTES,
    },
    async signIn(_listener, { connection }, given) {
      const outcome = await door.signIn({ ...given, remoteAddress: connection.remoteAddress });
      const isRight = "address" in outcome;
      ctx.metrics.submissionSignIns.inc({
        outcome: isRight ? "right" : outcome.code === WRONG_SIGN_IN ? "wrong" : "limited",
      });
      return isRight ? { user: outcome } : { error: errorOf(outcome) };
    },
    async sender(_listener, session, { address }) {
      const signedIn = signedInOf(session);
      const refusal = await door.recheck(signedIn);
      if (refusal) return errorOf(refusal);
      if (readAddress(address)?.address.toLowerCase() === signedIn.address) return;
      return reply(550, `5.7.1 You signed in for ${signedIn.address}. Use this address in MAIL FROM and in From`);
    },
    // The verb refuses recipients: all of them, or none.
    recipient: () => undefined,
    maxBytes: () => MAX_SEND_BYTES,
    async take(_listener, session, raw, taken) {
      const answer = await door.submit(signedInOf(session), {
        raw,
        recipients: recipientsOf(session),
        remoteAddress: session.connection.remoteAddress,
        span: taken.span,
      });
      facts.set(taken, answer.facts);
      return answer.code === ACCEPTED ? answer.text : errorOf(answer);
    },
    note: (_listener, session, taken, code, text) => note(ctx, session, { taken, known: facts.get(taken), code, text }),
  };
  return startServer(ctx, protocol, place, LIMITS);
}

function errorOf({ code, text }: SmtpAnswer): SMTPServerError {
  return reply(code, text);
}

function signedInOf({ connection }: Session): SignedIn {
  const { user } = connection.session;
  // The library refuses these commands before AUTH.
  if (typeof user !== "object") throw new Error("a mail without a sign-in");
  return user as unknown as SignedIn;
}

type Noted = { taken: TakenMail; known: SubmittedFacts | undefined; code: number | undefined; text: string };

function note({ metrics, log }: Ctx<System>, session: Session, { taken, known, code, text }: Noted): void {
  const { requestId, caller, result = REFUSED_BEFORE, ...ids } = known ?? {};
  if (code !== undefined) metrics.mailsSubmitted.inc({ answer: String(code), result });
  writeWork(log, "info", {
    kind: "request",
    ...ids,
    outcome: code === undefined ? "left" : code === ACCEPTED ? "ok" : FAILURE.test(text) ? "failed" : "refused",
    ms: performance.now() - taken.began,
    span: taken.span,
    spanFacts: { "mailberth.smtp.answer": code, "mailberth.door": "submission" },
    facts: {
      request_id: requestId,
      door: "submission",
      answer: code,
      client: session.client.network,
      recipients: recipientsOf(session).length,
      bytes: taken.bytes,
      caller,
    },
  });
}
