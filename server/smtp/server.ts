// An SMTP server within the limits of sessions and client addresses: what the servers for incoming and for outgoing mail share.
import type { Socket } from "node:net";
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
import { loadCertificate } from "../base/certificate.ts";
import type { Ctx, System } from "../base/context.ts";
import { DatabaseLate, isDatabaseAway } from "../base/errors.ts";
import { createFairQueue } from "../base/fair-queue.ts";
import type { Share } from "../base/limiter.ts";
import { listen } from "../base/listen.ts";
import { blobProblem } from "../blobs/failure.ts";
import { type Refusal, refusalOf, reply } from "./answers.ts";
import { readMail } from "./body-reader.ts";
import { type Client, createClients, createCounts } from "./clients.ts";
import { overrideConnections } from "./connection.ts";
import { type SmtpLimits, smtpLimits } from "./limits.ts";
import { declaredBytes, type TakenMail } from "./note-mail.ts";
import {
  type Bounds,
  closeSession,
  endIdle,
  endLongMail,
  enterPhase,
  openSession,
  refuse,
  type Session,
  startOver,
} from "./session.ts";

const FAREWELL_MS = 250;
const DISK_FULL = "53100";
const ACCEPTED = 250;

export type SmtpListener = { port: number; close(): Promise<void> };

/** What one kind of server does with the commands of a session. Each returns the error that it answers, or nothing. */
export type Protocol = {
  /** Of smtp-server, beside those that all servers have. */
  options?: SMTPServerOptions;
  /** AUTH. */
  signIn?(listener: Listener, session: Session, given: { user: string; password: string }): Promise<SignIn>;
  sender?(listener: Listener, session: Session, sender: SMTPServerAddress): Promise<SMTPServerError | undefined>;
  recipient(
    listener: Listener,
    session: Session,
    recipient: SMTPServerAddress,
  ): Promise<SMTPServerError | undefined> | undefined;
  /** The most octets of the mail that the session sends. */
  maxBytes(listener: Listener, session: Session): number;
  /** The reply to a mail that was read to its end: an error, or the text of `250`. */
  take(listener: Listener, session: Session, raw: Buffer, mail: TakenMail): Promise<SMTPServerError | string>;
  /** Counts and logs a mail. @param code of the reply, with its text; undefined if the client left before its mail was complete */
  note(listener: Listener, session: Session, mail: TakenMail, code: number | undefined, text: string): void;
};
/** `user`: what the session keeps of the one who signed in. */
type SignIn = { user: object } | { error: SMTPServerError };

/** The state that the sessions of a listener share. */
export type Listener = Bounds & {
  ctx: Ctx<System>;
  protocol: Protocol;
  /** Set by a failed query, cleared by a successful one. While it is set, new connections get a temporary refusal. */
  databaseAway: boolean;
  /** The one probe query that new connections wait for while the database is unavailable. */
  probe: Promise<boolean> | undefined;
  closing: boolean;
  pace: Pace;
  sessions: Map<SMTPServerSession, Session>;
  /** Connections whose TLS begins before the greeting, which they have not got yet. */
  handshaking: Set<Socket>;
  /** Sessions that are sending a mail. */
  receiving: Map<Session, Promise<void>>;
};

/** `secure`: TLS begins before the greeting. */
type Place = { port: number; secure?: boolean };

/**
 * Listens on HOST until closed.
 * @param limits lower ones in tests
 * @throws if the port is in use or the certificate cannot be read
 */
export async function startServer(
  ctx: Ctx<System>,
  protocol: Protocol,
  { port, secure = false }: Place,
  limits: Partial<SmtpLimits> = {},
): Promise<SmtpListener> {
  const bounds = smtpLimits(ctx.settings, limits);
  const listener: Listener = {
    ctx,
    protocol,
    limits: bounds,
    clients: createClients(bounds, ctx.settings.SPAM_FILTERS),
    ...createCounts(ctx.metrics),
    databaseAway: false,
    probe: undefined,
    closing: false,
    pace: createPace(),
    sessions: new Map(),
    handshaking: new Set(),
    receiving: new Map(),
  };
  const server = await createServer(listener, secure);
  // Dropped connections and failed handshakes are normal.
  server.on("error", (error) => ctx.log.debug({ error }, "SMTP connection failed"));
  await listen(server.server, port, ctx.settings.HOST);
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("SMTP listens on no port");
  return { port: address.port, close: () => close(listener, server) };
}

