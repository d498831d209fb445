// Parsing: crafted mail of one organization, parser threads that end, and mail that could not be parsed.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Worker } from "node:worker_threads";
import { afterAll, describe, expect, test } from "vitest";
import { parseBodies } from "#server/receiving/parse.ts";
import { type Answer, api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { addMailbox, openInbound, receive } from "#test/support/inbound.ts";
import { PRELOAD } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";
import { slowMail } from "#test/support/slow-mail.ts";
import { mailboxThatWaits } from "../messages/wait/waiter.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CRAFTED_MAILS = 20;
/** Two processes start, each of which loads the whole service. */
const LEASE_MAX_MS = 60_000;

/** All that this process has started. */
const threads: Worker[] = [];
process.on("worker", (worker) => void threads.push(worker));
const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));
const withInbox = () => mailboxThatWaits(service, client);

type Waiter = Awaited<ReturnType<typeof withInbox>>;
type Message = { id: string; status: string; subject: string; text: string | null; attachments: { id: string }[] };

/** Allowed by every limit, and some tenths of a second of work: many style rules for many elements. */
const RULES = Array.from({ length: 20_000 }, (_, i) => `.c${i}{color:red}`).join("");
const STYLED = Array.from({ length: 60_000 }, (_, i) => `<p class=c${i % 20_000}>x`).join("\n");
const crafted = (subject: string) =>
  `Subject: ${subject}\r\nContent-Type: text/html\r\n\r\n<style>${RULES}</style>${STYLED}`;
const receiveRaw = ({ inbox }: Waiter, raw: string) =>
  service.mail({ from: "mallory@else.example", to: inbox.address, raw });

async function list({ inbox, key }: Waiter, query = ""): Promise<Message[]> {
  const { body } = await client.get<Page<Message>>(inboxPath(inbox.address, `/messages${query}`), { key });
  return body.data;
}

const read = ({ key }: Waiter, id: string, by = client): Promise<Answer<Message & Failure>> =>
  by.get(`/v1/messages/${id}`, { key });

/** Reads until the answer is not 503; every answer is 200 or 503. */
async function readAtLast(waiter: Waiter, id: string, by = client): Promise<Message> {
  for (;;) {
    const { status, body, headers } = await read(waiter, id, by);
    expect([200, 503]).toContain(status);
    if (status === 200) return body;
    expect([body.error.code, Number(headers["retry-after"]) > 0]).toEqual(["unavailable", true]);
    await delay(50);
  }
}

const statuses = async ({ inbox }: Waiter) =>
  service.system.sql<{ status: string; attempts: number; parse_faults: number; next_attempt_at: Date | null }[]>`
    select m.* from messages m join inboxes i on i.id = m.inbox_id where i.address = ${inbox.address}`;

/** Threads that start while `act` runs. */
async function threadsDuring(onThread: (worker: Worker) => void, act: () => Promise<void>): Promise<void> {
  process.on("worker", onThread);
  try {
    await act();
  } finally {
    process.off("worker", onThread);
  }
}

