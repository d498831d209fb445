// DKIM on mail that was really signed, by two signers, and on what is done to it on the way.
import { createTransport } from "nodemailer";
import { describe, expect, test } from "vitest";
import { INSIDE, judge, KEY, PLAIN, PRIVATE_KEY, signed, ZONE } from "./signing.ts";

const PASSED = { spf: "none", dkim: "pass", dmarc: "pass", arc: "none", aligned_from: true };

async function byNodemailer(): Promise<string> {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: "windows",
    dkim: { domainName: "example.com", keySelector: "s", privateKey: PRIVATE_KEY },
  });
  const sent = await transport.sendMail({
    from: "Ada <ada@example.com>",
    to: "agent@receiver.example",
    subject: "Your code",
    text: "Your code is 123456.",
    html: "<p>Your code is <b>123456</b>.</p>",
  });
  return (sent as unknown as { message: Buffer }).message.toString("latin1");
}

describe("a signature", () => {
  test("of nodemailer passes", async () => {
    expect(await judge(await byNodemailer(), ZONE, INSIDE)).toEqual(PASSED);
  });

  test.each(["relaxed/relaxed", "simple/simple", "relaxed/simple"])("in %s passes", async (canonicalization) => {
    expect(await judge(await signed(PLAIN, { canonicalization }), ZONE, INSIDE)).toEqual(PASSED);
  });

  test("fails when the body was changed", async () => {
    const text = (await byNodemailer()).replaceAll("123456", "654321");
    expect(await judge(text, ZONE, INSIDE)).toMatchObject({ dkim: "fail", dmarc: "fail", aligned_from: false });
  });

  test("fails when a header was changed", async () => {
    const text = (await signed()).replace("Subject: Your code", "Subject: Your bill");
    expect(await judge(text, ZONE, INSIDE)).toMatchObject({ dkim: "fail", dmarc: "fail", aligned_from: false });
  });

  test("fails with another key", async () => {
    const other = { TXT: [[KEY.TXT[0]?.[0]?.replace(/p=(.{60})(.{10})/, "p=$1AAAAAAAAAA") ?? ""]] };
    const { dkim, aligned_from } = await judge(await signed(), { ...ZONE, "s._domainkey.example.com": other }, INSIDE);
    expect(dkim).not.toBe("pass");
    expect(aligned_from).toBe(false);
  });

  test("that leaves the end of the body open vouches for nothing once something stands there", async () => {
    const text = await signed(PLAIN, { maxBodyLength: 10 });
    expect(await judge(text, ZONE, INSIDE)).toMatchObject({ dkim: "neutral", dmarc: "fail", aligned_from: false });
  });

  test("whose limit is the whole body passes", async () => {
    const text = await signed(PLAIN, { maxBodyLength: 1_000 });
    expect(await judge(text, ZONE, INSIDE)).toEqual(PASSED);
  });

  test.each([
    ["is not there", undefined, "neutral"],
    ["was revoked", { TXT: [["v=DKIM1; k=rsa; p="]] }, "neutral"],
    ["cannot be asked for", { fails: "ETIMEOUT" }, "temperror"],
    ["has servers that fail", { fails: "ESERVFAIL" }, "temperror"],
  ] as const)("whose key %s does not pass", async (_case, key, dkim) => {
    const { "s._domainkey.example.com": _, ...rest } = ZONE;
    const zone = key ? { ...rest, "s._domainkey.example.com": key as never } : rest;
    expect(await judge(await signed(), zone, INSIDE)).toMatchObject({ dkim, aligned_from: false });
  });

  test("counts beside one that is broken", async () => {
    const text = await signed((await signed(PLAIN, { domain: "list.example" })).replace("b=", "b=AAAA"));
    expect(await judge(text, ZONE, INSIDE)).toEqual(PASSED);
  });

  test("counts as one of the first ten, and not as the eleventh", async () => {
    const strange = "DKIM-Signature: v=1; a=rsa-sha256; d=other.example; s=s; h=from; bh=AAAA; b=AAAA\r\n";
    const text = await signed();
    expect(await judge(strange.repeat(9) + text, ZONE, INSIDE)).toEqual(PASSED);
    expect(await judge(strange.repeat(10) + text, ZONE, INSIDE)).toMatchObject({ dkim: "fail", aligned_from: false });
  });
});

test("mail without a signature has none", async () => {
  expect(await judge(PLAIN, ZONE, INSIDE)).toEqual({
    spf: "none",
    dkim: "none",
    dmarc: "fail",
    arc: "none",
    aligned_from: false,
  });
});
