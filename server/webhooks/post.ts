// One attempt: an HTTP POST over kept-alive sockets, with one deadline for all of it, no redirects, and the answer's body unread.
import { Agent, type Dispatcher } from "undici";
import type { Dial } from "./dial.ts";

/** An idle socket is kept this long, whatever the endpoint offers: it costs both sides memory. */
const IDLE_MS = 4_000;
const IDLE_MAX_MS = 30_000;
/** A busy socket is replaced now and then, or a name that moved would never be looked up again. */
const SOCKET_MAX_AGE_MS = 300_000;
/** A body up to this size (one read of a socket) is drained, so that its socket can be used again; a longer one closes it. */
const BODY_MAX_BYTES = 65_536;
const HEADERS_MAX_BYTES = 16_384;
const ERROR_MAX_CHARS = 200;

export type Target = { origin: string; path: string };

/**
 * What came of an attempt. `status` null: no answer, and `error` says why. An answer is its status line: a body that
 * breaks off or never ends does not undo it, since the endpoint has decided.
 */
export type Answer = {
  status: number | null;
  error: string | null;
  retryAfter: string | null;
  timedOut: boolean;
};

export type Poster = {
  /** Never rejects. `headers` is a flat list of names and values. */
  post(target: Target, headers: string[], body: string): Promise<Answer>;
  /** Ends all attempts under way, with an error as their answer, and closes all sockets. */
  close(): Promise<void>;
};

// TLS and socket errors carry a code that says it all; messages may hold anything, so they are cut and cleaned.
function describe(error: Error & { code?: unknown }): string {
  const text = typeof error.code === "string" ? `${error.code}: ${error.message}` : error.message;
  return text.replace(/\p{Cc}/gu, " ").slice(0, ERROR_MAX_CHARS);
}

function createAttempt(timeoutMs: number, settle: (answer: Answer) => void): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | undefined;
  let status: number | null = null;
  let retryAfter: string | null = null;
  let received = 0;
  let settled = false;

  function end(error: string | null, timedOut: boolean): void {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    settle({ status, error: status === null ? error : null, retryAfter, timedOut });
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

/** @param timeoutMs for the whole of an attempt: look-up, connection, TLS, request, answer and its body */
export function createPoster(dial: Dial, timeoutMs: number): Poster {
  const agent = new Agent({
    connect: dial,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MAX_MS,
    clientTtl: SOCKET_MAX_AGE_MS,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // The attempt's own deadline covers these.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return {
    post({ origin, path }, headers, body) {
      return new Promise((resolve) => {
        agent.dispatch({ origin, path, method: "POST", headers, body }, createAttempt(timeoutMs, resolve));
      });
    },
    async close() {
      await agent.destroy();
    },
  };
}
