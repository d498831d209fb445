// Bodies made to hold the reader up, and any text at all: extraction ends and never throws. Whether a host is the sender's.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extract } from "#server/extraction/extract.ts";
import { limitMarks } from "#server/extraction/marks.ts";
import { newText } from "#server/extraction/new-text.ts";

const BODY_CHARS = 2 * 1024 * 1024;
const PIECES = 100_000;
/** One that takes a second is not noticed; so many exceed the time limit of a test. */
const MAILS = 150;
const fill = (piece: string) => piece.repeat(Math.ceil(BODY_CHARS / piece.length)).slice(0, BODY_CHARS);
const from = "a@acme.example";
const inText = (text: string) => extract({ from, subject: "Your code", text, html: null });

const BODIES: Record<string, string> = {
  digits: fill("7"),
  "digits and spaces": fill("1 "),
  "digits and hyphens": fill("12-"),
  "digits a line": fill("5\n"),
  spaces: fill(" "),
  tabs: fill("\t"),
  newlines: fill("\n"),
  "line breaks before a quote": `${fill(" \n")}>`,
  "letters and digits": fill("A7"),
  "letters, digits, hyphens": fill("A7-"),
  "one word": fill("ä"),
  "at signs": fill("a@"),
  dots: fill("."),
  "open brackets": `https://a.example/${fill("(")}`,
  "closing brackets": `https://a.example/${fill(")")}`,
  "angle brackets": fill("<https://a.example/\n"),
  URLs: "https://a.example/verify?token=a1 ".repeat(PIECES),
  "URL starts": fill("https://"),
  "labels of a host": `https://${fill("ä.")}`,
  "unseen characters in a URL": `https://a.example/${fill("a\u200b")}`,
  "marks behind a URL": `https://a.example/${fill("”*")}`,
  "announcing phrases": "verification code ".repeat(PIECES),
  "announced codes": "verification code: 482913 ".repeat(PIECES),
  "other numbers": "order number 482913\n".repeat(PIECES),
  "Chinese phrases": "验证码".repeat(PIECES),
  "Japanese phrases": "クーポンコード".repeat(PIECES),
  "compound starts": fill("einmalig"),
  "joining words": fill("code de "),
  "expanding ligatures": fill("\ufdfa"),
  "zero-width": fill("1\u200b"),
  "lone surrogates": fill("\ud835"),
  "empty lines before a number": `\n${fill("482913\n\n")}`,
  "labels and numbers in turn": "verification code order number 482913, ".repeat(PIECES),
  durations: "482913 in 10 minutes. ".repeat(PIECES),
  "hyphens between words": fill("abc-"),
  "capitals a cell": fill("A 1 "),
  "Thai without spaces": fill("รหัสยืนยัน"),
};

describe("hostile bodies", () => {
  it.each(Object.entries(BODIES))("end: %s", (_, body) => {
    expect(inText(body)).toHaveProperty("confidence");
    const html = { text: body, links: [{ url: "https://a.example/verify?token=a1", text: body.slice(0, 1_000) }] };
    expect(extract({ from: body, subject: body, text: body, html })).toHaveProperty("confidence");
  });

  it("end: 100,000 links whose text is not found, or found everywhere", () => {
    for (const words of ["Confirm email", "zz"]) {
      const links = Array.from({ length: PIECES }, (_, at) => ({ url: `https://a.example/x/${at}`, text: words }));
      expect(extract({ from, subject: "", text: null, html: { text: fill("zz "), links } })).toHaveProperty("link");
    }
  });

  it.each([
    ["marks", "\u0301\u0327"],
    ["marks with something unseen between them", "\u0301\u200b\u0327"],
    ["marks and half-width signs that become marks", "\u0301\uff9e"],
  ])("end, many of them, that would take quadratic time: %s", (_, piece) => {
    for (let mail = 0; mail < MAILS; mail += 1) {
      expect(inText(`Your verification code is 482913 ${fill(piece)}`).otp).toBe("482913");
    }
  });

  it.each([
    ["marks", "\u0301\u0327"],
    ["marks and half-width signs that become marks", "\u0301\uff9e"],
  ])("are cut to 30 in a row: %s", (_, piece) => {
    expect(limitMarks(`e${piece.repeat(1_000)}t`)).toBe(`e${piece.repeat(15)}t`);
  });

  it("a code at the head counts whatever follows it", () => {
    expect(inText(`Your verification code is 482913\n${fill("1 ")}`).otp).toBe("482913");
  });
});

