// The emails of the service pass one gate: exact limits, no words of strangers in a subject, no links made of them.
import PostalMime from "postal-mime";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId, newId } from "#server/base/ids.ts";
import { createOrganization, setOwners } from "#server/organizations/organizations.ts";
import { sendNotices } from "#server/system-mail/send.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner, type Person, post, sessionClient } from "#test/support/team.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const COLLECT_MS = 2 * 60_000;
const INVITATIONS_PER_DAY = 50;
const REQUESTS = 200;
const LIMITED = { data: { httpStatus: 429, error: { code: "rate_limited" } } };

const clock = adjustableClock();
const sink = await startSmtpSink();
const settings = { SERVICE_NAME: "Mailberth", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url };
// No worker: emails leave when a test says so.
const service = await startTestService({ ROLES: "web", ...settings }, { now: clock.now });
const second = await startTestService({ ROLES: "web", ...settings }, { now: clock.now, database: service.database });
const client = api(service);
const { sql } = service.system;
const running = new AbortController().signal;
afterAll(async () => {
  await client.close();
  await second.stop();
  await service.stop();
  await sink.close();
});

let made = 0;
function unique(name: string): string {
  made += 1;
  return `${name}${made}`;
}
const addressOf = (name: string) => `${unique(name)}@people.example`;

async function team() {
  const organization = await service.newOrganization();
  return { ...organization, id: decodeId("org", organization.organizationId) ?? "", ...(await ownerOf(organization)) };
}
async function ownerOf({ organizationId }: { organizationId: string }) {
  const owner = await newOwner(service, organizationId);
  return { owner, trpc: owner.trpc };
}
const invite = (person: Person, email: string) => person.trpc.team.invite.mutate({ email, role: "member" });

/** Sends what is due until nothing is. */
async function sendAll(): Promise<void> {
  while ((await sendNotices(service.system, running)) > 0);
}
/** The emails to an address, in the order in which they arrived. */
async function emailsTo(address: string) {
  await sendAll();
  const mails = sink.received.filter(({ to }) => to.includes(address));
  return Promise.all(mails.map(async ({ raw }) => ({ ...(await PostalMime.parse(raw)), raw: raw.toString() })));
}
const writtenBy = async (id: string, kind: string) =>
  (await sql`select 1 from notices where organization_id = ${id} and kind = ${kind}`).length;

describe("invitations", () => {
  test("200 at the same time, over two processes, are exactly the limit of the organization in a day", async () => {
    const { id, owner, organizationId } = await team();
    const other = await newOwner(second, organizationId);
    const results = await Promise.allSettled(
      Array.from({ length: REQUESTS }, (_, i) => invite(i % 2 ? owner : other, addressOf("invited"))),
    );
    const refused = results.filter((result) => result.status === "rejected");
    expect(refused).toHaveLength(REQUESTS - INVITATIONS_PER_DAY);
    for (const { reason } of refused) expect(reason).toMatchObject(LIMITED);
    expect(await writtenBy(id, "invitation")).toBe(INVITATIONS_PER_DAY);
    const answer = await post(
      service,
      "/trpc/team.invite",
      { email: addressOf("invited"), role: "member" },
      { cookie: owner.cookie },
    );
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(DAY_MS / 1_000 - 600);
    expect(await answer.text()).toMatch(/50 .*(24 hours|day)/);
    expect((await owner.trpc.team.members.query()).invitations).toHaveLength(INVITATIONS_PER_DAY);
    clock.advance(DAY_MS + 1);
    await invite(owner, addressOf("invited"));
  });

  test("a person who does not answer gets three of an organization in a week, and four of all in a day", async () => {
    const victim = unique("victim");
    const [first, next] = [await team(), await team()];
    for (let i = 0; i < 3; i += 1) await invite(first.owner, `${victim}+${i}@people.example`);
    await expect(invite(first.owner, `${victim}@people.example`)).rejects.toMatchObject(LIMITED);
    await invite(next.owner, `${victim}@people.example`);
    await expect(invite(next.owner, `${victim}+x@people.example`)).rejects.toMatchObject(LIMITED);
    clock.advance(DAY_MS + 1);
    await invite(next.owner, `${victim}@people.example`);
    await expect(invite(first.owner, `${victim}@people.example`)).rejects.toMatchObject(LIMITED);
    clock.advance(6 * DAY_MS);
    await invite(first.owner, `${victim}@people.example`);
  });

  test("one that is withdrawn before it leaves is not sent", async () => {
    const { owner } = await team();
    const email = addressOf("withdrawn");
    await invite(owner, email);
    await owner.trpc.team.cancelInvitation.mutate({ email });
    expect(await emailsTo(email)).toEqual([]);
  });

  test("names of an organization and a person are data: not in the subject, no links, one short line each", async () => {
    const name = `${unique("https://evil.example win ")} \u202ecod.evil.example/x a@evil.example`;
    const { id: organizationId } = await createOrganization(service.system, name);
    const { owner } = await ownerOf({ organizationId });
    await sql`update users set name = ${`www.evil.example ${"x".repeat(80)}`} where email = ${owner.email}`;
    const email = addressOf("invited");
    await invite(owner, email);
    const [received] = await emailsTo(email);
    expect(received?.subject).toBe("You are invited to an organization on Mailberth");
    expect(received?.from).toMatchObject({ name: "Mailberth" });
    expect(received?.raw).not.toMatch(/https?:\/\/evil|evil\.example|\p{Bidi_Control}/u);
    expect(received?.text).not.toMatch(/https?:\/\/(?!mailberth\.example)|evil\.example|@evil|\p{Bidi_Control}|x{70}/u);
    expect(received?.text).toContain("https[:]//evil[.]example win");
  });
});

