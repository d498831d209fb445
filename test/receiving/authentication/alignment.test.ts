// Whether the domain of `from` vouches for a mail: by SPF or DKIM, under the policy it publishes, or under none.
import { describe, expect, test } from "vitest";
import type { Zone } from "#test/support/zone.ts";
import { INSIDE, judge, KEY, PLAIN, policy, STRANGER, signed, spfRecord, ZONE } from "./signing.ts";

/** example.com under `dmarc`, with keys and SPF at mail.example.com and at stranger.example. */
const withPolicy = (dmarc: string | undefined): Zone => ({
  ...(dmarc !== undefined && { "_dmarc.example.com": policy(dmarc) }),
  "example.com": spfRecord(),
  "mail.example.com": spfRecord(),
  "s._domainkey.mail.example.com": KEY,
  "stranger.example": spfRecord(),
  "s._domainkey.stranger.example": KEY,
});

const byMail = () => signed(PLAIN, { domain: "mail.example.com" });
const byStranger = () => signed(PLAIN, { domain: "stranger.example" });

describe("a signature of a subdomain", () => {
  test.each([
    ["p=reject", "pass", true],
    ["p=reject; adkim=r", "pass", true],
    ["p=reject; adkim=s", "fail", false],
    ["p=reject; aspf=s", "pass", true],
    [undefined, "none", true],
  ])("under %s", async (dmarc, result, aligned_from) => {
    const verdict = await judge(await byMail(), withPolicy(dmarc), INSIDE);
    expect(verdict).toMatchObject({ dkim: "pass", dmarc: result, aligned_from });
  });
});

describe("an envelope of a subdomain", () => {
  test.each([
    ["p=none", "pass", true],
    ["p=none; aspf=s", "fail", false],
    [undefined, "none", true],
  ])("under %s", async (dmarc, result, aligned_from) => {
    const verdict = await judge(PLAIN, withPolicy(dmarc), { envelopeFrom: "bounce@mail.example.com" });
    expect(verdict).toMatchObject({ spf: "pass", dmarc: result, aligned_from });
  });
});

describe("a stranger who signs and sends rightly for a domain of their own", () => {
  test.each([
    ["p=reject", "fail"],
    ["p=none", "fail"],
    [undefined, "none"],
  ])("is not example.com under %s", async (dmarc, result) => {
    const verdict = await judge(await byStranger(), withPolicy(dmarc), { envelopeFrom: "ada@stranger.example" });
    expect(verdict).toEqual({ spf: "pass", dkim: "pass", dmarc: result, arc: "none", aligned_from: false });
  });

  test("is not a neighbour under a public suffix", async () => {
    const zone = { "s._domainkey.eve.github.io": KEY };
    const text = await signed(PLAIN.replace("ada@example.com", "ada@bank.github.io"), { domain: "eve.github.io" });
    expect(await judge(text, zone, { ...INSIDE, from: "ada@bank.github.io" })).toMatchObject({
      dkim: "pass",
      dmarc: "none",
      aligned_from: false,
    });
  });
});

test("a mail without a passing check fails", async () => {
  expect(await judge(PLAIN, ZONE, STRANGER)).toEqual({
    spf: "fail",
    dkim: "none",
    dmarc: "fail",
    arc: "none",
    aligned_from: false,
  });
});

test("the null sender is judged by its greeting", async () => {
  const zone = withPolicy("p=reject");
  const verdict = await judge(PLAIN, zone, { envelopeFrom: "", helo: "mail.example.com" });
  expect(verdict).toMatchObject({ spf: "pass", dmarc: "pass", aligned_from: true });
  expect(await judge(PLAIN, zone, { envelopeFrom: "", helo: null })).toMatchObject({ spf: "none", dmarc: "fail" });
});

test("a domain in any case and script is one domain", async () => {
  const zone = { "xn--bcher-kva.example": spfRecord() };
  const text = PLAIN.replace("ada@example.com", "ada@B\u00fccher.example");
  const change = { envelopeFrom: "ada@xn--bcher-kva.EXAMPLE", from: "ada@B\u00fccher.example" };
  expect(await judge(text, zone, change)).toMatchObject({ spf: "pass", aligned_from: true });
});

describe("while the DNS does not answer", () => {
  const silent = { fails: "ETIMEOUT" } as const;

  test("for the policy, only the same domain is aligned", async () => {
    const zone = { ...withPolicy(undefined), "s._domainkey.example.com": KEY, "_dmarc.example.com": silent };
    expect(await judge(await signed(), zone, INSIDE)).toMatchObject({ dmarc: "temperror", aligned_from: true });
    expect(await judge(await byMail(), zone, INSIDE)).toMatchObject({ dmarc: "temperror", aligned_from: false });
  });

  test("for what would have vouched, nothing is said for good", async () => {
    const zone = { ...ZONE, "example.com": silent };
    expect(await judge(PLAIN, zone)).toMatchObject({ spf: "temperror", dmarc: "temperror", aligned_from: false });
  });

  test("for a stranger's domain, a failure stays one", async () => {
    const zone = { ...withPolicy("p=reject"), "s._domainkey.stranger.example": silent, "stranger.example": silent };
    const verdict = await judge(await byStranger(), zone, { envelopeFrom: "ada@stranger.example" });
    expect(verdict).toMatchObject({ spf: "temperror", dkim: "temperror", dmarc: "fail", aligned_from: false });
  });
});
