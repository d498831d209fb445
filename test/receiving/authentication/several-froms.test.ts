// Mail in which two programs could read two senders: no verdict of DMARC, and never aligned, whatever is signed.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readHeaders } from "#server/mime/headers.ts";
import { readFrom } from "#server/receiving/authentication/read-from.ts";
import { summarize } from "#server/receiving/headers.ts";
import { INSIDE, judge, PLAIN, signed, ZONE } from "./signing.ts";

const REFUSED = { dmarc: "permerror", aligned_from: false };
const from = (lines: string) => PLAIN.replace("From: Ada <ada@example.com>", lines);

describe("one signed mail", () => {
  test.each([
    ["two mailboxes of one domain", "From: ada@example.com, bob@example.com"],
    ["two mailboxes of two domains", "From: ada@example.com, eve@evil.example"],
    ["two From headers", "From: ada@example.com\r\nFrom: eve@evil.example"],
    ["two equal From headers", "From: ada@example.com\r\nFROM: ada@example.com"],
    ["a second From with white space before the colon", "From: ada@example.com\r\nFrom \t: eve@evil.example"],
    ["a second From with a fold before the colon", "From: ada@example.com\r\nFrom\r\n : eve@evil.example"],
    ["a second From after a CR alone", "From: ada@example.com\r\nX: y\rFrom: eve@evil.example"],
    ["a group of two", "From: Team: ada@example.com, bob@example.com;"],
    ["a second mailbox for one parser alone", "From: ada@example.com, <=?utf-8?q?a?=>"],
    ["a name that reads as a second mailbox", "From: ada@example.com, =?utf-8?q?eve=40evil=2Eexample?="],
    ["a From header without a mailbox", "From: Ada"],
    ["an empty From header", "From:"],
    ["two domains in one address", "From: ada@example.com@evil.example"],
    ["a comma in the address", "From: <eve@evil.example,ada@example.com>"],
    ["two addresses in angle brackets", "From: <ada@example.com> <eve@evil.example>"],
    ["an address after that in angle brackets", "From: <ada@example.com> eve@evil.example"],
    ["words after the address", "From: <ada@example.com> Eve"],
    ["another address before that in angle brackets", "From: eve@evil.example <ada@example.com>"],
    ["a source route", "From: <@evil.example,@relay.example:ada@example.com>"],
    ["a group whose name is an address", "From: eve@evil.example: ada@example.com;"],
    ["a group of one", "From: Team: ada@example.com;"],
    ["a comment inside the address", "From: <ada(eve@evil.example)@example.com>"],
    ["a comment that does not end", "From: (eve@evil.example <ada@example.com>"],
    ["a NUL in the name", "From: eve\0 <ada@example.com>"],
    ["a NUL in the address", "From: <a\0da@example.com>"],
    ["an invisible character in the address", "From: <ada\u200b@example.com>"],
    ["another at sign in the address", "From: <eve\uff20evil.example@example.com>"],
    ["an ideographic full stop in the domain", "From: <ada@example\u3002com>"],
    ["an encoded word as the address", "From: =?utf-8?q?Ada_=3C=65ve=40evil.example=3E?="],
    ["empty angle brackets after an address", "From: ada@example.com <>"],
    ["a full stop after the domain", "From: <ada@example.com.>"],
    ["a domain literal", "From: <ada@[192.0.2.10]>"],
    ["an address that is too long", `From: <${"a".repeat(400)}@example.com>`],
    ["a field that is too long", `From: ${"a ".repeat(2_100)} <ada@example.com>`],
  ])("with %s", async (_case, lines) => {
    const text = await signed(from(lines));
    expect(await judge(text, ZONE, INSIDE)).toMatchObject(REFUSED);
    expect(await judge(text, ZONE)).toMatchObject({ spf: "pass", ...REFUSED });
  });

  test("with a From header put before it", async () => {
    const text = `From: eve@evil.example\r\n${await signed()}`;
    expect(await judge(text, ZONE, { ...INSIDE, from: "eve@evil.example" })).toMatchObject(REFUSED);
    expect(await judge(text, ZONE, INSIDE)).toMatchObject(REFUSED);
  });

  test("whose From is not ours", async () => {
    const verdict = await judge(await signed(), ZONE, { ...INSIDE, from: "eve@evil.example" });
    expect(verdict).toMatchObject({ dkim: "pass", ...REFUSED });
  });

  test.each([
    "From: ada@example.com",
    'From: "eve@evil.example" <ada@example.com>',
    "From: =?utf-8?q?eve=40evil=2Eexample?= <ada@example.com>",
    "From:\r\n Ada (eve@evil.example)\r\n <ada@Example.COM>",
    'from: "Lovelace, Ada" <ada@example.com>',
    "From: Lovelace, Ada <ada@example.com>",
    "From: ada@example.com <ada@example.com>",
    "From: Ada @ Work <ada@example.com>",
    "From: ada@example.com (Ada),",
    "From: <a..da.@example.com>",
    'From: "eve@evil.example"@example.com',
  ])("with one author passes: %s", async (line) => {
    expect(await judge(await signed(from(line)), ZONE, INSIDE)).toMatchObject({ dmarc: "pass", aligned_from: true });
  });
});

test("mail without a From header has no author", async () => {
  expect(await judge(from("Sender: ada@example.com"), ZONE)).toMatchObject({ spf: "pass", ...REFUSED });
});

test("fields and mailboxes are counted", () => {
  const count = (text: string) => {
    const { fields, mailboxes } = readFrom(readHeaders(Buffer.from(text)).lines);
    return { fields, mailboxes };
  };
  expect(count(PLAIN)).toEqual({ fields: 1, mailboxes: 1 });
  expect(count(from("From: a@b.example, c@d.example\r\nFROM: e@f.example"))).toEqual({ fields: 2, mailboxes: 3 });
  expect(count(from("Resent-From: a@b.example"))).toEqual({ fields: 0, mailboxes: 0 });
});

test("whatever the headers contain, only the author that we report is aligned", async () => {
  const bit = fc.constantFrom(
    ...'From:|from|: |,|;|<|>|"|(|)|@|\\|\r\n|\r\n |\t| |ada@example.com|eve@evil.example|Ada|=?utf-8?q?a?=|\0|\u00a0'.split(
      "|",
    ),
  );
  const original = await signed();
  await fc.assert(
    fc.asyncProperty(fc.array(bit, { maxLength: 12 }), fc.boolean(), async (bits, before) => {
      const text = before
        ? `${bits.join("")}\r\n${original}`
        : original.replace("From: Ada ", `From: ${bits.join("")}`);
      const block = readHeaders(Buffer.from(text));
      const ours = summarize(block).from?.address ?? "";
      const { dmarc, aligned_from } = await judge(text, ZONE, { ...INSIDE, from: ours });
      const { fields, mailboxes, isOne } = readFrom(block.lines);
      if (aligned_from || dmarc === "pass") {
        expect([isOne, fields, mailboxes, ours.toLowerCase().split("@").pop()]).toEqual([true, 1, 1, "example.com"]);
      }
    }),
    { numRuns: 300 },
  );
});