test("40 test notices at the same time, over two processes, are exactly 20", async () => {
  const { id, owner } = await team();
  const there = sessionClient(second, owner.cookie);
  const [mail] = (await owner.trpc.notices.list.query()).data;
  const route = mail?.id ?? "";
  const results = await Promise.allSettled(
    Array.from({ length: 40 }, (_, i) => (i % 2 ? owner.trpc : there).notices.test.mutate({ id: route })),
  );
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(20);
  expect(await writtenBy(id, "notice")).toBe(20);
});

describe("password resets", () => {
  test("beyond the limit of a mailbox none is written, and the answer is the same", async () => {
    const { organizationId } = await service.newOrganization();
    const addresses = ["", "+a", "+b"].map((tag) => `reset${tag}@people.example`);
    for (const address of addresses) {
      const { owner } = await ownerOf({ organizationId });
      await sql`update users set email = ${address} where email = ${owner.email}`;
    }
    const answers = new Set<string>();
    for (const email of [...addresses, ...addresses, "unknown@people.example"]) {
      const answer = await post(service, "/auth/request-password-reset", { email });
      answers.add(`${answer.status} ${await answer.text()}`);
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^200 /);
    expect(await sql`select 1 from notices where kind = 'reset' and sent_at is null`).toHaveLength(5);
    // It is another person's, so what one mailbox was sent does not matter.
    const { owner: other } = await team();
    await post(service, "/auth/request-password-reset", { email: other.email });
    expect((await emailsTo(other.email)).map(({ subject }) => subject)).toEqual(["Set a new password"]);
  });
});

