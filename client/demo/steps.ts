// Prints the steps of the demo: a numbered line with its time, the result below, and a summary.
import { once } from "node:events";
import { styleText } from "node:util";

const TITLE_COLUMNS = 48;
const TIME_COLUMNS = 8;

const startedAt = performance.now();
let count = 0;
let told: unknown;

const interrupted = Promise.race(
  ["SIGINT", "SIGTERM"].map(async (signal): Promise<never> => {
    await once(process, signal);
    throw new Error(`Interrupted by ${signal}.`);
  }),
);
interrupted.catch(() => {}); // the running step throws it

function say(line = ""): void {
  process.stdout.write(`${line}\n`);
}

function took(since: number): string {
  return `${Math.round(performance.now() - since)} ms`;
}

export function title(text: string): void {
  say(`\n  ${styleText("bold", text)}\n`);
}

/**
 * Runs one step, which returns its value and a line about the result. Ctrl-C ends it.
 * @throws the errors of the step, after printing them
 */
export function step<Result>(name: string, work: () => Promise<[Result, string]>): Promise<Result> {
  return wholeStep(name, () => Promise.race([interrupted, work()]));
}

/** A step that must not be interrupted. */
export async function wholeStep<Result>(name: string, work: () => Promise<[Result, string]>): Promise<Result> {
  const since = performance.now();
  count += 1;
  const number = String(count).padStart(3);
  try {
    const [result, outcome] = await work();
    say(`${styleText("green", number)}  ${name.padEnd(TITLE_COLUMNS)}${took(since).padStart(TIME_COLUMNS)}`);
    say(`     ${styleText("dim", outcome)}`);
    return result;
  } catch (error) {
    say(`${styleText("red", number)}  ${name.padEnd(TITLE_COLUMNS)}${took(since).padStart(TIME_COLUMNS)}`);
    failed(error, `Step ${count} failed`);
    throw error;
  }
}

export function passed(): void {
  say(`\n  ${styleText("green", `All ${count} steps passed`)} in ${took(startedAt)}. Now try it yourself: npm start\n`);
}

/** Prints the error, once. */
export function failed(error: unknown, where = "Failed"): void {
  if (error === told) return;
  told = error;
  const [message, causes] = error instanceof Error ? [error.message, error.cause] : [String(error), undefined];
  process.stderr.write(`\n  ${styleText("red", where)}: ${message}\n`);
  if (causes) process.stderr.write(`  because of ${causes instanceof Error ? causes.message : String(causes)}\n`);
}
