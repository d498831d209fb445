// Mail through a real Postfix: what leaves aligns with the sender's domain, and what bounces reaches the sender.
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { authenticate } from "mailauth";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createDnsResolver } from "#server/adapters/dns-resolver.ts";
import { type Answer, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually, follow, reportedOf } from "#test/support/events.ts";
import { maildirs, startPostfix, whyNoPostfix } from "#test/support/postfix.ts";
import { freePort } from "#test/support/process.ts";
import { startReceiver } from "#test/webhooks/delivery/receiver.ts";
import { startDomains } from "../domains/rig.ts";

/** Postfix reads its configuration and queue as another user. */
const OPEN_MODE = 0o755;
const FAR = "far.example";
const KNOWN = `you@${FAR}`;
const UNKNOWN = `nobody@${FAR}`;

const why = await whyNoPostfix();
if (why) console.log(`skipped: ${why}`);

describe.skipIf(why)("through Postfix", () => {
  let stage: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    stage = await setUp();
  });
  afterAll(() => stage?.stop());

  test.each(["alpha.example", "beta.example"])("mail from %s passes SPF, DKIM and DMARC, aligned", async (domain) => {
    const { send } = await stage.team(domain);
    expect((await send(KNOWN, `from ${domain}`)).status).toBe(202);
    const { spf, dkim, dmarc } = await stage.judge(await eventually(() => stage.arrived(`from ${domain}`)));
    if (!spf || !dmarc) throw new Error("SPF and DMARC were not judged");
    expect([spf.status.result, dmarc.status.result]).toEqual(["pass", "pass"]);
    const signatures = dkim.results.map(({ status, signingDomain }) => [status.result, signingDomain]);
    expect(signatures).toEqual([["pass", domain]]);
    expect(dmarc.alignment).toMatchObject({ spf: { result: `bounce.${domain}` }, dkim: { result: domain } });
  });

  test("a domain without its records answers 409 and names the record", async () => {
    const { service, client, claim, zone, verify } = stage;
    const { agentKey, organizationId } = await service.newOrganization();
    const { records } = await claim(agentKey, "bare.example");
    const ownership = records.find(({ purpose }) => purpose === "ownership");
    zone[ownership?.name ?? ""] = { TXT: [[ownership?.value ?? ""]] };
    await verify(agentKey, "bare.example");
    const { agentKey: key } = await service.newEnrollment(organizationId, { allowedDomains: ["bare.example"] });
    const { address } = await client.createInbox(key, { domain: "bare.example" });
    const { status, body } = await client.post(inboxPath(address, "/send"), { to: KNOWN, text: "x" }, { key });
    expect([status, body.error.code]).toEqual([409, "domain_not_ready"]);
    expect(body.error.message).toContain("The TXT record bare.example is missing");
  });

  test("a bounce is on the message, in the log, on the stream, at the webhook, and refuses the next send", async () => {
    const { service, client } = stage;
    const { key, address, send } = await stage.team("gamma.example");
    const hook = await startReceiver();
    await client.post("/v1/webhooks", { url: hook.url, events: ["message.bounced"] }, { key });
    const stream = await follow(service, { key });
    const { id } = (await send(UNKNOWN, "to nobody")).body;
    type Read = { status: string; recipients: object[] };
    const read = async () => (await client.get<Read>(`/v1/messages/${id}`, { key })).body;
    await eventually(async () => expect((await read()).status).toBe("bounced"));
    const bounced = { status: "bounced", smtp_code: 550, enhanced_code: "5.1.1" };
    expect((await read()).recipients).toMatchObject([{ address: UNKNOWN, ...bounced }]);
    const { data } = (await client.get<Page<{ event: string }>>("/v1/events", { key })).body;
    expect(reportedOf(data).slice(-1)).toMatchObject([
      { event: "message.bounced", inbox: address, message: { id, ...bounced } },
    ]);
    await eventually(() => expect(reportedOf(stream.events).map(({ event }) => event)).toEqual(["message.bounced"]));
    await eventually(() => expect(hook.received).toHaveLength(1));
    const next = await send(UNKNOWN, "again");
    expect([next.status, next.body.error.code]).toEqual([422, "recipient_suppressed"]);
    await stream.close();
    await hook.close();
  });
});

/** A service that sends through a relay to a far side with one user; the relay returns bounces to the service. */
async function setUp() {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-postfix-"));
  await chmod(folder, OPEN_MODE);
  const [relayPort, farPort] = [await freePort(), await freePort()];
  const outbound = { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: `smtp://127.0.0.1:${relayPort}` };
  const rig = await startDomains({ ROLES: "web,worker,smtp", ...outbound });
  const { service, client, dns, own } = rig;
  rig.zone["mx.mail.example"] = { A: ["127.0.0.1"] };
  const users = join(folder, "users");
  await writeFile(users, `${KNOWN} you/\n`);
  const farFolder = join(folder, "far");
  const far = await startPostfix(farFolder, farPort, {
    myhostname: `mx.${FAR}`,
    ...maildirs(farFolder, FAR, `texthash:${users}`),
  });
  const routes = join(folder, "routes");
  await writeFile(routes, `${FAR} smtp:[127.0.0.1]:${farPort}\n`);
  const relay = await startPostfix(join(folder, "relay"), relayPort, {
    myhostname: "relay.mail.example",
    mynetworks: "127.0.0.0/8",
    transport_maps: `texthash:${routes}`,
    relayhost: `[127.0.0.1]:${service.smtpPort}`,
  });
  const resolver = createDnsResolver({ servers: [dns.address] });

  return {
    ...rig,
    /** An organization that owns the domain, and a mailbox on it. */
    async team(domain: string) {
      const organization = await service.newOrganization();
      await own(organization.agentKey, domain);
      const { agentKey: key } = await service.newEnrollment(organization.organizationId, { allowedDomains: [domain] });
      const { address } = await client.createInbox(key, { domain });
      const send = (to: string, subject: string): Promise<Answer<{ id: string } & Failure>> =>
        client.post(inboxPath(address, "/send"), { to, subject, text: "Hello" }, { key });
      return { key, address, send };
    },
    /** The mail that the far side stored with this subject. */
    async arrived(subject: string): Promise<string> {
      const inbox = join(farFolder, "mail/you/new");
      const mails = await Promise.all((await readdir(inbox)).map((name) => readFile(join(inbox, name), "latin1")));
      const mail = mails.find((text) => text.includes(`\nSubject: ${subject}\n`));
      if (!mail) throw new Error(`${subject} has not arrived`);
      return mail;
    },
    judge(mail: string) {
      const sender = /^Return-Path: <(.*)>$/m.exec(mail)?.[1] ?? "";
      const sent = mail.replace(/^(?:Return-Path|Delivered-To|X-Original-To): .*\n/gm, "").replaceAll("\n", "\r\n");
      const resolve = (name: string, type: string) => resolver.resolve(name, type as "TXT") as Promise<never>;
      const options = { ip: "127.0.0.1", helo: "mx.mail.example", sender, resolver: resolve, trustReceived: false };
      return authenticate(Buffer.from(sent, "latin1"), options);
    },
    async stop() {
      await relay.stop();
      await far.stop();
      resolver.close();
      await rig.stop();
      await rm(folder, { recursive: true });
    },
  };
}
