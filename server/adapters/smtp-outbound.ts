// Sends mail through an SMTP relay: a connection pool, DKIM if a key is set, and the relay's replies as results.
import { Readable } from "node:stream";
import { createTransport } from "nodemailer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { needsSmtpUtf8, readAddress } from "../base/addresses.ts";
import type { DkimKey, Outbound, OutboundMail, RecipientResult, SendOutcome } from "../base/ports/outbound.ts";
import { adjustHeaders, composeMail, composition, envelopeRecipients, headerFault } from "./compose.ts";
import { dkimSignature } from "./dkim-signature.ts";

/** One for each message that is handed over at the same time (server/sending/transmit.ts). */
const MAX_CONNECTIONS = 20;
const MAX_MESSAGES_PER_CONNECTION = 1_000;
const CONNECT_TIMEOUT_MS = 30_000;
const GREETING_TIMEOUT_MS = 30_000;
const IDLE_SOCKET_TIMEOUT_MS = 60_000;
const TOTAL_TIMEOUT_MS = 120_000;
const IDLE_CONNECTION_MS = 30_000;
/**
 * Mail up to this size is composed and signed once for all recipients, in memory. Larger mail is composed and signed as a stream
 * for each, so that it holds neither memory nor the main thread.
 */
const IN_MEMORY_BYTES = 128 * 1024;
/** What a relay has not read is not sent: a message is read in pieces of this size. */
const PIECE_BYTES = 16 * 1024;

/** RFC 8058 §4: the headers of one-click unsubscription must be signed. The others are those that nodemailer signs. */
const SIGNED_HEADERS =
  "From:Sender:Reply-To:Subject:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:In-Reply-To:References:List-Unsubscribe:List-Unsubscribe-Post";
/** Signed where the relay leaves them as they are: a header that it changes would break the signature. */
const SIGNED_IDENTITY = ":Date:Message-ID";

/** Also by a VPC endpoint. Other hosts of AWS, such as `ec2-….compute.amazonaws.com`, are relays of its customers. */
const SES_HOST = /^(?:vpce-[a-z0-9-]+\.)?email-smtp(?:-fips)?\.[a-z0-9-]+\.(?:vpce\.)?amazonaws\.com(?:\.cn)?$/i;

/** Whether a host takes mail for Amazon SES: https://docs.aws.amazon.com/general/latest/gr/ses.html */
export function isSesHost(host: string): boolean {
  return SES_HOST.test(host);
}

/** The fields of nodemailer's errors beside the message. */
type TransportError = Error & { code?: string; responseCode?: number; response?: string };
type RecipientError = TransportError & { recipient?: string };

/** RFC 5321 §4.2.1: 5yz is final, except 503, which means that the session, not the message, was wrong. */
function isPermanent(error: TransportError): boolean {
  if (error.responseCode) return error.responseCode >= 500 && error.responseCode < 600 && error.responseCode !== 503;
  // Without a reply, these codes mean that no relay can accept the message (an address it cannot express, a size).
  return error.code === "EENVELOPE" || error.code === "EMESSAGE";
}

function answerOf(error: TransportError): string {
  return error.response || error.message;
}

/** nodemailer quotes a local part with dots in odd places, and decodes domains beside letters outside ASCII. */
function asGiven(address: string): string {
  return readAddress(address)?.address ?? address;
}

function recipientResults(accepted: string[], rejected: RecipientError[], answer: string): RecipientResult[] {
  return [
    ...accepted.map((text): RecipientResult => ({ address: asGiven(text), outcome: "accepted", detail: answer })),
    ...rejected.map((error): RecipientResult => {
      return { address: asGiven(error.recipient ?? ""), outcome: "refused", detail: answerOf(error) };
    }),
  ];
}

const NO_SMTPUTF8 =
  "553 5.6.7 The relay does not offer SMTPUTF8, which addresses with letters outside ASCII before the @ need. Write to an address in ASCII, or send through a relay that offers it.";

/** What nodemailer has for itself. Its own check of an envelope leaves SMTPUTF8 out where the relay does not offer it. */
type Inside = {
  _supportedExtensions: string[];
  _setEnvelope(envelope: { to?: string[] }, callback: (error: Error) => void): void;
  _formatError(message: string, code: string, response: string, command: string): Error;
};

/** Makes connections refuse what their relay cannot express, before its first command. */
function requireSmtpUtf8(connections: Inside): void {
  const setEnvelope = connections._setEnvelope;
  connections._setEnvelope = function (envelope, callback) {
    const isMissing = envelope.to?.some(needsSmtpUtf8) && !this._supportedExtensions.includes("SMTPUTF8");
    if (isMissing) return callback(this._formatError("SMTPUTF8", "EENVELOPE", NO_SMTPUTF8, "API"));
    setEnvelope.call(this, envelope, callback);
  };
}
requireSmtpUtf8(SMTPConnection.prototype as unknown as Inside);