describe("notices", () => {
  const held = (count: number, { agentKey: key }: { agentKey: string }, address: string) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        client.post(
          inboxPath(address, "/send"),
          { to: "ada@elsewhere.example", subject: `Win ${i}`, text: `Go to https://evil.example/${i} now` },
          { key },
        ),
      ),
    );

  async function reviewed() {
    const organization = await team();
    const { address } = await client.createInbox(organization.agentKey);
    await organization.trpc.reviews.setPolicy.mutate({ review: "all" });
    return { ...organization, address };
  }

  test("several that wait at once become one email, with each link; the next ones wait and are collected", async () => {
    const box = await reviewed();
    const boss = addressOf("boss");
    await setOwners(service.system, box.organizationId, [boss]);
    await held(12, box, box.address);
    const [email, ...more] = await emailsTo(boss);
    expect(more).toEqual([]);
    expect(email?.subject).toBe("12 messages wait for approval");
    expect(email?.text?.match(/\/review\//g)).toHaveLength(10);
    expect(email?.text).toContain("2 more");
    expect(email?.text).not.toMatch(/https?:\/\/evil|evil\.example/);
    await held(3, box, box.address);
    expect(await emailsTo(boss)).toHaveLength(1);
    clock.advance(COLLECT_MS);
    const subjects = (await emailsTo(boss)).map(({ subject }) => subject);
    expect(subjects).toEqual(["12 messages wait for approval", "3 messages wait for approval"]);
  });

  test("a person gets at most 20 in an hour of one organization, and then the others in one", async () => {
    const box = await reviewed();
    const boss = addressOf("boss");
    await setOwners(service.system, box.organizationId, [boss]);
    for (let i = 0; i < 25; i += 1) {
      await held(1, box, box.address);
      await sendAll();
      clock.advance(COLLECT_MS);
    }
    expect(await emailsTo(boss)).toHaveLength(20);
    clock.advance(HOUR_MS);
    const emails = await emailsTo(boss);
    expect(emails).toHaveLength(21);
    expect(emails.at(-1)?.subject).toBe("5 messages wait for approval");
  });

  test("an organization has at most 300 in an hour, also to 20 people", async () => {
    const box = await reviewed();
    // The owner gets them too.
    const people = [...Array.from({ length: 19 }, () => addressOf("person")), box.owner.email];
    await setOwners(service.system, box.organizationId, people.slice(0, -1));
    for (let round = 0; round < 17; round += 1) {
      await held(1, box, box.address);
      await sendAll();
      clock.advance(COLLECT_MS);
    }
    const sent = () => sink.received.filter(({ to }) => people.includes(to[0] ?? "")).length;
    expect(sent()).toBe(300);
    clock.advance(HOUR_MS);
    await sendAll();
    expect(sent()).toBe(300 + people.length);
  });

  test("250 wait for one place, and no more are written", async () => {
    const box = await reviewed();
    const boss = addressOf("boss");
    await setOwners(service.system, box.organizationId, [boss]);
    await held(1, box, box.address);
    const waiting = async () => (await sql`select 1 from notices where to_address = ${boss}`).length;
    expect(await waiting()).toBe(1);
    await sql`
      insert into notices (id, organization_id, to_address, kind, topic, subject, text, next_attempt_at, created_at)
      select gen_random_uuid(), organization_id, to_address, kind, topic, subject, text, next_attempt_at, created_at
      from notices, generate_series(1, 248) where to_address = ${boss}`;
    await held(1, box, box.address);
    await held(2, box, box.address);
    expect(await waiting()).toBe(250);
    expect((await emailsTo(boss)).map(({ subject }) => subject)).toEqual(["250 messages wait for approval"]);
    expect(await waiting()).toBe(1);
  });

  test("two workers send one email", async () => {
    const box = await reviewed();
    const boss = addressOf("boss");
    await setOwners(service.system, box.organizationId, [boss]);
    await held(12, box, box.address);
    await Promise.all([sendNotices(service.system, running), sendNotices(second.system, running)]);
    expect(await emailsTo(boss)).toHaveLength(1);
  });

  test("200 disabled webhooks are one email to each address", async () => {
    const { id, organizationId } = await team();
    const ops = addressOf("ops");
    await setOwners(service.system, organizationId, [ops]);
    const at = clock.now();
    // As disabling 200 webhooks one by one writes them.
    for (let i = 0; i < REQUESTS; i += 1) {
      const row = { id: newId(), organization_id: id, to_address: ops, topic: "webhook_disabled", text: `whk ${i}` };
      await sql`insert into notices ${sql({ ...row, subject: "A webhook was disabled", next_attempt_at: at, created_at: at })}`;
    }
    const [email, ...more] = await emailsTo(ops);
    expect(more).toEqual([]);
    expect(email?.subject).toBe("200 webhooks were disabled");
  });
});