describe("any text", () => {
  const text = fc
    .oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc.array(
        fc.constantFrom(
          "code ",
          "482913",
          "https://a.example/verify?t=1",
          "\n",
          ">",
          "<",
          " ",
          "验证码",
          "-",
          ":",
          "1 ",
        ),
        {
          maxLength: 60,
        },
      ),
    )
    .map((made) => (typeof made === "string" ? made : made.join("")));

  it("is read without a throw, and what is returned stands in bounds", () => {
    fc.assert(
      fc.property(text, text, text, text, (sender, subject, body, linkText) => {
        const links = [{ url: body, text: linkText }];
        const got = extract({ from: sender, subject, text: body, html: { text: `${subject}${linkText}`, links } });
        expect(got.confidence).toBeGreaterThanOrEqual(0);
        expect(got.confidence).toBeLessThanOrEqual(1);
        expect(got.confidence > 0).toBe(got.otp !== null || got.link !== null);
        expect(got.link_host_matches_sender === null).toBe(got.link === null);
        if (got.otp !== null) expect(got.otp).toMatch(/^[A-Za-z0-9-]{4,43}$/);
        if (got.link !== null) expect(got.link).toMatch(/^https?:/i);
      }),
      { numRuns: 500 },
    );
  });
});

describe("link_host_matches_sender", () => {
  const matches = (sender: string, link: string) =>
    extract({ from: sender, subject: "", text: `Verify your email: ${link}`, html: null }).link_host_matches_sender;

  it.each([
    ["no-reply@acme.example", "https://acme.example/verify?token=a1", true],
    ["no-reply@mail.acme.example", "https://app.acme.example/verify?token=a1", true],
    ["Acme <no-reply@ACME.example>", "https://app.Acme.example/verify?token=a1", true],
    ["no-reply@acme.co.uk", "https://id.acme.co.uk/verify?token=a1", true],
    ["no-reply@acme.co.uk", "https://other.co.uk/verify?token=a1", false],
    ["no-reply@one.github.io", "https://two.github.io/verify?token=a1", false],
    ["no-reply@one.herokuapp.com", "https://one.herokuapp.com/verify?token=a1", true],
    ["no-reply@acme.example", "https://acme.example.evil.example/verify?token=a1", false],
    ["no-reply@acme.example", "https://acme.example@evil.example/verify?token=a1", false],
    ["no-reply@münchen.example", "https://xn--mnchen-3ya.example/verify?token=a1", true],
    ["no-reply@acme.example", "https://192.0.2.7/verify?token=a1", false],
    ["", "https://acme.example/verify?token=a1", false],
  ])("%s, %s: %s", (sender, link, expected) => {
    expect(matches(sender, link)).toBe(expected);
  });

  it("is null without a link", () => {
    expect(extract({ from, subject: "Hello", text: "Hi", html: null })).toEqual({
      otp: null,
      link: null,
      confidence: 0,
      link_host_matches_sender: null,
    });
  });
});

describe("lines that nearly repeat a message of one letter many times", () => {
  const [HALF, LINES, CHARS, MESSAGES, LIMIT_MS, MICROSECONDS] = [1_500, 250, 32_000, 6, 10_000, 1_000];
  const near = `${"a".repeat(HALF)}b${"a".repeat(HALF)}`;
  const text = `${"a".repeat(CHARS)}\n${"ab".repeat(HALF)}aa${"ab".repeat(HALF)}`;
  const earlier = Array.from({ length: MESSAGES }, (_, at) => ({
    text,
    fresh: text,
    own: at % 2 > 0,
    isAnswered: true,
  }));
  const many = (line: (n: number) => string) => Array.from({ length: LINES }, (_, n) => line(n)).join("\n");

  it.each([
    ["behind a sign, apart", many(() => `: ${near}\nx`)],
    ["behind a sign, together", many(() => `} ${near}`)],
    ["behind a bar, apart", many(() => `| ${near}\nx`)],
    ["behind a bar, together", many((n) => `| ${"a".repeat(HALF + n)}`)],
    ["below a quoted line", many(() => `> ${"a".repeat(HALF)}\n${near}`)],
    ["behind the words of a quoted line", many(() => `> ${"a".repeat(CHARS)}${near}`)],
    ["around an answer in a quote", many((n) => `> ${"a".repeat(CHARS / LINES)}\n> no ${n} b${"a".repeat(HALF)}`)],
    ["as short lines", many(() => "| aaaaaaab\n".repeat(HALF / 10))],
  ])(
    "take little CPU time: %s",
    (_, mail) => {
      const before = process.threadCpuUsage();
      expect(newText({ text: mail, html: null }, { earlier })).toBeTruthy();
      const { user, system } = process.threadCpuUsage(before);
      expect((user + system) / MICROSECONDS).toBeLessThan(LIMIT_MS);
    },
    300_000,
  );
});
