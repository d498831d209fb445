// Changes the behaviour of smtp-server's connections before the greeting; session.ts replaces three more members, and path.ts one. They are private:
// check each of them with a new version of the library (this is 3.21.6).
import type { Socket } from "node:net";
import type { SMTPServer } from "smtp-server";
import { SMTPConnection } from "smtp-server/lib/smtp-connection.js";
import { readEveryPath } from "./path.ts";

const TURN_AWAY_MS = 1_000;
/** The most refused connections that may wait for their client to close. */
const LINGERING_MAX = 100;

type Reply = readonly [code: number, text: string];

/** RFC 3463, at the start of a reply's text. */
const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;

/**
 * Corrects two replies of the library. It puts its own enhanced code before every text; a text that has one keeps it. It offers AUTH before
 * TLS, where it refuses it: clients would send their password in the clear.
 */
function correctReplies(connection: SMTPConnection): void {
  const send = connection.send.bind(connection);
  const { options } = connection._server;
  connection.send = (code, data, context) => {
    const isEarly = Array.isArray(data) && !connection.secure && !options.allowInsecureAuth;
    const shown = isEarly ? data.filter((line) => !/^AUTH /.test(line)) : data;
    send(code, shown, typeof data === "string" && ENHANCED_CODE.test(data) ? false : context);
  };
}

/** The library waits 100 ms before its greeting, to detect clients that speak first. Every connection would wait. */
function greetWithoutDelay(connection: SMTPConnection): void {
  connection.init();
  connection.connectionReady();
  // The library's timer still runs, and must not send a second greeting.
  connection.connectionReady = () => undefined;
}

/** Sends one reply and closes. If the client does not close its side, the socket is held for at most `TURN_AWAY_MS`. */
function refuseConnection(socket: Socket, lingering: Set<Socket>, [code, text]: Reply): void {
  socket.on("error", () => socket.destroy());
  socket.end(`${code} ${text}\r\n`);
  if (lingering.size >= LINGERING_MAX) return void socket.destroy();
  lingering.add(socket);
  // Received data is read, because closing with unread data would reset the connection and could discard the reply.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), TURN_AWAY_MS).unref();
  socket.once("close", () => {
    clearTimeout(timer);
    lingering.delete(socket);
  });
}

/** `upgrade`: a handshake before the greeting, which calls back with the socket to speak on. `open`: called before the greeting. */
type Admitted = {
  upgrade?: ((then: (secured: Socket) => void) => void) | undefined;
  open(connection: SMTPConnection): void;
};

/**
 * Makes the server greet immediately, keep our enhanced status codes, read every form of a path, and ask before it accepts a connection. The
 * library sets TCP_NODELAY (3.21), so replies to pipelined commands are sent without waiting for ACKs.
 * @param admit called with each TCP socket: returns the reply that refuses it, or what to do with its connection
 */
export function overrideConnections(server: SMTPServer, admit: (socket: Socket) => Reply | Admitted): void {
  const lingering = new Set<Socket>();
  server.connect = (socket, options) => {
    if (socket.destroyed) return;
    const admitted = admit(socket);
    // A client that begins with TLS could not read a reply.
    if (!("open" in admitted))
      return server.options.secure ? void socket.destroy() : refuseConnection(socket, lingering, admitted);
    const begin = (spoken: Socket) => {
      const connection = new SMTPConnection(server, spoken, options);
      server.connections.add(connection);
      connection.on("error", (error: Error) => server.emit("error", error));
      correctReplies(connection);
      readEveryPath(connection);
      admitted.open(connection);
      greetWithoutDelay(connection);
    };
    if (admitted.upgrade) admitted.upgrade(begin);
    else begin(socket);
  };
}
