// The one pool of threads: what may run beside what, and work whose program cannot be loaded.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createJob, createThreadPool, type ThreadPool } from "#server/base/threads/thread-pool.ts";
import { COUNT, GATE, type Gate } from "./gate-worker.ts";

/** More than any pool has threads. */
const MANY = 8;
const CPU_MS = 10_000;
/** Questions, and the garbage of each. */
const QUESTIONS = 40;
const SMALL_BYTES = 1_000;
const LARGE_BYTES = 26_000_000;
/** That the watcher of a program sees of those around its loading. */
const LOADING_COLLECTIONS = 1;
const program = new URL("./gate-worker.ts", import.meta.url);
const jobs = {
  mail: createJob<typeof import("./gate-worker.ts")>({ name: "mail", kind: "mail", program }),
  file: createJob<typeof import("./gate-worker.ts")>({ name: "file", kind: "file", program }),
  slow: createJob<typeof import("./gate-worker.ts")>({ name: "slow", kind: "slow_file", program }),
};

const tables = createJob<typeof import("./tables-worker.ts")>({
  name: "tables",
  kind: "mail",
  program: new URL("./tables-worker.ts", import.meta.url),
});

let pool: ThreadPool;
beforeEach(() => {
  pool = createThreadPool();
});
afterEach(() => pool.close());
afterEach(() => void vi.unstubAllEnvs());

const newGate = (): Gate => new Int32Array(new SharedArrayBuffer(8));
const begun = (gate: Gate) => Atomics.load(gate, COUNT);
const run = (kind: keyof typeof jobs, organizationId: string, gate: Gate) =>
  jobs[kind](pool, { organizationId, cpuMs: CPU_MS, question: () => ({ gate }) });

function open(gate: Gate): void {
  Atomics.store(gate, GATE, 1);
  Atomics.notify(gate, GATE);
}

function openGate(): Gate {
  const gate = newGate();
  open(gate);
  return gate;
}

const DONE = { answer: "done" };

test("mail of an organization does not wait for its files, and its files do not wait for its mail", async () => {
  const gate = newGate();
  const slow = run("slow", "a", gate);
  await expect.poll(() => begun(gate)).toBe(1);
  expect(await run("mail", "a", openGate())).toMatchObject(DONE);
  open(gate);
  expect(await slow).toMatchObject(DONE);
  const shut = newGate();
  const mails = Array.from({ length: MANY }, () => run("mail", "a", shut));
  await expect.poll(() => begun(shut)).toBeGreaterThan(0);
  expect(await run("slow", "a", openGate())).toMatchObject(DONE);
  open(shut);
  expect(await Promise.all(mails)).toMatchObject(Array(MANY).fill(DONE));
});

test("an organization leaves a thread to others, whatever it does", async () => {
  const gate = newGate();
  const all = (["slow", "file", "mail"] as const).flatMap((kind) =>
    Array.from({ length: MANY }, () => run(kind, "a", gate)),
  );
  await expect.poll(() => begun(gate)).toBeGreaterThan(1);
  expect(await run("mail", "b", openGate())).toMatchObject(DONE);
  open(gate);
  expect(await Promise.all(all)).toMatchObject(all.map(() => DONE));
});

test("files of many organizations leave a thread to mail, and slow ones leave one to other files", async () => {
  const [gate, files] = [newGate(), newGate()];
  const slow = Array.from({ length: MANY }, (_, n) => run("slow", `slow ${n}`, gate));
  await expect.poll(() => begun(gate)).toBe(1);
  expect(await run("file", "a", openGate())).toMatchObject(DONE);
  const other = Array.from({ length: MANY }, (_, n) => run("file", `other ${n}`, files));
  await expect.poll(() => begun(files)).toBe(1);
  expect(await run("mail", "b", openGate())).toMatchObject(DONE);
  expect([begun(gate), begun(files)]).toEqual([1, 1]);
  open(gate);
  open(files);
  expect(await Promise.all([...slow, ...other])).toMatchObject(Array(2 * MANY).fill(DONE));
});

test("short work of an organization takes turns with its mail", async () => {
  const gate = newGate();
  const ended: string[] = [];
  const mails = Array.from({ length: MANY }, () => run("mail", "a", gate).then(() => ended.push("mail")));
  const match = createJob<typeof import("./gate-worker.ts")>({ name: "match", kind: "mail", program });
  const question = () => ({ gate });
  const short = match(pool, { organizationId: "a", cpuMs: CPU_MS, question }).then(() => ended.push("match"));
  await expect.poll(() => begun(gate)).toBeGreaterThan(0);
  open(gate);
  await Promise.all([...mails, short]);
  expect(ended.indexOf("match")).toBeLessThan(MANY - 1);
});

const broken = createJob<typeof import("./broken-worker.ts")>({
  name: "broken",
  kind: "mail",
  program: new URL("./broken-worker.ts", import.meta.url),
});

test("a question that cannot be sent rejects, and its program does not count as loaded", async () => {
  const own = { organizationId: "a", cpuMs: CPU_MS };
  await expect(broken(pool, { ...own, question: () => ({ run: () => 1 }) })).rejects.toThrow("could not be cloned");
  expect(await broken(pool, { ...own, question: () => ({}) })).toEqual({ ended: "lost", reason: "cannot be loaded" });
});

test("work whose program cannot be loaded is lost, and the pool goes on", async () => {
  expect(await broken(pool, { organizationId: "a", cpuMs: CPU_MS, question: () => ({}) })).toEqual({
    ended: "lost",
    reason: "cannot be loaded",
  });
  expect(await run("mail", "a", openGate())).toMatchObject(DONE);
});

test("a thread works in a process that node --watch started", async () => {
  vi.stubEnv("WATCH_REPORT_DEPENDENCIES", "1");
  expect(await run("mail", "a", openGate())).toMatchObject(DONE);
});

test("what a thread was first asked is collected, too", async () => {
  const count = new Int32Array(new SharedArrayBuffer(4));
  const ask = (length: number) => {
    const raw = new Uint8Array(length);
    const question = () => ({ bytes: 0, count, raw });
    return tables(pool, { organizationId: "a", cpuMs: CPU_MS, question, transfer: () => [raw.buffer] });
  };
  expect(await ask(LARGE_BYTES)).toHaveProperty("answer");
  await expect.poll(() => Atomics.load(count, 0)).toBeGreaterThan(LOADING_COLLECTIONS);
});

test("a thread that keeps much does not collect garbage after each small question, and does after a large one", async () => {
  const count = new Int32Array(new SharedArrayBuffer(4));
  const ask = (bytes: number) =>
    tables(pool, { organizationId: "a", cpuMs: CPU_MS, question: () => ({ bytes, count }) });
  for (let n = 0; n < QUESTIONS; n += 1) expect(await ask(SMALL_BYTES)).toHaveProperty("answer");
  const first = Atomics.load(count, 0);
  expect(first).toBeLessThan(QUESTIONS / 2);
  await ask(LARGE_BYTES);
  await expect.poll(() => Atomics.load(count, 0)).toBeGreaterThan(first);
});
