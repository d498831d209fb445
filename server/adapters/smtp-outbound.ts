// Sends mail through an SMTP relay: a connection pool, DKIM if a key is set, and the relay's replies as results.
import { createTransport } from "nodemailer";
import { composition, envelopeRecipients, headerFault } from "#server/adapters/compose.ts";
import type { DkimKey, Outbound, OutboundMail, RecipientResult, SendOutcome } from "#server/ports/outbound.ts";

const MAX_CONNECTIONS = 16;
const MAX_MESSAGES_PER_CONNECTION = 1_000;
const CONNECT_TIMEOUT_MS = 30_000;
const GREETING_TIMEOUT_MS = 30_000;
const IDLE_SOCKET_TIMEOUT_MS = 60_000;
const TOTAL_TIMEOUT_MS = 120_000;
const IDLE_CONNECTION_MS = 30_000;

/** RFC 8058 §4: the headers of one-click unsubscription must be signed. The others are those that nodemailer signs. */
const SIGNED_HEADERS =
  "From:Sender:Reply-To:Subject:Date:Message-ID:To:Cc:MIME-Version:Content-Type:Content-Transfer-Encoding:In-Reply-To:References:List-Unsubscribe:List-Unsubscribe-Post";

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

function recipientResults(accepted: string[], rejected: RecipientError[], answer: string): RecipientResult[] {
  return [
    ...accepted.map((address): RecipientResult => ({ address, outcome: "accepted", detail: answer })),
    ...rejected.map((error): RecipientResult => {
      return { address: error.recipient ?? "", outcome: "refused", detail: answerOf(error) };
    }),
  ];
}

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

/** One after the other, since `unanswered` in the adapter knows a message, not its recipients. */
async function sendEach(
  envelopes: NonNullable<OutboundMail["envelopes"]>,
  handOver: (envelope: Envelope) => Promise<SendOutcome>,
  onResult: (result: RecipientResult) => void,
): Promise<SendOutcome> {
  const outcomes: SendOutcome[] = [];
  for (const { from, to } of envelopes) {
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
};

async function signingOf({ signingKey }: Options, { from }: OutboundMail) {
  const key = await signingKey(from.address.split("@").at(-1) ?? "");
  return key && { dkim: { ...key, headerFieldNames: SIGNED_HEADERS } };
}

/** @param whole receives the Message-ID of a message when its last byte was sent to the relay */
function openPool(options: Options, whole: (messageId: unknown) => void) {
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
      const createReadStream = message.createReadStream.bind(message);
      // The outermost stream: DKIM reads the whole message before the relay receives any of it.
      message.createReadStream = (...settings) =>
        createReadStream(...settings).once("end", () => whole(data.messageId));
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
 */
export function smtpOutbound(options: Options): Outbound {
  // After the last byte of a message and before the relay's reply, it is unknown whether the relay accepted it (RFC
  // 1047).
  const unanswered = new Set<unknown>();
  const transport = openPool(options, (messageId) => unanswered.add(messageId));

  async function handOver(mail: OutboundMail, envelope: Envelope): Promise<SendOutcome> {
    const composed = composition(mail);
    const signal = AbortSignal.timeout(TOTAL_TIMEOUT_MS);
    try {
      const signing = await signingOf(options, mail);
      const info = await transport.sendMail({ ...composed, ...signing, envelope, signal, xMailer: false });
      const recipients = recipientResults(info.accepted.map(String), info.rejectedErrors ?? [], info.response);
      return { outcome: "sent", providerMessageId: info.serverMessageId ?? null, recipients };
    } catch (cause) {
      const error: TransportError = cause instanceof Error ? cause : new Error(String(cause));
      const outcome = failure(envelope.to, error);
      const mayHaveLeft = unanswered.has(composed.messageId) && !error.responseCode;
      return outcome.outcome === "retry" && mayHaveLeft ? { ...outcome, mayHaveLeft } : outcome;
    } finally {
      unanswered.delete(composed.messageId);
    }
  }

  return {
    name: "smtp",
    recognisesRepeats: false,
    usesReturnPaths: true,
    async send(mail, onResult = () => {}) {
      const fault = headerFault(mail);
      if (fault) return { outcome: "refused", error: fault, recipients: [] };
      if (!mail.envelopes) return handOver(mail, { from: mail.from.address, to: envelopeRecipients(mail) });
      return sendEach(mail.envelopes, (envelope) => handOver(mail, envelope), onResult);
    },
    async close() {
      // The caller of close has waited for the sends that matter to it.
      transport.close({ force: true });
    },
  };
}
