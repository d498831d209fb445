// Changes the behaviour of smtp-server's connections in one place.
import type { Socket } from "node:net";
import type { SMTPServer } from "smtp-server";
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { readEveryPath } from "./path.ts";

const TURN_AWAY_MS = 1_000;
/** The most refused connections that may wait for their client to close. */
const LINGERING_SOCKETS = 100;

type Reply = readonly [code: number, text: string];

/** RFC 3463, at the start of a reply's text. */
const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;

/** The library puts its own enhanced code before every text; a text that has one keeps it. */
function keepEnhancedCodes(connection: SMTPConnection): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) =>
    send(code, data, typeof data === "string" && ENHANCED_CODE.test(data) ? false : context);
}

/** The library waits 100 ms before its greeting, to detect clients that speak first. Every connection would wait. */
function greetAtOnce(connection: SMTPConnection): void {
  connection.init();
  connection.connectionReady();
  // The library's timer still runs, and must not send a second greeting.
  connection.connectionReady = () => undefined;
}

/** Sends one reply and closes. If the client does not close its side, the socket is held for at most `TURN_AWAY_MS`. */
function turnAway(socket: Socket, lingering: Set<Socket>, [code, text]: Reply): void {
  socket.on("error", () => socket.destroy());
  socket.end(`${code} ${text}\r\n`);
  if (lingering.size >= LINGERING_SOCKETS) return void socket.destroy();
  lingering.add(socket);
  // Received data is read, because closing with unread data would reset the connection and could discard the reply.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), TURN_AWAY_MS).unref();
  socket.once("close", () => {
    clearTimeout(timer);
    lingering.delete(socket);
  });
}

/**
 * Makes the server greet immediately, keep our enhanced status codes, read every form of a path, and ask before it accepts a connection. The
 * library sets TCP_NODELAY (3.21), so replies to pipelined commands are sent without waiting for ACKs.
 * @param admit called with each TCP socket: returns the reply that refuses it, or a function to call with its
 * connection before the greeting
 */
export function adoptConnections(
  server: SMTPServer,
  admit: (socket: Socket) => Reply | ((connection: SMTPConnection) => void),
): void {
  const lingering = new Set<Socket>();
  server.connect = (socket, options) => {
    if (socket.destroyed) return;
    const admitted = admit(socket);
    if (typeof admitted !== "function") return turnAway(socket, lingering, admitted);
    const connection = new SMTPConnection(server, socket, options);
    server.connections.add(connection);
    connection.on("error", (error: Error) => server.emit("error", error));
    keepEnhancedCodes(connection);
    readEveryPath(connection);
    admitted(connection);
    greetAtOnce(connection);
  };
}
