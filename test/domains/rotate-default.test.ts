// The operators' command `domains rotate-dkim`: the second DKIM key of DEFAULT_DOMAIN signs when its record is found, and every mail verifies.
import { dkimVerify } from "mailauth/lib/dkim/verify.js";
import { afterAll, expect, test } from "vitest";
import { createDnsResolver } from "#server/adapters/dns-resolver.ts";
import { checkNextDefaultKey } from "#server/domains/default/check.ts";
import { rotateDefaultDkim } from "#server/domains/default/rotate-dkim.ts";
import { transmitQueued } from "#server/sending/transmit.ts";
import { inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startResendDouble } from "#test/support/resend-double.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { type DnsRecord, startDomains } from "./rig.ts";

const DAY_MS = 86_400_000;
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
/** A mail is sent again and again until a process forgets its key. */
const SEND_CAP_RAMP = "100000";

const sink = await startSmtpSink();
const rig = await startDomains({
  ROLES: "web",
  OUTBOUND: "smtp",
  OUTBOUND_SMTP_URL: sink.url,
  ENCRYPTION_KEY,
  SEND_CAP_RAMP,
});
const { service, client, clock, dns, zone } = rig;
const resolver = createDnsResolver({ servers: [dns.address] });
afterAll(async () => {
  resolver.close();
  await rig.stop();
  await sink.close();
});

async function command(action: string, more: object = {}): Promise<{ code: number; text: string; data: DnsRecord[] }> {
  const { code, text } = await rig.command(["domains", action, "--json"], { ENCRYPTION_KEY, ...more });
  return { code, text, data: code === 0 ? (JSON.parse(text) as { data: DnsRecord[] }).data : [] };
}

const dkimOf = (records: DnsRecord[]) => records.filter(({ purpose }) => purpose === "dkim");
const labels = (records: DnsRecord[]) => records.map(({ name, status }) => [name.split(".")[0], status]);
const publish = (record: DnsRecord | undefined) => {
  zone[record?.name ?? ""] = { TXT: [[record?.value ?? ""]] };
};

const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);

/**
 * Sends a mail.
 * @returns the selector that signed it, and whether the signature verifies
 */
async function signed(subject: string) {
  const sent = await client.post(
    inboxPath(address, "/send"),
    { to: "you@far.example", subject, text: "Hello" },
    { key },
  );
  expect(sent.status).toBe(202);
  await transmitQueued(service.system);
  const mail = sink.received.find(({ raw }) => raw.toString().includes(`Subject: ${subject}\r\n`));
  const resolve = (name: string, type: string) => resolver.resolve(name, type as "TXT") as Promise<never>;
  const { results } = await dkimVerify(mail?.raw ?? "", { resolver: resolve });
  return results.map(({ selector, status }) => [selector, status.result]);
}

test("the first key signs until the second is found, and stays listed for 7 days", async () => {
  const [first] = dkimOf((await command("check")).data);
  publish(first);
  expect(await signed("one key")).toEqual([["mb1", "pass"]]);

  const { data: keys } = await command("rotate-dkim");
  expect(labels(keys)).toEqual([
    ["mb1", "found"],
    ["mb2", "missing"],
  ]);
  expect((await command("rotate-dkim")).data).toEqual(keys);
  await checkNextDefaultKey(service.system);
  expect(await signed("not published")).toEqual([["mb1", "pass"]]);

  zone[keys[1]?.name ?? ""] = { TXT: [["v=DKIM1; k=rsa; p=AAAA"]] };
  await checkNextDefaultKey(service.system);
  expect(await signed("wrongly published")).toEqual([["mb1", "pass"]]);

  publish(keys[1]);
  await checkNextDefaultKey(service.system);
  const turn = { count: 0 };
  // A process keeps a key for some seconds.
  await eventually(async () => {
    turn.count += 1;
    const results = await signed(`published ${turn.count}`);
    expect(results.map(([, result]) => result)).toEqual(["pass"]);
    expect(results).toEqual([["mb2", "pass"]]);
  });
  expect(labels(dkimOf((await command("check")).data))).toEqual([
    ["mb1", "found"],
    ["mb2", "found"],
  ]);
});

test("the next rotation waits for 7 days, and then replaces the first record", async () => {
  const early = await command("rotate-dkim");
  expect(early.code).toBe(1);
  expect(early.text).toContain("must stay published for 7 days");
  clock.advance(8 * DAY_MS);
  const keys = dkimOf(await rotateDefaultDkim(service.system));
  expect(labels(keys)).toEqual([
    ["mb2", "found"],
    ["mb1", "mismatch"],
  ]);
  publish(keys[1]);
  expect(labels(dkimOf((await command("check")).data))).toContainEqual(["mb1", "found"]);
});

test("is refused with OUTBOUND=resend, which has the keys", async () => {
  const double = await startResendDouble();
  const { code, text } = await command("rotate-dkim", {
    OUTBOUND: "resend",
    RESEND_API_KEY: double.apiKey,
    RESEND_BASE_URL: double.url,
  });
  await double.close();
  expect(code).toBe(1);
  expect(text).toContain("Resend makes and rotates the DKIM keys of DEFAULT_DOMAIN");
});