const STOPPED: SendOutcome = { outcome: "retry", error: "sending was paused" };

type Envelope = { from: string; to: string[] };

function failure(to: string[], error: TransportError & { rejectedErrors?: RecipientError[] }): SendOutcome {
  const rejected = error.rejectedErrors ?? [];
  // All recipients were refused, some of them temporarily: the message is retried for all.
  const permanent = rejected.length > 0 ? rejected.every(isPermanent) : isPermanent(error);
  if (!permanent) return { outcome: "retry", error: answerOf(error) };
  const recipients = rejected.length
    ? recipientResults([], rejected, "")
    : to.map((address): RecipientResult => ({ address, outcome: "rejected", detail: answerOf(error) }));
  return { outcome: "refused", error: answerOf(error), recipients };
}

/** @param isWhole whether all of the message was sent */
function failureOf(envelope: Envelope, cause: unknown, isWhole: boolean): SendOutcome {
  const error: TransportError = cause instanceof Error ? cause : new Error(String(cause));
  const outcome = failure(envelope.to, error);
  const mayHaveLeft = isWhole && !error.responseCode;
  return outcome.outcome === "retry" && mayHaveLeft ? { ...outcome, mayHaveLeft } : outcome;
}

/** One after the other, since `unanswered` in the adapter knows a message, not its recipients. */
async function sendEach(
  envelopes: NonNullable<OutboundMail["envelopes"]>,
  handOver: (envelope: Envelope) => Promise<SendOutcome>,
  { onResult, stop }: { onResult: (result: RecipientResult) => void; stop: AbortSignal | undefined },
): Promise<SendOutcome> {
  const outcomes: SendOutcome[] = [];
  for (const { from, to } of envelopes) {
    if (stop?.aborted) return joined([...outcomes, STOPPED]);
    const outcome = await handOver({ from, to: [to] });
    outcome.recipients?.forEach(onResult);
    outcomes.push(outcome);
  }
  return joined(outcomes);
}

/** One result for the envelopes of a message: a retry if one of them needs it, for the recipients without a result. */
function joined(outcomes: SendOutcome[]): SendOutcome {
  const recipients = outcomes.flatMap((each) => each.recipients ?? []);
  const retries = outcomes.filter((each) => each.outcome === "retry");
  const [retry] = retries;
  if (retry) {
    const mayHaveLeft = retries.some((each) => each.mayHaveLeft);
    return { outcome: "retry", error: retry.error, recipients, ...(mayHaveLeft && { mayHaveLeft }) };
  }
  const sent = outcomes.find((each) => each.outcome === "sent");
  if (sent) return { ...sent, recipients };
  const refused = outcomes.find((each) => each.outcome === "refused");
  return { outcome: "refused", error: refused?.error ?? "there is no recipient", recipients };
}

type Options = {
  url: string;
  hostname: string;
  signingKey: (domain: string) => Promise<DkimKey | undefined>;
  /** Headers by which the events of the relay name the message, each of its API id. */
  marks?: ((id: string) => Record<string, string>)[];
  replacesIdentity?: boolean;
};

function sizeOf({ text, html, attachments }: OutboundMail): number {
  return attachments.reduce((sum, { content }) => sum + content.length, (text?.length ?? 0) + (html?.length ?? 0));
}

/** What nodemailer sends: a message that is ready, as `raw`, or its parts and the key. */
async function messageOf({ signingKey, replacesIdentity }: Options, mail: OutboundMail, isInAscii: boolean) {
  const signed = replacesIdentity ? SIGNED_HEADERS : SIGNED_HEADERS + SIGNED_IDENTITY;
  const key = await signingKey(mail.from.address.split("@").at(-1) ?? "");
  const composed = composition(mail, isInAscii);
  if (sizeOf(mail) > IN_MEMORY_BYTES) {
    return { ...composed, ...(key && { dkim: { ...key, headerFieldNames: signed } }) };
  }
  const message = await composeMail(mail, isInAscii);
  const raw = key
    ? Buffer.concat([await dkimSignature(message, key, signed.toLowerCase().split(":")), message])
    : message;
  return { messageId: composed.messageId, raw };
}

/** The mail with the headers that this relay needs. */
function mailFor({ marks = [], replacesIdentity }: Options, given: OutboundMail): OutboundMail {
  const mail = { ...given, marks: Object.assign({}, ...marks.map((mark) => mark(given.id))) };
  // Mail programs repeat References in an answer, so it names this message whatever Message-ID the relay wrote.
  return replacesIdentity ? { ...mail, references: [...given.references, given.messageId] } : mail;
}

function inPieces(bytes: Buffer): Readable {
  let at = 0;
  return new Readable({
    read() {
      this.push(at < bytes.length ? bytes.subarray(at, at + PIECE_BYTES) : null);
      at += PIECE_BYTES;
    },
  });
}

