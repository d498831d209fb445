// Sends signed requests to the S3 endpoint of the operator, within limits of time, size, number and retries.
import { setTimeout as delay } from "node:timers/promises";
import { AwsV4Signer } from "aws4fetch";
import { Agent, type Dispatcher, request } from "undici";
import { BlobError } from "../base/errors.ts";
import { createFairQueue } from "../base/fair-queue.ts";
import { sha256Of } from "./sha256.ts";

// Limits the requests to S3 that run at the same time, and the bytes of their bodies. Organizations take turns.
/** Requests that run at the same time, and those of one organization. */
const REQUESTS_MAX = 48;
const REQUESTS_OF_ONE = 24;

type Waiting = { bytes: number; begin: () => void };
type Asked = { organizationId: string; bytes: number; signal: AbortSignal };
export type Slot = <Result>(asked: Asked, work: () => Promise<Result>) => Promise<Result>;

/** @param bytesMax of the bodies that are made or sent at the same time; a larger one is alone */
export function createSlots(bytesMax: number): Slot {
  const turns = createFairQueue<Waiting>(() => ({ group: REQUESTS_OF_ONE }));
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

/** For one operation, with its wait for a slot and its retries: less than the service has to store a mail. */
const DEADLINE_MS = 10_000;
const CONNECT_MS = 3_000;
const ATTEMPTS = 3;
const BACKOFF_MS = 100;
/** Of the bodies that are encrypted or sent at the same time. Each needs memory three times: to be encrypted, hashed and sent. */
const BODIES_MAX_BYTES = 128 * 1024 * 1024;
/** Of the body of an error, or of a list. */
const WORDS_MAX_BYTES = 2 * 1024 * 1024;
const NOTHING = Buffer.alloc(0);
const FULL = /InsufficientStorage|QuotaExceeded|StorageFull|DiskFull/;
const FULL_STATUS = 507;
const NOT_FOUND = 404;
/** Time limit of the server, conflict with another request, too many requests. */
const REPEATED = new Set([408, 409, 429]);
const SERVER_ERROR = 500;
/** The code in the body of an error, such as NoSuchKey. */
const CODE = /<Code>([A-Za-z0-9.]{1,64})<\/Code>/;

export type S3Settings = {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** The bucket is in the path, not in the host name. */
  pathStyle: boolean;
};
type S3Operation = "put" | "get" | "delete" | "list";
type S3Request = {
  operation: S3Operation;
  organizationId: string;
  /** In the bucket; empty for a list. */
  key: string;
  query?: Record<string, string>;
  /** Made only when the request is about to be sent. */
  body?: { bytes: number; make: () => Promise<Buffer> };
  maxBytes?: number;
  /** Makes the result of the body of the answer. What it throws is the outcome. */
  open?: (body: Buffer) => Promise<Buffer>;
  /** Whether it is counted as a check. */
  isCheck?: boolean;
};
export const COUNTED = ["put", "get", "delete", "list", "check"] as const;
export const OUTCOMES = ["ok", "failed", "refused", "full", "missing", "damaged", "wrong_key"] as const;
/** Called for each operation, when it has ended. */
export type OnRequest = (operation: (typeof COUNTED)[number], outcome: Outcome, seconds: number) => void;
type Outcome = (typeof OUTCOMES)[number];

const METHODS = { put: "PUT", get: "GET", delete: "DELETE", list: "GET" } as const;

type State = { settings: S3Settings; agent: Agent; slot: Slot; onRequest: OnRequest };

export function s3Requests(settings: S3Settings, onRequest: OnRequest) {
  const agent = new Agent({ connect: { timeout: CONNECT_MS } });
  const state: State = { settings, agent, slot: createSlots(BODIES_MAX_BYTES), onRequest };
  return {
    /**
     * @returns the body of the answer, or what `open` makes of it
     * @throws BlobError
     */
    send: (given: S3Request) => send(state, given),
    close: () => agent.destroy(),
  };
}

async function send({ onRequest, ...state }: State, given: S3Request): Promise<Buffer> {
  const began = performance.now();
  const signal = AbortSignal.timeout(DEADLINE_MS);
  let outcome: Outcome = "failed";
  try {
    const { organizationId, body } = given;
    const asked = { organizationId, bytes: body?.bytes ?? 0, signal };
    const answer = await state.slot(asked, async () => repeat(state, { ...given, body: await body?.make(), signal }));
    const opened = given.open ? await given.open(answer) : answer;
    outcome = "ok";
    return opened;
  } catch (error) {
    const failure = asBlobError(error);
    outcome = OUTCOMES.find((each) => each === failure.problem) ?? "failed";
    throw failure;
  } finally {
    onRequest(given.isCheck ? "check" : given.operation, outcome, (performance.now() - began) / 1000);
  }
}

/** Never has the address, the headers or the credentials of the request. */
function asBlobError(error: unknown): BlobError {
  if (error instanceof BlobError) return error;
  const late = error instanceof Error && error.name === "TimeoutError";
  const words = late ? `S3 did not answer within ${DEADLINE_MS} ms` : "S3 cannot be reached";
  return new BlobError("unavailable", words, error);
}

type Ready = Omit<S3Request, "body"> & { body: Buffer | undefined; signal: AbortSignal };
type Means = Omit<State, "onRequest">;

async function repeat(state: Means, ready: Ready): Promise<Buffer> {
  const { signal } = ready;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(state, ready);
    } catch (error) {
      const isFinal = error instanceof BlobError && error.problem !== "unavailable";
      if (isFinal || signal.aborted || attempt === ATTEMPTS) throw error;
    }
    await delay(BACKOFF_MS * 2 ** (attempt - 1) * (1 + Math.random()), undefined, { signal });
  }
}

