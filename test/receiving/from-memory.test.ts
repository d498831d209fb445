// Mail that the process which receives it parses from memory, and mails that are parsed and written several at a time.
import type { Worker } from "node:worker_threads";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "#server/base/ids.ts";
import { parseBodies } from "#server/receiving/parse.ts";
import { parseMail } from "#server/receiving/parse-mail.ts";
import { createMemory, forget, holdFresh } from "#server/receiving/parse-memory.ts";
import type { PlannedMessage } from "#server/receiving/receive-plan.ts";
import { type Api, api } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { addMailbox, emptyTables, type Inbound, mailOf, openInbound, receive } from "#test/support/inbound.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const MAILS = 20;

type Row = { subject: string; status: string; text: string | null; attempts: number; parse_faults: number };
const rowsOf = ({ sql }: Inbound["ctx"]) =>
  sql<Row[]>`select subject, status, text, attempts, parse_faults from messages order by id`;
const isParsed = ({ status }: Row) => status === "parsed";

describe("a process with a worker", () => {
  let service: TestService;
  let client: Api;
  beforeAll(async () => {
    service = await startTestService();
    client = api(service);
  });
  afterAll(() => client.close().then(service.stop));

  test("parses the mail that it received without reading it from the table, once", async () => {
    const { sql } = service.system;
    await sql`create function other_bytes() returns trigger language plpgsql as $$
      begin new.bytes := convert_to(E'Subject: x\r\n\r\nfrom the table\r\n', 'UTF8'); return new; end $$`;
    await sql`create trigger other_bytes before insert on raw_messages for each row execute function other_bytes()`;
    const organization = await service.newOrganization();
    const { address } = await client.createInbox(organization.agentKey);
    for (let n = 0; n < MAILS; n += 1) {
      await service.mail({ from: "a@else.example", to: address, subject: `${n}`, text: "from memory" });
    }
    await eventually(async () => expect((await rowsOf(service.system)).filter(isParsed)).toHaveLength(MAILS));
    const rows = await rowsOf(service.system);
    expect(new Set(rows.map(({ text, attempts }) => `${text?.trim()}, ${attempts}`))).toEqual(
      new Set(["from memory, 1"]),
    );
  });
});

describe("mails that are parsed together", () => {
  let inbound: Inbound;
  let address: string;
  beforeAll(async () => {
    inbound = await openInbound();
    ({ address } = await addMailbox(inbound));
  });
  beforeEach(() => emptyTables(inbound, "messages", "raw_messages", "events", "threads"));
  afterAll(() => inbound.close());

  const receiveAll = (subjects: string[]) =>
    Promise.all(
      subjects.map((subject) => receive(inbound, { recipients: [address], raw: mailOf([`Subject: ${subject}`]) })),
    );
  const subjects = Array.from({ length: MAILS }, (_, n) => `mail ${n}`);

  test("are all parsed if their thread ends, and count as no fault of theirs", async () => {
    // Starts the thread that authenticates, and one of the pool, which then ends; the next one ends with the mails.
    await receiveAll(["first"]);
    await parseBodies(inbound.ctx);
    await eventually(async () => expect((await rowsOf(inbound.ctx)).every(isParsed)).toBe(true));
    await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    const slow = Buffer.from(`Content-Type: text/html\r\n\r\n${"<p><a>".repeat(200_000)}`);
    const question = () => ({ raw: new Uint8Array(slow) });
    expect(await parseMail(inbound.ctx.threadPool, { organizationId: "", cpuMs: 1, question })).toMatchObject({
      ended: "cpu",
    });
    await receiveAll(subjects);
    let ended = 0;
    const outOfMemory = Object.assign(new Error("out of memory"), { code: "ERR_WORKER_OUT_OF_MEMORY" });
    const end = (worker: Worker) =>
      worker.once("message", () => {
        if (ended++ === 0) setImmediate(() => worker.emit("error", outOfMemory));
      });
    process.on("worker", end);
    await parseBodies(inbound.ctx);
    await eventually(async () => expect((await rowsOf(inbound.ctx)).every(isParsed)).toBe(true));
    process.off("worker", end);
    expect(ended).toBeGreaterThan(0);
    expect((await rowsOf(inbound.ctx)).map(({ attempts, parse_faults }) => attempts + parse_faults)).toEqual(
      subjects.map(() => 1),
    );
  });

  test("are written although one of them cannot be, which is retried", async () => {
    const { sql } = inbound.ctx;
    await sql`create function refuse() returns trigger language plpgsql as $$
      begin if new.status = 'parsed' and new.subject = 'poisoned' then raise data_exception; end if; return new; end $$`;
    await sql`create trigger refuse before update on messages for each row execute function refuse()`;
    await receiveAll([...subjects, "poisoned"]);
    await parseBodies(inbound.ctx);
    await eventually(async () => expect((await rowsOf(inbound.ctx)).filter(isParsed)).toHaveLength(MAILS));
    const poisoned = async () => (await rowsOf(inbound.ctx)).find(({ subject }) => subject === "poisoned");
    expect(await poisoned()).toMatchObject({ status: "received" });
    await sql`drop trigger refuse on messages`;
    await sql`update messages set next_attempt_at = now() where status = 'received'`;
    await eventually(async () => {
      await parseBodies(inbound.ctx);
      expect(await poisoned()).toMatchObject({ status: "parsed" });
    });
  });
});

describe("the memory for new mail", () => {
  const mail = (organization_id: string, size: number) => ({ id: newId(), organization_id, size }) as PlannedMessage;
  const mails = (organization: string, count: number, size = 1_000) =>
    Array.from({ length: count }, () => mail(organization, size));

  test("has room for a limited number of mails and bytes, half of it for one organization", () => {
    const memory = createMemory(false);
    const first = holdFresh(memory, mails("a", 400));
    expect(first.size).toBe(256);
    expect(holdFresh(memory, mails("b", 400)).size).toBe(256);
    expect(holdFresh(memory, mails("c", 1)).size).toBe(0);
    for (const each of first) forget(memory, each);
    expect(holdFresh(memory, mails("a", 100, 1024 * 1024)).size).toBe(16);
    expect(holdFresh(memory, mails("c", 100, 1024 * 1024)).size).toBe(15);
  });

  test("takes no large mail, and nothing in a process without a worker", () => {
    expect(holdFresh(createMemory(false), mails("a", 1, 1024 * 1024 + 1)).size).toBe(0);
    expect(holdFresh(createMemory(true), mails("a", 1)).size).toBe(0);
  });
});
