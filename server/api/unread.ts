// What happens to the rest of a body after the answer: a little is dropped, so that the client can read the answer, then
// the connection closes.
import type { IncomingMessage, ServerResponse } from "node:http";

const MAX_DROPPED_BYTES = 1_048_576;
const MAX_DROPPING_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** Call once for each request. Without it Node would read an unwanted body to its end, whatever its size. */
export function boundUnread(req: IncomingMessage, res: ServerResponse): void {
  res.once("finish", () => {
    if (req.complete) return;
    const { socket } = req;
    const [startedAt, bytesRead] = [performance.now(), socket.bytesRead];
    req.resume();
    const look = setInterval(() => {
      const isOver =
        socket.bytesRead - bytesRead > MAX_DROPPED_BYTES || performance.now() - startedAt > MAX_DROPPING_MS;
      if (!req.complete && !socket.destroyed && !isOver) return;
      clearInterval(look);
      if (!req.complete) socket.destroy();
    }, LOOK_EVERY_MS);
  });
}