type Progress = {
  /** Receives the Message-ID when the message gets a connection: MAIL FROM follows in the same tick. */
  begun(messageId: unknown): void;
  /** Receives the Message-ID when the last byte of the message was sent to the relay. */
  whole(messageId: unknown): void;
};

function openPool(options: Options, { begun, whole }: Progress) {
  const transport = createTransport({
    url: options.url,
    pool: true,
    name: options.hostname,
    maxConnections: MAX_CONNECTIONS,
    maxMessages: MAX_MESSAGES_PER_CONNECTION,
    // The queue retries, and counts its attempts, so nodemailer must not. (It may requeue once, for pooled connections
    // that the relay closed before anything of the message was sent.)
    maxRequeues: 1,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: GREETING_TIMEOUT_MS,
    socketTimeout: IDLE_SOCKET_TIMEOUT_MS,
    idleTimeout: IDLE_CONNECTION_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  transport.use("stream", ({ message, data }, done) => {
    if (message) {
      const { raw } = data;
      if (!Buffer.isBuffer(raw)) adjustHeaders(message);
      const stream = message.createReadStream.bind(message);
      // nodemailer's own stream of a message in memory goes through four more.
      const createReadStream: typeof stream = Buffer.isBuffer(raw) ? () => inPieces(raw) : stream;
      // The outermost stream: DKIM reads the whole message before the relay receives any of it.
      message.createReadStream = (...settings) => {
        begun(data.messageId);
        return createReadStream(...settings).once("end", () => whole(data.messageId));
      };
    }
    done();
  });
  return transport;
}

/**
 * @param options.url `smtp://user:pass@relay:587` or `smtps://…`; its query parameters are nodemailer's connection
 * options and override these (`?requireTLS=true&socketTimeout=20000`)
 * @param options.signingKey finds the DKIM key of a From domain; undefined: mail of the domain is not signed
 * @param options.hostname the name in EHLO
 * @param options.marks headers by which events of the relay name the message, made of its API id
 * @param options.replacesIdentity whether the relay writes Message-ID and Date itself
 */
export function smtpOutbound(options: Options): Outbound {
  // After the last byte of a message and before the relay's reply, it is unknown whether the relay accepted it (RFC
  // 1047).
  const unanswered = new Set<unknown>();
  // Those that have a connection. The others wait for one, and can be taken back.
  const underWay = new Set<unknown>();
  const transport = openPool(options, {
    begun: (messageId) => underWay.add(messageId),
    whole: (messageId) => unanswered.add(messageId),
  });

  async function handOver(
    message: ReturnType<typeof messageOf>,
    envelope: Envelope,
    stop: AbortSignal | undefined,
  ): Promise<SendOutcome> {
    let messageId: unknown;
    const takenBack = new AbortController();
    const takeBack = () => {
      if (!underWay.has(messageId)) takenBack.abort();
    };
    const signal = AbortSignal.any([AbortSignal.timeout(TOTAL_TIMEOUT_MS), takenBack.signal]);
    stop?.addEventListener("abort", takeBack);
    try {
      const made = await message;
      messageId = made.messageId;
      if (stop?.aborted) return STOPPED;
      const info = await transport.sendMail({ ...made, envelope, signal, xMailer: false });
      const recipients = recipientResults(info.accepted.map(String), info.rejectedErrors ?? [], info.response);
      return { outcome: "sent", providerMessageId: info.serverMessageId ?? null, recipients };
    } catch (cause) {
      return failureOf(envelope, cause, unanswered.has(messageId));
    } finally {
      unanswered.delete(messageId);
      underWay.delete(messageId);
      stop?.removeEventListener("abort", takeBack);
    }
  }

  return {
    name: "smtp",
    recognisesRepeats: false,
    usesReturnPaths: true,
    async send(given, onResult = () => {}, stop) {
      const mail = mailFor(options, given);
      const fault = headerFault(mail);
      if (fault) return { outcome: "refused", error: fault, recipients: [] };
      const messages = new Map<boolean, ReturnType<typeof messageOf>>();
      const give = (envelope: Envelope) => {
        const isInAscii = !envelope.to.some(needsSmtpUtf8);
        const message = messages.get(isInAscii) ?? messageOf(options, mail, isInAscii);
        messages.set(isInAscii, message);
        return handOver(message, envelope, stop);
      };
      if (!mail.envelopes) return give({ from: mail.from.address, to: envelopeRecipients(mail) });
      return sendEach(mail.envelopes, give, { onResult, stop });
    },
    compose: (mail) => composeMail(mail, !envelopeRecipients(mail).some(needsSmtpUtf8)),
    async close() {
      // The caller of close has waited for the sends that matter to it.
      transport.close({ force: true });
    },
  };
}
