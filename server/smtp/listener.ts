// Receives mail over SMTP: the rules of a session, and the RFC 5321 replies for the results of receiving/receive.ts.
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerError,
  type SMTPServerOptions,
  type SMTPServerSession,
} from "smtp-server";
import type { Ctx, System } from "../base/context.ts";
import { createFairQueue } from "../base/fair-queue.ts";
import { encodeId } from "../base/ids.ts";
import type { Share } from "../base/limiter.ts";
import { listen } from "../base/listen.ts";
import { blobProblem } from "../blobs/failure.ts";
import { type ReceiveOutcome, receiveMail } from "../receiving/receive.ts";
import { checkRecipient } from "../receiving/recipients.ts";
import { type Refusal, refusalOf, reply } from "./answers.ts";
import { readMail } from "./body-reader.ts";
import { loadCertificate } from "./certificate.ts";
import { createClients, createCounts } from "./clients.ts";
import { adoptConnections } from "./connection.ts";
import { type SmtpLimits, smtpLimits } from "./limits.ts";
import { declaredBytes, noteMail, recipientsOf, senderOf, type TakenMail } from "./note-mail.ts";
import { type Bounds, closeSession, enterPhase, openSession, refuse, type Session, startOver } from "./session.ts";
import { answerToSingle, checkPostmaster, kindOfRecipient, type OneMail, singleOf } from "./single-recipient.ts";

const FAREWELL_MS = 250;
/** A reply line holds 512 octets (RFC 5321 §4.5.3.1.5). */
const IDS_SHOWN = 8;
const DISK_FULL = "53100";
const ACCEPTED = 250;

export type SmtpListener = { port: number; close(): Promise<void> };

/** The state that the sessions of a listener share. */
type Listener = Bounds & {
  ctx: Ctx<System>;
  /** Set by a failed query, cleared by a successful one. While it is set, new connections get a temporary refusal. */
  databaseAway: boolean;
  /** The one probe query that new connections wait for while the database is unavailable. */
  probe: Promise<boolean> | undefined;
  closing: boolean;
  pace: Pace;
  sessions: Map<SMTPServerSession, Session>;
  /** Sessions that are sending a mail. */
  receiving: Map<Session, Promise<void>>;
};

/**
 * Listens on HOST and SMTP_PORT until closed.
 * @param limits lower ones in tests
 * @throws if the port is in use or the certificate cannot be read
 */
export async function startSmtp(ctx: Ctx<System>, limits: Partial<SmtpLimits> = {}): Promise<SmtpListener> {
  const bounds = smtpLimits(ctx.settings, limits);
  const listener: Listener = {
    ctx,
    limits: bounds,
    clients: createClients(bounds),
    ...createCounts(ctx.metrics),
    databaseAway: false,
    probe: undefined,
    closing: false,
    pace: createPace(),
    sessions: new Map(),
    receiving: new Map(),
  };
  const server = await createServer(listener);
  // Dropped connections and failed handshakes are normal.
  server.on("error", (error) => ctx.log.debug({ error }, "SMTP connection failed"));
  await listen(server.server, ctx.settings.SMTP_PORT, ctx.settings.HOST);
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("SMTP listens on no port");
  return { port: address.port, close: () => close(listener, server) };
}

/** The error for a callback of smtp-server, which sends it as the reply. */
function refused(listener: Listener, reason: Refusal): SMTPServerError {
  listener.onRefusal(reason);
  return reply(...refusalOf(reason));
}

function sessionOf(listener: Listener, key: SMTPServerSession): Session {
  const session = listener.sessions.get(key);
  if (!session) throw new Error("smtp-server called back for a connection that is closed");
  return session;
}

/** An empty share of the memory for unfinished mail. */
function openBuffer(listener: Listener, { client }: Session): Share {
  return listener.clients.bufferedBytes.open(client.network);
}

const tooLarge = (maxBytes: number) => reply(552, `5.3.4 More than ${maxBytes} octets`);
const noMailbox = () => reply(550, "5.1.1 No such mailbox here");

/** The mail was not stored, or the result is unknown: the client keeps it and retries. */
function databaseFailure(listener: Listener, error: unknown): SMTPServerError {
  const problem = blobProblem(error);
  if (problem) return refused(listener, problem === "full" ? "disk_full" : "storage");
  listener.databaseAway = true;
  listener.ctx.log.error({ error }, "mail deferred: the database did not store it");
  const full = error instanceof Error && "code" in error && error.code === DISK_FULL;
  return refused(listener, full ? "disk_full" : "database");
}

async function databaseAnswers({ ctx, limits }: Listener): Promise<boolean> {
  try {
    await within(limits.lookUpMs, ctx.sql`select 1`.execute());
    return true;
  } catch (error) {
    ctx.log.warn({ error }, "connections refused temporarily: the database is unavailable");
    return false;
  }
}

