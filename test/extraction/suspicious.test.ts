// Links that lead elsewhere than they say, and honest ones that do not.
import { describe, expect, test } from "vitest";
import { suspiciousLinks } from "#server/extraction/suspicious.ts";

describe("told", () => {
  const links: [string, string, string, string][] = [
    [
      "another owner's address",
      "https://evil.example.ru/x",
      "paypal.com",
      "shows paypal.com but leads to evil.example.ru",
    ],
    ["a whole URL", "https://evil.ru/", "https://www.paypal.com/login", "shows www.paypal.com but leads to evil.ru"],
    [
      "a URL within words",
      "https://evil.ru/",
      "Log in at www.paypal.com now",
      "shows www.paypal.com but leads to evil.ru",
    ],
    [
      "an owner in front of another",
      "https://paypal.com.evil.ru/",
      "paypal.com",
      "shows paypal.com but leads to paypal.com.evil.ru",
    ],
    [
      "neighbours on one host",
      "https://x.github.io/",
      "https://y.github.io",
      "shows y.github.io but leads to x.github.io",
    ],
    [
      "a Cyrillic name that looks Latin",
      "https://xn--80ak6aa92e.com/",
      "Go",
      "leads to xn--80ak6aa92e.com, which imitates another name",
    ],
    ["mixed scripts", "https://p\u0430ypal.com/", "Go", "leads to xn--pypal-4ve.com, which imitates another name"],
    ["an IP address", "http://192.0.2.7/x", "Go", "leads to an IP address, 192.0.2.7"],
    ["an IP address as a number", "http://2130706433/", "Go", "leads to an IP address, 127.0.0.1"],
    ["an IPv6 address", "http://[2001:db8::1]/", "Go", "leads to an IP address, [2001:db8::1]"],
    ["a user name", "https://paypal.com@evil.ru/", "Go", "has a user name before its host, evil.ru"],
    ["a backslash", "https:\\\\evil.ru\\x", "paypal.com", "shows paypal.com but leads to evil.ru"],
    ["code", "javascript:alert(1)", "Go", "runs code instead of leading to a page"],
    ["data", "data:text/html,x", "Go", "runs code instead of leading to a page"],
  ];
  test.each(links)("%s", (_, url, text, reason) => {
    expect(suspiciousLinks([{ url, text }])).toEqual([`${reason}: ${url}`]);
  });

  test("each once, and no more than 50", () => {
    const same = { url: "http://192.0.2.7/", text: "" };
    expect(suspiciousLinks([same, same])).toHaveLength(1);
    const many = Array.from({ length: 1_000 }, (_, i) => ({ url: `http://192.0.2.7/${i}`, text: "" }));
    expect(suspiciousLinks(many)).toHaveLength(50);
  });
});

describe("not told", () => {
  const links: [string, string, string][] = [
    ["a click tracker behind words", "https://click.tracker.example/x", "View in browser"],
    ["the same owner", "https://click.shop.co.uk/x", "www.shop.co.uk"],
    ["an honest name with an umlaut", "https://xn--mnchen-3ya.de/", "münchen.de"],
    ["an honest name in Cyrillic", "https://xn--d1acpjx3f.xn--p1ai/", "яндекс.рф"],
    ["an honest name of letters that Latin has, too", "https://ухо.рф/", "Go"],
    ["an honest name in Japanese", "https://xn--eckwd4c7cu47r2wf.jp/", "Go"],
    ["a file name", "https://github.com/x", "src/main.rs"],
    ["a file name alone", "https://github.com/x", "main.py"],
    ["a sentence", "https://a.example/", "Thanks.Please go on"],
    ["a mail address", "mailto:a@evil.ru", "paypal.com"],
    ["what is no URL", "https://", "paypal.com"],
  ];
  test.each(links)("%s", (_, url, text) => {
    expect(suspiciousLinks([{ url, text }])).toEqual([]);
  });
});

test("1,000 long links end", () => {
  const links = Array.from({ length: 1_000 }, (_, i) => ({
    url: `https://${"a.".repeat(4_000)}example/${i}`,
    text: "a.".repeat(500),
  }));
  expect(suspiciousLinks(links).length).toBeLessThanOrEqual(50);
});

describe("the host that a text shows ends as a link of a text does", () => {
  test.each([
    ["before a quote", "„https://bank.example“"],
    ["before an Urdu full stop", "https://bank.example۔"],
    ["before an unseen mark", "https://bank.example\u200f"],
    ["before Chinese", "打开https://bank.example完成验证"],
  ])("%s", (_, text) => {
    expect(suspiciousLinks([{ url: "https://bank.example/a", text }])).toEqual([]);
    expect(suspiciousLinks([{ url: "https://other.example/a", text }])).toEqual([
      "shows bank.example but leads to other.example: https://other.example/a",
    ]);
  });

  test("after a name in a script without spaces", () => {
    const { hostname } = new URL("https://銀行.example");
    expect(suspiciousLinks([{ url: "https://other.example/a", text: "https://銀行.example/a" }])).toEqual([
      `shows ${hostname} but leads to other.example: https://other.example/a`,
    ]);
  });
});
