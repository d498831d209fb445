// Mail that a program submits over SMTP, sent by the procedure that REST calls: who signs in, and what the SMTP replies are.
import { hash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { v4 } from "uuid";
import { readAddress } from "../../base/addresses.ts";
import { type Client, networkOf } from "../../base/client-address.ts";
import type { Agent, Services } from "../../base/context.ts";
import type { ErrorCode } from "../../base/errors/table.ts";
import { ServiceError } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import type { Facts } from "../../base/log.ts";
import { findInbox } from "../../base/tenancy.ts";
import { createJob } from "../../base/threads/thread-pool.ts";
import type { Call } from "../../calls/record.ts";
import {
  type AttemptCounter,
  countAttempt,
  forgiveAttempts,
  takeBackAttempt,
} from "../../organizations/sign-in-attempts.ts";
import { callProcedure } from "../../procedures/chain.ts";
import { logFailure, toServiceError } from "../../procedures/errors.ts";
import type { RequestContext } from "../../procedures/procedures.ts";
import type { Contexts } from "../request-context.ts";
import { appRouter } from "../router.ts";
import type { Submitted } from "./mail-worker.ts";

/** Wrong sign-ins without a delay (organizations/sign-in-attempts.ts). */
const FREE_PER_ADDRESS = 20;
const FREE_PER_KNOWN = 10;
const FREE_PER_MAILBOX = 10;
/** A wrong sign-in is answered after so long, whatever is wrong about it. */
const WRONG_MS = 250;
/** Pairs of mailbox and client address that have signed in. */
const KNOWN_MAX = 20_000;
const PASSWORD_CHARS = 512;
/** CPU time of the thread that reads a mail. */
const READ_CPU_MS = 4_000;
/** A reply line holds 512 octets (RFC 5321 §4.5.3.1.5), its code and enhanced code included. */
const TEXT_CHARS = 480;
const SECOND_MS = 1_000;
const SERVER_ERROR = 500;
/** The status of a send over REST. */
const ACCEPTED = 202;
const TOO_MANY = 429;

const WRONG = {
  code: 535,
  text: "5.7.8 Wrong user name or password. The user name is the address of a mailbox, the password an agent key that may use it; enrollment keys and passwords of people do not work here",
};

const program = new URL("./mail-worker.ts", import.meta.url);
const readSubmitted = createJob<typeof import("./mail-worker.ts")>({ name: "submission", kind: "mail", program });

type Answer = { code: number; text: string };
type SignedIn = { authorization: string; address: string };
type Door = {
  services: Services;
  contexts: Contexts;
  known: LRUCache<string, true>;
  /** By client network: the last check of a sign-in that was not there before. */
  checks: Map<string, Promise<unknown>>;
};
type SubmittedMail = {
  raw: Buffer;
  recipients: string[];
  remoteAddress: string;
  span: ReturnType<NonNullable<Facts["span"]>> | undefined;
};
/** UUIDs; `requestId` as X-Request-Id has it. */
type Known = Omit<Facts, "span"> & { message?: string | undefined; requestId: string; result: string };

/** @param contexts of the process, so that its rate limits are those of all doors */
export function createSubmission(services: Services, contexts: Contexts) {
  const door: Door = { services, contexts, known: new LRUCache({ max: KNOWN_MAX }), checks: new Map() };
  return {
    signIn: (given: { user: string; password: string; remoteAddress: string }) => signIn(door, given),
    recheck: (signedIn: SignedIn) => recheck(door, signedIn),
    submit: (signedIn: SignedIn, mail: SubmittedMail) => submit(door, signedIn, mail),
  };
}

// Signing in. A key is too long to be guessed: the limits are for the work that wrong sign-ins cause. A right key is refused only
// because of wrong ones from the same client address, so that no other client can lock its agent out.

async function signIn(
  door: Door,
  { user, password, remoteAddress }: { user: string; password: string; remoteAddress: string },
): Promise<SignedIn | Answer> {
  const began = performance.now();
  const { services, known } = door;
  const network = networkOf(remoteAddress);
  const address = readAddress(user)?.address.toLowerCase() ?? "";
  const mailbox = hash("sha256", address);
  const pair = `${mailbox} ${network}`;
  const signedIn = { authorization: `Bearer ${password}`, address };
  const check = async (counter: AttemptCounter) => {
    await countAttempt(services, [counter]);
    const isRight = password.length <= PASSWORD_CHARS && (await isAllowed(door, signedIn, [counter]));
    if (isRight) await forgiveAttempts(services, [counter]);
    return isRight;
  };
  try {
    // A check counts as wrong while it runs, so that right ones at the same time would refuse each other after a restart.
    const isRight = known.has(pair)
      ? await check({ name: `smtp-known:${pair}`, freeFailures: FREE_PER_KNOWN, clearedBySuccess: true })
      : await afterOthers(door, network, () =>
          check({ name: `smtp-address:${network}`, freeFailures: FREE_PER_ADDRESS, clearedBySuccess: false }),
        );
    if (isRight) {
      known.set(pair, true);
      return signedIn;
    }
    await countAttempt(services, [
      { name: `smtp-mailbox:${mailbox}`, freeFailures: FREE_PER_MAILBOX, clearedBySuccess: false },
    ]);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "rate_limited") throw error;
    // Ends the session.
    return { code: 421, text: `4.7.0 Too many wrong sign-ins. Try again ${timeOf(services, error)}` };
  }
  await delay(Math.max(0, WRONG_MS - (performance.now() - began)));
  return WRONG;
}

