// Mail over SMTP: a session's rules, and the answers of RFC 5321 to what messages/receive makes of its mail.

import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import {
  SMTPServer,
  type SMTPServerAddress,
  type SMTPServerDataStream,
  type SMTPServerError,
  type SMTPServerSession,
} from "smtp-server";
import type { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import type { Ctx, System } from "../context.ts";
import { encodeId } from "../ids.ts";
import { findRecipient, type ReceiveOutcome, receiveMail } from "../messages/receive.ts";
import { type Buffered, readMail } from "./body-reader.ts";
import { loadCertificate } from "./certificate.ts";
import { adoptConnections } from "./connection.ts";

const FAREWELL_MS = 250;
/** A reply line holds 512 octets (RFC 5321 §4.5.3.1.5). */
const IDS_SHOWN = 8;
const DISK_FULL = "53100";
const OTHER_COMMANDS = ["AUTH", "XCLIENT", "XFORWARD", "WIZ", "SHELL", "KILL"];

export type SmtpLimits = {
  clients: number;
  recipients: number;
  /** Octets of unfinished mail that all sessions together may hold. */
  bufferedBytes: number;
  idleMs: number;
  /** From greeting to end, whatever the client does meanwhile. */
  sessionMs: number;
  /** What the database gets to say who a recipient is, and to store a mail; a client is told to come again after that. */
  lookUpMs: number;
  storeMs: number;
  /** What sessions that are handing over a mail get to finish it when the service stops. */
  closeMs: number;
};

const SMTP_LIMITS: SmtpLimits = {
  clients: 1_000,
  recipients: 100,
  bufferedBytes: 256 * 1024 * 1024,
  idleMs: 5 * 60_000,
  sessionMs: 10 * 60_000,
  lookUpMs: 10_000,
  storeMs: 60_000,
  closeMs: 5_000,
};

export type SmtpListener = { port: number; close(): Promise<void> };

/** The listener's memory, shared by its sessions. */
type Desk = {
  ctx: Ctx<System>;
  limits: SmtpLimits;
  buffered: Buffered;
  /** Set by a failure, cleared by a query that works: while set, new connections are asked to come back. */
  databaseAway: boolean;
  closing: boolean;
  sockets: Set<Socket>;
  connections: WeakMap<SMTPServerSession, SMTPConnection>;
  /** Sessions handing over a mail. */
  receiving: Map<SMTPServerSession, Promise<void>>;
};

function reply(code: number, text: string): SMTPServerError {
  return Object.assign(new Error(text), { responseCode: code });
}

const tooLarge = (desk: Desk) => reply(552, `5.3.4 More than ${desk.ctx.settings.SMTP_MAX_BYTES} octets`);
const noRoom = () => reply(452, "4.3.1 Too much mail at once, try again later");

/** Nothing was stored, or nobody knows: the client keeps the mail and comes again. */
function databaseFailure(desk: Desk, error: unknown): SMTPServerError {
  desk.databaseAway = true;
  desk.ctx.log.error({ error }, "mail put off: the database did not take it");
  const full = error instanceof Error && "code" in error && error.code === DISK_FULL;
  return full ? reply(452, "4.3.1 No space left, try again later") : reply(451, "4.3.0 Try again later");
}

/** postgres.js tries for ever where something accepts connections and drops them. */
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

async function greet(desk: Desk): Promise<SMTPServerError | undefined> {
  if (!desk.databaseAway) return;
  try {
    await within(desk.limits.lookUpMs, desk.ctx.sql`select 1`.execute());
    desk.databaseAway = false;
  } catch (error) {
    desk.ctx.log.warn({ error }, "connection put off: the database is away");
    return reply(421, "Service not available, try again later");
  }
}

function checkSender(desk: Desk, sender: SMTPServerAddress): SMTPServerError | undefined {
  const declared = sender.args ? Number(sender.args.SIZE ?? 0) : 0;
  if (desk.buffered.octets + declared > desk.buffered.limit) return noRoom();
}

async function checkRecipient(desk: Desk, recipient: SMTPServerAddress): Promise<SMTPServerError | undefined> {
  try {
    const mailbox = await within(desk.limits.lookUpMs, findRecipient(desk.ctx, recipient.address));
    return mailbox ? undefined : reply(550, "5.1.1 No such mailbox here");
  } catch (error) {
    return databaseFailure(desk, error);
  }
}

function answerTo(outcome: ReceiveOutcome): SMTPServerError | string {
  switch (outcome.outcome) {
    case "stored": {
      const ids = outcome.ids.slice(0, IDS_SHOWN).map((id) => encodeId("msg", id));
      const more = outcome.ids.length - ids.length;
      return `2.6.0 Queued as ${ids.join(" ")}${more > 0 ? ` and ${more} more` : ""}`;
    }
    case "unknown_recipient":
      return reply(550, "5.1.1 No such mailbox here");
    case "looping":
      return reply(554, "5.4.6 Too many hops, this mail is going round in circles");
  }
}

/** The answer to DATA; undefined when the connection is gone. */
async function takeMail(desk: Desk, stream: SMTPServerDataStream, session: SMTPServerSession) {
  const data = await readMail(stream, desk.ctx.settings.SMTP_MAX_BYTES, desk.buffered);
  switch (data.outcome) {
    case "cut":
      return;
    case "bare":
      return reply(550, "5.6.11 Lines must end in CRLF: a bare CR or LF is refused");
    case "too_large":
      return tooLarge(desk);
    case "no_room":
      return noRoom();
    case "complete":
  }
  try {
    const { mailFrom, rcptTo } = session.envelope;
    const stored = receiveMail(desk.ctx, {
      envelopeFrom: mailFrom ? mailFrom.address : "",
      recipients: rcptTo.map(({ address }) => address),
      raw: data.raw,
      remoteIp: session.remoteAddress,
      helo: session.hostNameAppearsAs || null,
    });
    const outcome = await within(desk.limits.storeMs, stored);
    desk.databaseAway = false;
    return answerTo(outcome);
  } catch (error) {
    return databaseFailure(desk, error);
  } finally {
    data.release();
  }
}

function farewell(connection: SMTPConnection | undefined): void {
  connection?.send(421, "4.3.2 The service is stopping, try again later");
}

async function onData(
  desk: Desk,
  stream: SMTPServerDataStream,
  session: SMTPServerSession,
  callback: (error?: Error | null, text?: string) => void,
): Promise<void> {
  const answer = await takeMail(desk, stream, session);
  if (answer === undefined) return;
  const { mailsReceived } = desk.ctx.metrics;
  if (typeof answer === "string") {
    mailsReceived.inc({ answer: "250" });
    callback(null, answer);
  } else {
    mailsReceived.inc({ answer: String(answer.responseCode) });
    callback(answer);
  }
  if (desk.closing) farewell(desk.connections.get(session));
}

function watch(desk: Desk, connection: SMTPConnection, socket: Socket): void {
  desk.connections.set(connection.session, connection);
  desk.sockets.add(socket);
  const deadline = setTimeout(() => connection.send(421, "4.4.2 Session too long"), desk.limits.sessionMs);
  deadline.unref();
  socket.once("close", () => {
    clearTimeout(deadline);
    desk.sockets.delete(socket);
  });
}

async function createServer(desk: Desk): Promise<SMTPServer> {
  const { ctx, limits } = desk;
  const server = new SMTPServer({
    ...(await loadCertificate(ctx.settings, ctx.now())),
    minVersion: "TLSv1.2",
    name: ctx.settings.SMTP_HOSTNAME,
    size: ctx.settings.SMTP_MAX_BYTES,
    rejectOversized: true,
    maxClients: limits.clients,
    maxRecipients: limits.recipients,
    socketTimeout: limits.idleMs,
    disabledCommands: OTHER_COMMANDS,
    disableReverseLookup: true,
    hideENHANCEDSTATUSCODES: false,
    // Odd senders are the sender's affair; recipients are looked up.
    lenientAddressParsing: true,
    logger: false,
    onConnect: (_session, callback) => void greet(desk).then(callback),
    onMailFrom: (sender, _session, callback) => callback(checkSender(desk, sender)),
    onRcptTo: (recipient, _session, callback) => void checkRecipient(desk, recipient).then(callback),
    onData: (stream, session, callback) => {
      const done = onData(desk, stream, session, callback).finally(() => desk.receiving.delete(session));
      desk.receiving.set(session, done);
    },
  });
  adoptConnections(server, (connection, socket) => watch(desk, connection, socket));
  return server;
}

/** Sessions that are handing over a mail get its answer, within bounds; all others are sent away at once. */
async function close(desk: Desk, server: SMTPServer): Promise<void> {
  desk.closing = true;
  const closed = new Promise<void>((resolve) => server.close(resolve));
  for (const connection of [...server.connections]) if (!desk.receiving.has(connection.session)) farewell(connection);
  await Promise.race([Promise.all(desk.receiving.values()), delay(desk.limits.closeMs, undefined, { ref: false })]);
  for (const connection of [...server.connections]) farewell(connection);
  await Promise.race([closed, delay(FAREWELL_MS)]);
  for (const socket of desk.sockets) socket.destroy();
  await closed;
}

/**
 * Listens on HOST and SMTP_PORT until closed.
 * @param limits narrower ones in tests
 * @throws when the port is taken or the certificate cannot be read
 */
export async function startSmtp(ctx: Ctx<System>, limits: Partial<SmtpLimits> = {}): Promise<SmtpListener> {
  const bounds = { ...SMTP_LIMITS, ...limits };
  const desk: Desk = {
    ctx,
    limits: bounds,
    buffered: { octets: 0, limit: bounds.bufferedBytes },
    databaseAway: false,
    closing: false,
    sockets: new Set(),
    connections: new WeakMap(),
    receiving: new Map(),
  };
  const server = await createServer(desk);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(ctx.settings.SMTP_PORT, ctx.settings.HOST, () => {
      server.off("error", reject);
      resolve();
    });
  });
  // Connections that break off and handshakes that fail are daily business.
  server.on("error", (error) => ctx.log.debug({ error }, "SMTP connection failed"));
  const address = server.server.address();
  if (address === null || typeof address === "string") throw new Error("SMTP listens on no port");
  return { port: address.port, close: () => close(desk, server) };
}
