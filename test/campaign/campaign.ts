// Kills a service again and again while it works, and checks after each kill that it kept every promise.
import { setTimeout as sleep } from "node:timers/promises";
import type { ServiceProcess } from "#test/support/process.ts";
import { checkFinished, finish } from "./finished.ts";
import { KILLS, type Kill } from "./kills.ts";
import { type Ledger, newLedger } from "./ledger.ts";
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
/** The service refuses within 20 s when its database does not answer; the machine may be busy. */
const ANSWER_MS = 25_000;
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
        `process ${index} ended unexpectedly (${exitCode ?? signalCode}):\n${process.output().slice(-OUTPUT_CHARS)}`,
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

const seconds = (ms: number) => Number((ms / 1_000).toFixed(1));

type Run = {
  system: System;
  ledger: Ledger;
  load: ReturnType<typeof startLoad>;
  random: Random;
  figures: { longestReadyMs: number; longestAnswerMs: number; longestFinishMs: number; secondCopies: number };
};

/** Waits for all work to be done. @returns what was not done as promised */
async function finishAll({ system, ledger, figures }: Run): Promise<string[]> {
  const finished = await finish(system);
  const checked = await checkFinished(system, ledger);
  figures.longestFinishMs = Math.max(figures.longestFinishMs, finished.ms);
  figures.secondCopies = checked.copies;
  return [...finished.broken, ...checked.broken];
}

/** One kill under load, and all that must hold after it. @returns what was done, and the promises that were broken */
async function round(run: Run, kill: Kill, finishes: boolean): Promise<{ did: string; broken: string[] }> {
  const { system, ledger, load, random, figures } = run;
  ledger.longestAnswer = { ms: 0, to: "nothing" };
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
  const { ms: answerMs, to } = ledger.longestAnswer;
  const late = answerMs >= ANSWER_MS ? [`${to} took ${seconds(answerMs)} s`] : [];
  found.push(...violation("requests were left without an answer", late));
  if (finishes) found.push(...(await finishAll(run)));
  figures.longestReadyMs = Math.max(figures.longestReadyMs, readyMs);
  figures.longestAnswerMs = Math.max(figures.longestAnswerMs, answerMs);
  const times = `ready after ${seconds(readyMs)} s, longest answer ${seconds(answerMs)} s`;
  return { did: `${did}; ${times}`, broken: found };
}

function figuresOf({ system, ledger, figures }: Run) {
  return {
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
    longest_ready_seconds: seconds(figures.longestReadyMs),
    longest_answer_seconds: seconds(figures.longestAnswerMs),
    longest_finish_seconds: seconds(figures.longestFinishMs),
  };
}

/** @returns figures, and `violations`, which is empty when every promise was kept */
export async function runCampaign({ seed, kills, on, kinds, hurries = false, stopping, report }: CampaignOptions) {
  const started = performance.now();
  const system = await startSystem(on, seed, { hurries });
  const random = randomOf(seed, "kills");
  const wanted = KILLS.filter(({ name }) => kinds?.includes(name) ?? true);
  const possible = wanted.filter((kill) => !kill.impossible?.(system));
  const leftOut = wanted.filter((kill) => !possible.includes(kill));
  const plan = planOf(possible, kills, random);
  const done: Kill[] = [];
  const violations: string[] = [];
  let run: Run | undefined;
  try {
    await prepare(system);
    const ledger = newLedger();
    const figures = { longestReadyMs: 0, longestAnswerMs: 0, longestFinishMs: 0, secondCopies: 0 };
    run = { system, ledger, load: startLoad(system, ledger, seed), random, figures };
    for (const kill of plan) {
      if (stopping?.aborted) break;
      done.push(kill);
      const { did, broken } = await round(run, kill, done.length === plan.length || done.length % FINISH_EVERY === 0);
      violations.push(...broken.map((each) => `${kill.name}: ${each}`));
      const outcome = broken.length === 0 ? "kept" : `BROKEN: ${broken.join("; ")}`;
      report(`${done.length}/${plan.length} ${kill.name}: ${did}; ${outcome}`);
    }
  } finally {
    await run?.load.end();
    await system.stop();
  }
  return {
    seed,
    on,
    kills: done.length,
    kinds: Object.fromEntries(possible.map((kill) => [kill.name, done.filter((each) => each === kill).length])),
    left_out: leftOut.map((kill) => `${kill.name}: ${kill.impossible?.(system)}`),
    ...figuresOf(run),
    minutes: Number(((performance.now() - started) / 60_000).toFixed(1)),
    violations,
  };
}
