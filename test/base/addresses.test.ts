// Domains, addresses and recipients as people and mail servers write them.
import { describe, expect, test } from "vitest";
import { readAddress, readDomain, readMailbox, readRecipient, splitRecipients } from "#server/base/addresses.ts";

describe("a domain", () => {
  test.each([
    ["mail.example", "mail.example"],
    ["Mail.EXAMPLE", "mail.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["a-b.c1.example", "a-b.c1.example"],
    ["XN--Bcher-kva.example", "xn--bcher-kva.example"],
    ["xn--fa-hia.example", "xn--fa-hia.example"],
    ["faß.example", "xn--fa-hia.example"],
    ["r2---b.example", "r2---b.example"],
    [`${"a".repeat(63)}.example`, `${"a".repeat(63)}.example`],
  ])("%s is %s", (text, domain) => expect(readDomain(text)).toBe(domain));

  test.each([
    "",
    "a..example",
    "-a.example",
    "a-.example",
    "good.-bad.example",
    "bad_.good.example",
    "192.0.2.1",
    "mail.example.123",
    `${"a".repeat(64)}.example`,
    Array(60).fill("aaaa").join("."),
    "a b.example",
    "xn--.example",
    "xn--a.example",
    "sub.xn--0.example",
    "xn--abc-.example",
    "xn--b-4o0i.example",
    "xn--dca.example",
    "xn--a-wbb.example",
    "xn--ab---epa.example",
  ])("%j is none", (text) => expect(readDomain(text)).toBeUndefined());
});

describe("an address", () => {
  test.each([
    ["Ada@Mail.EXAMPLE", { address: "Ada@mail.example", local: "Ada", domain: "mail.example" }],
    ["a.b+c@mail.example", { address: "a.b+c@mail.example", local: "a.b+c", domain: "mail.example" }],
    [
      `${"a".repeat(64)}@b.example`,
      { address: `${"a".repeat(64)}@b.example`, local: "a".repeat(64), domain: "b.example" },
    ],
    [
      `${"a".repeat(244)}@b.example`,
      { address: `${"a".repeat(244)}@b.example`, local: "a".repeat(244), domain: "b.example" },
    ],
    ["a@Host_1.example", { address: "a@host_1.example", local: "a", domain: "host_1.example" }],
    ["a@b.example.", { address: "a@b.example", local: "a", domain: "b.example" }],
    ["taro..9.@keitai.example", { address: "taro..9.@keitai.example", local: "taro..9.", domain: "keitai.example" }],
    ['"taro..9."@keitai.example', { address: "taro..9.@keitai.example", local: "taro..9.", domain: "keitai.example" }],
    ['"a b"@c.example', { address: '"a b"@c.example', local: '"a b"', domain: "c.example" }],
    [
      "jürgen@bücher.example",
      { address: "jürgen@xn--bcher-kva.example", local: "jürgen", domain: "xn--bcher-kva.example" },
    ],
  ])("%s", (text, read) => expect(readAddress(text)).toEqual(read));

  test.each([
    "",
    "@",
    "a@",
    "@b.example",
    "a b@c.example",
    "..@c.example",
    '""@c.example',
    '" "@c.example',
    '"a@b.example"@c.example',
    '"a,b"@c.example',
    "a\u200bb@c.example",
    `${"a".repeat(245)}@b.example`,
    "a@b_é.example",
    "a@b.example..",
  ])("%j is none", (text) => expect(readAddress(text)).toBeUndefined());
});

describe("a recipient", () => {
  test.each([
    ["a@b.example", "a@b.example"],
    [" a@b.example ", "a@b.example"],
    ["Ada L <a@b.example>", "a@b.example"],
    ['"L, Ada" <a@b.example>', "a@b.example"],
    ['Taro <"a..b"@keitai.example>', "a..b@keitai.example"],
    ['Ada <"a b"@c.example>', '"a b"@c.example'],
  ])("%j is %s", (text, address) => expect(readRecipient(text)?.address).toBe(address));

  test.each(["Ada", "Ada <a@b.example", "a@b.example\r\nBcc: c@d.example", "a@b.example\0"])("%j is none", (text) =>
    expect(readRecipient(text)).toBeUndefined(),
  );
});

describe("a list of recipients", () => {
  test.each([
    ["a@b.example", ["a@b.example"]],
    ["a@b.example, c@d.example", ["a@b.example", " c@d.example"]],
    ['"L, Ada" <a@b.example>,c@d.example', ['"L, Ada" <a@b.example>', "c@d.example"]],
    ['"a \\", b" <a@b.example>,c', ['"a \\", b" <a@b.example>', "c"]],
    ["Ada <a,b@c.example>", ["Ada <a,b@c.example>"]],
    ['"open, c@d.example', ['"open, c@d.example']],
    ["A <open, c@d.example", ["A <open, c@d.example"]],
    [",", ["", ""]],
  ])("%j has the parts %j", (text, parts) => expect(splitRecipients(text)).toEqual(parts));
});

describe("a mailbox", () => {
  test.each([
    ["Bot@Mail.example", "bot@mail.example"],
    ["bot+tag@mail.example", "bot@mail.example"],
    ["bot+a+b@mail.example", "bot@mail.example"],
    ["+a@mail.example", "+a@mail.example"],
  ])("%s is %s", (text, mailbox) => expect(readMailbox(text)).toBe(mailbox));

  test("of something else is none", () => expect(readMailbox("bot")).toBeUndefined());
});
