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
export function refuse({ onRefusal }: Bounds, { connection }: Session, reason: Refusal): void {
  if (connection._closing || connection._closed) return;
  onRefusal(reason);
  connection.send(...refusalOf(reason));
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
    handshake: bounds.clients.handshakes.open(client.network),
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
