// What is new in a reply: real clients' forms in thirteen languages, and bodies made to waste time.
import { describe, expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { newText } from "#server/extraction/new-text.ts";
import { eastern } from "./reply-samples/eastern.ts";
import { english } from "./reply-samples/english.ts";
import { germanic } from "./reply-samples/germanic.ts";
import { html } from "./reply-samples/html.ts";
import { romance } from "./reply-samples/romance.ts";

const MIB = 1024 * 1024;
const ATTRIBUTION = "On Mon, Jan 1, 2024 at 10:00 AM Ann <ann@example.com> wrote:\n";

describe.each(Object.entries({ english, germanic, romance, eastern, html }))("%s", (_, samples) => {
  test.each(samples)("$name", (sample) => {
    const body = "html" in sample ? { text: null, html: readHtml(sample.html) } : { text: sample.text, html: null };
    expect(newText(body)).toBe(sample.expected);
  });
});

describe("no text and odd text", () => {
  test("a mail without text has no new text", () => {
    expect(newText({ text: null, html: null })).toBeNull();
    expect(newText({ text: " \r\n", html: readHtml("<img src=x>") })).toBeNull();
  });

  test("HTML that shows nothing leaves the word to the text", () => {
    expect(newText({ text: "hello", html: readHtml("<p hidden>x</p>") })).toBe("hello");
  });

  test("a mail that is a signature alone keeps it", () => {
    expect(newText({ text: "-- \nBob", html: null })).toBe("-- \nBob");
  });

  test("invisible characters are not in it", () => {
    expect(newText({ text: "a\u200bb\u202ec", html: null })).toBe("abc");
  });
});

describe("the sender's own words behind a line of dashes", () => {
  test("minutes of several sentences are no signature, even behind the exact delimiter", () => {
    const minutes = [
      "La reunión empezó a las siete y asistieron cinco vecinos.",
      "Se aprobó por unanimidad pintar la escalera en marzo.",
      "El administrador pedirá dos presupuestos antes de enero.",
    ].join("\n");
    const text = `Os paso el acta.\n-- \n${minutes}\n\nUn abrazo`;
    expect(newText({ text, html: null })).toBe(text);
  });

  test("what stands below a marker of a help desk between dashes is none", () => {
    const text = "Działa, dzięki.\n\n------- Prosimy odpowiadać powyżej tej linii -------\n\nZgłoszenie 88 zamknięto.";
    expect(newText({ text, html: null })).toBe("Działa, dzięki.");
  });
});

describe("a hostile body ends", () => {
  const bodies: [string, string][] = [
    ["one line of spaces", " ".repeat(2 * MIB)],
    ["quote marks", ">".repeat(MIB)],
    ["lines of quote marks", ">\n".repeat(MIB)],
    ["empty lines", "\n".repeat(2 * MIB)],
    ["attributions", ATTRIBUTION.repeat(40_000)],
    ["attributions that may be none", "Ann wrote:\n\n\n\n".repeat(100_000)],
    ["beginnings of attributions in a line", "On ".repeat(700_000)],
    ["beginnings of attributions in lines", "On \n".repeat(500_000)],
    ["ends of attributions in a line", "wrote: ".repeat(300_000)],
    ["header lines that form no block", "From: x\n\n".repeat(200_000)],
    ["signature delimiters", "-- \n".repeat(500_000)],
    ["what phones add", "Sent from my iPhone\n".repeat(100_000)],
    ["lines of addresses", `${"<a@".repeat(160)} 10:00:\n`.repeat(4_000)],
    ["rulers", `${"-".repeat(490)}\n`.repeat(4_000)],
    ["a line of addresses", "<a@".repeat(700_000)],
    ["header lines that are none", `${"Ab: c@d.e 10:00 2026\nx\n".repeat(90_000)}`],
    ["long header lines", `${`Ab: ${"c".repeat(480)}\n`.repeat(4_000)}`],
    ["forms of signatures", "--\nAb\n\n".repeat(250_000)],
    ["separators", `----- ${"above line ".repeat(12)}-----\n`.repeat(12_000)],
    ["quotes that may be the sender's", "> a\n\n".repeat(350_000)],
    ["quotes that nearly introduce themselves", "> Ab: c@d.e 2026\n> x\n\n".repeat(80_000)],
    ["bars", "| a\n\n".repeat(350_000)],
    ["initials", "Ab> a\n\n".repeat(250_000)],
    ["marks and arrows in one line", "> < ".repeat(500_000)],
    ["arrows in lines", "x and so on\n> < >\n".repeat(100_000)],
    ["attributions over two lines", "x 2026 <a@b.example>\n10:00 Ab:\n> q\n".repeat(50_000)],
  ];
  test.each(bodies)("%s", (_, text) => {
    for (const answers of [true, false]) {
      expect(newText({ text, html: null }, { answers })?.length ?? 0).toBeLessThanOrEqual(text.length);
    }
  });
});

describe("a thread that is known", () => {
  const QUESTION = "The gate does not close any more.\nCould somebody look at the hinges before Friday?";
  const earlier = (text: string) => [{ text, fresh: text, own: false }];

  test("a reply that repeats a message 50 times has one new part", () => {
    const text = `It is repaired.\n\n${`${QUESTION}\n\n`.repeat(50)}`;
    expect(newText({ text, html: null }, { earlier: earlier(QUESTION) })).toBe("It is repaired.");
  });

  test("an answer that repeats a line of the message is kept", () => {
    const asked = "Which day suits you best for the visit?\nTuesday at ten o'clock\nWednesday at nine o'clock";
    const text = `Tuesday at ten o'clock\n\n${asked}\n`;
    expect(newText({ text, html: null }, { earlier: earlier(asked) })).toContain("Tuesday at ten o'clock");
  });

  test("long texts on both sides end", () => {
    const text = "The same words stand here, again and again.\n".repeat(45_000);
    expect(newText({ text, html: null }, { earlier: earlier(text) })).toBe(text.trim());
    expect(newText({ text: "a".repeat(2 * MIB), html: null }, { earlier: earlier("a".repeat(MIB)) })).toHaveLength(
      2 * MIB,
    );
  });

  test("quotes with something written between all their lines end", () => {
    const lines = Array.from({ length: 2_000 }, (_, n) => `${n} pumps and ${n * 7} seals`);
    const text = lines.map((line) => `> ${line}\n> ${line.length % 7} yes\n`).join("");
    expect(newText({ text, html: null }, { earlier: earlier(lines.join("\n")) })).toContain("yes");
  });
});

test("header lines with the colon of other scripts introduce a quote", () => {
  const header =
    "差出人：森 <mori@pond.example>\n送信日時： 2026年5月3日 10:20\n宛先：林 <hayashi@lake.example>\n件名：湖の件";
  const text = `了解です。\n\n${header}\n\n九時に駅で。\n`;
  expect(newText({ text, html: null }, { subject: "Re: 湖の件" })).toBe("了解です。");
});

test("a form in a mail that answers nothing is kept", () => {
  const text =
    "Hello,\n\nmy claim:\n\nName: Ada Rey\nDate: 3 May 2026\nFrom: Bergen\nTo: Oslo\nSubject: a red bag\n\nAda\n";
  expect(newText({ text, html: null }, { answers: false })).toContain("From: Bergen");
});

test("a reply that is cut anywhere can be read", () => {
  const text = `Sure.\n\nOn Thu, 26 Nov 2026 at 16:11, Ann <ann@gate.example> wrote:\n> The gate is open.\n> It rains ≥ 5 mm.\nYes.\n\n-- \nLee\n`;
  const html = `<p>Sure.</p><blockquote type="cite">26.11.2026, 16:11, Ann &lt;a@b.example&gt;:<p>The gate is open.</p></blockquote>`;
  const earlier = [{ text: "The gate is open.\nIt rains.", fresh: "The gate is open.\nIt rains.", own: false }];
  for (const answers of [true, false]) {
    for (let end = 0; end <= Buffer.byteLength(text); end += 1) {
      const cut = Buffer.from(text).subarray(0, end).toString();
      expect(newText({ text: cut, html: null }, { answers, earlier })?.length ?? 0).toBeLessThanOrEqual(cut.length);
    }
    for (let end = 0; end <= html.length; end += 1) {
      const cut = readHtml(html.slice(0, end));
      expect(newText({ text: null, html: cut }, { answers, earlier })?.length ?? 0).toBeLessThanOrEqual(end);
    }
  }
});
