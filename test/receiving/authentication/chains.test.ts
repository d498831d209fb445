// ARC: chains that a forwarder really sealed, and what becomes of them.
import { describe, expect, test } from "vitest";
import type { Zone } from "#test/support/zone.ts";
import { INSIDE, judge, KEY, PLAIN, STRANGER, sealed, signed, ZONE } from "./signing.ts";

const LISTS: Zone = { ...ZONE, "a._domainkey.list.example": KEY, "a._domainkey.second.example": KEY };

async function forwardedTwice(): Promise<string> {
  const once = await sealed(await signed(), { i: 1, cv: "none" });
  return sealed(once, { i: 2, cv: "pass", domain: "second.example" });
}

describe("a chain", () => {
  test("of one passes", async () => {
    const text = await sealed(PLAIN, { i: 1, cv: "none" });
    expect(await judge(text, LISTS, INSIDE)).toMatchObject({ arc: "pass", dkim: "none" });
  });

  test("of two passes, beside the first signature", async () => {
    expect(await judge(await forwardedTwice(), LISTS, INSIDE)).toEqual({
      spf: "none",
      dkim: "pass",
      dmarc: "pass",
      arc: "pass",
      aligned_from: true,
    });
  });

  test("says nothing for `from`, whatever its seal says of the sender", async () => {
    const text = await sealed(PLAIN, { i: 1, cv: "none" });
    expect(await judge(text, LISTS, STRANGER)).toEqual({
      spf: "fail",
      dkim: "none",
      dmarc: "fail",
      arc: "pass",
      aligned_from: false,
    });
  });

  test.each([
    ["the body is changed", (text: string) => text.replace("123456", "654321")],
    ["a header is changed", (text: string) => text.replace("Subject: Your code", "Subject: Your bill")],
    ["its first set is changed", (text: string) => text.replace(/(.*)spf=pass/s, "$1spf=fail")],
    ["its first set is gone", (text: string) => text.replace(/ARC-[^:]+: i=1;(?:.*\r\n[ \t])*.*\r\n/g, "")],
  ])("fails once %s", async (_case, change) => {
    const text = await forwardedTwice();
    expect(change(text)).not.toBe(text);
    expect((await judge(change(text), LISTS, INSIDE)).arc).toBe("fail");
  });

  test("fails when its key is not there, and is unknown when the key cannot be asked for", async () => {
    const text = await forwardedTwice();
    expect((await judge(text, { ...LISTS, "a._domainkey.second.example": {} }, INSIDE)).arc).toBe("fail");
    const silent = { ...LISTS, "a._domainkey.list.example": { fails: "ETIMEOUT" } } as const;
    expect((await judge(text, silent, INSIDE)).arc).toBe("temperror");
  });

  test("of more than fifty fails", async () => {
    const set = (i: number) =>
      [
        `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? "none" : "pass"}; d=list.example; s=a; b=AAAA`,
        `ARC-Message-Signature: i=${i}; a=rsa-sha256; d=list.example; s=a; h=from; bh=AAAA; b=AAAA`,
        `ARC-Authentication-Results: i=${i}; list.example; arc=none\r\n`,
      ].join("\r\n");
    const text = Array.from({ length: 51 }, (_, at) => set(at + 1)).join("") + PLAIN;
    expect((await judge(text, LISTS, INSIDE)).arc).toBe("fail");
  });
});
