// The daily caps of a domain and of an organization: what counts, what is exempt, how they grow, and what a refusal says.
import { readFileSync } from "node:fs";
import { afterAll, beforeEach, expect, test } from "vitest";
import { connect } from "#db/client.ts";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const DAY_MS = 86_400_000;
const MORNING = "2031-03-01T09:00:00.000Z";
const clock = adjustableClock();
clock.set(MORNING);
/** Mail of else.example is aligned when it comes from this machine. */
const zone = { "else.example": { TXT: [["v=spf1 ip4:127.0.0.1 -all"]] } };
const caps = { SEND_CAP_RAMP: "3,4", SEND_CAP_RAMP_DOMAIN: "4,6,9", SEND_CAP_RAMP_ORGANIZATION: "6,8,12" };
const service = await startTestService({ ROLES: "web,smtp,worker", ...caps }, { now: clock.now, zone });
const client = api(service);
const sql = connect(service.database.url, { max: 1 });
afterAll(async () => {
  await sql.end();
  await client.close();
  await service.stop();
});
beforeEach(() => clock.set(MORNING));

type Total = { limit: number; used: number; remaining: number; step: number; next_step_at: string | null };
type Limit = Total & { domain: Total & { name: string }; organization: Total };
type Refused = Failure & { cap: string };

/** Without domains, the mailboxes are at the default domain. */
async function newSender(domains?: string[]) {
  const { agentKey: key } = await service.newOrganization(domains && { allowedDomains: domains });
  const newBox = async (domain = domains?.[0]) => {
    const { address } = await client.createInbox(key, { domain });
    const send = (more: object = {}) =>
      client.post<Sent & Refused>(inboxPath(address, "/send"), { to: "a@else.example", text: "x", ...more }, { key });
    const limit = async () => (await client.get<Limit>(inboxPath(address, "/send-limit"), { key })).body;
    return { address, send, limit };
  };
  return { key, newBox };
}

async function statuses(count: number, send: () => Promise<{ status: number }>): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < count; n += 1) all.push((await send()).status);
  return all;
}

test("send-limit has the caps of the domain and of the organization, and what is used of them", async () => {
  const { newBox } = await newSender(["a.first.example", "b.first.example"]);
  const [one, two] = [await newBox("a.first.example"), await newBox("b.first.example")];
  await one.send({ to: ["a@else.example", "b@else.example"] });
  const midnight = "2031-03-02T00:00:00.000Z";
  const { used, domain, organization } = await two.limit();
  expect([used, domain, organization]).toEqual([
    0,
    { name: "first.example", limit: 4, used: 2, remaining: 2, step: 1, next_step_at: midnight },
    { limit: 6, used: 2, remaining: 4, step: 1, next_step_at: midnight },
  ]);
});

test("a message that does not fit the domain is refused as a whole, and counts nowhere", async () => {
  const { newBox } = await newSender(["whole.example"]);
  const [one, two] = [await newBox(), await newBox()];
  await statuses(3, one.send);
  const { status, body, headers } = await two.send({ to: ["a@else.example", "b@else.example"] });
  expect([status, body.error.code, body.cap]).toEqual([429, "daily_send_cap_exceeded", "domain"]);
  expect(body.error.message).toContain("whole.example");
  expect(body.error.message).toContain("1 of 4");
  expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  expect(await two.limit()).toMatchObject({ used: 0, domain: { used: 3 }, organization: { used: 3 } });
  expect((await two.send()).status).toBe(202);
});

test("the cap of the organization ends what its domains leave", async () => {
  const { newBox } = await newSender(["east.example", "west.example"]);
  const [one, two, three] = [await newBox("east.example"), await newBox("west.example"), await newBox("west.example")];
  expect(await statuses(3, one.send)).toEqual([202, 202, 202]);
  expect(await statuses(2, two.send)).toEqual([202, 202]);
  expect(await statuses(1, three.send)).toEqual([202]);
  const { status, body } = await three.send();
  expect([status, body.cap]).toEqual([429, "organization"]);
});

