// Who may submit mail: an agent key with its mailbox, over TLS, and what wrong sign-ins get.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api } from "#test/support/api.ts";
import { mailer, speak } from "#test/support/inbound.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp", SUBMISSION_PORT: "0", SUBMISSIONS_PORT: "0" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const TO = "friend@else.example";
const WRONG = /^535 5\.7\.8 Wrong user name or password\. The user name is the address of a mailbox/;
const encode = (text: string) => Buffer.from(text).toString("base64");
const plain = (user: string, pass: string) => `AUTH PLAIN ${encode(`\0${user}\0${pass}`)}`;

async function newSender() {
  const organization = await service.newOrganization();
  const { address, id } = await client.createInbox(organization.agentKey);
  return { ...organization, key: organization.agentKey, address, id };
}

async function session(localAddress?: string) {
  const open = await speak(service.submissionsPort, localAddress, true);
  await open.read();
  await open.ask("EHLO client.example");
  return open;
}

async function signIn(user: string, pass: string, localAddress?: string) {
  const open = await session(localAddress);
  const answer = await open.ask(plain(user, pass));
  open.socket.destroy();
  return answer;
}

describe("TLS", () => {
  test("before it, there is no AUTH, no mail, and no word of a key", async () => {
    const { address, key } = await newSender();
    const open = await speak(service.submissionPort);
    await open.read();
    expect(await open.ask("EHLO client.example")).not.toMatch(/AUTH/);
    expect(await open.ask(plain(address, key))).toMatch(/^538 5\.7\.0 .*STARTTLS/);
    expect(await open.ask(`MAIL FROM:<${address}>`)).toMatch(/^530 5\.7\.0 Sign in first: STARTTLS, then AUTH/);
    open.socket.destroy();
    const { response } = await mailer(service.submissionPort, { auth: { user: address, pass: key } }).sendMail({
      from: address,
      to: TO,
      text: "x",
    });
    expect(response).toMatch(/^250/);
  });

  test("a connection that does not begin with it ends", async () => {
    const open = await speak(service.submissionsPort);
    open.write("EHLO client.example\r\n");
    expect(await open.rest()).not.toMatch(/250/);
    expect(await signIn("nobody@mail.example", "x")).toMatch(WRONG);
  });

  test("without it, a service that only this machine reaches takes a key", async () => {
    const local = await startTestService({
      ROLES: "web,smtp",
      SUBMISSION_PORT: "0",
      PUBLIC_URL: "",
    });
    try {
      const { agentKey } = await local.newOrganization();
      const localClient = api(local);
      const { address } = await localClient.createInbox(agentKey);
      await localClient.close();
      const transport = mailer(local.submissionPort, { ignoreTLS: true, auth: { user: address, pass: agentKey } });
      const { response } = await transport.sendMail({ from: address, to: TO, text: "x" });
      expect(response).toMatch(/^250/);
    } finally {
      await local.stop();
    }
  });
});

test("right sign-ins at the same time from one address, as after a restart, do not refuse each other", async () => {
  const { key: creator, enrollmentKeyId } = await newSender();
  const inboxes = await Promise.all(Array.from({ length: 30 }, () => client.createInbox(creator)));
  // No request has used it, so it is looked up.
  const { key } = await service.newAgentKey(enrollmentKeyId);
  const senders = await Promise.all(
    inboxes.map(async ({ address }) => ({ address, open: await session("127.0.5.1") })),
  );
  const sql = connect(service.database.url, { max: 2 });
  onTestFinished(() => sql.end());
  const { answers } = await sql.begin(async (tx) => {
    // Where a key is looked up: the attempt is counted, and has no result.
    await tx`lock table agent_keys in access exclusive mode`;
    const answers = Promise.all(senders.map(({ address, open }) => open.ask(plain(address, key))));
    await expect.poll(() => waitingForLocks(sql)).toBeGreaterThan(0);
    return { answers };
  });
  expect((await answers).filter((answer) => !answer.startsWith("235"))).toEqual([]);
  for (const { open } of senders) open.socket.destroy();
});