async function greet(listener: Listener): Promise<SMTPServerError | undefined> {
  if (!listener.databaseAway) return;
  listener.probe ??= databaseAnswers(listener).finally(() => {
    listener.probe = undefined;
  });
  if (!(await listener.probe)) return refused(listener, "database_away");
  listener.databaseAway = false;
}

function checkSender(listener: Listener, sender: SMTPServerAddress, session: Session): SMTPServerError | undefined {
  if (session.mails >= listener.limits.mailsPerSession) return refused(listener, "mails");
  const declared = declaredBytes(sender);
  // Taken when the mail comes.
  const buffer = openBuffer(listener, session);
  const full = buffer.take(declared);
  buffer.release();
  if (full) return refused(listener, full === "each" ? "address_memory" : "memory");
}

async function answerToRecipient(
  listener: Listener,
  recipient: SMTPServerAddress,
  session: Session,
): Promise<SMTPServerError | undefined> {
  const { mailFrom } = session.connection.session.envelope;
  const kind = kindOfRecipient(listener.ctx, recipient.address, recipientsOf(session));
  if (kind === "return_path") return;
  if (kind === "mixed")
    return reply(452, "4.5.3 Send a mail to this address, or to the one before it, to no other recipient");
  if (kind === "forged") return missed(listener, session);
  try {
    const declared = mailFrom ? declaredBytes(mailFrom) : 0;
    const look = kind === "postmaster" ? checkPostmaster : checkRecipient;
    const found = await within(listener.limits.lookUpMs, look(listener.ctx, recipient.address, declared));
    if (found === "ready") return;
    // A guess, as an unknown recipient is, but no ban: the sender may repeat it in another mail.
    if (found === "caught") return listener.clients.guess(session.client) ? undefined : refused(listener, "guesses");
    if (found === "full") return refused(listener, "quota");
    // Not counted as a guess: many programs name every recipient of a mail, and the errors of a session are limited.
    if (found === "foreign") return noMailbox();
  } catch (error) {
    return databaseFailure(listener, error);
  }
  return missed(listener, session);
}

/** Counts a guess at an address. */
function missed(listener: Listener, session: Session): SMTPServerError {
  return listener.clients.miss(session.client) ? refused(listener, "banned") : noMailbox();
}

