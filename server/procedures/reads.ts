// Runs the queries of callers on connections of their own, with a time limit. Organizations take turns, and so do the
// callers of each, so that the slow lists of one do not delay the others.
import { type Caller, callerId, type Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import type { ReadTurns, Turn, Wait } from "./read-turns.ts";

declare module "../base/context.ts" {
  interface Services {
    reads: Reads;
    /** Waits for something other than the database. A query leaves its turn to others during the wait. */
    outOfTurn: Wait;
  }
}

type Connections = Pick<Services, "sql" | "db" | "messageStatements">;
type Reads = { connections: Connections; turns: ReadTurns; timeoutMs: number };

/** Queries that run and that wait. A call that waits for the look-up of a mailbox counts as waiting. */
export function countReads({ reads, inboxLookups }: Pick<Services, "reads" | "inboxLookups">) {
  const { running, waiting } = reads.turns.count();
  return { running, waiting: waiting + inboxLookups.size };
}

/** What is needed of a request. */
type Asked = { services: Services; readonly signal: AbortSignal; send: (...download: never[]) => unknown };
type Given<R extends Asked, A extends Caller> = Services & { request: R; actor: A };
type Result = { ok: boolean; error?: unknown };

/** PostgreSQL ended the statement at its time limit. */
const STATEMENT_TIMEOUT = "57014";

function isTooSlow(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === STATEMENT_TIMEOUT) || isTooSlow(error.cause);
}

function tooSlow(timeoutMs: number): ServiceError {
  return new ServiceError("unavailable", `The query took longer than ${timeoutMs / 1000} s and was ended.`, {
    headers: { "Retry-After": "5" },
    fix: "Ask for less: a smaller `limit`, fewer filters, or a shorter period (`after`, `before`). Then repeat.",
  });
}

/**
 * Waits for the caller's turn, then runs a query with the connections for reads.
 * @param run may end the turn before the query does
 * @throws ServiceError `rate_limited` if too many queries of the caller wait, `unavailable` if the query takes too long
 */
async function inTurn<R extends Result>(
  { services, signal }: Asked,
  actor: Caller,
  run: (services: Services, turn: Turn) => Promise<R>,
): Promise<R> {
  const { turns, connections, timeoutMs } = services.reads;
  const turn = await turns.take({ organization: actor.organizationId, caller: callerId(actor) }, signal);
  try {
    const result = await run({ ...services, ...connections, outOfTurn: turn.leaveFor }, turn);
    if (!result.ok && isTooSlow(result.error)) throw tooSlow(timeoutMs);
    return result;
  } finally {
    turn.end();
  }
}

/** Runs a procedure with its context; a query in the caller's turn, which ends at the latest when its answer is sent. */
export function served<R extends Asked, A extends Caller, Out extends Result>(
  request: R,
  actor: A,
  type: string,
  run: (given: Given<R, A>) => Promise<Out>,
): Promise<Out> {
  request.services.reads.turns.noteCall(actor.organizationId);
  if (type !== "query") return run({ ...request.services, request, actor });
  return inTurn(request, actor, (services, turn) => {
    const send = ((...download) => {
      turn.end();
      return request.send(...download);
    }) as R["send"];
    return run({ ...services, request: { ...request, send }, actor });
  });
}
