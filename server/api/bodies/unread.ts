// Handles the rest of a body after the answer: drops a little, so that the connection can be reused or the client can
// read the answer, then closes the connection.
import type { IncomingMessage, ServerResponse } from "node:http";

const MAX_DROPPED_BYTES = 4_194_304;
const CLOSE_AFTER_MS = 2_000;

/** Whether the rest of a body may be more than is dropped. A chunked body declares no length. */
function mayBeLong({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > MAX_DROPPED_BYTES;
}

/** An answer before the end of a long body says that the connection closes, so that the client does not use it again. */
function announceClose(req: IncomingMessage, res: ServerResponse): void {
  if (!mayBeLong(req) || res.hasHeader("Connection")) return;
  res.setHeader("Connection", "close");
  req.once("end", () => {
    if (!res.headersSent) res.removeHeader("Connection");
  });
}

/** Call once for each request. Otherwise Node would read an unwanted body to its end, whatever its size. */
export function boundUnread(req: IncomingMessage, res: ServerResponse): void {
  announceClose(req, res);
  // Runs before Node's own listener, which would read the rest without a limit.
  res.prependOnceListener("finish", () => {
    if (req.complete) return;
    const { socket } = req;
    // Node sets its own header later, so it also says whether the client closes the connection.
    const isLast = res.getHeader("Connection") === "close" || !res.shouldKeepAlive;
    // RFC 9112 §9.6: close the own half first. Node would close both, which resets the connection.
    if (isLast) socket.destroySoon = () => socket.end();
    let dropped = 0;
    const timer = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
    // A client may keep its half open after the whole body.
    const until = isLast ? socket : req;
    until.once("close", () => clearTimeout(timer));
    const drop = (chunk: Buffer | null) => {
      dropped += chunk?.length ?? 0;
      if (dropped <= MAX_DROPPED_BYTES) return;
      // Stops reading. Closing now would reset the connection, and the client could lose the answer.
      req.pause();
      socket.end();
    };
    // Called now, so that Node sees that the body is being read; the listener reads the rest.
    drop(req.read());
    req.on("data", drop);
  });
}
