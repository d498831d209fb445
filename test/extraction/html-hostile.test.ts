// HTML made to waste time or memory ends, with bounded answers. Quadratic code would run into the time limit of the tests.
import { expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { size } from "#test/sizes.ts";

const MIB = 1024 * 1024;
const LINKS = 1_000;

/** Of what is read: 4 MiB characters in full. */
const CHARS = size("HOSTILE_HTML_MIB") * MIB;

/** The piece, as often as fits into this size. */
const full = (piece: string) => times(piece, (4 * MIB) / piece.length);
/** So often in full size. */
const times = (piece: string, count: number) => piece.repeat(Math.floor((count * CHARS) / (4 * MIB)));

const bodies: [string, string][] = [
  ["div", full("<div>")],
  ["nested and closed", `${times("<div>", 100_000)}x${times("</div>", 100_000)}`],
  ["nested styles", full("<b style='color:red'>")],
  [
    "end tags that reach for what is out of a cell",
    `<div><table><td>${times("<b>", 50_000)}${times("</div>", 500_000)}`,
  ],
  ["formatting to open again", `<div>${"<b style=color:red>".repeat(500)}${times("</div><div>", 300_000)}`],
  ["paragraphs", full("<p>x")],
  ["cells", full("<td>x")],
  ["tables", full("<table><tr><td>")],
  ["lists", full("<ul><li>x")],
  ["quotes", full("<blockquote><br>x")],
  ["breaks", full("<br>")],
  ["links", full('<a href="https://a.example/">x</a>')],
  ["nested links", full('<table><a href="https://a.example/">x')],
  ["one attribute", `<p title="${full("x")}`],
  ["attributes", `<p ${full("x=y ")}>`],
  ["classes", `<p class="${times("a ", 2_000_000)}">x`],
  ["declarations", `<p style="${times("color:red;", 400_000)}">x`],
  ["spaces", full(" ")],
  ["less-than signs", full("<")],
  ["entities", full("&nbsp;")],
  ["ampersands", full("&am")],
  ["comments", full("<!--")],
  ["style elements", full("<style></style>")],
  ["rules", `<style>${full(".a{color:red}")}`],
  ["braces", `<style>${full("{")}`],
  ["media", `<style>${full("@media x{")}`],
  [
    "many rules of many classes",
    `<style>${Array.from({ length: 2_000 }, (_, i) => `.a.b${i}{display:none}`).join("")}</style>${times('<i class="a b1 b2 b3 c d e f g">', 110_000)}`,
  ],
  ["joiners", full("a\u200d")],
  ["hidden letters", `<p style="display:none">${full("a b ")}`],
  ["hidden pieces", full("<i hidden>a</i>")],
  ["marked parts", full('<div class="gmail_attr">x</div>')],
];

test.each(bodies)("%s", (_, html) => {
  const reading = readHtml(html);
  expect(reading.text.length).toBeLessThanOrEqual(2 * MIB + 100);
  expect(reading.links.length).toBeLessThanOrEqual(LINKS);
  expect(reading.marked.length).toBeLessThanOrEqual(LINKS);
});

test("what stands beyond 4 MiB is not read", () => {
  expect(readHtml(`${" ".repeat(4 * MIB)}x`).text).toBe("");
});
