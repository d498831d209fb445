// Bounds how much mail is read in one turn of the event loop: client addresses take turns, whatever number of connections each has.
import type { Readable } from "node:stream";
import { createFairQueue } from "../base/fair-queue.ts";

/** About one chunk of a fast sender: a third of a millisecond. */
const BYTES_PER_TURN = 65_536;

/** Pauses a stream that has just given a chunk, and resumes it when its client address is due. */
export type Pace = (network: string, stream: Readable) => void;

/** One for all mails of a listener. A stream in which nothing waits to be read takes nothing from the others. */
export function createPace(): Pace {
  const waiting = createFairQueue<Readable>();

  function turn(): void {
    let left = BYTES_PER_TURN;
    for (let stream = waiting.next(); stream; stream = left > 0 ? waiting.next() : undefined) {
      left -= stream.readableLength;
      stream.resume();
    }
    if (waiting.size > 0) setImmediate(turn);
  }

  return (network, stream) => {
    stream.pause();
    if (waiting.size === 0) setImmediate(turn);
    waiting.add(network, stream);
  };
}
