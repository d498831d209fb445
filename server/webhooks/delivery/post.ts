// One attempt: an HTTP POST over kept-alive sockets, with one deadline for all of it, no redirects, and little of the answer read.
import { StringDecoder } from "node:string_decoder";
import { LRUCache } from "lru-cache";
import { Agent, type Dispatcher } from "undici";
import type { Dial } from "../targets/dial.ts";

/** An idle socket is kept this long, whatever the endpoint offers: it costs both sides memory. */
const IDLE_MS = 4_000;
const IDLE_MAX_MS = 30_000;
/** Sockets are replaced now and then, or a name that moved would never be looked up again while it is busy. */
const SOCKETS_MAX_AGE_MS = 300_000;
/** Organizations with sockets of their own at once. */
const POOLS_MAX = 2_000;
/** A body up to this size (one read of a socket) is drained, so that its socket can be used again; a longer one closes it. */
const BODY_MAX_BYTES = 65_536;
/** What is kept of it. */
const KEPT_MAX_BYTES = 1_024;
const HEADERS_MAX_BYTES = 16_384;
const ERROR_MAX_CHARS = 200;

/** Sockets are shared by the endpoints of one organization that have the same origin, never by two organizations. */
export type Target = { origin: string; path: string; organization_id?: string };

/**
 * What came of an attempt. `status` null: no answer, and `error` says why. An answer is its status line: a body that
 * breaks off or never ends does not undo it, since the endpoint has decided.
 */
export type Answer = {
  status: number | null;
  error: string | null;
  retryAfter: string | null;
  timedOut: boolean;
  durationMs: number;
  /** The first KiB of the body as text that PostgreSQL can hold: what is not UTF-8, and NUL, as U+FFFD. Null: no answer. */
  body: string | null;
};

export function isSuccess(status: Answer["status"]): boolean {
  return status !== null && status >= 200 && status < 300;
}

export type Poster = {
  /** Never rejects. `headers` is a flat list of names and values. */
  post(target: Target, headers: string[], body: string): Promise<Answer>;
  /** Ends all attempts under way, with an error as their answer, and closes all sockets. */
  close(): Promise<void>;
};

// TLS and socket errors carry a code that says it all; messages may hold anything, so they are cut and cleaned.
function describe(error: Error & { code?: unknown }): string {
  const text = typeof error.code === "string" ? `${error.code}: ${error.message}` : error.message;
  return text
    .replace(/\p{Cc}/gu, " ")
    .slice(0, ERROR_MAX_CHARS)
    .toWellFormed();
}

/** @param cut whether more followed: then a character that is not whole is left out */
function textOf(kept: Buffer[], cut: boolean): string {
  const decoder = new StringDecoder("utf8");
  const text = decoder.write(Buffer.concat(kept)) + (cut ? "" : decoder.end());
  return text.replaceAll("\0", "\ufffd");
}

function createAttempt(timeoutMs: number, settle: (answer: Answer) => void): Dispatcher.DispatchHandler {
  const startedAt = performance.now();
  let controller: Dispatcher.DispatchController | undefined;
  let status: number | null = null;
  let retryAfter: string | null = null;
  let received = 0;
  const kept: Buffer[] = [];
  let settled = false;

  function end(error: string | null, timedOut: boolean): void {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    const durationMs = Math.round(performance.now() - startedAt);
    const body = status === null ? null : textOf(kept, received > KEPT_MAX_BYTES);
    settle({ status, error: status === null ? error : null, retryAfter, timedOut, durationMs, body });
  }
  const timer = setTimeout(() => {
    end(`no answer within ${timeoutMs} ms`, true);
    controller?.abort(new Error("timed out"));
  }, timeoutMs);

  return {
    onRequestStart(started) {
      controller = started;
      if (settled) started.abort(new Error("timed out before there was a socket"));
    },
    onResponseStart(_, statusCode, headers) {
      if (statusCode < 200) return; // interim (RFC 9110 §15.2): the answer is still to come
      status = statusCode;
      const header = headers["retry-after"];
      retryAfter = (Array.isArray(header) ? header[0] : header) ?? null;
    },
    onResponseData(started, chunk) {
      // A copy: the chunk is a view of all that was read.
      if (received < KEPT_MAX_BYTES) kept.push(Buffer.from(chunk.subarray(0, KEPT_MAX_BYTES - received)));
      received += chunk.length;
      if (received <= BODY_MAX_BYTES) return;
      end(null, false);
      started.abort(new Error("the answer is long enough"));
    },
    onResponseEnd() {
      end(null, false);
    },
    onResponseError(_, error) {
      end(describe(error), false);
    },
  };
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

/** @param timeoutMs for the whole of an attempt: look-up, connection, TLS, request, answer and its body */
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
