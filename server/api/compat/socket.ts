// WebSockets of a drop-in API: accepts one whose caller is known, and limits what its client sends and how slowly it reads.
import type { IncomingMessage, ServerResponse } from "node:http";
import { type RawData, type WebSocket, WebSocketServer } from "ws";
import { ServiceError } from "../../base/errors.ts";
import { HEARTBEAT_MS } from "../../base/heartbeat.ts";
import { stopping } from "../../events/feed.ts";
import type { RequestContext } from "../../procedures/procedures.ts";

/** The largest message of a client. */
const MESSAGE_BYTES = 16_384;
/** Bytes of a client between two heartbeats, with pings and empty fragments, which are no messages. */
const RECEIVED_BYTES = 65_536;
/** Messages of a client that wait for the one before them. */
const WAITING_MAX = 16;
/** A client that takes longer to read one message is disconnected. */
const SEND_MS = 30_000;
/** How long a client has to answer that the connection closes. */
const CLOSE_MS = 2_000;
const KEY = /^[+/0-9A-Za-z]{22}==$/;

/** The codes with which a socket closes (RFC 6455 §7.4.1). */
export const CLOSE = { STOPPING: 1001, REFUSED: 1008, FAILED: 1011 };

/** Whether the request is a handshake. Others with an Upgrade header are answered as HTTP. */
export function isHandshake({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    headers.upgrade?.toLowerCase() === "websocket" &&
    headers["sec-websocket-version"] === "13" &&
    KEY.test(headers["sec-websocket-key"] ?? "")
  );
}

export type Socket = {
  /** Aborts when the connection ends. */
  signal: AbortSignal;
  /** Calls `take` with each text of the client, one after the other. `take` must not throw. */
  onText(take: (text: string) => Promise<void>): void;
  /** Resolves when the message is on its way. @throws Error if the connection has ended */
  send(message: object): Promise<void>;
  /** @param reason at most 123 bytes */
  close(code: number, reason: string): void;
};

export type Sockets = {
  /**
   * Accepts a handshake. From then on the answer `res`, and so the context of the request, lasts as long as the socket.
   * @throws ServiceError `unavailable` when the process stops, `invalid_request`
   */
  accept(
    exchange: { req: IncomingMessage; res: ServerResponse; head: Buffer },
    context: RequestContext,
  ): Promise<Socket>;
  /** Closes all sockets, and accepts no more. */
  close(): void;
};

export function createSockets(): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MESSAGE_BYTES,
    // Memory of zlib for each socket, and a client's few bytes could become many.
    perMessageDeflate: false,
    autoPong: false,
  });
  let stopped = false;
  return {
    async accept({ req, res, head }, context) {
      if (stopped) throw stopping();
      const { socket } = req;
      res.detachSocket(socket);
      res.statusCode = 101;
      const ended = new Promise<undefined>((resolve) =>
        socket.once("close", () => {
          res.emit("close");
          resolve(undefined);
        }),
      );
      // Nothing is read before `onText`.
      const accepted = new Promise<WebSocket>((resolve) =>
        server.handleUpgrade(req, socket, head, (ws) => {
          ws.pause();
          resolve(ws);
        }),
      );
      const ws = await Promise.race([accepted, ended]);
      if (!ws) throw new ServiceError("invalid_request", "This is not a WebSocket handshake.");
      return limited(ws, req, context);
    },
    close() {
      stopped = true;
      for (const ws of server.clients) closeSoon(ws, CLOSE.STOPPING, "The service is stopping.");
    },
  };
}

function limited(ws: WebSocket, { socket }: IncomingMessage, context: RequestContext): Socket {
  let received = 0;
  let isAlive = true;
  const close = (code: number, reason: string) => closeSoon(ws, code, reason);
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > RECEIVED_BYTES) close(CLOSE.REFUSED, "The client sends too much.");
  });
  const beat = setInterval(() => {
    if (!isAlive) return ws.terminate();
    isAlive = false;
    received = 0;
    ws.ping();
    // After any other failure, the next heartbeat asks again.
    context.allowed().catch((error) => {
      if (error instanceof ServiceError && error.status === 401) close(CLOSE.REFUSED, error.message);
    });
  }, HEARTBEAT_MS);
  ws.on("close", () => clearInterval(beat));
  ws.on("error", () => undefined); // what breaks the protocol; ws closes the connection
  ws.on("pong", () => {
    isAlive = true;
  });
  // A client that reads nothing gets no further pong: they would fill the memory.
  ws.on("ping", (data) => ws.bufferedAmount === 0 && ws.pong(data));
  return {
    signal: context.signal,
    onText(take) {
      let waiting = 0;
      let turn = Promise.resolve();
      ws.on("message", (data: RawData, isBinary: boolean) => {
        if (isBinary) return close(CLOSE.REFUSED, "Messages are texts.");
        waiting += 1;
        if (waiting > WAITING_MAX) return close(CLOSE.REFUSED, "The client sends too much.");
        turn = turn.then(async () => {
          if (ws.readyState === ws.OPEN) await take(data.toString());
          waiting -= 1;
        });
      });
      ws.resume();
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => ws.terminate(), SEND_MS);
        ws.send(JSON.stringify(message), (error) => {
          clearTimeout(late);
          if (error) reject(error);
          else resolve();
        });
      }),
    close,
  };
}

function closeSoon(ws: WebSocket, code: number, reason: string): void {
  if (ws.readyState !== ws.OPEN) return;
  ws.close(code, reason);
  const late = setTimeout(() => ws.terminate(), CLOSE_MS);
  ws.once("close", () => clearTimeout(late));
}