/** The error for a callback of smtp-server, which sends it as the reply. */
export function refused(listener: Listener, reason: Refusal): SMTPServerError {
  listener.onRefusal(reason);
  return reply(...refusalOf(reason));
}

function sessionOf(listener: Listener, key: SMTPServerSession): Session {
  const session = listener.sessions.get(key);
  if (!session) throw new Error("smtp-server called back for a connection that is closed");
  return session;
}

/** An empty share of the memory for unfinished mail. If all of it is in use, mails that take long give theirs up. */
function openBuffer(listener: Listener, { client }: Session): Share {
  const share = listener.clients.bufferedBytes.open(client.site);
  return {
    take(octets) {
      let full = share.take(octets);
      while (full === "total" && endLongMail(listener, listener.sessions.values())) full = share.take(octets);
      return full;
    },
    release: share.release,
  };
}

/** The mail was not stored, or the result is unknown: the client keeps it and retries. */
export function failureOf(listener: Listener, error: unknown): SMTPServerError {
  const problem = blobProblem(error);
  if (problem) return refused(listener, problem === "full" ? "disk_full" : "storage");
  if (!isDatabaseAway(error)) {
    // The sender repeats it (RFC 5321 §4.2.2), perhaps to a version without the fault.
    listener.ctx.log.error({ error }, "mail deferred: this service failed, and the database is not the reason");
    return refused(listener, "failed");
  }
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

async function checkSender(
  listener: Listener,
  sender: SMTPServerAddress,
  session: Session,
): Promise<SMTPServerError | undefined> {
  if (session.mails >= listener.limits.mailsPerSession) return refused(listener, "mails");
  const declared = declaredBytes(sender);
  // Taken when the mail comes.
  const buffer = openBuffer(listener, session);
  const full = buffer.take(declared);
  buffer.release();
  if (full) return refused(listener, full === "each" ? "address_memory" : "memory");
  return listener.protocol.sender?.(listener, session, sender);
}

/** The reply to DATA; undefined if the connection is closed. */
async function takeMail(listener: Listener, stream: SMTPServerDataStream, session: Session, taken: TakenMail) {
  enterPhase(listener, session, "data");
  const giveWay = () => listener.pace(session.client.network, stream);
  const maxBytes = listener.protocol.maxBytes(listener, session);
  session.dataBegan = performance.now();
  session.buffer = openBuffer(listener, session);
  const data = await readMail(stream, maxBytes, session.buffer, giveWay);
  enterPhase(listener, session, "busy");
  switch (data.outcome) {
    case "cut":
      return;
    case "bare":
      return reply(550, "5.6.11 Lines must end in CRLF: a bare CR or LF is refused");
    case "too_large":
      return reply(552, `5.3.4 More than ${maxBytes} octets`);
    case "memory":
    case "address_memory":
      return refused(listener, data.outcome);
    case "complete":
  }
  try {
    taken.bytes = data.raw.length;
    const work = listener.protocol.take(listener, session, data.raw, taken);
    const answer = await within(listener.limits.storeMs, work);
    listener.databaseAway = false;
    return answer;
  } catch (error) {
    return failureOf(listener, error);
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
  const answer = await takeMail(listener, stream, session, taken).catch((error) => failureOf(listener, error));
  const code = typeof answer === "string" ? ACCEPTED : answer?.responseCode;
  const text = typeof answer === "string" ? answer : (answer?.message ?? "");
  listener.protocol.note(listener, session, taken, code, text);
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

async function createServer(listener: Listener, secure: boolean): Promise<SMTPServer> {
  const { ctx, limits, protocol } = listener;
  const server = new SMTPServer({
    ...(await protocolOptions(ctx, limits)),
    ...protocol.options,
    // The handshake of TLS from the start is ours, because it counts against the limits (`admit`).
    ...(secure && { secure, secured: true }),
    onConnect: (_session, callback) => void greet(listener).then(callback),
    onSecure: (_socket, key, callback) => {
      enterPhase(listener, sessionOf(listener, key), "commands");
      callback();
    },
    onAuth: ({ username, password }, key, callback) =>
      void signIn(listener, sessionOf(listener, key), { user: username ?? "", password: password ?? "" }).then(
        (outcome) => ("error" in outcome ? callback(outcome.error) : callback(null, outcome)),
      ),
    onMailFrom: (sender, key, callback) =>
      void checkSender(listener, sender, sessionOf(listener, key))
        .catch((error) => failureOf(listener, error))
        .then(callback),
    onRcptTo: (recipient, key, callback) =>
      void (async () => protocol.recipient(listener, sessionOf(listener, key), recipient))()
        .catch((error) => failureOf(listener, error))
        .then(callback),
    onData: (stream, key, callback) => {
      const session = sessionOf(listener, key);
      const done = onData(listener, stream, session, callback)
        .catch((error) => ctx.log.error({ error }, "a mail was answered, and its session could not go on"))
        .finally(() => listener.receiving.delete(session));
      listener.receiving.set(session, done);
    },
    onClose: (key) => {
      closeSession(listener, sessionOf(listener, key));
      listener.sessions.delete(key);
    },
  });
  overrideConnections(server, (socket) => {
    const enter = () => listener.clients.enter(socket.remoteAddress ?? "");
    let client = enter();
    if (client === "connections" && endIdle(listener, listener.sessions.values())) client = enter();
    if (typeof client === "object") {
      return {
        upgrade: secure ? (then) => shakeHands(listener, server, { client, socket }, then) : undefined,
        open: (connection) =>
          listener.sessions.set(connection.session, openSession(listener, client, connection, socket)),
      };
    }
    listener.onRefusal(client);
    return refusalOf(client);
  });
  return server;
}

async function signIn(
  listener: Listener,
  session: Session,
  given: { user: string; password: string },
): Promise<SignIn> {
  try {
    const outcome = await listener.protocol.signIn?.(listener, session, given);
    return outcome ?? { error: reply(504, "5.5.4 There is no AUTH here") };
  } catch (error) {
    return { error: failureOf(listener, error) };
  }
}

/** TLS before the greeting, within the limits of handshakes and time. */
function shakeHands(
  listener: Listener,
  server: SMTPServer,
  { client, socket }: { client: Client; socket: Socket },
  then: (secured: Socket) => void,
): void {
  const handshake = listener.clients.handshakes.open(client.site);
  const end = () => {
    listener.clients.leave(client);
    socket.destroy();
  };
  if (handshake.take()) {
    listener.onRefusal("handshakes");
    end();
    return;
  }
  const late = setTimeout(() => socket.destroy(), listener.limits.commandMs).unref();
  listener.handshaking.add(socket);
  server._upgrade(socket, (error, secured) => {
    clearTimeout(late);
    listener.handshaking.delete(socket);
    handshake.release();
    if (error || !secured) {
      listener.clients.failed(client);
      end();
    } else then(secured);
  });
}

/** Sessions that are sending a mail get a reply, within limits; all others are closed immediately. */
async function close(listener: Listener, server: SMTPServer): Promise<void> {
  listener.closing = true;
  const { sessions, receiving } = listener;
  const closed = new Promise<void>((resolve) => server.close(resolve));
  for (const socket of listener.handshaking) socket.destroy();
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
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DatabaseLate(`the database did not answer within ${ms} ms`)), ms);
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
export const OTHER_COMMANDS = ["XCLIENT", "XFORWARD", "WIZ", "SHELL", "KILL"];

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