describe("a wrong sign-in", () => {
  test("gets the same 535, whatever is wrong", async () => {
    const [own, other] = [await newSender(), await newSender()];
    const sibling = await client.createInbox(own.key);
    const only = await service.newAgentKey(own.enrollmentKeyId, { inboxes: [sibling.address] });
    const expired = await service.newAgentKey(own.enrollmentKeyId, { expiresAt: new Date(Date.now() + 1_000) });
    await expect.poll(async () => (await client.get("/v1/auth/me", { key: expired.key })).status).toBe(401);
    const tried = [
      [own.address, other.key],
      [own.address, `${own.key}x`],
      [own.address, own.enrollmentKey],
      [own.address, "a password of a person"],
      [own.address, ""],
      [own.address, "x".repeat(2_000)],
      [own.address, only.key],
      [own.address, expired.key],
      ["nobody@mail.example", own.key],
      [own.id, own.key],
      ["", own.key],
    ] as const;
    const answers = new Set<string>();
    for (const [user, pass] of tried) answers.add(await signIn(user, pass, "127.0.4.1"));
    expect([...answers]).toEqual([expect.stringMatching(WRONG)]);
    expect(await signIn(own.address.toUpperCase(), own.key)).toMatch(/^235/);
  });

  test("is limited by client address: 421, also for the right key, until later", async () => {
    const sender = await newSender();
    const answers: string[] = [];
    for (let n = 0; n < 22; n += 1) answers.push(await signIn(`nobody-${n}@mail.example`, "wrong", "127.0.0.9"));
    expect(answers.filter((answer) => WRONG.test(answer))).toHaveLength(20);
    expect(answers.at(-1)).toMatch(/^421 4\.7\.0 Too many wrong sign-ins\. Try again after \d{4}-/);
    expect(await signIn(sender.address, sender.key, "127.0.0.9")).toMatch(/^421/);
  });

  test("is limited by mailbox, and locks nobody out of it", async () => {
    const sender = await newSender();
    const answers: string[] = [];
    for (let n = 0; n < 12; n += 1) answers.push(await signIn(sender.address, "wrong", `127.0.1.${n}`));
    expect(answers.slice(0, 9).every((answer) => WRONG.test(answer))).toBe(true);
    expect(answers.at(-1)).toMatch(/^421 4\.7\.0/);
    expect(await signIn(sender.address, sender.key, "127.0.1.99")).toMatch(/^235/);
  });

  test("of a stranger behind the same address locks nobody out who has signed in from there", async () => {
    const sender = await newSender();
    const at = "127.0.2.1";
    expect(await signIn(sender.address, sender.key, at)).toMatch(/^235/);
    for (let n = 0; n < 22; n += 1) await signIn(`nobody-${n}@mail.example`, "wrong", at);
    expect(await signIn("nobody@mail.example", "wrong", at)).toMatch(/^421/);
    expect(await signIn(sender.address, sender.key, at)).toMatch(/^235/);
  });

  test("ends the session after ten", async () => {
    const open = await session("127.0.3.1");
    for (let n = 0; n < 10; n += 1) await open.ask(plain(`nobody-${n}@mail.example`, "wrong"));
    expect(await open.rest()).toMatch(/421 4\.7\.0 Too many errors/);
  });
});

describe("a key that is revoked in the middle of a session", () => {
  test("sends nothing more: at MAIL, and at DATA", async () => {
    const sender = await newSender();
    const open = await session();
    expect(await open.ask(plain(sender.address, sender.key))).toMatch(/^235/);
    expect(await open.ask(`MAIL FROM:<${sender.address}>`)).toMatch(/^250/);
    await open.ask(`RCPT TO:<${TO}>`);
    await open.ask("DATA");
    const { body: me } = await client.get<{ key_id: string }>("/v1/auth/me", { key: sender.key });
    await revokeAgentKey(service.system, me.key_id);
    // A key is believed for half a second.
    await expect.poll(async () => (await client.get("/v1/auth/me", { key: sender.key })).status).toBe(401);
    const mail = `From: ${sender.address}\r\nTo: ${TO}\r\n\r\nx\r\n.`;
    expect(await open.ask(mail)).toMatch(/^530 5\.7\.0 .*revoked/);
    expect(await open.ask(`MAIL FROM:<${sender.address}>`)).toMatch(/^530 5\.7\.0 The key was revoked/);
    open.socket.destroy();
    const [row] = await service.system
      .sql`select count(*)::int as sent from messages where from_address = ${sender.address}`;
    expect(row).toEqual({ sent: 0 });
  });
});

test("mails count against the rate of the key, as all calls do", async () => {
  const limited = await startTestService({
    ROLES: "web,smtp",
    SUBMISSION_PORT: "0",
    RATE_LIMIT_PER_SECOND: "1",
    RATE_LIMIT_BURST: "3",
  });
  try {
    const { agentKey } = await limited.newOrganization();
    const limitedClient = api(limited);
    const { address } = await limitedClient.createInbox(agentKey);
    await limitedClient.close();
    const transport = mailer(limited.submissionPort, { auth: { user: address, pass: agentKey } });
    const send = () => transport.sendMail({ from: address, to: TO, text: "x" }).catch(({ response }) => ({ response }));
    const answers = await Promise.all(Array.from({ length: 8 }, send));
    expect(answers.map(({ response }) => response)).toContainEqual(
      expect.stringMatching(/^451 4\.7\.1 A key or a member may make 1 requests per second.* Try again after /),
    );
  } finally {
    await limited.stop();
  }
});