describe("an address of the organization that is no member's", () => {
  async function listed(...addresses: string[]) {
    const box = await team();
    const { address } = await client.createInbox(box.agentKey);
    await box.trpc.reviews.setPolicy.mutate({ review: "all" });
    await box.trpc.organization.update.mutate({ owner_emails: addresses });
    const send = (text: string) =>
      client.post(inboxPath(address, "/send"), { to: "ada@elsewhere.example", text }, { key: box.agentKey });
    const states = async () =>
      (await box.trpc.organization.get.query()).notice_addresses.map(({ address: at, state }) => [at, state]);
    return { ...box, send, states };
  }
  const pathIn = (text = "") => new URL(/https?:\/\/\S+\/notices\/\S+/.exec(text)?.[0] ?? "").pathname;
  const open = (path: string, method = "GET", query = "") => fetch(`${service.url}${path}${query}`, { method });

  test("gets one email, and nothing more until it is confirmed", async () => {
    const stranger = addressOf("stranger");
    const { send, states, organizationId } = await listed(stranger);
    expect(await states()).toEqual([[stranger, "pending"]]);
    await send("Words of an agent");
    await send("More words of an agent");
    clock.advance(COLLECT_MS);
    const [email, ...more] = await emailsTo(stranger);
    expect(more).toEqual([]);
    expect(email?.subject).toBe("Confirm this address for notices from Mailberth");
    expect(email?.text).not.toContain("Words");
    const path = pathIn(email?.text);
    for (const method of ["GET", "HEAD"]) await open(path, method, "?decision=confirm");
    expect((await open(path, "POST")).status).toBe(400);
    expect((await open(path, "DELETE")).status).toBe(405);
    expect(
      (await open(`${path.slice(0, -1)}${path.endsWith("0") ? "1" : "0"}`, "POST", "?decision=confirm")).status,
    ).toBe(404);
    expect(await states()).toEqual([[stranger, "pending"]]);
    expect((await open(path, "POST", "?decision=confirm")).status).toBe(200);
    expect(await states()).toEqual([[stranger, "confirmed"]]);
    await send("Third words of an agent");
    const emails = await emailsTo(stranger);
    expect(emails.map(({ subject }) => subject)).toEqual([email?.subject, "A message waits for approval"]);
    await setOwners(service.system, organizationId, []);
    expect((await open(path, "POST", "?decision=confirm")).status).toBe(404);
  });

  test("who refuses gets nothing more, also when the address is removed, added and asked again", async () => {
    const stranger = addressOf("stranger");
    const { send, states, trpc } = await listed(stranger);
    const path = pathIn((await emailsTo(stranger))[0]?.text);
    expect((await open(path, "POST", "?decision=refuse")).status).toBe(200);
    await trpc.organization.update.mutate({ owner_emails: [] });
    clock.advance(2 * DAY_MS);
    await trpc.organization.update.mutate({ owner_emails: [stranger] });
    await send("Words");
    await expect(trpc.organization.sendConfirmation.mutate({ address: stranger })).rejects.toMatchObject({
      data: { error: { code: "invalid_request" } },
    });
    expect(await states()).toEqual([[stranger, "refused"]]);
    expect(await emailsTo(stranger)).toHaveLength(1);
    // They may change their mind.
    expect((await open(path, "POST", "?decision=confirm")).status).toBe(200);
    expect(await states()).toEqual([[stranger, "confirmed"]]);
  });

  test("gets the email again after a day at the earliest, also by a tag, and by removing and adding it", async () => {
    const stranger = addressOf("stranger");
    const { trpc } = await listed(stranger);
    const again = () => trpc.organization.sendConfirmation.mutate({ address: stranger });
    await expect(again()).rejects.toMatchObject(LIMITED);
    await trpc.organization.update.mutate({ owner_emails: [] });
    await trpc.organization.update.mutate({ owner_emails: [stranger] });
    await expect(
      trpc.organization.update.mutate({ owner_emails: [stranger, stranger.replace("@", "+tag@")] }),
    ).rejects.toMatchObject(LIMITED);
    expect(await emailsTo(stranger)).toHaveLength(1);
    clock.advance(DAY_MS + 1);
    const results = await Promise.allSettled([again(), again(), again()]);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await emailsTo(stranger)).toHaveLength(2);
  });

  test("a member's address needs no email, and gets nothing more once the member is removed", async () => {
    const box = await team();
    const { owner: leaving } = await ownerOf(box);
    const { address } = await client.createInbox(box.agentKey);
    await box.trpc.reviews.setPolicy.mutate({ review: "all" });
    await box.trpc.organization.update.mutate({ owner_emails: [leaving.email] });
    expect((await box.trpc.organization.get.query()).notice_addresses).toMatchObject([{ state: "member" }]);
    const send = () =>
      client.post(inboxPath(address, "/send"), { to: "a@b.example", text: "x" }, { key: box.agentKey });
    await send();
    const [email] = await emailsTo(leaving.email);
    expect(email?.subject).toBe("A message waits for approval");
    const path = new URL(/https?:\/\/\S+\/review\/\S+/.exec(email?.text ?? "")?.[0] ?? "").pathname;
    clock.advance(COLLECT_MS);
    await send();
    const { members } = await box.trpc.team.members.query();
    await box.trpc.team.removeMember.mutate({ id: members.find(({ email }) => email === leaving.email)?.id ?? "" });
    expect((await open(path, "POST", "?decision=approve")).status).toBe(404);
    expect(await emailsTo(leaving.email)).toHaveLength(1);
  });

  test("one that a database has from before is asked by the first notice", async () => {
    const box = await listed();
    const stranger = addressOf("stranger");
    await sql`update organizations set owner_emails = ${[stranger]} where id = ${box.id}`;
    await box.send("Words");
    await box.send("Words");
    const emails = await emailsTo(stranger);
    expect(emails.map(({ subject }) => subject)).toEqual(["Confirm this address for notices from Mailberth"]);
    expect((await open(pathIn(emails[0]?.text), "POST", "?decision=confirm")).status).toBe(200);
  });

  test("only an owner asks for the email, and only for a listed address", async () => {
    const { trpc } = await listed();
    await expect(trpc.organization.sendConfirmation.mutate({ address: "x@y.example" })).rejects.toMatchObject({
      data: { error: { code: "notice_address_not_found" } },
    });
  });
});