test("mail to people who wrote first is exempt", async () => {
  const { key, newBox } = await newSender(["exempt.example"]);
  const [one, two] = [await newBox(), await newBox()];
  await service.mail({ from: "friend@else.example", to: two.address });
  const list = await client.get<Page<{ id: string }>>(inboxPath(two.address, "/messages?limit=1"), { key });
  await client.get(`/v1/messages/${list.body.data[0]?.id}`, { key });
  await statuses(3, one.send);
  await two.send();
  expect((await two.send()).status).toBe(429);
  expect((await two.send({ to: "friend@else.example" })).status).toBe(202);
  expect(await two.limit()).toMatchObject({ used: 1, domain: { used: 4 }, organization: { used: 4 } });
});

test("an organization does not use up the cap of another one at the same domain", async () => {
  const [first, second] = [await newSender(), await newSender()];
  const [one, two] = [await first.newBox(), await first.newBox()];
  await statuses(3, one.send);
  await statuses(1, two.send);
  expect((await two.send()).body.cap).toBe("domain");
  const other = await second.newBox();
  expect((await other.send()).status).toBe(202);
  expect(await other.limit()).toMatchObject({ domain: { used: 1 }, organization: { used: 1 } });
});

test("the caps grow with the age of the first send, whatever is created later", async () => {
  const { newBox } = await newSender(["grown.example"]);
  await (await newBox()).send();
  clock.set(new Date(Date.parse(MORNING) + 2 * DAY_MS));
  const late = await newBox();
  const last = { step: 3, next_step_at: null };
  expect(await late.limit()).toMatchObject({
    limit: 3,
    domain: { limit: 9, ...last },
    organization: { limit: 12, ...last },
  });
  await late.send();
  expect(await late.limit()).toMatchObject({ domain: { limit: 9, used: 1 }, organization: { limit: 12, used: 1 } });
});

test("a new domain of an old organization starts at its first step", async () => {
  const { newBox } = await newSender(["old.example", "new.example"]);
  await (await newBox("old.example")).send();
  clock.set(new Date(Date.parse(MORNING) + DAY_MS));
  const box = await newBox("new.example");
  expect(await box.limit()).toMatchObject({ domain: { step: 1, limit: 4 }, organization: { step: 2, limit: 8 } });
});

test("deleting a mailbox gives nothing back to the domain", async () => {
  const { key, newBox } = await newSender(["gone.example"]);
  const box = await newBox();
  await statuses(3, box.send);
  await client.delete(inboxPath(box.address), { key });
  const next = await newBox();
  expect(await statuses(2, next.send)).toEqual([202, 429]);
});

test("an upgrade keeps the age of mailboxes of before, also at domains below", async () => {
  const { newBox } = await newSender(["agents.before.example"]);
  const box = await newBox();
  clock.set(new Date(Date.parse(MORNING) + 2 * DAY_MS));
  const migration = readFileSync("db/migrations/0001_count_sends_of_domains.sql", "utf8");
  const written = migration.split("-- by hand")[1] ?? "";
  await sql.unsafe(`delete from send_totals; ${written}`);
  expect(await statuses(3, box.send)).toEqual([202, 202, 202]);
  const grown = { step: 3, used: 3 };
  expect(await box.limit()).toMatchObject({ domain: { name: "before.example", ...grown }, organization: grown });
});

test("a dry run names the cap of the domain", async () => {
  const { key, newBox } = await newSender(["dry.example"]);
  const [one, two] = [await newBox(), await newBox()];
  await statuses(3, one.send);
  await statuses(1, two.send);
  const json = { to: "a@else.example", text: "x" };
  const path = inboxPath(two.address, "/send?dry_run=true");
  const { body } = await client.post<{ refusals: { code: string; message: string }[] }>(path, json, { key });
  expect(body.refusals).toEqual([
    expect.objectContaining({ code: "daily_send_cap_exceeded", message: expect.stringContaining("dry.example") }),
  ]);
});
