// Kills a service again and again while it works, and checks after each kill that it kept every promise.
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceProcess } from "#test/support/process.ts";
import { checkFinished, finish } from "./finished.ts";
import { KILLS, type Kill } from "./kills.ts";
import { newLedger } from "./ledger.ts";
import { MAILBOXES, request, startLoad } from "./load.ts";
import { type Random, randomOf } from "./random.ts";
import { checkReadable } from "./readable.ts";
import { checkStored, violation } from "./stored.ts";
import { isRunning, type System, type SystemName, startSystem } from "./system.ts";

const LOAD_MIN_MS = 500;
const LOAD_MAX_MS = 2_500;
const AFTER_MS = 1_000;
const READY_MS = 120_000;
const READY_POLL_MS = 100;
const PROBE_MS = 20_000;
/** Longer than any request may take: a client of the load gives up after this time. */
const ANSWER_MS = 30_000;
/** Kills between two waits for all work to be done. */
const FINISH_EVERY = 10;
const OUTPUT_CHARS = 2_000;

export type CampaignOptions = {
  seed: number;
  kills: number;
  on: SystemName;
  /** Names of the kinds to use. Default: all that are possible here. */
  kinds?: string[];
  /** Brings leases and planned retries forward after a few seconds, which saves their time. */
  hurries?: boolean;
  /** Ends the campaign after the kill that is under way. */
  stopping?: AbortSignal;
  report(line: string): void;
};

/** A kind for each kill, each equally often, in an order that the seed decides. */
function planOf(kinds: Kill[], kills: number, random: Random): Kill[] {
  const plan: Kill[] = [];
  while (plan.length < kills) {
    const left = [...kinds];
    while (left.length > 0) plan.push(...left.splice(random.between(0, left.length - 1), 1));
  }
  return plan.slice(0, kills);
}

async function prepare(system: System): Promise<void> {
  const process = system.processes[0] as ServiceProcess;
  for (const username of MAILBOXES) await request(process, system.key, "POST", "/v1/inboxes", { username });
  const hook = { url: system.receiver.url, events: ["message.received"] };
  const { body } = await request(process, system.key, "POST", "/v1/webhooks", hook);
  system.receiver.secret.value = String(body.secret);
}

/** Waits until each process is ready again. @returns what is not */
async function recover(system: System): Promise<string[]> {
  const until = performance.now() + READY_MS;
  const broken: string[] = [];
  for (const [index, process] of system.processes.entries()) {
    if (!isRunning(process)) {
      const { exitCode, signalCode } = process.child;
      broken.push(
        `process ${index} ended by itself (${exitCode ?? signalCode}):\n${process.output().slice(-OUTPUT_CHARS)}`,
      );
      await system.start(index);
      continue;
    }
    const isReady = () =>
      fetch(`${process.url}/health/ready`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
        ({ ok }) => ok,
        () => false, // it is not back yet
      );
    while (!(await isReady())) {
      if (performance.now() > until) {
        broken.push(`process ${index} is not ready ${READY_MS / 1_000} s after the kill`);
        break;
      }
      await sleep(READY_POLL_MS);
    }
  }
  return broken;
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** @returns figures, and `violations`, which is empty when every promise was kept */
export async function runCampaign(options: CampaignOptions) {
  const { seed, report } = options;
  const started = performance.now();
  const system = await startSystem(options.on, seed, { hurries: options.hurries ?? false });
  const ledger = newLedger();
  const random = randomOf(seed, "kills");
  const violations: string[] = [];
  const wanted = KILLS.filter(({ name }) => options.kinds?.includes(name) ?? true);
  const leftOut = wanted.flatMap((kill) => {
    const why = kill.impossible?.(system);
    return why ? [`${kill.name}: ${why}`] : [];
  });
  const plan = planOf(
    wanted.filter((kill) => !kill.impossible?.(system)),
    options.kills,
    random,
  );
  const figures = { longestReadyMs: 0, longestAnswerMs: 0, longestFinishMs: 0, secondCopies: 0 };
  await prepare(system).catch(async (error) => {
    await system.stop();
    throw error;
  });
  const load = startLoad(system, ledger, seed);
  let done = 0;

  /** One kill, and all that must hold after it. */
  async function round(kill: Kill, last: boolean): Promise<string> {
    ledger.longestAnswerMs = 0;
    load.resume();
    await sleep(random.between(LOAD_MIN_MS, LOAD_MAX_MS));
    const { did, broken } = await kill.run(system, random);
    const since = performance.now();
    const found = [...(broken ? [broken] : []), ...(await recover(system))];
    const readyMs = performance.now() - since;
    await sleep(AFTER_MS);
    await load.pause();
    found.push(...(await checkStored(system, ledger)), ...(await checkReadable(system, ledger)));
    found.push(...violation("answers are unexpected", load.unexpected.splice(0)));
    const late = ledger.longestAnswerMs >= ANSWER_MS ? [seconds(ledger.longestAnswerMs)] : [];
    found.push(...violation("requests were left without an answer", late));
    let finishing = "";
    if (last) {
      const finished = await finish(system);
      const checked = await checkFinished(system, ledger);
      found.push(...finished.broken, ...checked.broken);
      figures.longestFinishMs = Math.max(figures.longestFinishMs, finished.ms);
      figures.secondCopies = checked.copies;
      finishing = `; all done ${seconds(finished.ms)} later`;
    }
    figures.longestReadyMs = Math.max(figures.longestReadyMs, readyMs);
    figures.longestAnswerMs = Math.max(figures.longestAnswerMs, ledger.longestAnswerMs);
    violations.push(...found.map((each) => `${kill.name}: ${each}`));
    const outcome = found.length === 0 ? "kept" : `BROKEN: ${found.join("; ")}`;
    return `${did}; ready ${seconds(readyMs)} later, longest answer ${seconds(ledger.longestAnswerMs)}${finishing}; ${outcome}`;
  }

  try {
    for (const [n, kill] of plan.entries()) {
      if (options.stopping?.aborted) break;
      done += 1;
      const last = n === plan.length - 1 || (n + 1) % FINISH_EVERY === 0;
      report(`${n + 1}/${plan.length} ${kill.name}: ${await round(kill, last)}`);
    }
  } finally {
    await load.end();
    await system.stop();
  }
  const count = (name: string) => plan.slice(0, done).filter((kill) => kill.name === name).length;
  return {
    seed,
    on: options.on,
    kills: done,
    kinds: Object.fromEntries(wanted.map(({ name }) => [name, count(name)])),
    left_out: leftOut,
    acknowledged: {
      creates: ledger.created.size,
      deletes: ledger.deleted.size,
      sends: ledger.sent.size,
      mails: ledger.mailed.size,
      claims: ledger.claimed.length,
      webhooks: system.receiver.taken.size,
    },
    answers: Object.fromEntries([...ledger.answers].sort()),
    second_copies: figures.secondCopies,
    longest_ready_seconds: Number((figures.longestReadyMs / 1_000).toFixed(1)),
    longest_answer_seconds: Number((figures.longestAnswerMs / 1_000).toFixed(1)),
    longest_finish_seconds: Number((figures.longestFinishMs / 1_000).toFixed(1)),
    minutes: Number(((performance.now() - started) / 60_000).toFixed(1)),
    violations,
  };
}
