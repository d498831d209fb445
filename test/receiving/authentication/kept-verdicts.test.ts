// The verdict of a sender is kept for other mail of the sender, and for nothing else.
import { afterEach, expect, test } from "vitest";
import {
  type AuthenticateThread,
  createAuthenticateThread,
} from "#server/receiving/authentication/authenticate-thread.ts";
import type { InboundMail } from "#server/receiving/authentication/verdict.ts";
import { type Zone, zoneDns } from "#test/support/zone.ts";
import { HOSTNAME, judge, PLAIN, policy, SENDER_IP, STRANGER, sealed, signed, spfRecord, ZONE } from "./signing.ts";

const ORGANIZATION = "0198e7a1-0000-7000-8000-000000000001";
const OTHER_ORGANIZATION = "0198e7a1-0000-7000-8000-000000000002";
const MINUTE_MS = 60_000;

const running: AuthenticateThread[] = [];
afterEach(async () => {
  for (const thread of running.splice(0)) await thread.close();
});

/** A judge whose time and zone can be changed. */
function start(zone: Zone) {
  const dns = zoneDns(zone);
  const clock = { ms: 1_000_000 };
  const thread = createAuthenticateThread(dns, { hostname: HOSTNAME, now: () => clock.ms });
  running.push(thread);
  const read = (text = PLAIN, change: Partial<InboundMail> = {}, organization = ORGANIZATION) =>
    thread.authenticate(organization, {
      raw: Buffer.from(text),
      remoteIp: SENDER_IP,
      helo: "mail.example.com",
      envelopeFrom: "ada@example.com",
      from: "ada@example.com",
      ...change,
    });
  return { dns, clock, read };
}

const PASSED = { spf: "pass", dkim: "none", dmarc: "pass", arc: "none", aligned_from: true };
const withFrom = (from: string) => PLAIN.replace("Ada <ada@example.com>", from);

test("asks DNS once for the mails of a sender, also those of other mailboxes of the domain", async () => {
  const { dns, read } = start(ZONE);
  expect(await read()).toEqual(PASSED);
  const asked = dns.asked.length;
  expect(
    await read(withFrom("=?utf-8?B?QWRh?= <bob.b+list=x@EXAMPLE.com>"), { from: "bob.b+list=x@example.com" }),
  ).toEqual(PASSED);
  expect(
    await read(withFrom('"Lovelace, Ada" <ada@example.com>'), { envelopeFrom: "bounce+77=q@example.com" }),
  ).toEqual(PASSED);
  expect(await read(PLAIN, {}, OTHER_ORGANIZATION)).toEqual(PASSED);
  expect(dns.asked).toHaveLength(asked);
});

test.each<[string, string, Partial<InboundMail>]>([
  ["another address", PLAIN, STRANGER],
  ["no address", PLAIN, { remoteIp: null }],
  ["an envelope of another domain", PLAIN, { envelopeFrom: "ada@stranger.example" }],
  ["a From of another domain", withFrom("eve@stranger.example"), { from: "eve@stranger.example" }],
  ["a From that is not the address that is shown", withFrom("eve@stranger.example"), {}],
  ["two From fields", PLAIN.replace("To:", "From: eve@stranger.example\r\nTo:"), {}],
  [
    "two From fields, of which the stranger's is first",
    PLAIN.replace("From:", "From: eve@stranger.example\r\nFrom:"),
    {},
  ],
  ["a From that is read otherwise", PLAIN, { from: "eve@stranger.example" }],
  [
    "two From fields, one with a space before the colon",
    PLAIN.replace("From:", "From : eve@stranger.example\r\nFrom:"),
    {},
  ],
  ["two mailboxes in From", withFrom("ada@example.com, eve@stranger.example"), {}],
  ["a second address in angle brackets", withFrom("<eve@stranger.example> <ada@example.com>"), {}],
  ["a From that goes on in the next line", withFrom("ada@example.com\r\n , eve@stranger.example"), {}],
  ["a group", withFrom("All: ada@example.com;"), {}],
  ["no From", PLAIN.replace(/^From:.*\r\n/, ""), {}],
  ["a header block over 64 KiB", `X: ${"a".repeat(70_000)}\r\n${PLAIN}`, {}],
])("%s gets a verdict of its own", async (_, text, change) => {
  const zone: Zone = {
    ...ZONE,
    "stranger.example": spfRecord("198.51.100.66"),
    "_dmarc.stranger.example": policy("p=reject"),
  };
  const { read } = start(zone);
  expect(await read()).toEqual(PASSED);
  const fresh = await judge(text, zone, change);
  expect(await read(text, change)).toEqual(fresh);
  expect(fresh).not.toEqual(PASSED);
});

test("the null sender is judged by its greeting", async () => {
  const { read } = start({ ...ZONE, "mail.example.com": spfRecord() });
  expect(await read(PLAIN, { envelopeFrom: "" })).toEqual(PASSED);
  const other = await read(PLAIN, { envelopeFrom: "", helo: "mail.stranger.example" });
  expect(other).toMatchObject({ spf: "none", dmarc: "fail", aligned_from: false });
});

test("a mail with a signature or a seal is read itself", async () => {
  const { read } = start(ZONE);
  expect(await read()).toEqual(PASSED);
  expect(await read(await signed())).toEqual({ ...PASSED, dkim: "pass" });
  const broken = (await signed()).replace("123456", "654321");
  expect(await read(broken)).toEqual({ ...PASSED, dkim: "fail" });
  expect(await read(await sealed(PLAIN, { i: 1, cv: "none" }))).not.toEqual(PASSED);
});

test("a policy that changes counts after a minute", async () => {
  const zone: Zone = { ...ZONE };
  const { clock, read } = start(zone);
  expect(await read()).toEqual(PASSED);
  zone["example.com"] = spfRecord("192.0.2.99");
  clock.ms += MINUTE_MS + 1;
  expect(await read()).toMatchObject({ spf: "fail", dmarc: "fail", aligned_from: false });
});

test("an answer that is missing is asked for again after a second", async () => {
  const zone: Zone = { ...ZONE, "example.com": { fails: "ESERVFAIL" } };
  const { clock, dns, read } = start(zone);
  expect(await read()).toMatchObject({ spf: "temperror", dmarc: "temperror" });
  const asked = dns.asked.length;
  expect(await read()).toMatchObject({ spf: "temperror", dmarc: "temperror" });
  expect(dns.asked).toHaveLength(asked);
  zone["example.com"] = spfRecord();
  clock.ms += 1_001;
  expect(await read()).toEqual(PASSED);
});

test("SPF that depends on the whole address is asked for each mail", async () => {
  const { read } = start({
    ...ZONE,
    "example.com": { TXT: [["v=spf1 exists:%{l}._spf.example.com -all"]] },
    "ada._spf.example.com": { A: ["127.0.0.2"] },
  });
  expect(await read()).toEqual(PASSED);
  expect(
    await read(withFrom("eve@example.com"), { envelopeFrom: "eve@example.com", from: "eve@example.com" }),
  ).toMatchObject({
    spf: "fail",
    aligned_from: false,
  });
});
