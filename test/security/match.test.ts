// Patterns of `wait` made to hold the service: they are refused or ended, and everything else goes on.
import { afterAll, describe, expect, test } from "vitest";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { mailboxThatWaits } from "../messages/wait/waiter.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));
const withInbox = () => mailboxThatWaits(service, client);

/** CPU time: far more than a pattern may take, and far less than these took on the main thread. */
const BLOCKED_MS = 1_000;
/** More than the threads take at a time. */
const ATTACKS = 8;
/** Without turns, all attacks that are queued would end before the other wait. */
const ENDED_MAX = ATTACKS / 2;
const LETTERS = "ab".repeat(60_000);
/** Few instructions, but most of them are active at every letter. */
const SLOW = ".*(?:a|.b|..c|...d){60}z$";
const LARGE = "(\\pL{1000})".repeat(40);

/** CPU time of this thread, in ms. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The most CPU time between two turns of the event loop while `act` ran, in ms. A busy machine does not change it. */
async function blockedDuring(act: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = cpuMs();
  const turning = setInterval(() => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await act();
  clearInterval(turning);
  return Math.max(longest, cpuMs() - last);
}

type Waiter = Awaited<ReturnType<typeof withInbox>>;

async function startOf({ wait }: Waiter): Promise<string> {
  return (await wait({ timeout_seconds: 0 })).cursor;
}

/** A wait that nothing but reading the mail comes before. */
async function afterLongMail(waiter: Waiter): Promise<string> {
  const after = await startOf(waiter);
  await waiter.mail("letters", { text: LETTERS });
  expect((await waiter.wait({ after })).message?.subject).toBe("letters");
  return after;
}

async function refusedAt(waiter: Waiter, json: object): Promise<string> {
  const { status, body } = await waiter.refused(json);
  expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  expect(body.error.issues?.map(({ path }) => path)).toEqual(["match"]);
  return body.error.issues?.[0]?.message ?? "";
}

describe("400", () => {
  test("a pattern that is slow on a mail is ended, and the event loop goes on", async () => {
    const waiter = await withInbox();
    const after = await afterLongMail(waiter);
    let message = "";
    const blocked = await blockedDuring(async () => {
      message = await refusedAt(waiter, { after, match: SLOW });
    });
    expect(message).toContain("Use a simpler pattern");
    expect(blocked).toBeLessThan(BLOCKED_MS);
  });

  test("a pattern that compiles to too much is refused before any mail", async () => {
    const waiter = await withInbox();
    for (const match of [LARGE, "(a{1000})".repeat(50), "((a{30}){30})".repeat(30)]) {
      const blocked = await blockedDuring(async () => {
        expect(await refusedAt(waiter, { match, timeout_seconds: 0 })).toContain("instructions");
      });
      expect(blocked).toBeLessThan(BLOCKED_MS);
    }
  });
});

describe("200", () => {
  test("a wait of another organization is not delayed by many slow patterns", async () => {
    const [attacker, other] = [await withInbox(), await withInbox()];
    const after = await afterLongMail(attacker);
    const start = await startOf(other);
    await other.mail("Your code 123456");
    await other.wait({ after: start });
    let ended = 0;
    let isOver = false;
    const statuses: number[] = [];
    async function attack(i: number): Promise<void> {
      for (let round = 0; !isOver; round += 1) {
        const { status } = await attacker.refused({ after, match: `${SLOW}|${i}{2}${round}q$` });
        statuses.push(status);
        ended += 1;
      }
    }
    const attacks = Array.from({ length: ATTACKS }, (_, i) => attack(i));
    await expect.poll(() => ended).toBeGreaterThan(0);
    const before = ended;
    const answer = await other.wait({ after: start, match: "code \\d{6}" });
    const duringTheWait = ended - before;
    isOver = true;
    await Promise.all(attacks);
    expect(answer.message?.subject).toBe("Your code 123456");
    expect(duringTheWait).toBeLessThan(ENDED_MAX);
    expect(new Set(statuses)).toEqual(new Set([400]));
  });

  test("the subject and the first 200,000 characters of the text are matched, and no more", async () => {
    const waiter = await withInbox();
    const after = await startOf(waiter);
    await waiter.mail("long", { text: `${"line of text\n".repeat(20_000)}needle` });
    const subject = async (match: string) => (await waiter.wait({ after, match, timeout_seconds: 0 })).message?.subject;
    expect(await subject("^long\\nline")).toBe("long");
    expect(await subject("needle")).toBe(undefined);
  });

  test("many waits with one simple pattern are answered by one mail", async () => {
    const waiter = await withInbox();
    const after = await startOf(waiter);
    const threads: unknown[] = [];
    const count = (worker: unknown) => threads.push(worker);
    process.on("worker", count);
    const waiting = Array.from({ length: 100 }, () => waiter.wait({ after, match: "code \\d{6}" }));
    await waiter.mail("code 654321");
    const answers = await Promise.all(waiting);
    process.off("worker", count);
    expect(new Set(answers.map(({ message }) => message?.subject))).toEqual(new Set(["code 654321"]));
    expect(threads.length).toBeLessThan(10);
  });
});
