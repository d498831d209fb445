// Authenticates senders in two threads that can be terminated. The first handles several mails concurrently. The second
// handles, one by one, the mails that were in progress when a mail made the first one end, and further mail of their organizations;
// then it ends. Organizations take turns in both. A verdict that is kept needs neither. They are none of the pool (base/threads/):
// a mail waits for DNS most of its time.
import { Worker } from "node:worker_threads";
import type { Authentication } from "#db/message-parts.ts";
import { createFairQueue, type FairQueue } from "../../base/fair-queue.ts";
import { createCounts } from "../../base/limiter.ts";
import type { Dns } from "../../base/ports/dns.ts";
import { memoryLimit, memoryOf, threadOptions, watch } from "../../base/threads/thread-memory.ts";
import type { FromWorker, ToWorker } from "./authenticate-worker.ts";
import { createKeptVerdicts, senderOf } from "./kept-verdicts.ts";
import { type InboundMail, UNREADABLE, type Verdict } from "./verdict.ts";

const MAILS = 16;
/** Of these, mails of one organization. */
const SHARE = 8;
/** Of all mails in progress; a larger mail is handled alone. */
const MAIL_BYTES = 64 * 1024 * 1024;
const PING_MS = 500;
/** After this CPU time without an answer to a ping, a mail blocks the thread. */
const SILENT_CPU_MS = 1_500;
/** After so many pings without an answer, the thread is stuck or gets no CPU. */
const STUCK_PINGS = 120;

export type AuthenticateThread = {
  /**
   * Undefined if the mail was not authenticated but may be later: the thread got no CPU, or was closed. Never rejects.
   */
  authenticate(organizationId: string, mail: InboundMail): Promise<Authentication | undefined>;
  /** Mail in progress is not authenticated. */
  close(): Promise<void>;
};

type Task = {
  organizationId: string;
  mail: InboundMail;
  settle(verdict: Verdict | undefined): void;
};

/** @param now in milliseconds, of the verdicts that are kept */
export function createAuthenticateThread(
  dns: Dns,
  { hostname, now }: { hostname: string; now: () => number },
): AuthenticateThread {
  const kept = createKeptVerdicts(now);
  /** Mails of each organization that wait for the second thread or are in it. */
  const inSecond = createCounts();
  let closed = false;

  const second = createSupervisor(dns, hostname, 1, (tasks, cause) => {
    for (const task of tasks) task.settle(cause === "mail" ? { authentication: UNREADABLE, keepMs: 0 } : undefined);
  });
  const first = createSupervisor(dns, hostname, MAILS, (tasks, cause) => {
    for (const task of tasks) {
      if (cause === "mail") addToSecond(task);
      else task.settle(undefined);
    }
  });

  function addToSecond(task: Task): void {
    const { organizationId } = task;
    inSecond.add(organizationId, 1);
    second.add({
      ...task,
      settle(verdict) {
        inSecond.add(organizationId, -1);
        task.settle(verdict);
      },
    });
  }

  return {
    authenticate(organizationId, mail) {
      if (closed) return Promise.resolve(undefined);
      const sender = senderOf(mail);
      const known = sender === undefined ? undefined : kept.get(sender);
      if (known) return Promise.resolve(known);
      const { promise, resolve } = Promise.withResolvers<Authentication | undefined>();
      const settle = (verdict: Verdict | undefined) => {
        if (sender !== undefined && verdict && verdict.keepMs > 0)
          kept.set(sender, verdict.authentication, { ttl: verdict.keepMs });
        resolve(verdict?.authentication);
      };
      const task = { organizationId, mail, settle };
      // One of the organization's mails may have ended the first thread, and this one may be like it.
      if (inSecond.of(organizationId) > 0) addToSecond(task);
      else first.add(task);
      return promise;
    },
    async close() {
      closed = true;
      await Promise.all([first.close(), second.close()]);
    },
  };
}

/** Why a thread ended. `mail`: a mail blocked it, crashed it or took too much memory. `other`: anything else. */
type EndCause = "mail" | "other";
type OnEnd = (tasks: Task[], cause: EndCause) => void;

/** Gives mails to one thread, and ends the thread when a mail blocks it. */
type Supervisor = { add(task: Task): void; close(): Promise<void> };

type Thread = {
  worker: Worker;
  post(message: ToWorker, transfer?: ArrayBuffer[]): void;
  unansweredPings: number;
  /** The CPU time of the thread when it last answered a ping; 0: it has answered none. */
  answeredCpuMs: number;
  isCpuBeingRead: boolean;
};

type State = {
  dns: Dns;
  hostname: string;
  most: number;
  endsWhenIdle: boolean;
  onEnd: OnEnd;
  waiting: FairQueue<Task>;
  inProgress: Map<number, Task>;
  thread: Thread | undefined;
  pingTimer: NodeJS.Timeout | undefined;
  memoryTimer: NodeJS.Timeout | undefined;
  lastId: number;
};

/**
 * Its thread starts with its first mail, and again after it was ended.
 * @param most concurrent mails
 * @param onEnd receives the mails that were in progress when the thread ended
 */
