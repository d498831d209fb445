// Limits the time, commands, errors and mails of one SMTP session.
import type { Socket } from "node:net";
import type { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import type { Share } from "../base/limiter.ts";
import { type Refusal, refusalOf } from "./answers.ts";
import type { Client, Clients } from "./clients.ts";
import type { SmtpLimits } from "./limits.ts";

const FIRST_ERROR_CODE = 500;

export type Session = {
  readonly client: Client;
  readonly connection: SMTPConnection;
  readonly socket: Socket;
  /** `commands`: the server waits for a command. `busy`: the client waits for the server. */
  phase: "commands" | "handshake" | "data" | "busy";
  /** On the monotonic clock in ms: when it was opened, and when its mail began. */
  readonly opened: number;
  dataBegan: number;
  /** Counts the octets of its mail. */
  buffer: Share | undefined;
  /** Counts its TLS handshake while that runs. */
  readonly handshake: Share;
  commands: number;
  errors: number;
  mails: number;
  /** Ends the current phase. */
  timer: NodeJS.Timeout | undefined;
  /** Ends the session. */
  deadline: NodeJS.Timeout;
};

/** The state that the sessions of one listener share. */
export type Bounds = {
  limits: SmtpLimits;
  clients: Clients;
  /** Count a refusal, and a session. */
  onRefusal(reason: Refusal): void;
  onOpen(): void;
  onClose(): void;
};

/** Sends the refusal. Code 421 closes the connection. */
export function refuse({ onRefusal, clients }: Bounds, { client, connection }: Session, reason: Refusal): void {
  if (connection._closing || connection._closed) return;
  onRefusal(reason);
  if (reason === "errors" || reason === "commands") clients.failed(client);
  connection.send(...refusalOf(reason));
}

/** Ends the session without a mail that has been open for longest. @returns whether there was one; its place is free */
export function endIdle(bounds: Bounds, sessions: Iterable<Session>): boolean {
  const before = performance.now() - bounds.limits.idleInCrowdMs;
  const idle = [...sessions].filter(
    ({ mails, phase, opened }) => mails === 0 && phase === "commands" && opened < before,
  );
  const [longest] = idle.sort((a, b) => a.opened - b.opened);
  if (!longest) return false;
  refuse(bounds, longest, "idle");
  // It is closed soon, and must not be chosen again until then.
  longest.phase = "busy";
  bounds.clients.leave(longest.client);
  return true;
}

/**
 * Ends the session whose mail takes longest.
 * @returns whether there was one; its memory counts as free, and is when its client closes, or five seconds later
 */
export function endLongMail(bounds: Bounds, sessions: Iterable<Session>): boolean {
  const before = performance.now() - bounds.limits.dataInCrowdMs;
  const slow = [...sessions].filter(({ phase, dataBegan }) => phase === "data" && dataBegan < before);
  const [longest] = slow.sort((a, b) => a.dataBegan - b.dataBegan);
  if (!longest) return false;
  refuse(bounds, longest, "slow_data");
  longest.phase = "busy";
  longest.buffer?.release();
  return true;
}

/** Starts a phase, and ends the session if the client does not finish the phase in time. */
export function enterPhase(bounds: Bounds, session: Session, phase: Session["phase"]): void {
  const { commandMs, dataMs } = bounds.limits;
  clearTimeout(session.timer);
  if (phase !== "handshake") session.handshake.release();
  session.phase = phase;
  if (phase === "busy" || session.connection._closed) return;
  const [ms, reason] = phase === "data" ? ([dataMs, "slow_data"] as const) : ([commandMs, "idle"] as const);
  session.timer = setTimeout(() => refuse(bounds, session, reason), ms).unref();
}

/** After an accepted mail, the limit of commands starts again. */
export function startOver(session: Session): void {
  session.mails += 1;
  session.commands = 0;
  session.errors = 0;
}

/**
 * Counts the commands and errors of a connection, starting before the greeting. Call `closeSession` when its socket is
 * closed. Single bytes do not extend the time for a command; only a complete command does.
 */
export function openSession(bounds: Bounds, client: Client, connection: SMTPConnection, socket: Socket): Session {
  const { limits } = bounds;
  bounds.onOpen();
  const session: Session = {
    client,
    connection,
    socket,
    phase: "busy",
    opened: performance.now(),
    dataBegan: 0,
    buffer: undefined,
    handshake: bounds.clients.handshakes.open(client.site),
    commands: 0,
    errors: 0,
    mails: 0,
    timer: undefined,
    deadline: setTimeout(() => refuse(bounds, session, "long_session"), limits.sessionMs).unref(),
  };
  countCommands(bounds, session);
  countErrors(bounds, session);
  boundHandshakes(bounds, session);
  enterPhase(bounds, session, "commands");
  return session;
}

export function closeSession(bounds: Bounds, session: Session): void {
  clearTimeout(session.deadline);
  enterPhase(bounds, session, "busy");
  bounds.clients.leave(session.client);
  bounds.onClose();
}

function countCommands(bounds: Bounds, session: Session): void {
  const { connection } = session;
  const run = connection._onCommand.bind(connection);
  connection._onCommand = (command, next) => {
    // The library discards plain-text lines sent after STARTTLS.
    if (session.phase === "handshake") return run(command, next);
    session.commands += 1;
    if (session.commands > bounds.limits.commandsPerMail) return refuse(bounds, session, "commands");
    enterPhase(bounds, session, "busy");
    run(command, () => {
      if (session.phase === "busy") enterPhase(bounds, session, "commands");
      next?.();
    });
  };
}

function countErrors(bounds: Bounds, session: Session): void {
  const { connection } = session;
  const send = connection.send.bind(connection);
  connection.send = (code, text, context) => {
    send(code, text, context);
    if (code < FIRST_ERROR_CODE) return;
    session.errors += 1;
    if (session.errors >= bounds.limits.errorsPerMail) refuse(bounds, session, "errors");
  };
}

function boundHandshakes(bounds: Bounds, session: Session): void {
  const { connection, handshake } = session;
  const startTls = connection.handler_STARTTLS.bind(connection);
  connection.handler_STARTTLS = (command, callback) => {
    if (handshake.take()) {
      refuse(bounds, session, "handshakes");
      return callback();
    }
    startTls(command, callback);
    if (connection._upgrading) enterPhase(bounds, session, "handshake");
    else handshake.release();
  };
}
