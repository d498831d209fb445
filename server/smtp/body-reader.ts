// Reads the DATA of one mail into memory, within limits, and detects line ends that mail servers interpret differently.
import type { SMTPServerDataStream } from "smtp-server";
import type { Share } from "../base/limiter.ts";

const CR = 0x0d;
const LF = 0x0a;
const FIRST_BYTES = 8_192;

/**
 * The octets count against the limits until `release` is called. `bare`: a bare CR or LF. `too_large`, `memory`,
 * `address_memory`: exceeds the limit of a mail, of all clients, or of this client. `cut`: the connection ended first.
 */
export type MailData =
  | { outcome: "complete"; raw: Buffer; release: () => void }
  | { outcome: "bare" | "too_large" | "memory" | "address_memory" | "cut" };

/** Tells for each chunk whether the text so far has a bare CR or LF; a CR at the end is decided by the next chunk. */
function bareFinder(): (chunk: Buffer) => boolean {
  let afterCr = false;
  return (chunk) => {
    // By index: an iterator takes four times as long.
    for (let n = 0; n < chunk.length; n += 1) {
      const octet = chunk[n];
      if ((octet === LF) !== afterCr) return true;
      afterCr = octet === CR;
    }
    return false;
  };
}

/** Grows by doubling, so that many small chunks, which a sender can force, cost no more than their octets. */
function appendTo(store: Buffer, held: number, chunk: Buffer): Buffer {
  const needed = held + chunk.length;
  let room = store;
  if (needed > store.length) {
    room = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES, 2 * needed));
    store.copy(room, 0, 0, held);
  }
  chunk.copy(room, held);
  return room;
}

/**
 * Reads a mail to its end. What is refused is no longer kept, but still read to its end, where the refusal is due.
 * smtp-server takes dots away, never a CR or LF, so its stream holds every bare one that was sent.
 * @param maxBytes of one mail
 * @param buffered counts its octets in memory
 * @param giveWay pauses the stream after each chunk, until the next one may be read
 */
export function readMail(
  stream: SMTPServerDataStream,
  maxBytes: number,
  buffered: Share,
  giveWay: (stream: SMTPServerDataStream) => void,
): Promise<MailData> {
  const hasBare = bareFinder();
  let store: Buffer = Buffer.alloc(0);
  let held = 0;
  let refused: "bare" | "too_large" | "memory" | "address_memory" | undefined;
  const release = () => {
    buffered.release();
    held = 0;
    store = Buffer.alloc(0);
  };
  const judge = (chunk: Buffer) => {
    if (hasBare(chunk)) return "bare";
    if (held + chunk.length > maxBytes) return "too_large";
    const full = buffered.take(chunk.length);
    if (full) return full === "each" ? "address_memory" : "memory";
  };
  stream.on("data", (chunk: Buffer) => {
    giveWay(stream);
    refused ??= judge(chunk);
    if (refused) return release();
    store = appendTo(store, held, chunk);
    held += chunk.length;
  });
  return new Promise((resolve) => {
    const cut = () => {
      if (stream.readableEnded) return;
      release();
      resolve({ outcome: "cut" });
    };
    stream.on("end", () =>
      resolve(refused ? { outcome: refused } : { outcome: "complete", raw: store.subarray(0, held), release }),
    );
    stream.on("error", cut).on("close", cut);
  });
}
