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
  ];
  test.each(bodies)("%s", (_, text) => {
    expect(newText({ text, html: null })?.length ?? 0).toBeLessThanOrEqual(text.length);
  });
});
