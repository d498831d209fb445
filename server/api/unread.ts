// What happens to the rest of a body after the answer: a little is dropped, so that the connection can be used again or the
// client can read the answer, then the connection closes.
import type { IncomingMessage, ServerResponse } from "node:http";

const MAX_DROPPED_BYTES = 4_194_304;
const CLOSE_AFTER_MS = 2_000;

/** Call once for each request. Without it Node would read an unwanted body to its end, whatever its size. */
export function boundUnread(req: IncomingMessage, res: ServerResponse): void {
  // Before Node's own listener, which would read the rest without a bound.
  res.prependOnceListener("finish", () => {
    if (req.complete) return;
    const { socket } = req;
    let dropped = 0;
    const timer = setTimeout(() => socket.destroy(), CLOSE_AFTER_MS);
    req.once("close", () => clearTimeout(timer));
    const drop = (chunk: Buffer | null) => {
      dropped += chunk?.length ?? 0;
      if (dropped <= MAX_DROPPED_BYTES) return;
      // No more is read. Closing now would reset the connection, and the client could lose the answer.
      req.pause();
      socket.end();
    };
    // Now, so that Node sees that the body is being read; the listener makes the rest of it flow.
    drop(req.read());
    req.on("data", drop);
  });
}
