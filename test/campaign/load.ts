// Work without a pause while the service is killed: each operation is repeated until it is answered, and then written down.
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createTransport, type Transporter } from "nodemailer";
import type { ServiceProcess } from "#test/support/process.ts";
import { countAnswer, type Ledger, noteAnswer } from "./ledger.ts";
import { type Random, randomOf } from "./random.ts";
import type { System } from "./system.ts";

const WORKERS = 6;
const OPERATION_PAUSE_MS = 15;
const REPEAT_PAUSE_MS = 100;
/** Longer than the service may take to refuse while its database is away. */
const ANSWER_MS = 30_000;
const WAIT_SECONDS = 2;
/** More than the longest operation. */
const PAUSED_WITHIN_MS = 60_000;
const PAUSE_POLL_MS = 20;

/** Of the mails, so that the database needs new space. */
const LARGE = 0.25;
const LARGE_LINES = 600;
const LINE_BYTES = 36;
const SUBJECT_CHARS = 40;

export const SENDER = "sender@mail.localhost";
const INBOUND = ["first@mail.localhost", "second@mail.localhost"];
const CLAIMS = "claims@mail.localhost";
export const OUTSIDE = "someone@example.org";

/** The mailboxes that the load works with. */
export const MAILBOXES = [SENDER, ...INBOUND, CLAIMS].map((address) => address.split("@")[0] as string);

/** Lines of 72 characters. */
export function incompressible(lines: number): string {
  return Array.from({ length: lines }, () => randomBytes(LINE_BYTES).toString("hex")).join("\n");
}

export type Answer = { status: number; body: Record<string, unknown> };

/** One request with the campaign's key. Fails when there is no answer within 30 s. */
export async function request(
  process: ServiceProcess,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await fetch(process.url + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) },
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === "" ? {} : JSON.parse(text) };
}

/** What one worker repeats its operations with. */
type Worker = {
  name: string;
  random: Random;
  /** Sends until the status is one of these; undefined when the load ended before. */
  ask(method: string, path: string, body: object | undefined, accepted: number[]): Promise<Answer | undefined>;
  mail(to: string, messageId: string, text: string): Promise<string | undefined>;
};

type Operation = (worker: Worker, name: string, ledger: Ledger) => Promise<void>;

const create: Operation = async (worker, name, ledger) => {
  const answer = await worker.ask("POST", "/v1/inboxes", { client_id: name }, [200, 201]);
  if (answer) ledger.created.set(name, { id: String(answer.body.id), address: String(answer.body.address) });
};

const send: Operation = async (worker, name, ledger) => {
  const to = worker.random.next() < 0.5 ? OUTSIDE : worker.random.pick(INBOUND);
  const message = { to, subject: name, text: `sent ${name}`, idempotency_key: name };
  const answer = await worker.ask("POST", `/v1/inboxes/${encodeURIComponent(SENDER)}/send`, message, [200, 202]);
  if (answer) ledger.sent.set(name, String(answer.body.id));
};

const mail: Operation = async (worker, name, ledger) => {
  const to = worker.random.next() < 0.4 ? CLAIMS : worker.random.pick(INBOUND);
  const code = `Your verification code is ${worker.random.between(100_000, 999_999)}. It came with ${name}.`;
  const text = worker.random.next() < LARGE ? `${code}\n\n${incompressible(LARGE_LINES)}` : code;
  const id = await worker.mail(to, `${name}@example.org`, text);
  if (id) ledger.mailed.set(`${name}@example.org`, { id, text });
};

/** Not repeated: what a wait without an answer has claimed is gone. */
const claim: Operation = async (worker, _name, ledger) => {
  const wait = { timeout_seconds: WAIT_SECONDS, claim: true };
  const answer = await worker.ask("POST", `/v1/inboxes/${encodeURIComponent(CLAIMS)}/wait`, wait, [200]);
  const message = answer?.body.message as { id: string } | null | undefined;
  if (message) ledger.claimed.push(message.id);
};

const remove: Operation = async (worker, name, ledger) => {
  const left = [...ledger.created.values()].filter(({ id }) => !ledger.deleting.has(id));
  if (left.length === 0) return create(worker, name, ledger);
  const { id } = worker.random.pick(left);
  ledger.deleting.add(id);
  // 404: an earlier request that was not answered has deleted it.
  if (await worker.ask("DELETE", `/v1/inboxes/${id}`, undefined, [200, 204, 404])) ledger.deleted.add(id);
};

