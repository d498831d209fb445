// Authenticates senders in two threads that can be terminated. The first handles several mails concurrently. The second
// handles, one by one, the mails that were in progress when a thread ended, and further mail of their organizations; then it ends.
// Organizations take turns in both. A verdict that is kept needs neither. They are none of the pool (base/threads/): a mail waits for DNS most of its time.
import { Worker } from "node:worker_threads";
import type { Authentication } from "#db/message-parts.ts";
import { createFairQueue, type FairQueue } from "../../base/fair-queue.ts";
import { type Counts, createCounts } from "../../base/limiter.ts";
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
/** `held`: by a mail. `lost`: the thread ended for another reason. */
type Why = "held" | "lost";
type Judge = { add(task: Task): void; close(): Promise<void> };

type Running = {
  worker: Worker;
  post(message: ToWorker, transfer?: ArrayBuffer[]): void;
  silentPings: number;
  /** CPU time at its last answer to a ping. */
  cpuMs: number;
  looking: boolean;
};

/** Messages of one thread, and its end for any reason. */
function startWorker(dns: Dns, hostname: string, on: { message(m: FromWorker): void; end(why: Why): void }): Running {
  const worker = new Worker(new URL("./authenticate-worker.ts", import.meta.url), {
    ...threadOptions(),
    workerData: { hostname },
  });
  const post = (message: ToWorker, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer);
  worker.on("message", (message: FromWorker) => {
    if (message.kind !== "question") return on.message(message);
    const { id, name, type } = message;
    dns.resolve(name, type).then(
      (records) => post({ kind: "answer", id, records }),
      (error) => post({ kind: "answer", id, code: String(error?.code ?? "EFORMERR") }),
    );
  });
  worker.on("error", () => on.end("held")).on("exit", () => on.end("lost"));
  return { worker, post, silentPings: 0, cpuMs: 0, looking: false };
}

type State = {
  dns: Dns;
  hostname: string;
  most: number;
  /** Its thread ends when it has nothing to do. */
  isRare: boolean;
  onEnd: (tasks: Task[], why: Why) => void;
  turns: FairQueue<Task>;
  underWay: Map<number, Task>;
  current: Running | undefined;
  pings: NodeJS.Timeout | undefined;
  watching: NodeJS.Timeout | undefined;
  lastId: number;
};

/**
 * A thread that starts with its first mail, and again after it was ended.
 * @param most concurrent mails
 * @param onEnd receives the mails that were in progress when the thread ended
 */
function createJudge(dns: Dns, hostname: string, most: number, onEnd: (tasks: Task[], why: Why) => void): Judge {
  const judge: State = {
    dns,
    hostname,
    most,
    isRare: most === 1,
    onEnd,
    turns: createFairQueue<Task>(() => ({ group: Math.min(most, SHARE) })),
    underWay: new Map<number, Task>(),
    current: undefined,
    pings: undefined,
    watching: undefined,
    lastId: 0,
  };
  return {
    add(task) {
      judge.turns.add(task.organizationId, task);
      fill(judge);
    },
    async close() {
      for (const task of judge.turns.drain()) task.settle(undefined);
      const worker = judge.current?.worker;
      if (judge.current) end(judge, judge.current, "lost");
      await worker?.terminate();
    },
  };
}

function end(judge: State, running: Running, why: Why): void {
  if (running !== judge.current) return;
  judge.current = undefined;
  void running.worker.terminate();
  const tasks = [...judge.underWay.values()];
  judge.underWay.clear();
  for (const { organizationId } of tasks) judge.turns.done(organizationId);
  judge.onEnd(tasks, why);
  fill(judge);
}

function hear(judge: State, running: Running, message: FromWorker): void {
  if (running !== judge.current) return;
  running.silentPings = 0;
  if (message.kind === "pong") running.cpuMs = message.cpuMs;
  const task = message.kind === "verdict" ? judge.underWay.get(message.id) : undefined;
  if (!task || message.kind !== "verdict") return;
  judge.underWay.delete(message.id);
  judge.turns.done(task.organizationId);
  task.settle(message.verdict);
  fill(judge);
}

