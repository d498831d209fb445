// Bounds how much mail is read in one turn of the event loop: client addresses take turns, whatever number of connections each has.
import type { Readable } from "node:stream";
import { createTurns } from "../base/threads/turns.ts";

/** About one chunk of a fast sender: a third of a millisecond. */
const BYTES_PER_TURN = 65_536;

/** Pauses a stream that has just given a chunk, and resumes it when its client address is due. */
export type Pace = (network: string, stream: Readable) => void;

/** One for all mails of a listener. A stream in which nothing waits to be read takes nothing from the others. */
export function createPace(): Pace {
  const turns = createTurns<{ network: string; stream: Readable }>(Number.POSITIVE_INFINITY);
  let waiting = 0;

  function turn(): void {
    let left = BYTES_PER_TURN;
    for (let next = turns.next(); next; next = left > 0 ? turns.next() : undefined) {
      turns.done(next.network);
      waiting -= 1;
      left -= next.stream.readableLength;
      next.stream.resume();
    }
    if (waiting > 0) setImmediate(turn);
  }

  return (network, stream) => {
    stream.pause();
    turns.add(network, { network, stream });
    waiting += 1;
    if (waiting === 1) setImmediate(turn);
  };
}