const MIX: [number, Operation][] = [
  [0.25, create],
  [0.5, send],
  [0.8, mail],
  [0.92, claim],
  [1, remove],
];

function openMailer(process: ServiceProcess): Transporter {
  const timeouts = { connectionTimeout: ANSWER_MS, greetingTimeout: ANSWER_MS, socketTimeout: ANSWER_MS };
  const { smtpPort: port } = process;
  return createTransport({ host: "127.0.0.1", port, pool: true, maxConnections: 1, ignoreTLS: true, ...timeouts });
}

/** Starts the workers; the load goes to all processes of the system, and to another one after a failure. */
export function startLoad(system: System, ledger: Ledger, seed: number) {
  let over = false;
  let parked = 0;
  let gate: PromiseWithResolvers<void> | undefined;
  const unexpected: string[] = [];

  async function turn(): Promise<void> {
    if (!gate) return;
    parked += 1;
    await gate.promise;
    parked -= 1;
  }

  /** Repeats the attempt until it gives something, at one process after the other. */
  async function repeat<Result>(
    index: number,
    what: string,
    attempt: (process: ServiceProcess) => Promise<Result | undefined>,
  ): Promise<Result | undefined> {
    for (let n = index; ; n += 1) {
      await turn();
      if (over) return;
      const process = system.processes[n % system.processes.length] as ServiceProcess;
      const started = performance.now();
      try {
        const result = await attempt(process);
        if (result !== undefined) return result;
      } catch (error) {
        const timedOut = error instanceof Error && error.name === "TimeoutError";
        countAnswer(ledger, `${what.split(" ", 1)[0]} ${timedOut ? "unanswered for 30 s" : "no answer"}`);
      } finally {
        noteAnswer(ledger, what, performance.now() - started);
      }
      await sleep(REPEAT_PAUSE_MS);
    }
  }

  function workerOf(index: number): Worker & { close(): void } {
    let mailer: { process: ServiceProcess; transport: Transporter } | undefined;
    return {
      name: `worker-${index}`,
      random: randomOf(seed, `worker ${index}`),
      ask: (method, path, body, accepted) =>
        repeat(index, `${method} ${path}`, async (process) => {
          const answer = await request(process, system.key, method, path, body);
          countAnswer(ledger, `${method} ${answer.status}`);
          if (accepted.includes(answer.status)) return answer;
          if (answer.status < 500)
            unexpected.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
          return undefined;
        }),
      mail: (to, messageId, text) =>
        repeat(index, "smtp", async (process) => {
          if (mailer?.process !== process) {
            mailer?.transport.close();
            mailer = { process, transport: openMailer(process) };
          }
          const subject = text.slice(0, SUBJECT_CHARS);
          const mail = { from: "out@example.org", to, subject, text, messageId: `<${messageId}>` };
          const response = await mailer.transport.sendMail(mail).then(
            (sent) => String(sent.response),
            (error: Error & { response?: string }) => {
              if (error.response === undefined) throw error;
              return error.response;
            },
          );
          countAnswer(ledger, `smtp ${response.slice(0, 3)}`);
          if (response.startsWith("5")) unexpected.push(`mail to ${to}: ${response}`);
          return /^250 .*?(msg_\w+)/.exec(response)?.[1];
        }),
      close: () => mailer?.transport.close(),
    };
  }

  async function work(index: number): Promise<void> {
    const worker = workerOf(index);
    for (let n = 0; !over; n += 1) {
      const drawn = worker.random.next();
      const [, operation] = MIX.find(([below]) => drawn < below) as [number, Operation];
      await operation(worker, `${worker.name}-${n}`, ledger);
      await sleep(OPERATION_PAUSE_MS);
    }
    worker.close();
  }

  const working = Promise.all(Array.from({ length: WORKERS }, (_, index) => work(index)));
  return {
    /** Answers that no operation should get: refusals, which are no kill's doing. */
    unexpected,
    /** Settles when no request is under way. */
    async pause(): Promise<void> {
      gate ??= Promise.withResolvers();
      for (const until = performance.now() + PAUSED_WITHIN_MS; parked < WORKERS; await sleep(PAUSE_POLL_MS)) {
        if (performance.now() > until) throw new Error(`${WORKERS - parked} requests did not end when the load paused`);
      }
    },
    resume(): void {
      gate?.resolve();
      gate = undefined;
    },
    async end(): Promise<void> {
      over = true;
      gate?.resolve();
      gate = undefined;
      await working;
    },
  };
}