function start(judge: State): Running {
  const running: Running = startWorker(judge.dns, judge.hostname, {
    message: (message) => hear(judge, running, message),
    end: (why) => end(judge, running, why),
  });
  return running;
}

async function ping(judge: State): Promise<void> {
  const running = judge.current;
  if (!running) return;
  running.silentPings += 1;
  running.post({ kind: "ping" });
  if (running.silentPings > STUCK_PINGS) return end(judge, running, "lost");
  if (running.silentPings === 1 || running.looking) return;
  running.looking = true;
  try {
    const { cpuMs } = running;
    const { user, system } = await running.worker.cpuUsage();
    const isSilent = running.silentPings > 1 && running.cpuMs === cpuMs && cpuMs > 0;
    if (isSilent && (user + system) / 1000 - cpuMs > SILENT_CPU_MS) end(judge, running, "held");
  } catch {
    // It has ended, or not started yet; its `exit` event or the next ping shows which.
  }
  running.looking = false;
}

function run(judge: State, task: Task): void {
  judge.current ??= start(judge);
  judge.lastId += 1;
  judge.underWay.set(judge.lastId, task);
  // A small Buffer is a view of a shared pool of 64 KiB, all of which would be copied.
  const raw = new Uint8Array(task.mail.raw);
  judge.current.worker.ref();
  judge.current.post({ kind: "mail", id: judge.lastId, mail: { ...task.mail, raw } }, [raw.buffer]);
}

function bytesUnderWay(judge: State): number {
  return [...judge.underWay.values()].reduce((sum, task) => sum + task.mail.raw.length, 0);
}

/** Terminates a thread that uses more memory than its mails may. */
async function look(judge: State): Promise<void> {
  const running = judge.current;
  if (!running) return;
  try {
    const memoryBytes = await memoryOf(running.worker);
    if (memoryBytes > memoryLimit(bytesUnderWay(judge))) end(judge, running, "held");
  } catch {
    // It has ended; its `exit` event reports it.
  }
}

function fits(judge: State, { mail }: Task): boolean {
  if (judge.underWay.size === 0) return true;
  return judge.underWay.size < judge.most && bytesUnderWay(judge) + mail.raw.length <= MAIL_BYTES;
}

function fill(judge: State): void {
  const next = () => judge.turns.next((mail) => fits(judge, mail));
  for (let task = next(); task; task = next()) run(judge, task);
  if (judge.underWay.size > 0) {
    judge.pings ??= setInterval(() => ping(judge), PING_MS);
    judge.watching ??= watch(() => look(judge));
    return;
  }
  clearInterval(judge.pings);
  clearInterval(judge.watching);
  judge.pings = undefined;
  judge.watching = undefined;
  if (!judge.current) return;
  if (judge.isRare) end(judge, judge.current, "lost");
  // An idle thread does not keep the process alive.
  else judge.current.worker.unref();
}

/** @param now in milliseconds, of the verdicts that are kept */
export function createAuthenticateThread(
  dns: Dns,
  { hostname, now }: { hostname: string; now: () => number },
): AuthenticateThread {
  const kept = createKeptVerdicts(now);
  /** Mails of each organization that wait for the second thread or are in it. */
  const suspects = createCounts();
  let closed = false;

  const alone = createJudge(dns, hostname, 1, (tasks, why) => {
    for (const task of tasks) task.settle(why === "held" ? { authentication: UNREADABLE, keepMs: 0 } : undefined);
  });
  const together = createJudge(dns, hostname, MAILS, (tasks, why) => {
    for (const task of tasks) {
      if (why === "held") suspect(suspects, alone, task);
      else task.settle(undefined);
    }
  });

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
      if (suspects.of(organizationId) > 0) suspect(suspects, alone, task);
      else together.add(task);
      return promise;
    },
    async close() {
      closed = true;
      await Promise.all([together.close(), alone.close()]);
    },
  };
}

/** Reads a mail again in the second thread: it may have been what held the first. */
function suspect(suspects: Counts, alone: Judge, task: Task): void {
  const { organizationId } = task;
  suspects.add(organizationId, 1);
  alone.add({
    ...task,
    settle(verdict) {
      suspects.add(organizationId, -1);
      task.settle(verdict);
    },
  });
}
