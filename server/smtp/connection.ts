// What smtp-server does otherwise than we want of a connection, changed in one place.
import type { Socket } from "node:net";
import type { SMTPServer } from "smtp-server";
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";

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

/**
 * Makes the server greet at once, keep our enhanced status codes, and tell of each connection.
 * The library sets TCP_NODELAY itself (3.21): answers to pipelined commands leave without waiting for ACKs.
 * @param onConnection called with each connection and its TCP socket, before the greeting
 */
export function adoptConnections(
  server: SMTPServer,
  onConnection: (connection: SMTPConnection, socket: Socket) => void,
): void {
  server.connect = (socket, options) => {
    const connection = new SMTPConnection(server, socket, options);
    server.connections.add(connection);
    connection.on("error", (error: Error) => server.emit("error", error));
    keepEnhancedCodes(connection);
    onConnection(connection, socket);
    greetAtOnce(connection);
  };
}
