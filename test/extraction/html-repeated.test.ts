// Elements that are written alike may look different, by what is around them, and style sheets may stand anywhere.
import { expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { stripInvisible } from "#server/extraction/html/visible-text.ts";

const words = (html: string) => readHtml(html).text.replaceAll("\n", " ").replace(/ +/g, " ").trim();

test("a style attribute counts with the rules for each element that has it", () => {
  const style = `style="padding:2px"`;
  const html = `<style>.far{display:none}</style><p ${style}>one</p><p ${style} class="far">two</p><p ${style}>three</p>`;
  expect(words(html)).toBe("one three");
});

test("a style attribute counts with the old attributes of each element that has it", () => {
  const html = `<p style="padding:2px">one</p><p style="padding:2px" hidden>two</p><p style="padding:2px">three</p>`;
  expect(words(html)).toBe("one three");
});

test("what a style attribute says is not taken for an old attribute", () => {
  const html = `<p bgcolor="/*" style="display:none;*/">one</p><p style="background-color:/*;display:none;*/">two</p>`;
  expect(words(html)).toBe("two");
});

test("elements with one style look different in different places", () => {
  const cell = `<span style="font-size:14px">TEXT</span>`;
  const on = (colours: string, text: string) => `<div style="${colours}">${cell.replace("TEXT", text)}</div>`;
  const html = [
    on("color:#fff;background:#000", "one"),
    on("color:#fff;background:#fff", "two"),
    on("color:#fff;background:#000", "three"),
    on("display:none", "four"),
    cell.replace("TEXT", "five"),
  ];
  expect(words(html.join(""))).toBe("one three five");
});

test.each([
  ["behind the text", `<p class="x">one</p><p>two</p><style>.x{display:none}</style>`, "two"],
  ["twice", `<style>.y{color:red}</style><p class="x">one</p><STYLE media=all>.x{display:none}</STYLE ><p>two`, "two"],
  ["without an end", `<p class="x">one</p><p>two</p><style>.x{display:none}`, "two"],
  ["with what looks like an end", `<p class="x">one</p><p>two</p><style>/*</styles>*/.x{display:none}</style>`, "two"],
  ["behind what looks like an end", `<p class="x">one</p><p>two</p><style>.y{}</styles>{} .x{display:none}`, "two"],
  ["before one in a comment", `<style>.x{display:none}</style><p class="x">one</p><!-- </style --><p>two</p>`, "two"],
  ["in a comment", `<!-- <style>.x{display:none}</style> --><p class="x">one</p><p>two</p>`, "one two"],
  ["in an attribute", `<p title="<style>.x{display:none}</style>" class="x">one</p><p>two</p>`, "one two"],
])("a style sheet %s", (_, html, seen) => {
  expect(words(html)).toBe(seen);
});

test("a style sheet goes on behind an end tag that is none, because its name does not end", () => {
  const sheet = "<style>.x{display:none}</style\u00a0>{} .y{display:none}";
  expect(words(`<p class="x">one</p><p class="y">two</p><p>three</p>${sheet}`)).toBe("three");
});

test("short sentences in attributes are unseen text", () => {
  expect(readHtml(`<p data-a="I am so at a sea">one</p>`).unseen).toMatchObject({
    kind: "usual",
    code: "I am so at a sea\n",
  });
  expect(readHtml(`<p data-a="I am so at a">one</p>`).unseen.kind).toBe("none");
});

test.each([
  ["a tag of Unicode", "\u{e0041}", ""],
  ["a selector beside a letter", "\ufe0f", ""],
  ["a joiner of graphemes", "\u034f", ""],
  ["an operator", "\u2063", ""],
  ["a selector of the supplement", "\u{e0123}", ""],
  ["typographic quotes", "\u201cx\u201d", "\u201cx\u201d"],
])("%s between words", (_, written, seen) => {
  expect(stripInvisible(`one${written} two`)).toBe(`one${seen} two`);
});