function answerTo(listener: Listener, outcome: ReceiveOutcome): SMTPServerError | string {
  switch (outcome.outcome) {
    case "stored": {
      const ids = outcome.ids.slice(0, IDS_SHOWN).map((id) => encodeId("msg", id));
      const more = outcome.ids.length - ids.length;
      return `2.6.0 Queued as ${ids.join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
    }
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
  mail: OneMail,
  taken: TakenMail,
): Promise<SMTPServerError | string> {
  const { remoteAddress, hostNameAppearsAs } = session.connection.session;
  const outcome = await receiveMail(listener.ctx, {
    ...mail,
    recipients: recipientsOf(session),
    remoteIp: remoteAddress,
    helo: hostNameAppearsAs || null,
    span: taken.span,
  });
  if (outcome.outcome === "stored") taken.stored = outcome;
  return answerTo(listener, outcome);
}

/** The reply to DATA; undefined if the connection is closed. */
async function takeMail(listener: Listener, stream: SMTPServerDataStream, session: Session, taken: TakenMail) {
  enterPhase(listener, session, "data");
  const giveWay = () => listener.pace(session.client.network, stream);
  const single = singleOf(listener.ctx, recipientsOf(session));
  const maxBytes = Math.min(listener.ctx.settings.SMTP_MAX_BYTES, single?.maxBytes ?? Number.POSITIVE_INFINITY);
  const data = await readMail(stream, maxBytes, openBuffer(listener, session), giveWay);
  enterPhase(listener, session, "busy");
  switch (data.outcome) {
    case "cut":
      return;
    case "bare":
      return reply(550, "5.6.11 Lines must end in CRLF: a bare CR or LF is refused");
    case "too_large":
      return tooLarge(maxBytes);
    case "memory":
    case "address_memory":
      return refused(listener, data.outcome);
    case "complete":
  }
  try {
    const mail = { envelopeFrom: senderOf(session), raw: data.raw };
    taken.bytes = data.raw.length;
    const work = single ? answerToSingle(listener.ctx, single, mail) : store(listener, session, mail, taken);
    const answer = await within(listener.limits.storeMs, work);
    listener.databaseAway = false;
    return answer;
  } catch (error) {
    return databaseFailure(listener, error);
  } finally {
    data.release();
  }
}

async function onData(
  listener: Listener,
  stream: SMTPServerDataStream,
  session: Session,
  callback: (error?: Error | null, text?: string) => void,
): Promise<void> {
  const span = listener.ctx.tracing?.start({ name: "SMTP DATA", kind: "server" });
  const taken: TakenMail = { began: performance.now(), span };
  const answer = await takeMail(listener, stream, session, taken);
  const code = typeof answer === "string" ? ACCEPTED : answer?.responseCode;
  noteMail(listener.ctx, session, taken, code);
  if (answer === undefined) return;
  if (typeof answer === "string") {
    listener.clients.accepted(session.client);
    startOver(session);
    callback(null, answer);
  } else {
    callback(answer);
  }
  enterPhase(listener, session, "commands");
  if (listener.closing) refuse(listener, session, "stopping");
}

async function createServer(listener: Listener): Promise<SMTPServer> {
  const { ctx, limits } = listener;
  const server = new SMTPServer({
    ...(await protocolOptions(ctx, limits)),
    onConnect: (_session, callback) => void greet(listener).then(callback),
    onSecure: (_socket, key, callback) => {
      enterPhase(listener, sessionOf(listener, key), "commands");
      callback();
    },
    onMailFrom: (sender, key, callback) => callback(checkSender(listener, sender, sessionOf(listener, key))),
    onRcptTo: (recipient, key, callback) =>
      void answerToRecipient(listener, recipient, sessionOf(listener, key)).then(callback),
    onData: (stream, key, callback) => {
      const session = sessionOf(listener, key);
      const done = onData(listener, stream, session, callback).finally(() => listener.receiving.delete(session));
      listener.receiving.set(session, done);
    },
    onClose: (key) => {
      closeSession(listener, sessionOf(listener, key));
      listener.sessions.delete(key);
    },
  });
  adoptConnections(server, (socket) => {
    const client = listener.clients.enter(socket.remoteAddress ?? "");
    if (typeof client === "object") {
      return (connection) =>
        listener.sessions.set(connection.session, openSession(listener, client, connection, socket));
    }
    listener.onRefusal(client);
    return refusalOf(client);
  });
  return server;
}

/** Sessions that are sending a mail get a reply, within limits; all others are closed immediately. */
async function close(listener: Listener, server: SMTPServer): Promise<void> {
  listener.closing = true;
  const { sessions, receiving } = listener;
  const closed = new Promise<void>((resolve) => server.close(resolve));
  for (const session of sessions.values()) if (!receiving.has(session)) refuse(listener, session, "stopping");
  await Promise.race([Promise.all(receiving.values()), delay(listener.limits.closeMs, undefined, { ref: false })]);
  for (const session of sessions.values()) refuse(listener, session, "stopping");
  await Promise.race([closed, delay(FAREWELL_MS)]);
  for (const { socket } of sessions.values()) socket.destroy();
  await closed;
}

// Bounds how much mail is read in one turn of the event loop: client addresses take turns, whatever number of connections each has.
/** About one chunk of a fast sender: a third of a millisecond. */
const BYTES_PER_TURN = 65_536;

/** Pauses a stream that has just given a chunk, and resumes it when its client address is due. */
type Pace = (network: string, stream: Readable) => void;

/** One for all mails of a listener. A stream in which nothing waits to be read takes nothing from the others. */
export function createPace(): Pace {
  const waiting = createFairQueue<Readable>();

  function turn(): void {
    let left = BYTES_PER_TURN;
    for (let stream = waiting.next(); stream; stream = left > 0 ? waiting.next() : undefined) {
      left -= stream.readableLength;
      stream.resume();
    }
    if (waiting.size > 0) setImmediate(turn);
  }

  return (network, stream) => {
    stream.pause();
    if (waiting.size === 0) setImmediate(turn);
    waiting.add(network, stream);
  };
}

// Limits how long a session waits for the database.

/** postgres.js retries without end if a server accepts connections and drops them. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`the database did not answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

// The options of the SMTP server that do not depend on a session: its certificate, name, limits and commands.
/** RFC 5321 §4.5.3.1.4 requires 512; addresses in SMTPUTF8 and parameters may need more. */
const COMMAND_CHARS = 4_096;
const OTHER_COMMANDS = ["AUTH", "XCLIENT", "XFORWARD", "WIZ", "SHELL", "KILL"];

async function protocolOptions(ctx: Ctx<System>, limits: SmtpLimits): Promise<SMTPServerOptions> {
  return {
    ...(await loadCertificate(ctx.settings, ctx.now())),
    minVersion: "TLSv1.2",
    name: ctx.settings.SMTP_HOSTNAME,
    size: ctx.settings.SMTP_MAX_BYTES,
    rejectOversized: true,
    maxRecipients: limits.recipients,
    // Session.timer fires first, unless the client does not read its replies.
    socketTimeout: limits.dataMs,
    maxCommandLength: COMMAND_CHARS,
    disabledCommands: OTHER_COMMANDS,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    // Any sender address is accepted; only recipients are looked up.
    lenientAddressParsing: true,
    logger: false,
  };
}
