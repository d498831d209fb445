// What smtp-server does otherwise than we want of a connection, changed in one place.
import type { Socket } from "node:net";
import type { SMTPServer } from "smtp-server";
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";

const TURN_AWAY_MS = 1_000;
/** Refused connections that may wait for their client to close. */
const LINGERING_SOCKETS = 100;

type Reply = readonly [code: number, text: string];

/** RFC 3463, at the start of a reply's text. */
const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;

/** The library puts its own code before every text; a text that brings one keeps it. */
function keepEnhancedCodes(connection: SMTPConnection): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) =>
    send(code, data, typeof data === "string" && ENHANCED_CODE.test(data) ? false : context);
}

/** The library waits 100 ms before it greets, in case the client speaks first; every new connection would pay for that. */
function greetAtOnce(connection: SMTPConnection): void {
  connection.init();
  connection.connectionReady();
  // The library's timer still runs, and must not greet again.
  connection.connectionReady = () => undefined;
}

/** Sends one reply and closes. A client that does not close its side holds the socket for `TURN_AWAY_MS` at most. */
function turnAway(socket: Socket, lingering: Set<Socket>, [code, text]: Reply): void {
  socket.on("error", () => socket.destroy());
  socket.end(`${code} ${text}\r\n`);
  if (lingering.size >= LINGERING_SOCKETS) return void socket.destroy();
  lingering.add(socket);
  // What the client has sent is read, or closing would reset the connection and could discard the reply.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), TURN_AWAY_MS).unref();
  socket.once("close", () => {
    clearTimeout(timer);
    lingering.delete(socket);
  });
}

/**
 * Makes the server greet at once, keep our enhanced status codes, and ask before it takes a connection.
 * The library sets TCP_NODELAY itself (3.21): answers to pipelined commands leave without waiting for ACKs.
 * @param admit called with each TCP socket: returns the reply that refuses it, or what to call with its connection before the
 *   greeting
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
    admitted(connection);
    greetAtOnce(connection);
  };
}
