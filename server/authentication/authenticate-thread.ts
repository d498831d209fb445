// Runs authenticate-worker.ts on a thread of its own, and ends that thread when it answers no more.

import { Worker } from "node:worker_threads";
import type { Authentication } from "#db/message-parts.ts";
import type { FromWorker, ToWorker } from "./authenticate-worker.ts";
import type { Dns } from "./dns.ts";
import { type InboundMail, UNKNOWN, UNREADABLE } from "./verdict.ts";

const MAILS = 16;
/** Of all mails under way together; a larger one goes alone. */
const MAIL_BYTES = 64 * 1024 * 1024;
const PING_MS = 500;
/** Pings in a row without an answer. Counted, not timed: a main loop that was busy itself has sent none meanwhile. */
const SILENT_PINGS = 4;
/** Starting the thread is not the mails' fault. */
const START_PINGS = 20;
const HEAP_MIB = 512;

export type AuthenticateThread = {
  /** Any number at once; who calls bounds how many wait. Never rejects. */
  authenticate(mail: InboundMail): Promise<Authentication>;
  /** What is under way is answered with `temperror`. */
  close(): Promise<void>;
};

type Task = { mail: InboundMail; settle(authentication: Authentication): void };

type Running = {
  worker: Worker;
  post(message: ToWorker, transfer?: ArrayBuffer[]): void;
  started: boolean;
  silentPings: number;
};

/** Messages of one thread, and its end, whatever ends it. */
function startWorker(dns: Dns, hostname: string, on: { message(m: FromWorker): void; end(): void }): Running {
  const worker = new Worker(new URL("./authenticate-worker.ts", import.meta.url), {
    workerData: { hostname },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
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
  worker.on("error", on.end).on("exit", on.end);
  return { worker, post, started: false, silentPings: 0 };
}

/** A thread that starts with the first mail, and again after it was ended. */
export function createAuthenticateThread(dns: Dns, hostname: string): AuthenticateThread {
  const waiting: Task[] = [];
  /** Were under way when a thread ended: each has the next one for itself. */
  const suspects: Task[] = [];
  const underWay = new Map<number, Task>();
  let alone = false;
  let current: Running | undefined;
  let pings: NodeJS.Timeout | undefined;
  let lastId = 0;
  let closed = false;

  function finish(id: number, authentication: Authentication): void {
    underWay.get(id)?.settle(authentication);
    underWay.delete(id);
    fill();
  }

  function end(running: Running): void {
    if (running !== current) return;
    current = undefined;
    void running.worker.terminate();
    const tasks = [...underWay.values()];
    underWay.clear();
    if (!running.started || closed) for (const task of tasks) task.settle(UNKNOWN);
    else if (alone) for (const task of tasks) task.settle(UNREADABLE);
    else suspects.push(...tasks);
    fill();
  }

  function start(): Running {
    const running: Running = startWorker(dns, hostname, {
      message(message) {
        running.started = true;
        running.silentPings = 0;
        if (message.kind === "verdict" && running === current) finish(message.id, message.authentication);
      },
      end: () => end(running),
    });
    return running;
  }

  function ping(): void {
    if (!current) return;
    current.silentPings += 1;
    if (current.silentPings > (current.started ? SILENT_PINGS : START_PINGS)) end(current);
    else current.post({ kind: "ping" });
  }

  function run(task: Task): void {
    current ??= start();
    lastId += 1;
    underWay.set(lastId, task);
    // A small Buffer is a view of a pool of 64 KiB, and all of that would be copied.
    const raw = new Uint8Array(task.mail.raw);
    current.worker.ref();
    current.post({ kind: "mail", id: lastId, mail: { ...task.mail, raw } }, [raw.buffer]);
  }

  function fits({ mail }: Task): boolean {
    if (underWay.size === 0) return true;
    const bytes = [...underWay.values()].reduce((sum, task) => sum + task.mail.raw.length, mail.raw.length);
    return !alone && underWay.size < MAILS && bytes <= MAIL_BYTES;
  }

  function fill(): void {
    const queue = suspects.length > 0 ? suspects : waiting;
    for (let next = queue[0]; next && fits(next); next = queue[0]) {
      queue.shift();
      if (underWay.size === 0) alone = queue === suspects;
      run(next);
    }
    if (underWay.size > 0) pings ??= setInterval(ping, PING_MS);
    else {
      // An idle thread keeps no process alive.
      current?.worker.unref();
      clearInterval(pings);
      pings = undefined;
    }
  }

  return {
    authenticate(mail) {
      if (closed) return Promise.resolve(UNKNOWN);
      const { promise, resolve } = Promise.withResolvers<Authentication>();
      waiting.push({ mail, settle: resolve });
      fill();
      return promise;
    },
    async close() {
      closed = true;
      for (const task of [...waiting.splice(0), ...suspects.splice(0)]) task.settle(UNKNOWN);
      const worker = current?.worker;
      if (current) end(current);
      await worker?.terminate();
    },
  };
}
