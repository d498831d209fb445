// The thread that authenticates senders, several mails concurrently. If a mail crashes or blocks it, the service
// continues.
import { parentPort, workerData } from "node:worker_threads";
import type { Dns, DnsAnswers, DnsType } from "../../base/ports/dns.ts";
import { createHeapShrinker } from "../../base/threads/shrink-heap.ts";
import { cpuMs, giveWay } from "../../base/threads/thread-work.ts";
import { authenticate } from "./authenticate.ts";
import type { InboundMail, Verdict } from "./verdict.ts";

/** The main thread resolves DNS; `raw` arrives as plain octets. */
export type ToWorker =
  | { kind: "mail"; id: number; mail: Omit<InboundMail, "raw"> & { raw: Uint8Array } }
  | { kind: "answer"; id: number; records: unknown }
  | { kind: "answer"; id: number; code: string }
  | { kind: "ping" };

/** The first `pong` says that the thread has started; `cpuMs`: its CPU time so far. */
export type FromWorker =
  | { kind: "verdict"; id: number; verdict: Verdict }
  | { kind: "question"; id: number; name: string; type: DnsType }
  | { kind: "pong"; cpuMs: number };

function post(message: FromWorker): void {
  parentPort?.postMessage(message);
}

function pong(): void {
  post({ kind: "pong", cpuMs: cpuMs() });
}

/** A DNS that asks the other side, and what takes its answers. */
function createDns(): { dns: Dns; take: (answer: Extract<ToWorker, { kind: "answer" }>) => void } {
  const questions = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  return {
    dns: {
      resolve<T extends DnsType>(name: string, type: T) {
        asked += 1;
        const question = Promise.withResolvers<unknown>();
        questions.set(asked, question);
        post({ kind: "question", id: asked, name, type });
        return question.promise as Promise<DnsAnswers[T]>;
      },
      close() {},
    },
    take(answer) {
      const question = questions.get(answer.id);
      questions.delete(answer.id);
      if ("records" in answer) question?.resolve(answer.records);
      else question?.reject(Object.assign(new Error(answer.code), { code: answer.code }));
    },
  };
}

const { dns, take } = createDns();
const heap = createHeapShrinker();

giveWay();
parentPort?.on("message", async (message: ToWorker) => {
  if (message.kind === "ping") return pong();
  if (message.kind === "answer") return take(message);
  const { raw } = message.mail;
  const mail = { ...message.mail, raw: Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength) };
  post({ kind: "verdict", id: message.id, verdict: await authenticate(mail, dns, workerData) });
  heap.answered();
});

pong();