/** Runs the checks of one client network one after the other. The connections of a network are limited. */
function afterOthers<Result>({ checks }: Door, network: string, check: () => Promise<Result>): Promise<Result> {
  const checked = (checks.get(network) ?? Promise.resolve()).then(check);
  const ended = checked
    .catch(() => undefined)
    .finally(() => {
      if (checks.get(network) === ended) checks.delete(network);
    });
  checks.set(network, ended);
  return checked;
}

/** Gives the attempt back if there is no result. */
async function isAllowed(door: Door, signedIn: SignedIn, counters: AttemptCounter[]): Promise<boolean> {
  try {
    return (await agentOf(door, signedIn)) !== undefined;
  } catch (error) {
    await takeBackAttempt(door.services, counters);
    throw error;
  }
}

/** The agent whose key it is, if the key is valid and reaches the mailbox. */
async function agentOf({ services, contexts }: Door, { authorization, address }: SignedIn): Promise<Agent | undefined> {
  const actor = await contexts.authenticate(authorization);
  if (actor instanceof ServiceError || actor.kind !== "agent") return;
  try {
    await findInbox({ ...services, actor }, address);
    return actor;
  } catch (error) {
    if (error instanceof ServiceError && error.code === "inbox_not_found") return;
    throw error;
  }
}

async function recheck(door: Door, signedIn: SignedIn): Promise<Answer | undefined> {
  if (await agentOf(door, signedIn)) return;
  const text = `5.7.0 The key was revoked or has expired, or ${signedIn.address} was deleted. Sign in with another key`;
  return { code: 530, text };
}

// Sending.

async function submit(door: Door, signedIn: SignedIn, mail: SubmittedMail): Promise<Answer & { facts: Known }> {
  const { services } = door;
  const { span } = mail;
  const requestId = `req_${v4()}`;
  const began = performance.now();
  const facts: Facts = span ? { span: () => span } : {};
  const gone = new AbortController();
  let release: (() => void) | undefined;
  const known = (result: string, message?: string): Known => {
    const { span: _span, failure: _failure, refusedKey: _refused, ...ids } = facts;
    return { ...ids, message, requestId, result };
  };
  try {
    const { text, id, status } = await services.facts.run(facts, async () => {
      const context = await door.contexts.keyContextFor(signedIn.authorization, {
        requestId,
        client: clientOf(mail.remoteAddress),
        signal: gone.signal,
        held: (end) => {
          release = end;
        },
      });
      return send(services, context, signedIn, mail);
    });
    return { code: 250, text: lineOf(text), facts: known(status, decodeId("msg", id)) };
  } catch (error) {
    const failure = toServiceError(error);
    facts.failure = failure;
    logFailure(services.log, error, requestId, false);
    return { ...answerTo(services, failure, requestId), facts: known(failure.code) };
  } finally {
    release?.();
    noteCall(services, facts, {
      requestId,
      path: signedIn.address,
      remote: mail.remoteAddress,
      ms: performance.now() - began,
    });
  }
}

function noteCall(
  { callLog }: Services,
  { organization, caller, refusedKey, failure }: Facts,
  { ms, ...asked }: Pick<Call, "requestId" | "path" | "remote" | "ms">,
): void {
  const keyId = decodeId("akey", caller ?? refusedKey ?? "");
  if (!keyId || !organization) return;
  const status = failure?.status ?? ACCEPTED;
  const what = { door: "smtp", method: "MAIL", route: "messages.send", status, error: failure?.code ?? null };
  callLog.add({ organizationId: organization, keyId, ...what, ...asked, ms: Math.round(ms) });
}

