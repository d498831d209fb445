// Makes one attempt: an HTTP POST over kept-alive sockets, with one deadline, no redirects, and a limited read of the
// answer.
import { StringDecoder } from "node:string_decoder";
import { LRUCache } from "lru-cache";
import { Agent, type Dispatcher } from "undici";
import type { Dial } from "../targets/dial.ts";
import { isReceiverHost } from "../targets/target.ts";

/** The longest time for an idle socket, whatever the endpoint offers, because it costs both sides memory. */
const IDLE_MS = 4_000;
const IDLE_MAX_MS = 30_000;
/** Sockets are replaced after this time. Otherwise a busy host's name would never be resolved again. */
const SOCKETS_MAX_AGE_MS = 300_000;
/** The most organizations with open sockets. */
const POOLS_MAX = 2_000;
/**
 * A body up to this size (one read of a socket) is read to its end, so that its socket can be reused; a larger one
 * closes it.
 */
const BODY_MAX_BYTES = 65_536;
/** The part of it that is stored. */
const KEPT_MAX_BYTES = 1_024;
const HEADERS_MAX_BYTES = 16_384;
const ERROR_MAX_CHARS = 200;
/** What a test receiver answers. */
const RECEIVED: Answer = { status: 204, error: null, retryAfter: null, timedOut: false, durationMs: 0, body: "" };

/** Endpoints of one organization with the same origin share sockets; two organizations never do. */
export type Target = { origin: string; path: string; organization_id?: string };

/**
 * The result of an attempt. `status` null: no answer, and `error` says why. The status line is the answer: a body that
 * breaks off or never ends does not change it, because the endpoint has decided.
 */
export type Answer = {
  status: number | null;
  error: string | null;
  retryAfter: string | null;
  timedOut: boolean;
  durationMs: number;
  /**
   * The first KiB of the body as text that PostgreSQL can store: invalid UTF-8 and NUL become U+FFFD. Null: no answer.
   */
  body: string | null;
};

export function isSuccess(status: Answer["status"]): boolean {
  return status !== null && status >= 200 && status < 300;
}

export type Poster = {
  /** Never rejects. `headers` is a flat list of names and values. */
  post(target: Target, headers: string[], body: string): Promise<Answer>;
  /** Ends all running attempts with an error as their result, and closes all sockets. */
  close(): Promise<void>;
};

// TLS and socket errors have a descriptive code; messages may contain anything, so they are cut and cleaned.
function describe(error: Error & { code?: unknown }): string {
  const { code, message } = error;
  // Messages of sockets have the code already: "connect ECONNREFUSED 127.0.0.1:80".
  const text = typeof code === "string" && !message.includes(code) ? `${code}: ${message}` : message;
  return text
    .replace(/\p{Cc}/gu, " ")
    .slice(0, ERROR_MAX_CHARS)
    .toWellFormed();
}

/** @param cut whether more followed: then an incomplete last character is removed */
function textOf(kept: Buffer[], cut: boolean): string {
  const decoder = new StringDecoder("utf8");
  const text = decoder.write(Buffer.concat(kept)) + (cut ? "" : decoder.end());
  return text.replaceAll("\0", "\ufffd");
}

type State = {
  settle: (answer: Answer) => void;
  startedAt: number;
  controller: Dispatcher.DispatchController | undefined;
  status: number | null;
  retryAfter: string | null;
  received: number;
  kept: Buffer[];
  settled: boolean;
  timer: NodeJS.Timeout | undefined;
};

function createAttempt(timeoutMs: number, settle: (answer: Answer) => void): Dispatcher.DispatchHandler {
  const attempt: State = {
    settle,
    startedAt: performance.now(),
    controller: undefined,
    status: null,
    retryAfter: null,
    received: 0,
    kept: [],
    settled: false,
    timer: undefined,
  };
  attempt.timer = setTimeout(() => {
    end(attempt, `no answer within ${timeoutMs} ms`, true);
    attempt.controller?.abort(new Error("timed out"));
  }, timeoutMs);
  return {
    onRequestStart(started) {
      attempt.controller = started;
      if (attempt.settled) started.abort(new Error("timed out before there was a socket"));
    },
    onResponseStart(_, statusCode, headers) {
      if (statusCode < 200) return; // interim (RFC 9110 §15.2): the final answer follows
      attempt.status = statusCode;
      const header = headers["retry-after"];
      attempt.retryAfter = (Array.isArray(header) ? header[0] : header) ?? null;
    },
    onResponseData: (started, chunk) => keep(attempt, started, chunk),
    onResponseEnd: () => end(attempt, null, false),
    onResponseError: (_, error) => end(attempt, describe(error), false),
  };
}

function keep(attempt: State, controller: Dispatcher.DispatchController, chunk: Buffer): void {
  const { kept, received } = attempt;
  // A copy, because the chunk is a view of the whole read buffer.
  if (received < KEPT_MAX_BYTES) kept.push(Buffer.from(chunk.subarray(0, KEPT_MAX_BYTES - received)));
  attempt.received += chunk.length;
  if (attempt.received <= BODY_MAX_BYTES) return;
  end(attempt, null, false);
  controller.abort(new Error("read enough of the answer"));
}

function end(attempt: State, error: string | null, timedOut: boolean): void {
  if (attempt.settled) return;
  attempt.settled = true;
  clearTimeout(attempt.timer);
  const durationMs = Math.round(performance.now() - attempt.startedAt);
  const body = attempt.status === null ? null : textOf(attempt.kept, attempt.received > KEPT_MAX_BYTES);
  attempt.settle({
    status: attempt.status,
    error: attempt.status === null ? error : null,
    retryAfter: attempt.retryAfter,
    timedOut,
    durationMs,
    body,
  });
}

function openPool(dial: Dial): Agent {
  return new Agent({
    connect: dial,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // The attempt's own deadline covers these.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

/** @param timeoutMs for a whole attempt: DNS, connection, TLS, request, answer and its body */
export function createPoster(dial: Dial, timeoutMs: number): Poster {
  const retiring = new Set<Agent>();
  const pools = new LRUCache<string, Agent>({
    max: POOLS_MAX,
    // Not undici's `clientTtl`, which reads the clock for every socket at every request.
    ttl: SOCKETS_MAX_AGE_MS,
    memoMethod: () => openPool(dial),
    dispose: (pool) => {
      retiring.add(pool);
      void pool.close().finally(() => retiring.delete(pool));
    },
  });
  let closed = false;
  return {
    post({ origin, path, organization_id = "" }, headers, body) {
      if (isReceiverHost(origin)) return Promise.resolve(RECEIVED);
      return new Promise((resolve) => {
        const attempt = createAttempt(timeoutMs, resolve);
        const pool = pools.memo(organization_id);
        if (closed) void pool.destroy();
        pool.dispatch({ origin, path, method: "POST", headers, body }, attempt);
      });
    },
    async close() {
      closed = true;
      const open = [...pools.values(), ...retiring];
      await Promise.all(open.map((pool) => pool.destroy()));
    },
  };
}