function createSupervisor(dns: Dns, hostname: string, most: number, onEnd: OnEnd): Supervisor {
  const state: State = {
    dns,
    hostname,
    most,
    endsWhenIdle: most === 1,
    onEnd,
    waiting: createFairQueue<Task>(() => ({ group: Math.min(most, SHARE) })),
    inProgress: new Map<number, Task>(),
    thread: undefined,
    pingTimer: undefined,
    memoryTimer: undefined,
    lastId: 0,
  };
  return {
    add(task) {
      state.waiting.add(task.organizationId, task);
      giveMails(state);
    },
    async close() {
      for (const task of state.waiting.drain()) task.settle(undefined);
      const worker = state.thread?.worker;
      if (state.thread) endThread(state, state.thread, "other");
      await worker?.terminate();
    },
  };
}

/** Gives waiting mails to the thread up to its limits, and checks the thread as long as a mail is in progress. */
function giveMails(state: State): void {
  const next = () => state.waiting.next((task) => fits(state, task));
  for (let task = next(); task; task = next()) giveMail(state, task);
  if (state.inProgress.size > 0) {
    state.pingTimer ??= setInterval(() => ping(state), PING_MS);
    state.memoryTimer ??= watch(() => endIfTooLarge(state));
    return;
  }
  clearInterval(state.pingTimer);
  clearInterval(state.memoryTimer);
  state.pingTimer = undefined;
  state.memoryTimer = undefined;
  if (!state.thread) return;
  if (state.endsWhenIdle) endThread(state, state.thread, "other");
  // An idle thread does not keep the process alive.
  else state.thread.worker.unref();
}

function fits(state: State, { mail }: Task): boolean {
  if (state.inProgress.size === 0) return true;
  return state.inProgress.size < state.most && bytesInProgress(state) + mail.raw.length <= MAIL_BYTES;
}

function bytesInProgress(state: State): number {
  return [...state.inProgress.values()].reduce((sum, task) => sum + task.mail.raw.length, 0);
}

function giveMail(state: State, task: Task): void {
  state.thread ??= startThread(state);
  state.lastId += 1;
  state.inProgress.set(state.lastId, task);
  // A small Buffer is a view of a shared pool of 64 KiB, all of which would be copied.
  const raw = new Uint8Array(task.mail.raw);
  state.thread.worker.ref();
  state.thread.post({ kind: "mail", id: state.lastId, mail: { ...task.mail, raw } }, [raw.buffer]);
}

function startThread(state: State): Thread {
  const { dns, hostname } = state;
  const worker = new Worker(new URL("./authenticate-worker.ts", import.meta.url), {
    ...threadOptions(),
    workerData: { hostname },
  });
  const post = (message: ToWorker, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer);
  const thread: Thread = { worker, post, unansweredPings: 0, answeredCpuMs: 0, isCpuBeingRead: false };
  worker.on("message", (message: FromWorker) => {
    if (message.kind !== "question") return receive(state, thread, message);
    const { id, name, type } = message;
    dns.resolve(name, type).then(
      (records) => post({ kind: "answer", id, records }),
      (error) => post({ kind: "answer", id, code: String(error?.code ?? "EFORMERR") }),
    );
  });
  worker.on("error", () => endThread(state, thread, "mail")).on("exit", () => endThread(state, thread, "other"));
  return thread;
}

/** A verdict or the answer to a ping. */
function receive(state: State, thread: Thread, message: FromWorker): void {
  if (thread !== state.thread) return;
  thread.unansweredPings = 0;
  if (message.kind === "pong") thread.answeredCpuMs = message.cpuMs;
  const task = message.kind === "verdict" ? state.inProgress.get(message.id) : undefined;
  if (!task || message.kind !== "verdict") return;
  state.inProgress.delete(message.id);
  state.waiting.done(task.organizationId);
  task.settle(message.verdict);
  giveMails(state);
}

async function ping(state: State): Promise<void> {
  const { thread } = state;
  if (!thread) return;
  thread.unansweredPings += 1;
  thread.post({ kind: "ping" });
  if (thread.unansweredPings > STUCK_PINGS) return endThread(state, thread, "other");
  if (thread.unansweredPings > 1 && !thread.isCpuBeingRead) await endIfBlocked(state, thread);
}

/** Ends a thread that has used CPU time since it last answered a ping: a mail blocks it. One that waits for CPU time stays. */
async function endIfBlocked(state: State, thread: Thread): Promise<void> {
  const { answeredCpuMs } = thread;
  thread.isCpuBeingRead = true;
  try {
    const { user, system } = await thread.worker.cpuUsage();
    const hasAnswered = thread.unansweredPings <= 1 || thread.answeredCpuMs !== answeredCpuMs;
    const isStarting = answeredCpuMs === 0;
    const silentCpuMs = (user + system) / 1000 - answeredCpuMs;
    if (!hasAnswered && !isStarting && silentCpuMs > SILENT_CPU_MS) endThread(state, thread, "mail");
  } catch {
    // It has ended, or not started yet; its `exit` event or the next ping shows which.
  }
  thread.isCpuBeingRead = false;
}

/** Ends a thread that uses more memory than its mails may. */
async function endIfTooLarge(state: State): Promise<void> {
  const { thread } = state;
  if (!thread) return;
  try {
    const memoryBytes = await memoryOf(thread.worker);
    if (memoryBytes > memoryLimit(bytesInProgress(state))) endThread(state, thread, "mail");
  } catch {
    // It has ended; its `exit` event reports it.
  }
}

function endThread(state: State, thread: Thread, cause: EndCause): void {
  if (thread !== state.thread) return;
  state.thread = undefined;
  void thread.worker.terminate();
  const tasks = [...state.inProgress.values()];
  state.inProgress.clear();
  for (const { organizationId } of tasks) state.waiting.done(organizationId);
  state.onEnd(tasks, cause);
  giveMails(state);
}