/** @throws what the procedure throws */
async function send(
  services: Services,
  context: RequestContext,
  { address }: SignedIn,
  { raw, recipients }: SubmittedMail,
): Promise<{ text: string; id: string; status: string }> {
  const { actor } = context;
  if (actor instanceof ServiceError) throw actor;
  if (actor.kind !== "agent") throw new ServiceError("unauthorized", "A mail needs an agent key.");
  // Counted before the mail is read, and by the procedure no second time.
  context.takeRequest(actor, context.headers);
  context.holdFor(actor.organizationId)(raw.length);
  const { input, notKept } = await read(services, actor, { raw, recipients, address });
  const ctx = { ...context, takeRequest: () => undefined };
  const { id, status } = await callProcedure<{ id: string; status: string }>(appRouter, {
    path: "messages.send",
    type: "mutation",
    input: { addr: address, ...input },
    ctx,
  });
  const what = { held: "Held for approval as", scheduled: "Scheduled as" }[status] ?? "Queued as";
  const without = notKept.length > 0 ? `; not kept: ${notKept.join(", ")}` : "";
  return { text: `2.6.0 ${what} ${id}${without}`, id, status };
}

/** @throws ServiceError `invalid_request` if a send cannot say what the mail says, `unavailable` */
async function read(
  { threadPool }: Services,
  { organizationId }: Agent,
  { raw, ...rest }: { raw: Buffer; recipients: string[]; address: string },
): Promise<Submitted> {
  const outcome = await readSubmitted(threadPool, {
    organizationId,
    cpuMs: READ_CPU_MS,
    question: () => ({ raw: new Uint8Array(raw), ...rest }),
    transfer: ({ raw: copy }) => [copy.buffer],
  });
  if ("answer" in outcome) {
    if ("refusal" in outcome.answer) throw new ServiceError("invalid_request", outcome.answer.refusal);
    return outcome.answer;
  }
  if (outcome.ended === "lost") {
    throw new ServiceError("unavailable", "The mail could not be read now.", { headers: { "Retry-After": "2" } });
  }
  throw new ServiceError("invalid_request", "The mail cannot be read within the limits of CPU time and memory.");
}

function clientOf(address: string): Client {
  return { address, network: networkOf(address), scheme: "https", behindUndeclaredProxy: false };
}

// What the errors of the procedure are in SMTP. Others are permanent, unless their status says that they pass.

const OWN_ANSWERS: Partial<Record<ErrorCode, [code: number, enhanced: string, fix?: string]>> = {
  unauthorized: [530, "5.7.0", "Sign in with another key."],
  insufficient_scope: [550, "5.7.1", "Sign in with a key that has the scope."],
  invalid_request: [550, "5.6.0", ""],
  unknown_field: [550, "5.6.0", ""],
  payload_too_large: [552, "5.3.4", ""],
  idempotency_conflict: [550, "5.6.0", "Its Message-ID was in another mail of this mailbox: use a new one."],
  storage_quota_exceeded: [452, "4.2.2"],
  too_many_held: [451, "4.7.1"],
  daily_send_cap_exceeded: [451, "4.7.1", ""],
  rate_limited: [451, "4.7.1", ""],
  recipient_suppressed: [550, "5.7.1", "Leave it out, or remove the suppression if you know that it works again."],
  recipient_blocked: [550, "5.7.1", "Leave it out, or change the list."],
  reply_refused: [
    550,
    "5.7.1",
    "Do not answer it. To write to these people anyway, leave out In-Reply-To and References.",
  ],
};

function answerTo(services: Services, failure: ServiceError, requestId: string): Answer {
  const passes = failure.status >= SERVER_ERROR || failure.status === TOO_MANY;
  const [code, enhanced, fix = failure.fix] =
    OWN_ANSWERS[failure.code] ?? (passes ? [451, "4.3.0", ""] : [550, "5.7.1"]);
  const again = "Retry-After" in failure.headers ? `Try again ${timeOf(services, failure)}.` : "";
  const named = failure.status >= SERVER_ERROR ? `(${requestId})` : "";
  return { code, text: lineOf([enhanced, failure.message, again, fix, named].filter(Boolean).join(" ")) };
}

/** `after 2026-11-29T13:00:00Z`, from Retry-After in whole seconds. */
function timeOf({ now }: Services, { headers }: ServiceError): string {
  const at = new Date(now().getTime() + Number(headers["Retry-After"] ?? 0) * SECOND_MS);
  return `after ${at.toISOString().replace(/\.\d+/, "")}`;
}

/** One line of printable ASCII. */
function lineOf(text: string): string {
  const line = text.replace(/\s+/g, " ").replace(/[^ -~]/g, "?");
  return line.length <= TEXT_CHARS ? line : `${line.slice(0, TEXT_CHARS - 3)}...`;
}
