// The thread: mails side by side, the DNS on this side, and a mail that takes the thread with it.
import type { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  type AuthenticateThread,
  createAuthenticateThread,
} from "#server/receiving/authentication/authenticate-thread.ts";
import type { InboundMail } from "#server/receiving/authentication/verdict.ts";
import { type ZoneDns, zoneDns } from "#test/support/zone.ts";
import { HOSTNAME, SENDER_IP, signed, ZONE } from "./signing.ts";

const PASSED = { spf: "pass", dkim: "pass", dmarc: "pass", arc: "none", aligned_from: true };
const ORGANIZATION = "0198e7a1-0000-7000-8000-000000000001";
const FIRST_IDEOGRAPH = 0x4e00;
const IDEOGRAPHS = 20_000;
/** The `threadId` of a thread that has ended. */
const ENDED = -1;

let dns: ZoneDns;
let thread: AuthenticateThread;
let mail: InboundMail;

beforeEach(async () => {
  dns = zoneDns(ZONE, { delayMs: 50 });
  thread = createAuthenticateThread(dns, { hostname: HOSTNAME, now: Date.now });
  const raw = Buffer.from(await signed());
  mail = {
    raw,
    remoteIp: SENDER_IP,
    helo: "mail.example.com",
    envelopeFrom: "ada@example.com",
    from: "ada@example.com",
  };
});

afterEach(() => thread.close());

/** Punycode takes quadratic time: this domain keeps the thread for far more than the 2 s that it has. */
function hostile(): InboundMail {
  const letters = Array.from({ length: IDEOGRAPHS }, (_, at) => String.fromCodePoint(FIRST_IDEOGRAPH + at)).join("");
  return { ...mail, envelopeFrom: `a@${letters.repeat(30)}.example` };
}

describe("the thread", () => {
  test("judges a mail with the DNS of this side", async () => {
    expect(await thread.authenticate(ORGANIZATION, mail)).toEqual(PASSED);
    expect(dns.asked).toContain("TXT s._domainkey.example.com");
    expect(mail.raw.length).toBeGreaterThan(0);
  });

  test("authenticates many concurrently", async () => {
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => thread.authenticate(ORGANIZATION, mail)));
    expect(verdicts).toEqual(Array(50).fill(PASSED));
  });

  test("passes on why the DNS knows nothing", async () => {
    const silent = zoneDns({ ...ZONE, "s._domainkey.example.com": { fails: "ESERVFAIL" } });
    const other = createAuthenticateThread(silent, { hostname: HOSTNAME, now: Date.now });
    expect(await other.authenticate(ORGANIZATION, mail)).toEqual({ ...PASSED, dkim: "temperror" });
    await other.close();
  });

  test("survives a mail that blocks it, authenticates the mails beside it, and is one thread again", async () => {
    const started: Worker[] = [];
    const note = (worker: Worker) => void started.push(worker);
    process.on("worker", note);
    const bad = hostile();
    const [before, blocked, after] = await Promise.all([
      thread.authenticate(ORGANIZATION, mail),
      thread.authenticate(ORGANIZATION, bad),
      thread.authenticate(ORGANIZATION, mail),
    ]);
    expect([before, after]).toEqual([PASSED, PASSED]);
    expect(blocked).toEqual({
      spf: "none",
      dkim: "permerror",
      dmarc: "permerror",
      arc: "permerror",
      aligned_from: false,
    });
    expect(await thread.authenticate(ORGANIZATION, mail)).toEqual(PASSED);
    process.off("worker", note);
    expect(started.length).toBeGreaterThan(2);
    await expect.poll(() => started.filter(({ threadId }) => threadId !== ENDED).length).toBe(1);
  });

  test("judges nothing when it is closed, and afterwards, so that the mail is tried again", async () => {
    const asked = Array.from({ length: 20 }, () => thread.authenticate(ORGANIZATION, mail));
    await thread.close();
    expect(await Promise.all(asked)).toEqual(Array(20).fill(undefined));
    expect(await thread.authenticate(ORGANIZATION, mail)).toBe(undefined);
  });
});
