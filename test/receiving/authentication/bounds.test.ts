// What one mail may cost: its header block, its questions to the DNS, its time.
import { describe, expect, test } from "vitest";
import { boundDns } from "#server/receiving/authentication/authenticate.ts";
import { type Zone, zoneDns } from "#test/support/zone.ts";
import { INSIDE, judge, PLAIN, signed, ZONE } from "./signing.ts";

const UNTRIED = { spf: "none", dkim: "permerror", dmarc: "permerror", arc: "permerror", aligned_from: false };

describe("a header block", () => {
  test.each([
    [
      "over 64 KiB",
      `${"X-Filler: 0123456789012345678901234567890123456789\r\n".repeat(990)}X: ${"a".repeat(20_000)}\r\n`,
    ],
    ["of over 1,000 lines", "X: y\r\n".repeat(1_001)],
    ["with a gap that takes mailauth a second", `X: a${"\t ".repeat(25_000)}b\r\n`],
  ])("%s is not looked into, nor is the DNS asked", async (_case, lines) => {
    const dns = zoneDns(ZONE);
    expect(await judge(lines + (await signed()), dns)).toEqual(UNTRIED);
    expect(dns.asked).toEqual([]);
  });

  test("below the bounds is", async () => {
    const lines = "X-Filler: 0123456789012345678901234567890123456789\r\n".repeat(900);
    expect(await judge(lines + (await signed()), ZONE)).toMatchObject({ dkim: "pass", dmarc: "pass" });
  });

  test.each(["", "\r\n", "\r\n\r\n", "\r\nFrom: ada@example.com\r\n\r\n", "no header at all", "\0\xff\r\n\r\n\0"])(
    "%j authenticates no domain",
    async (text) => {
      expect(await judge(text, ZONE, INSIDE)).toMatchObject({ dkim: "none", dmarc: "permerror", aligned_from: false });
    },
  );
});

describe("the DNS", () => {
  test("is asked by SPF for ten terms and no more", async () => {
    const zone: Zone = { "_dmarc.example.com": { TXT: [["v=DMARC1; p=none"]] } };
    for (let at = 0; at < 12; at += 1)
      zone[`i${at}.example.com`] = { TXT: [[`v=spf1 include:i${at + 1}.example.com`]] };
    const dns = zoneDns(zone);
    const verdict = await judge(PLAIN, dns, { envelopeFrom: "ada@i0.example.com" });
    expect(verdict).toMatchObject({ spf: "permerror", dmarc: "fail" });
    expect(dns.asked.filter((asked) => asked.startsWith("TXT i"))).toHaveLength(11);
  });

  test("is asked for two things that do not exist and no more", async () => {
    const terms = ["exists:a.example.com", "exists:b.example.com", "exists:c.example.com", "exists:d.example.com"];
    const dns = zoneDns({ "example.com": { TXT: [[`v=spf1 ${terms.join(" ")} +all`]] } });
    expect(await judge(PLAIN, dns)).toMatchObject({ spf: "permerror", aligned_from: false });
    expect(dns.asked.filter((asked) => asked.startsWith("A "))).toHaveLength(3);
  });

  test("is asked everything once", async () => {
    const dns = zoneDns({ ...ZONE, "sub.example.com": { TXT: [["v=spf1 -all"]] } });
    await judge(await signed(), dns, { envelopeFrom: "ada@sub.example.com" });
    expect(dns.asked).toEqual([...new Set(dns.asked)]);
  });

  test("is asked 400 questions by one mail and no more", async () => {
    const dns = zoneDns({});
    const { resolver } = boundDns(dns, new AbortController().signal);
    const codes = await Promise.all(
      Array.from({ length: 402 }, (_, at) => resolver(`${at}.example`, "A").catch((error) => error.code)),
    );
    expect([codes[399], codes[400], codes[401]]).toEqual(["ENOTFOUND", "ETIMEOUT", "ETIMEOUT"]);
    expect(dns.asked).toHaveLength(400);
  });

  test("when it never answers leaves everything unknown", async () => {
    const dns = zoneDns(ZONE, { delayMs: 20_000 });
    expect(await judge(await signed(), dns)).toEqual({
      spf: "temperror",
      dkim: "temperror",
      dmarc: "temperror",
      arc: "none",
      aligned_from: false,
    });
  });

  test("of strangers, slow as they make it, turns no failure into a doubt", async () => {
    const zone: Zone = { ...ZONE, "slow.example": { TXT: [["v=spf1 include:slower.example -all"]] } };
    const quick = zoneDns(zone);
    const never = new Promise<never>(() => {});
    const resolve: typeof quick.resolve = (name, type) =>
      name === "slower.example" ? never : quick.resolve(name, type);
    const verdict = await judge(PLAIN, { ...quick, resolve }, { envelopeFrom: "eve@slow.example" });
    expect(verdict).toMatchObject({ spf: "temperror", dmarc: "fail", aligned_from: false });
  });
});
