// Limits the requests to S3 that run at the same time, and the bytes of their bodies. Organizations take turns.
import { createTurns } from "../base/threads/turns.ts";

/** Requests that run at the same time, and those of one organization. */
const REQUESTS_MAX = 48;
const REQUESTS_OF_ONE = 24;

type Waiting = { bytes: number; begin: () => void };
type Asked = { organizationId: string; bytes: number; signal: AbortSignal };
export type Slot = <Result>(asked: Asked, work: () => Promise<Result>) => Promise<Result>;

/** @param bytesMax of the bodies that are made or sent at the same time; a larger one is alone */
export function createSlots(bytesMax: number): Slot {
  const turns = createTurns<Waiting>(REQUESTS_OF_ONE);
  const running = { requests: 0, bytes: 0 };
  const fits = ({ bytes }: Waiting) => bytes === 0 || running.bytes === 0 || running.bytes + bytes <= bytesMax;
  const fill = () => {
    while (running.requests < REQUESTS_MAX) {
      const next = turns.next(fits);
      if (!next) return;
      running.requests += 1;
      running.bytes += next.bytes;
      next.begin();
    }
  };
  return async ({ organizationId, bytes, signal }, work) => {
    const free = () => {
      running.requests -= 1;
      running.bytes -= bytes;
      turns.done(organizationId);
      fill();
    };
    const { promise: begun, resolve, reject } = Promise.withResolvers<void>();
    let isGivenUp = false;
    const giveUp = () => {
      isGivenUp = true;
      reject(signal.reason);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    turns.add(organizationId, { bytes, begin: () => (isGivenUp ? free() : resolve()) });
    fill();
    await begun;
    signal.removeEventListener("abort", giveUp);
    try {
      return await work();
    } finally {
      free();
    }
  };
}