describe("crafted mail", () => {
  test("of one organization does not delay another's code", async () => {
    const [attacker, other] = [await withInbox(), await withInbox()];
    const after = (await other.wait({ timeout_seconds: 0 })).cursor;
    for (let i = 0; i < CRAFTED_MAILS; i += 1) {
      const recipients = [attacker.inbox.address];
      await receive({ ctx: service.system }, { recipients, raw: crafted(`crafted ${i}`) });
    }
    // The attacker also asks for each of them, so that they go first.
    const gone = new AbortController();
    const reads = (await list(attacker, "?limit=50")).map(({ id }) =>
      fetch(`${service.url}/v1/messages/${id}`, {
        headers: { Authorization: `Bearer ${attacker.key}` },
        signal: gone.signal,
      }).catch(() => undefined),
    );
    await other.mail("Sign in", { text: "Your verification code is 481 207." });
    const answer = await other.wait({ after });
    expect(answer.extracted.otp).toBe("481207");
    const waiting = (await statuses(attacker)).filter(({ status }) => status === "received");
    expect(waiting.length).toBeGreaterThan(CRAFTED_MAILS / 2);
    gone.abort();
    await Promise.all(reads);
    await service.system.sql`delete from messages where subject like 'crafted %'`;
  });

  test("of one organization has its turns in the queue, however long", async () => {
    const inbound = await openInbound();
    const first = await addMailbox(inbound);
    const second = await addMailbox({ ...inbound, organizationId: "ffffffff-0000-7000-8000-000000000000" });
    for (let i = 0; i < 100; i += 1)
      await receive(inbound, { recipients: [first.address], raw: `Subject: ${i}\r\n\r\nx` });
    await receive(inbound, { recipients: [second.address], raw: "Subject: other\r\n\r\nx" });
    await parseBodies(inbound.ctx);
    await eventually(async () => {
      const [row] = await inbound.ctx.sql`select status from messages where inbox_id = ${second.id}`;
      expect(row?.status).toBe("parsed");
    });
    const [left] = await inbound.ctx.sql`select count(*)::int as count from messages where status = 'received'`;
    expect(left?.count).toBeGreaterThan(50);
    await inbound.close();
  });

  test("that ends its thread twice becomes unparsed, and keeps its subject", async () => {
    const inbound = await openInbound();
    const { address } = await addMailbox(inbound);
    const { sql } = inbound.ctx;
    await receive(inbound, { recipients: [address], raw: "Subject: hungry\r\n\r\nx" });
    const statusOf = async () => {
      const [row] =
        await sql`select status, parse_faults, subject, search::text like '%hungry%' as found from messages`;
      return row;
    };
    const outOfMemory = Object.assign(new Error("out of memory"), { code: "ERR_WORKER_OUT_OF_MEMORY" });
    // As Node reports it while the thread is at the mail.
    const starve = (worker: Worker) =>
      worker.once("message", () => setImmediate(() => worker.emit("error", outOfMemory)));
    await threadsDuring(starve, async () => {
      await parseBodies(inbound.ctx);
      await eventually(async () => expect(await statusOf()).toMatchObject({ status: "received", parse_faults: 1 }));
      await sql`update messages set next_attempt_at = now()`;
      await eventually(async () => {
        await parseBodies(inbound.ctx);
        expect(await statusOf()).toMatchObject({ status: "unparsed", subject: "hungry", found: true });
      });
    });
    await inbound.close();
  });
});

