// A catch-all mailbox takes mail to unknown addresses of a verified domain, and nothing else.
import { afterAll, describe, expect, test } from "vitest";
import { recheckDomains } from "#server/domains/recheck.ts";
import { startDomains } from "#test/domains/rig.ts";
import { type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { greeted, handOver } from "#test/support/smtp-clients.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const HOUR_MS = 3_600_000;
const SCOPES = ["mailbox:create", "mailbox:read", "mailbox:send", "mailbox:delete", "domain:manage", "key:issue"];
const [SENDER, ATTACKER] = ["127.0.0.7", "127.0.0.66"];

const rig = await startDomains({ ROLES: "web,smtp", STORAGE_QUOTA_PER_INBOX: "200000" });
const { service, client, zone, clock, path, own } = rig;
afterAll(rig.stop);

type Message = { id: string; subject: string; delivered_to: string };
const setCatchAll = (key: string, address: string, catch_all: boolean) =>
  client.patch<Failure>(inboxPath(address), { catch_all }, { key });
const delivered = async (key: string, address: string, query = "") =>
  (await client.get<Page<Message>>(inboxPath(address, `/messages?${query}`), { key })).body.data.map(
    ({ delivered_to }) => delivered_to,
  );
const mailTo = (address: string, from = SENDER) => handOver(service.smtpPort, from, address);
const codeOf = (answer: { status: number; body: Failure }) => [answer.status, answer.body.error?.code];

let made = 0;
/** An organization with a verified domain, a key that may manage it, and two mailboxes on it; the first takes everything. */
async function caught() {
  made += 1;
  const domain = `caught${made}.example`;
  const { organizationId, agentKey } = await service.newOrganization();
  await own(agentKey, domain);
  const owner = await newOwner(service, organizationId);
  const keyWith = async (more: { scopes?: string[]; inbox_access?: "own" | "organization" }, handle: string) => {
    const wish = { name: "x", max_mailboxes: 100, allowed_domains: [domain, "mail.example"], scopes: SCOPES, ...more };
    const issued = await owner.trpc.keys.issue.mutate({ inbox_access: "organization" as const, ...wish } as never);
    return (await service.enroll(issued.key, handle)).agent_key;
  };
  const key = await keyWith({}, "wide");
  const { address } = await client.createInbox(key, { domain, username: "all" });
  const { address: other } = await client.createInbox(key, { domain, username: "other" });
  const set = await setCatchAll(key, address, true);
  return { domain, organizationId, owner, key, address, other, set, keyWith };
}

test("an unknown address with and without a tag; `to` finds it, and known addresses keep their mail", async () => {
  const { domain, key, address, other, set } = await caught();
  expect([set.status, set.body]).toEqual([200, (await client.get(inboxPath(address), { key })).body]);
  for (const to of [`Signup-1@${domain}`, `shop+tag@${domain}`, other, `other+x@${domain}`]) {
    expect(await mailTo(to)).toMatch(/^250/);
  }
  expect((await delivered(key, address)).sort()).toEqual([`Signup-1@${domain}`, `shop+tag@${domain}`]);
  expect(await delivered(key, address, `to=signup-1%40${domain}`)).toEqual([`Signup-1@${domain}`]);
  expect((await delivered(key, other)).sort()).toEqual([other, `other+x@${domain}`].sort());
  expect((await client.get(path(domain), { key })).body).toMatchObject({ catch_all: address });
  expect(await mailTo(`x@sub.${domain}`)).toMatch(/^550/);
  expect(await mailTo("nobody-at-all@mail.example")).toMatch(/^550/);
});

test("two unknown addresses of a mail make one message; one with a known mailbox makes two", async () => {
  const { domain, key, address, other } = await caught();
  await service.mail({ from: "a@b.example", to: [`one@${domain}`, `two@${domain}`, other], subject: "many" });
  expect(await delivered(key, address)).toEqual([`one@${domain}`]);
  expect(await delivered(key, other)).toEqual([other]);
});

test("deleted addresses, reserved names and pending payments stay as they are", async () => {
  const { domain, key, address, other } = await caught();
  await client.delete(inboxPath(other), { key });
  expect(await mailTo(other)).toMatch(/^550/);
  expect(await mailTo(`other+tag@${domain}`)).toMatch(/^550/);
  for (const name of ["abuse", "mailer-daemon"]) expect(await mailTo(`${name}@${domain}`)).toMatch(/^550/);
  expect(await mailTo(`postmaster@${domain}`)).toMatch(/^250/);
  await service.system.sql`update inboxes set status = 'reserved' where address = ${other}`;
  expect(await mailTo(other)).toMatch(/^550/);
  expect(await delivered(key, address)).toEqual([]);
});

test("a reply to all leaves out the address that was caught", async () => {
  const { domain, key, address } = await caught();
  const raw = `From: w@far.example\r\nTo: team@${domain}, x@far.example\r\nSubject: all\r\nMessage-ID: <a@far.example>\r\n\r\nx\r\n`;
  await service.mail({ from: "w@far.example", to: `team@${domain}`, raw });
  const [message] = (await client.get<Page<Message>>(inboxPath(address, "/messages"), { key })).body.data;
  const reply = await client.post<{ id: string }>(
    `/v1/messages/${message?.id}/reply`,
    { text: "x", reply_all: true },
    { key },
  );
  const sent = await client.get(`/v1/messages/${reply.body.id}`, { key });
  expect([reply.status, sent.body]).toMatchObject([202, { to: ["w@far.example"], cc: ["x@far.example"] }]);
});

describe("one mailbox of a verified domain", () => {
  test("a second one is refused, at the same time too, until the first one is deleted", async () => {
    const { key, address, other, domain } = await caught();
    const refused = await setCatchAll(key, other, true);
    expect(codeOf(refused)).toEqual([409, "catch_all_taken"]);
    expect(refused.body.error?.message).toContain(address);
    expect((await setCatchAll(key, address, true)).status).toBe(200);
    await setCatchAll(key, address, false);
    expect(await mailTo(`x@${domain}`)).toMatch(/^550/);
    const both = await Promise.all([setCatchAll(key, address, true), setCatchAll(key, other, true)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const first = both[0]?.status === 200 ? address : other;
    await client.delete(inboxPath(first), { key });
    expect(await mailTo(`y@${domain}`)).toMatch(/^550/);
    expect((await setCatchAll(key, first === address ? other : address, true)).status).toBe(200);
    expect(await mailTo(`y@${domain}`)).toMatch(/^250/);
  });

  test("never at the shared domain, nor where only the operator granted the domain", async () => {
    const { key } = await caught();
    const { address } = await client.createInbox(key);
    const refused = await setCatchAll(key, address, true);
    expect(codeOf(refused)).toEqual([400, "invalid_request"]);
    const { agentKey } = await service.newOrganization({ allowedDomains: ["granted.example"] });
    const { address: granted } = await client.createInbox(agentKey, { domain: "granted.example" });
    expect(codeOf(await setCatchAll(agentKey, granted, true))).toEqual([403, "domain_not_verified"]);
  });

  test("it ends when the domain is lost, and another organization that verifies it gets no mail of it", async () => {
    const { domain, key, address, other } = await caught();
    const record = zone[`_mailberth.${domain}`];
    delete zone[`_mailberth.${domain}`];
    for (const hours of [7, 80]) {
      clock.advance(hours * HOUR_MS);
      while ((await recheckDomains(service.system)) > 0);
    }
    expect((await client.get(path(domain), { key })).body).toMatchObject({ status: "lost", catch_all: null });
    expect(await mailTo(`x@${domain}`)).toMatch(/^550/);
    expect(await mailTo(address)).toMatch(/^250/);
    expect(codeOf(await setCatchAll(key, other, true))).toEqual([403, "domain_not_verified"]);
    expect(record).toBeDefined();
    const { agentKey } = await service.newOrganization();
    await own(agentKey, domain);
    expect(await mailTo(`x@${domain}`)).toMatch(/^550/);
    expect((await client.get(path(domain), { key: agentKey })).body).toMatchObject({ catch_all: null });
  });
});

describe("who may set it", () => {
  test("a key with the scope that reaches every mailbox, and admins", async () => {
    const { keyWith, domain, owner, address } = await caught();
    const narrow = await keyWith({ inbox_access: "own" }, "narrow");
    const { address: mine } = await client.createInbox(narrow, { domain });
    expect(codeOf(await setCatchAll(narrow, mine, true))).toEqual([403, "insufficient_scope"]);
    const unscoped = await keyWith({ scopes: SCOPES.filter((scope) => scope !== "domain:manage") }, "unscoped");
    for (const on of [true, false]) {
      expect(codeOf(await setCatchAll(unscoped, address, on))).toEqual([403, "insufficient_scope"]);
    }
    const member = await newMember(service, owner, "member");
    const set = (person: typeof member, catch_all: boolean) =>
      person.trpc.inboxes.update.mutate({ addr: address, catch_all });
    await expect(set(member, false)).rejects.toThrow(/admin/);
    await expect(member.trpc.inboxes.update.mutate({ addr: address, display_name: "x" })).resolves.toBeDefined();
    const admin = await newMember(service, owner, "admin");
    await set(admin, false);
    const { data } = await member.trpc.inboxes.summaries.query({ limit: 10 });
    expect(data.filter(({ catch_all }) => catch_all)).toEqual([]);
  });

  test("an undo of the key takes it back, unless another mailbox has it by then", async () => {
    const { keyWith, owner, address, other } = await caught();
    const catchAlls = async () => {
      const { data } = await owner.trpc.inboxes.summaries.query({ limit: 10 });
      return data.filter(({ catch_all }) => catch_all).map((inbox) => inbox.address);
    };
    const undo = async (key: string) => {
      const { key_id: id } = (await client.get<{ key_id: string }>("/v1/auth/me", { key })).body;
      return owner.trpc.keys.undo.mutate({ id, since: new Date(Date.now() - HOUR_MS).toISOString() });
    };
    const first = await keyWith({}, "first");
    await setCatchAll(first, address, false);
    await setCatchAll(first, other, true);
    expect(await catchAlls()).toEqual([other]);
    await undo(first);
    expect(await catchAlls()).toEqual([address]);
    const second = await keyWith({}, "second");
    await setCatchAll(second, address, false);
    await owner.trpc.inboxes.update.mutate({ addr: other, catch_all: true });
    expect((await undo(second)).not_undone).toMatchObject([
      { kind: "inbox", reason: expect.stringContaining("catch-all") },
    ]);
    expect(await catchAlls()).toEqual([other]);
  });
});

describe("guesses", () => {
  test("count like unknown recipients: a list of addresses is refused, and known mailboxes get their mail", async () => {
    const { domain, key, address, other } = await caught();
    const replies: string[] = [];
    for (let session = 0; session < 3; session += 1) {
      const attack = await greeted(service.smtpPort, ATTACKER);
      await attack.ask("MAIL FROM:<a@guess.example>");
      for (let guess = 0; guess < 40; guess += 1) {
        const reply = await attack.ask(`RCPT TO:<guess${session}-${guess}@${domain}>`).catch(() => "closed");
        replies.push(reply.slice(0, 3));
        if (!/^[245]/.test(reply) || reply.startsWith("421")) break;
      }
      attack.socket.destroy();
    }
    expect(replies.filter((code) => code === "250").length).toBeLessThanOrEqual(12);
    expect(replies).toContain("452");
    expect(await mailTo(other, ATTACKER)).toMatch(/^250/);
    expect(await mailTo(`real@${domain}`, SENDER)).toMatch(/^250/);
    expect([await delivered(key, address), await delivered(key, other)]).toEqual([[`real@${domain}`], [other]]);
    expect(service.system.intake.recipients.known.size).toBeLessThan(20);
  });

  test("mail is refused when the mailbox is full", async () => {
    const { domain } = await caught();
    const body = `${"x".repeat(900)}\r\n`.repeat(100);
    expect(await handOver(service.smtpPort, SENDER, `a@${domain}`, body)).toMatch(/^250/);
    expect(await handOver(service.smtpPort, SENDER, `b@${domain}`, body)).toMatch(/^250/);
    expect(await handOver(service.smtpPort, SENDER, `c@${domain}`, body)).toMatch(/^452/);
  });
});
