// The delivery engine: takes leased rows into memory, attempts them fairly and within limits, and returns the outcomes.
import type { WriteBehind } from "../../base/batching/write-behind.ts";
import type { Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { writeWork } from "../../base/log.ts";
import type { Span } from "../../base/ports/tracing.ts";
import { EVENT_KIND } from "../../events/record.ts";
import { type Dial, dialFor } from "../targets/dial.ts";
import { logged, type Outcome } from "./attempts.ts";
import { detailsOf } from "./details.ts";
import type { DueDelivery } from "./due-delivery.ts";
import {
  createEndpoints,
  createReader,
  type Endpoint,
  type Endpoints,
  healthNews,
  isFresh,
  noteEndpoint,
  secretsOf,
} from "./endpoint.ts";
import { bodyIn } from "./formats.ts";
import { type Included, messageOf, type ReadMessage, withMessage } from "./included.ts";
import type { Attempt, Lanes, Origin } from "./lane.ts";
import * as lanes from "./lanes.ts";
import { room } from "./memory-limits.ts";
import { createOutcomes, createReturns, type Unsent } from "./outcome.ts";
import { type Answer, createPoster, isSuccess, type Poster } from "./post.ts";
import { nextAttempt } from "./schedule.ts";
import { deliveryHeaders } from "./sign.ts";
import { type Ending, endingOf } from "./window.ts";

declare module "../../base/context.ts" {
  interface Services {
    dispatcher: Dispatcher;
  }
}

const ATTEMPT_TIMEOUT_MS = 15_000;
const SWEEP_EVERY_MS = 250;
const STALL_MS = 2 * SWEEP_EVERY_MS;
const RECHECK_EVERY_MS = 1_000;
const WRITE_ON_CLOSE_MS = 2_000;
/** The delay if a webhook could not be read, or its origin has reached its rate limit. */
const RETURN_MS = 1_000;
const GONE = 410;
/** In the log of attempts, in place of what only the endpoint may know. */
const HIDDEN = "(hidden)";
const FAULT = "The service could not send the request because of its own error.";

export type Dispatcher = {
  /** How many more deliveries this process would accept now; 0 if it has no worker. */
  room(): number;
  /** Accepts deliveries whose rows are leased to this process. */
  take(deliveries: DueDelivery[]): void;
};

/** A running dispatcher. Rows leased from the table have separate room, so that new mail never starves retries. */
export type WorkingDispatcher = Dispatcher & {
  roomForLeased(): number;
  takeLeased(deliveries: DueDelivery[]): void;
  /**
   * Accepts no more deliveries, gives running attempts `withinMs` to end, and returns all others. Takes at most 2 s
   * longer.
   */
  close(withinMs: number): Promise<void>;
};

/** The dispatcher of a process without the worker role. */
export const noDispatcher: Dispatcher = { room: () => 0, take: () => undefined };

type Needs = Pick<Services, "settings" | "sql" | "db" | "log" | "now" | "secrets" | "metrics" | "tracing"> &
  Pick<Services, "feed" | "signals" | "ownPorts" | "originRates">;

type Engine = {
  services: Needs;
  poster: Poster;
  outcomes: WriteBehind<Outcome>;
  returns: WriteBehind<Unsent>;
  queue: Lanes;
  endpoints: Endpoints;
  read: ReturnType<typeof createReader>;
  readMessage: ReadMessage | undefined;
  state: "open" | "closing" | "aborting";
  sweptAt: number;
  pumping?: NodeJS.Immediate | undefined;
  /** Called when the last running attempt has ended, while closing. */
  idle: () => void;
};

/**
 * @param options `attemptTimeoutMs` for a whole attempt, default 15 s; `dial` opens its sockets, by default as the
 * settings say; `readMessage` for webhooks that include messages
 */
export function createDispatcher(
  services: Needs,
  options: { attemptTimeoutMs?: number; dial?: Dial; readMessage?: ReadMessage } = {},
): WorkingDispatcher {
  const attemptTimeoutMs = options.attemptTimeoutMs ?? ATTEMPT_TIMEOUT_MS;
  const engine: Engine = {
    services,
    poster: createPoster(options.dial ?? dialFor(services, attemptTimeoutMs), attemptTimeoutMs),
    outcomes: createOutcomes(services),
    returns: createReturns(services),
    queue: lanes.createLanes(services.originRates),
    endpoints: createEndpoints(),
    read: createReader(services),
    readMessage: options.readMessage,
    state: "open",
    sweptAt: performance.now(),
    idle: () => undefined,
  };
  const timers = [
    setInterval(() => sweep(engine), SWEEP_EVERY_MS),
    setInterval(() => void recheck(engine), RECHECK_EVERY_MS),
  ];
  const roomFor = (origin: Origin) => (engine.state === "open" ? room(engine.queue, origin) : 0);
  return {
    room: () => roomFor("mail"),
    roomForLeased: () => roomFor("table"),
    take: (deliveries) => accept(engine, deliveries, "mail"),
    takeLeased: (deliveries) => accept(engine, deliveries, "table"),
    async close(withinMs) {
      for (const timer of timers) clearInterval(timer);
      await close(engine, withinMs);
    },
  };
}

function giveBack({ returns, services }: Engine, delivery: DueDelivery, afterMs: number): void {
  const { id, attempts, resend_at = null } = delivery;
  returns.add({ id, attempts, resend_at, due: new Date(services.now().getTime() + afterMs) });
}

type Sent = { startedAt: Date; headers: string[]; answer: Answer; span?: Span | undefined };

function record(engine: Engine, delivery: DueDelivery, endpoint: Endpoint, sent: Sent): void {
  const { startedAt, headers, answer } = sent;
  const at = engine.services.now();
  const { id, organization_id, webhook_id, resend_at = null } = delivery;
  // An extra attempt does not change the count and the next time of the schedule.
  const attempts = resend_at ? delivery.attempts : delivery.attempts + 1;
  const success = isSuccess(answer.status);
  // A 410 from an old URL of the webhook is an ordinary failure.
  const gone = answer.status === GONE && engine.endpoints.get(webhook_id) === endpoint;
  const retryAt = success || gone || resend_at ? null : nextAttempt(attempts, answer.retryAfter, at);
  const status = success ? "succeeded" : retryAt || (resend_at && !gone) ? "pending" : "failed";
  noteAttempt(engine.services, delivery, sent, status);
  engine.outcomes.add({
    id,
    organization_id,
    webhook_id,
    url: endpoint.record.url,
    status,
    attempts,
    next_attempt_at: retryAt,
    resend_at,
    last_status: answer.status,
    last_error: success ? null : (answer.error ?? `answered ${answer.status}`),
    at,
    health: answer.error === FAULT ? null : healthNews(endpoint, gone ? "gone" : success ? "well" : "failing"),
    attempt: logged(startedAt, headers, answer),
  });
  // The rows fail together with the webhook.
  if (gone) lanes.drop(engine.queue, webhook_id);
}

/** The endpoint as recently read; undefined if its webhook is deleted or disabled. */
async function readEndpoint(engine: Engine, { webhook_id }: DueDelivery): Promise<Endpoint | undefined> {
  const read = await engine.read(webhook_id);
  return read && noteEndpoint(engine.services, engine.endpoints, webhook_id, read);
}

/** Reads the webhook again before an answer disables it, because its URL may have changed. */
async function readAgain(engine: Engine, delivery: DueDelivery): Promise<void> {
  try {
    await readEndpoint(engine, delivery);
  } catch (error) {
    engine.services.log.warn({ error }, "a webhook that answered 410 was not read again");
  }
}

function notSent(error: string): Answer {
  return { status: null, error, retryAfter: null, timedOut: false, durationMs: 0, body: null };
}

async function send(
  engine: Engine,
  delivery: DueDelivery,
  endpoint: Endpoint,
  included: Included | undefined,
): Promise<Sent> {
  const { settings, now, tracing } = engine.services;
  const startedAt = now();
  const span = tracing?.start({ name: "webhook POST", kind: "client", parent: delivery.traceparent });
  const { ready, problem = "" } = endpoint;
  if (!ready) {
    return { startedAt, headers: [], answer: notSent(problem), span };
  }
  const { format, include_message } = endpoint.record;
  const body =
    included && include_message
      ? withMessage(delivery.body, included)
      : bodyIn(format, delivery, await detailsFor(engine, format, delivery));
  const formed = { ...delivery, format, body };
  const headers = deliveryHeaders(settings.SERVICE_NAME, formed, secretsOf(endpoint, startedAt), startedAt);
  if (span) headers.push("traceparent", span.traceparent);
  const custom = Object.entries(ready.headers);
  const answer = await engine.poster.post(ready.target, [...headers, ...custom.flat()], formed.body);
  // The log of attempts names them only.
  return { startedAt, headers: [...headers, ...custom.flatMap(([name]) => [name, HIDDEN])], span, answer };
}

/** A delivery without them is better than none. */
function detailsFor({ services }: Engine, format: Endpoint["record"]["format"], delivery: DueDelivery) {
  return detailsOf(services, format, delivery).catch((error) => {
    services.log.warn({ error }, "the details of a message were not read for its delivery");
    return undefined;
  });
}

function ended(engine: Engine, attempt: Attempt, ending: Ending): void {
  lanes.finish(engine.queue, attempt, ending, performance.now());
  if (engine.state === "open") pumpSoon(engine);
  else if (lanes.inFlight(engine.queue) === 0) engine.idle();
}

function pump(engine: Engine): void {
  lanes.release(engine.queue, performance.now());
  const start = () => lanes.next(engine.queue, performance.now());
  for (let attempt = start(); attempt; attempt = start()) void run(engine, attempt);
}

/**
 * Counts an error of this service as a failed attempt, so that it is retried as often as any other. Rejects, and so ends the process, only
 * if the failed attempt cannot be recorded either: then the lease of the delivery ends, and another process attempts it.
 */
async function run(engine: Engine, attempt: Attempt): Promise<void> {
  const { delivery } = attempt;
  const startedAt = engine.services.now();
  let ending: Ending = "failed";
  try {
    ending = await attemptOf(engine, attempt);
  } catch (error) {
    const id = encodeId("dlv", delivery.id);
    engine.services.log.error({ error, delivery: id }, "an error of this service ended an attempt of a delivery");
    fail(engine, delivery, startedAt);
  }
  ended(engine, attempt, ending);
}

function fail(engine: Engine, delivery: DueDelivery, startedAt: Date): void {
  const endpoint = noteEndpoint(engine.services, engine.endpoints, delivery.webhook_id, delivery);
  record(engine, delivery, endpoint, { startedAt, headers: [], answer: notSent(FAULT) });
}

function attemptOf(engine: Engine, attempt: Attempt): Promise<Ending> {
  const { delivery } = attempt;
  const endpoint = noteEndpoint(engine.services, engine.endpoints, delivery.webhook_id, delivery);
  if (endpoint.record.include_message && delivery.event_kind === EVENT_KIND) return attemptWithMessage(engine, attempt);
  return isFresh(endpoint) ? attemptAt(engine, attempt, endpoint) : attemptAfterReading(engine, attempt);
}

async function attemptAt(
  engine: Engine,
  attempt: Attempt,
  endpoint: Endpoint,
  included?: Included | undefined,
): Promise<Ending> {
  const { delivery } = attempt;
  if (!lanes.mayGoTo(engine.queue, attempt, endpoint.record.url, performance.now())) {
    giveBack(engine, delivery, RETURN_MS);
    return "failed";
  }
  const sent = await send(engine, delivery, endpoint, included);
  if (sent.answer.status === GONE) await readAgain(engine, delivery);
  if (engine.state === "aborting" && sent.answer.status === null) giveBack(engine, delivery, 0);
  else record(engine, delivery, endpoint, sent);
  return endingOf(sent.answer);
}

/** Like `attemptAt`, for an endpoint whose data is too old. Deliveries of a deleted webhook are dropped. */
async function attemptAfterReading(engine: Engine, attempt: Attempt, included?: Included | undefined): Promise<Ending> {
  const { delivery } = attempt;
  let endpoint: Endpoint | undefined;
  try {
    endpoint = await readEndpoint(engine, delivery);
  } catch (error) {
    engine.services.log.warn({ error }, "could not read the webhook of a delivery; will retry");
    giveBack(engine, delivery, RETURN_MS);
    return "failed";
  }
  if (endpoint) return attemptAt(engine, attempt, endpoint, included);
  lanes.drop(engine.queue, delivery.webhook_id);
  return "failed";
}

/** The message is read for each attempt: one that was deleted in between is not sent. */
async function attemptWithMessage(engine: Engine, attempt: Attempt): Promise<Ending> {
  const { delivery } = attempt;
  const id = messageOf(delivery.body);
  let included: Included | undefined;
  try {
    const { organization_id: organizationId } = delivery;
    included = id === null ? { omitted: "deleted" } : await engine.readMessage?.({ id, organizationId });
  } catch (error) {
    engine.services.log.warn({ error }, "could not read the message of a delivery; will retry");
  }
  if (!included) {
    giveBack(engine, delivery, RETURN_MS);
    return "failed";
  }
  try {
    return await attemptAfterReading(engine, attempt, included);
  } finally {
    if ("release" in included) included.release();
  }
}

/** Runs after undici has returned the sockets of ended attempts; earlier it would open new ones. */
function pumpSoon(engine: Engine): void {
  engine.pumping ??= setImmediate(() => {
    engine.pumping = undefined;
    if (engine.state === "open") pump(engine);
  });
}

function accept(engine: Engine, deliveries: DueDelivery[], origin: Origin): void {
  const isOpen = engine.state === "open";
  const at = performance.now();
  for (const delivery of deliveries) {
    noteEndpoint(engine.services, engine.endpoints, delivery.webhook_id, delivery);
    const returned = isOpen ? lanes.add(engine.queue, delivery, origin, at) : { afterMs: 0 };
    if (returned) giveBack(engine, delivery, returned.afterMs);
  }
  if (isOpen) pump(engine);
}

function sweep(engine: Engine): void {
  const now = performance.now();
  // After a stall of this process every attempt looks slow, although answers may be waiting to be read.
  if (now - engine.sweptAt < STALL_MS) lanes.findSlow(engine.queue, now);
  engine.sweptAt = now;
  for (const { delivery, afterMs } of lanes.sweep(engine.queue, now)) giveBack(engine, delivery, afterMs);
  pump(engine);
}

/** Drops waiting deliveries whose webhooks were deleted or disabled since. */
async function recheck({ queue, services, endpoints, read }: Engine): Promise<void> {
  const ids = lanes.stale(queue, performance.now());
  try {
    const records = await Promise.all(ids.map(read));
    for (const [i, id] of ids.entries()) {
      const record = records[i];
      if (record) noteEndpoint(services, endpoints, id, record);
      else lanes.drop(queue, id);
    }
  } catch (error) {
    services.log.warn({ error }, "could not recheck the webhooks of waiting deliveries; will retry");
  }
}

async function close(engine: Engine, withinMs: number): Promise<void> {
  const { queue, poster, outcomes, returns, services } = engine;
  engine.state = "closing";
  for (const delivery of lanes.drain(queue)) giveBack(engine, delivery, 0);
  if (lanes.inFlight(queue) > 0) {
    const abort = setTimeout(() => {
      engine.state = "aborting";
      void poster.close();
    }, withinMs);
    await new Promise<void>((resolve) => {
      engine.idle = resolve;
    });
    clearTimeout(abort);
  }
  await poster.close();
  const unwritten = await Promise.all([outcomes.flush(WRITE_ON_CLOSE_MS), returns.flush(WRITE_ON_CLOSE_MS)]);
  if (unwritten.some(Boolean)) {
    services.log.warn(
      { unwritten },
      "could not write the outcomes of deliveries; they are sent again when their leases end",
    );
  }
}

/** Counts an attempt, and writes its line in the log. @param status of the delivery after the attempt */
function noteAttempt(
  { log, metrics }: Pick<Services, "log" | "metrics">,
  delivery: DueDelivery,
  { answer, span }: { answer: Answer; span?: Span | undefined },
  status: "succeeded" | "pending" | "failed",
): void {
  const outcome = status === "pending" ? "retried" : status;
  metrics.deliveryAttempts.inc({ outcome });
  const { organization_id: organization, inbox_id: inbox, attempts, event_kind: event } = delivery;
  const ids = { delivery: encodeId("dlv", delivery.id), webhook: encodeId("whk", delivery.webhook_id) };
  const facts = { ...ids, event, attempt: attempts + 1, status: answer.status, error: answer.error };
  const spanFacts = {
    "http.request.method": "POST",
    "http.response.status_code": answer.status ?? undefined,
    "mailberth.delivery": ids.delivery,
    "mailberth.webhook": ids.webhook,
    "mailberth.attempt": facts.attempt,
  };
  writeWork(log, "info", {
    kind: "delivery",
    organization,
    inbox,
    outcome,
    ms: answer.durationMs,
    facts,
    span,
    spanFacts,
  });
}