describe("a parser thread that ends", () => {
  test("is no verdict on the mail: a read answers 503 or the message, and the mail is parsed", async () => {
    const fresh = await startTestService();
    const freshClient = api(fresh);
    const waiter = await mailboxThatWaits(fresh, freshClient);
    let ended = 0;
    const endThree = (worker: Worker) => {
      ended += 1;
      if (ended <= 3) void worker.terminate();
    };
    await threadsDuring(endThree, async () => {
      await fresh.mail({ from: "a@else.example", to: waiter.inbox.address, subject: "good", text: "good text" });
      const { body } = await freshClient.get<Page<Message>>(inboxPath(waiter.inbox.address, "/messages"), {
        key: waiter.key,
      });
      const good = await readAtLast(waiter, body.data[0]?.id ?? "", freshClient);
      expect(good).toMatchObject({ status: "parsed", text: "good text\n" });
    });
    const rows = await fresh.system.sql<{ parse_faults: number; attempts: number }[]>`select * from messages`;
    expect(rows).toMatchObject([{ parse_faults: 0 }]);
    expect(rows[0]?.attempts).toBeGreaterThan(1);
    await freshClient.close();
    await fresh.stop();
  });

  test("leaves the mail leased for at most a minute", async () => {
    const inbound = await openInbound();
    const { address } = await addMailbox(inbound);
    await receive(inbound, { recipients: [address], raw: "Subject: leased\r\n\r\nx" });
    const { promise: leased, resolve } = Promise.withResolvers<void>();
    await threadsDuring(
      () => resolve(),
      async () => {
        const parsing = parseBodies(inbound.ctx);
        await leased;
        const [row] = await inbound.ctx.sql<{ status: string; next_attempt_at: Date }[]>`select * from messages`;
        expect(row?.status).toBe("received");
        expect((row?.next_attempt_at.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(LEASE_MAX_MS);
        await parsing;
      },
    );
    await inbound.close();
  });

  test("attachments: 503 with Retry-After, and the file when it is asked for again", async () => {
    const waiter = await withInbox();
    const content = Buffer.alloc(100_000, "file");
    const attachments = [{ filename: "a.bin", content }];
    await service.mail({ from: "a@else.example", to: waiter.inbox.address, subject: "file", attachments });
    const [{ id } = { id: "" }] = await list(waiter);
    const file = (await readAtLast(waiter, id)).attachments[0]?.id;
    const path = `/v1/messages/${id}/attachments/${file}`;
    // The file is read in a thread that starts for it.
    await Promise.all(threads.map((worker) => worker.terminate()));
    await threadsDuring(
      (worker) => void worker.terminate(),
      async () => {
        const { status, body, headers } = await client.get<Failure>(path, { key: waiter.key });
        expect([status, body.error.code]).toEqual([503, "unavailable"]);
        expect(Number(headers["retry-after"])).toBeGreaterThan(0);
      },
    );
    const again = await fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${waiter.key}` } });
    expect(Buffer.from(await again.arrayBuffer()).equals(content)).toBe(true);
  });
});

describe("mail that could not be parsed", () => {
  async function reparse(which: string): Promise<{ queued: number }> {
    const { PATH = "", HOME = "" } = process.env;
    const { DATA_DIR, DEFAULT_DOMAIN } = service.settings;
    const env = { NODE_ENV: "test" as const, PATH, HOME, DATA_DIR, DEFAULT_DOMAIN, DATABASE_URL: service.database.url };
    const command = [...PRELOAD, "server/admin.ts", "messages", "reparse", which, "--json"];
    const child = spawn(process.execPath, command, { cwd: ROOT, env });
    let stdout = "";
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
    });
    await once(child, "close");
    return JSON.parse(stdout);
  }

  test("is found by subject, sender and recipient", async () => {
    const waiter = await withInbox();
    const headers = "From: mallory@else.example\r\nTo: friend@else.example\r\nSubject: Quarterly figures\r\n";
    await receiveRaw(waiter, slowMail(headers));
    const [{ id } = { id: "" }] = await list(waiter);
    expect(await readAtLast(waiter, id)).toMatchObject({ status: "unparsed", text: null });
    for (const q of ["quarterly", "mallory", "friend@else.example"]) {
      expect((await list(waiter, `?q=${encodeURIComponent(q)}`)).map(({ subject }) => subject)).toEqual([
        "Quarterly figures",
      ]);
    }
  });

  test("is parsed again by command, one message or all", async () => {
    const waiter = await withInbox();
    for (const n of [1, 2, 3]) await receiveRaw(waiter, `Subject: good ${n}\r\n\r\ntext ${n}`);
    const ids = (await list(waiter)).map(({ id }) => id);
    for (const id of ids) await readAtLast(waiter, id);
    // As an earlier version left them on a busy machine.
    await service.system.sql`update messages set status = 'unparsed', text = null, parse_faults = 2, attempts = 9
      where subject like 'good _' and status = 'parsed'`;
    expect(await reparse(ids[0] ?? "")).toMatchObject({ queued: 1 });
    expect(await readAtLast(waiter, ids[0] ?? "")).toMatchObject({ status: "parsed" });
    expect((await read(waiter, ids[1] ?? "")).body.status).toBe("unparsed");
    expect((await reparse("--unparsed")).queued).toBeGreaterThanOrEqual(2);
    for (const id of ids) expect(await readAtLast(waiter, id)).toMatchObject({ status: "parsed" });
  });
});
