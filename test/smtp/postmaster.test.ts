// Mail to postmaster at hosted domains (RFC 5321 §4.5.1): accepted, and forwarded as a short notice.
import { afterAll, expect, test } from "vitest";
import { revokeDomain } from "#server/domains/operator/grant.ts";
import { setOwners } from "#server/organizations/organizations.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { speak } from "#test/support/inbound.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const OPERATOR = "operator@people.example";
const DAY_MS = 86_400_000;
const PER_DAY = 20;
const FORMER = 1_000;
const MAX_BYTES = 1024 * 1024;

const clock = adjustableClock();
const service = await startTestService({ ROLES: "web,smtp", POSTMASTER_ADDRESS: OPERATOR }, { now: clock.now });
const { system } = service;
afterAll(service.stop);

let made = 0;
/** An organization with a granted domain. */
async function holder(owners: string[]) {
  made += 1;
  const domain = `granted${made}.example`;
  const organization = await service.newOrganization({ allowedDomains: [domain] });
  await setOwners(system, organization.organizationId, owners);
  return { ...organization, domain };
}

async function hand(to: string[], { from = "a@far.example", headers = "Subject: Hi\r\n", body = "Hello" } = {}) {
  const client = await speak(service.smtpPort);
  await client.read();
  await client.ask("EHLO client.example.org");
  await client.ask(`MAIL FROM:<${from}>`);
  const replies = [];
  for (const one of to) replies.push(await client.ask(`RCPT TO:<${one}>`));
  if (replies.every((reply) => reply.startsWith("250")) && (await client.ask("DATA")).startsWith("354")) {
    replies.push(await client.ask(`From: a@far.example\r\n${headers}\r\n${body}\r\n.`));
  }
  client.socket.destroy();
  return replies.map((reply) => reply.slice(0, 3));
}

const notices = (to: string) =>
  system.sql<{ subject: string; text: string }[]>`select subject, text from notices where to_address = ${to}`;

test("the owners of a domain get the sender, the subject and the first 4,000 characters", async () => {
  const { domain } = await holder(["one@people.example"]);
  const body = "x".repeat(900).concat("\r\n").repeat(6);
  expect(await hand([`PostMaster@${domain}`], { headers: "Subject: Blocked\r\n", body })).toEqual(["250", "250"]);
  expect(await hand([`postmaster@below.${domain}`])).toEqual(["250", "250"]);
  const [first, second] = await notices("one@people.example");
  expect(first?.subject).toBe("Mail to postmaster arrived");
  expect(first?.text).toContain("From: a[at]far[.]example\nSubject: Blocked\n");
  expect(first?.text.match(/x/g)?.length).toBeGreaterThan(3_900);
  expect(first?.text.length).toBeLessThan(4_400);
  expect(second?.text).toContain(`postmaster at below.${domain}`.replaceAll(".", "[.]"));
});

test("mail to postmaster@DEFAULT_DOMAIN goes to POSTMASTER_ADDRESS", async () => {
  await holder([]);
  expect(await hand(["postmaster@mail.example"])).toEqual(["250", "250"]);
  expect(await hand(["Postmaster"])).toEqual(["250", "250"]);
  expect(await notices(OPERATOR)).toHaveLength(2);
});

test("a domain that is not hosted here is refused, and so are other names", async () => {
  const { domain } = await holder([]);
  expect(await hand(["postmaster@foreign.example"])).toEqual(["550"]);
  expect(await hand([`hostmaster@${domain}`])).toEqual(["550"]);
});

test("a revoked domain is hosted as long as it has mailboxes that receive mail", async () => {
  const [{ domain, agentKey: key }, empty] = [
    await holder(["former@people.example"]),
    await holder(["empty@people.example"]),
  ];
  const client = api(service);
  const { address } = await client.createInbox(key, { domain });
  for (const each of [domain, empty.domain]) await revokeDomain(system, each);
  expect(await hand([`postmaster@${domain}`])).toEqual(["250", "250"]);
  expect(await notices("former@people.example")).toHaveLength(1);
  expect(await hand([`postmaster@${empty.domain}`])).toEqual(["550"]);
  await client.delete(inboxPath(address), { key });
  expect(await hand([`postmaster@${domain}`])).toEqual(["550"]);
  await client.close();
});

test("a revoked domain is hosted for the mailboxes of one of many organizations that had it", async () => {
  const { domain, agentKey: key } = await holder(["late@people.example"]);
  const client = api(service);
  await client.createInbox(key, { domain });
  await revokeDomain(system, domain);
  await system.sql`
    with made as (
      insert into organizations (id, name, created_at)
      select lpad(to_hex(n), 32, '0')::uuid, 'Former', now() from generate_series(1, ${FORMER}::int) n returning id)
    insert into domain_grants (id, domain, organization_id, revoked_at, created_at)
    select id, ${domain}, id, now(), now() from made`;
  expect(await hand([`postmaster@${domain}`])).toEqual(["250", "250"]);
  expect(await notices("late@people.example")).toHaveLength(1);
  await client.close();
});

test("automatic mail and the null sender are accepted and not forwarded", async () => {
  const { domain } = await holder(["quiet@people.example"]);
  expect(await hand([`postmaster@${domain}`], { from: "" })).toEqual(["250", "250"]);
  const headers = "Auto-Submitted: auto-replied\r\n";
  expect(await hand([`postmaster@${domain}`], { headers })).toEqual(["250", "250"]);
  expect(await notices("quiet@people.example")).toEqual([]);
});

test(`at most ${PER_DAY} a day are forwarded for a domain`, async () => {
  const { domain } = await holder(["many@people.example"]);
  const all: string[][] = [];
  for (let n = 0; n < PER_DAY + 5; n += 1) all.push(await hand([`postmaster@${domain}`]));
  expect(all.every((replies) => replies.at(-1) === "250")).toBe(true);
  expect(await notices("many@people.example")).toHaveLength(PER_DAY);
  clock.advance(DAY_MS);
  await hand([`postmaster@${domain}`]);
  expect(await notices("many@people.example")).toHaveLength(PER_DAY + 1);
});

test("never to an address that is hosted here", async () => {
  const { domain, organizationId } = await holder([]);
  await setOwners(system, organizationId, [`owner@${domain}`]);
  expect(await hand([`postmaster@${domain}`])).toEqual(["250", "250"]);
  expect(await notices(`owner@${domain}`)).toEqual([]);
});

test("a mail over 1 MiB, and one to other recipients too, is refused", async () => {
  const { domain } = await holder([]);
  const body = "x"
    .repeat(900)
    .concat("\r\n")
    .repeat(Math.ceil(MAX_BYTES / 900));
  expect(await hand([`postmaster@${domain}`], { body })).toEqual(["250", "552"]);
  expect(await hand([`postmaster@${domain}`, "postmaster@mail.example"])).toEqual(["250", "452"]);
});
