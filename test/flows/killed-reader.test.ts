// A process is killed while it has accepted mail in memory that is not parsed: another process parses it when the lease ends.
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, expect, it } from "vitest";
import { size } from "#test/sizes.ts";
import { startProcesses } from "./two-rig.ts";

const MAILS = size("MAILS_IN_A_DEAD_MEMORY");
/** Each takes some tenths of a second of CPU time, so that the mails behind them are not parsed before the kill. */
const SLOW_MAILS = 10;
const RULES = Array.from({ length: 12_000 }, (_, i) => `.c${i}{color:red}`).join("");
const SLOW = `<style>${RULES}</style>${Array.from({ length: 40_000 }, (_, i) => `<p class=c${i % 12_000}>x`).join("\n")}`;
const PAGE = 100;
const LOOK_EVERY_MS = 500;

let both: Awaited<ReturnType<typeof startProcesses>>;
beforeAll(async () => {
  both = await startProcesses(2);
});
afterAll(() => both?.stop());

/** Every message of the mailbox, as the other process lists it. */
async function listed(addr: string) {
  const all: { subject: string; status: string }[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await both.client(1).messages.list.query({ addr, limit: PAGE, cursor });
    all.push(...page.data);
    cursor = page.next_cursor;
  }
  return all;
}

it("mail in the memory of a killed process is parsed by another", async () => {
  const addr = (await both.client(0).inboxes.create.mutate({})).address;
  const transport = createTransport({ host: "127.0.0.1", port: both.at(0).smtpPort, pool: true, ignoreTLS: true });
  const from = "out@example.org";
  const subjects = Array.from({ length: MAILS }, (_, n) => `small ${n}`);
  for (let n = 0; n < SLOW_MAILS; n += 1) await transport.sendMail({ from, to: addr, subject: "slow", html: SLOW });
  await Promise.all(
    subjects.map((subject) => transport.sendMail({ from, to: addr, subject, text: `This is ${subject}.` })),
  );
  const unread = (await listed(addr)).filter(({ status }) => status === "received");
  await both.kill(0);
  transport.close();
  expect(unread.length).toBeGreaterThan(MAILS / 2);
  for (let left = unread.length; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    left = (await listed(addr)).filter(({ status }) => status === "received").length;
  }
  const small = (await listed(addr)).filter(({ subject }) => subject.startsWith("small"));
  expect(small.map(({ subject }) => subject).sort()).toEqual(subjects.sort());
  expect(new Set(small.map(({ status }) => status))).toEqual(new Set(["parsed"]));
  const found = await both.client(1).messages.list.query({ addr, q: "small 7" });
  expect(found.data.map(({ subject }) => subject)).toContain("small 7");
});