async function once({ settings, agent }: Means, ready: Ready): Promise<Buffer> {
  const { operation, body, signal } = ready;
  const method = METHODS[operation];
  const signed = await new AwsV4Signer({
    url: urlOf(settings, ready),
    method,
    service: "s3",
    region: settings.region,
    accessKeyId: settings.accessKeyId,
    secretAccessKey: settings.secretAccessKey,
    headers: { "X-Amz-Content-Sha256": (await sha256Of(body ?? NOTHING)).toString("hex") },
  }).sign();
  const headers = Object.fromEntries(signed.headers);
  return read(ready, await request(signed.url, { method, headers, body: body ?? null, dispatcher: agent, signal }));
}

async function read({ operation, maxBytes }: Ready, answer: Dispatcher.ResponseData): Promise<Buffer> {
  const { statusCode: status } = answer;
  const isOk = status >= 200 && status < 300;
  const declared = Number(answer.headers["content-length"] ?? Number.NaN);
  const max = isOk && operation === "get" ? (maxBytes ?? WORDS_MAX_BYTES) : WORDS_MAX_BYTES;
  const bytes = await readBody(answer.body, max);
  if (!isOk) throw refusal(operation, status, bytes);
  if (operation === "get" && Number.isFinite(declared) && declared !== bytes.length) {
    throw new BlobError("unavailable", "the answer of S3 was cut short");
  }
  // Another program may answer 200 and store nothing.
  if (operation === "put" && (!answer.headers.etag || bytes.length > 0)) {
    throw new BlobError("unavailable", `something that is not S3 answered ${status} to PUT`);
  }
  return bytes;
}

function urlOf({ endpoint, bucket, pathStyle }: S3Settings, { key, query = {} }: Ready): string {
  const url = new URL(endpoint);
  if (!pathStyle) {
    const { hostname } = url;
    url.hostname = `${bucket}.${hostname}`;
    // An IP address takes no name before it, and stays as it was.
    if (url.hostname === hostname)
      throw new BlobError("refused", "with S3_PATH_STYLE=false, S3_ENDPOINT needs a name instead of an IP address");
  }
  const parts = [...(pathStyle ? [bucket] : []), ...(key ? [key] : [])];
  url.pathname = `${url.pathname.replace(/\/$/, "")}/${parts.join("/")}`;
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

async function readBody(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new BlobError("damaged", `the answer of S3 has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The words of S3 stay out: only its code is in the error. */
function refusal(operation: S3Operation, status: number, body: Buffer): BlobError {
  const [, code = ""] = CODE.exec(body.toString("latin1")) ?? [];
  const words = `S3 answered ${status}${code && ` ${code}`} to ${METHODS[operation]}`;
  if (status === FULL_STATUS || FULL.test(code)) return new BlobError("full", words);
  // A bucket that does not exist is not an object that was lost.
  if (status === NOT_FOUND && code === "NoSuchKey") return new BlobError("missing", words);
  return new BlobError(status >= SERVER_ERROR || REPEATED.has(status) ? "unavailable" : "refused", words);
}
