// Parses small mails several at a time: a message to a thread costs more than parsing a small mail.
import type { Job, ThreadPool } from "../base/threads/thread-pool.ts";
import type { Leased } from "./parse-lease.ts";
import type { ParseAnswer, ParsedRow, ParseQuestion } from "./parse-worker.ts";
import type { Earlier } from "./reading.ts";

/** A larger mail has a thread to itself. */
const SMALL_BYTES = 128 * 1024;
const TOGETHER_MAILS = 16;
const TOGETHER_BYTES = 256 * 1024;
/** CPU time of a thread for mails together. They take a tenth of it; mails that take more are parsed one by one. */
const TOGETHER_CPU_MS = 2_000;

type Small = Pick<Leased, "id" | "organization_id">;
type Waiting = PromiseWithResolvers<ParsedRow | undefined> & { id: string; raw: Buffer; earlier: Earlier[] };

export type Lanes = {
  /**
   * Never rejects.
   * @returns undefined if the mail must be parsed alone: it is large, or its thread ended, by this mail or by another
   */
  parse(mail: Small, raw: Buffer, earlier: Earlier[]): Promise<ParsedRow | undefined>;
  /** A caller waits for this mail: it is the next of its organization. */
  hurry(id: string): void;
};

type Parse = Job<ParseQuestion, ParseAnswer>;
/** `lanes`: the mails of each organization that wait for a thread. `places`: in which lane a mail waits. */
type State = { pool: ThreadPool; parse: Parse; lanes: Map<string, Waiting[]>; places: Map<string, Waiting[]> };

export function createLanes(pool: ThreadPool, parse: Parse): Lanes {
  const state: State = { pool, parse, lanes: new Map(), places: new Map() };
  return {
    parse({ id, organization_id }, raw, earlier) {
      if (raw.length > SMALL_BYTES) return Promise.resolve(undefined);
      const waiting = { ...Promise.withResolvers<ParsedRow | undefined>(), id, raw, earlier };
      const lane = state.lanes.get(organization_id);
      if (lane) lane.push(waiting);
      else {
        state.lanes.set(organization_id, [waiting]);
        void drive(state, organization_id);
      }
      state.places.set(id, state.lanes.get(organization_id) ?? []);
      return waiting.promise;
    },
    hurry(id) {
      const lane = state.places.get(id) ?? [];
      const place = lane.findIndex((each) => each.id === id);
      if (place > 0) lane.unshift(...lane.splice(place, 1));
    },
  };
}

/** Takes the next mails of a lane, and ends the lane when it is empty. */
function take({ lanes, places }: State, organizationId: string): Waiting[] {
  const lane = lanes.get(organizationId) ?? [];
  let bytes = 0;
  const end = lane.findIndex(({ raw }, n) => {
    bytes += raw.length;
    return n === TOGETHER_MAILS || (n > 0 && bytes > TOGETHER_BYTES);
  });
  const taken = lane.splice(0, end < 0 ? lane.length : end);
  for (const { id } of taken) places.delete(id);
  if (lane.length === 0) lanes.delete(organizationId);
  return taken;
}

/** Runs one question after the other while the lane has mails. Organizations take turns in the pool. */
async function drive(state: State, organizationId: string): Promise<void> {
  let taken: Waiting[] = [];
  const outcome = await state.parse(state.pool, {
    organizationId,
    cpuMs: TOGETHER_CPU_MS,
    question() {
      // Mails that arrived while all threads were busy are among them.
      taken = take(state, organizationId);
      if (state.lanes.has(organizationId)) void drive(state, organizationId);
      return {
        raw: new Uint8Array(Buffer.concat(taken.map(({ raw }) => raw))),
        sizes: taken.map(({ raw }) => raw.length),
        earlier: taken.map(({ earlier }) => earlier),
      };
    },
    transfer: ({ raw }) => [raw.buffer],
  });
  // The pool was closed before it asked.
  if (taken.length === 0) taken = (state.lanes.get(organizationId) ?? []).splice(0);
  if (state.lanes.get(organizationId)?.length === 0) state.lanes.delete(organizationId);
  const rows = "answer" in outcome && "rows" in outcome.answer ? outcome.answer.rows : [];
  for (const [n, { id, resolve }] of taken.entries()) {
    state.places.delete(id);
    resolve(rows[n]);
  }
}
