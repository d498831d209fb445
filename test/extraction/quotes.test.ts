// Which quotes of a mail are folded: those of other mail, in the text as in the HTML, and nothing that its sender wrote.
import { describe, expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { safeHtml } from "#server/extraction/html/safe-html.ts";
import { quotedHtml, quotedRuns } from "#server/extraction/quotes.ts";

const ATTRIBUTION = "On Mon, Nov 2, 2026 at 9:00 AM Bob &lt;bob@x.example&gt; wrote:";

async function foldedHtml(html: string, { answers = true, fresh = null as string | null } = {}) {
  const quotes = quotedHtml(readHtml(html), { subject: answers ? "Re: Plan" : "Plan", answers, fresh });
  return (await safeHtml(html, new Map(), quotes)).html;
}

/** The words that stay. */
async function left(html: string, more = {}) {
  const folded = await foldedHtml(html, more);
  const texts = folded.replace(/<span data-quoted>[^<]*<\/span>/g, "").replace(/<[^>]*>/g, " ");
  return texts.replace(/\s+/g, " ").trim();
}

const gmail = (quote: string) =>
  `<div dir="ltr">Mine</div><br><div class="gmail_quote"><div class="gmail_attr">${ATTRIBUTION}<br></div><blockquote class="gmail_quote">${quote}</blockquote></div>`;

describe("HTML", () => {
  test.each([
    ["Gmail", gmail("<div>one<br>two &amp; three</div>"), "Mine"],
    [
      "Outlook's lines of headers, to the end",
      `<div><p>Mine</p><p>&nbsp;</p><div style="border-top:solid #E1E1E1 1pt"><p><b>From:</b> Bob &lt;bob@x.example&gt;<br><b>Sent:</b> Monday, November 2, 2026 9:00 AM<br><b>To:</b> Ann &lt;ann@y.example&gt;<br><b>Subject:</b> Plan</p></div><p>one</p><table><tr><td>two</td></tr></table></div>`,
      "Mine",
    ],
    [
      "Outlook on the web",
      `<div>Mine</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Bob<br><b>Sent:</b> Monday<br></div><div>one</div><div>two</div>`,
      "Mine",
    ],
    [
      "answers between the quotes",
      `<div class="moz-cite-prefix">${ATTRIBUTION}</div><blockquote type="cite"><p>one</p><p>two</p></blockquote><p>First.</p><blockquote type="cite"><p>three</p><p>four</p><p>five</p></blockquote><p>Second.</p>`,
      "First. Second.",
    ],
    ["lines in one text", `<pre>Mine\n\n${ATTRIBUTION}\n&gt; one\n&gt; two\n\nAfter</pre>`, "Mine After"],
    ["tags that do not match", gmail("<b>one<div>two</b>three</div>"), "Mine"],
    ["a quote of two lines, which stays", gmail("one").replace("<br></div><block", "</div><block"), /^Mine .* one$/],
    [
      "a quote alone, which stays",
      `<blockquote type="cite"><p>one</p><p>two</p><p>three</p></blockquote>`,
      "one two three",
    ],
    [
      "a blockquote of the sender, which stays",
      `<p>Mine</p><blockquote><p>one</p><p>two</p><p>three</p></blockquote>`,
      "Mine one two three",
    ],
    [
      "a forwarded mail, which stays",
      `<div>Mine</div><div class="gmail_quote"><div class="gmail_attr">---------- Forwarded message ---------<br>From: Bob &lt;bob@x.example&gt;<br></div>one<br>two</div>`,
      /one two$/,
    ],
  ])("%s", async (_what, html, wanted) => {
    if (typeof wanted === "string") expect(await left(html)).toBe(wanted);
    else expect(await left(html)).toMatch(wanted);
  });

  test("what the new part of the mail has stays, also within a quote", async () => {
    const html = gmail("<div>one</div><div>My answer</div><div>two</div><div>three</div><div>four</div>");
    expect(await left(html)).toBe("Mine");
    expect(await left(html, { fresh: "Mine\n\nMy answer" })).toContain("My answer");
  });

  test("boxes and pictures of quotes are folded with them, and a box that has something new is not", async () => {
    const folded = await foldedHtml(`<div class="all">${gmail('<p>one</p><p>two<img src="cid:logo"></p>')}</div>`);
    expect(folded).toMatch(
      /^<div class="all"><div dir="ltr">Mine<\/div><br data-quoted><div data-quoted class="gmail_quote">/,
    );
    expect(folded).toContain("<img data-quoted>");
    const mixed = await foldedHtml(
      `<p>Mine</p><blockquote type="cite"><p>one</p><p>two</p><p>three</p></blockquote><p>Look: <img alt=""></p>`,
    );
    expect(mixed).toContain("<blockquote data-quoted");
    expect(mixed).toContain("<p>Look: <img");
  });

  test("a box that a browser leaves open keeps its new text", async () => {
    const html = `<div class="gmail_attr">${ATTRIBUTION}</div><div>one<br>two<br>three<table><tr><td></div>My answer</td></tr></table>`;
    const quotes = [{ from: 0, to: html.indexOf("My answer") }];
    const { html: folded } = await safeHtml(html, new Map(), quotes);
    expect(folded).toContain("<div><span data-quoted>one</span>");
    expect(folded).toContain("My answer");
  });

  test.each(["&#x1F99C;", "&#129436;", "\u{1f99c}"])(
    "a character of two code units ends a quote whole: %s",
    async (parrot) => {
      const html = `<p>Asked ${parrot}answered</p>`;
      const { html: folded } = await safeHtml(html, new Map(), [{ from: 0, to: html.indexOf("answered") }]);
      expect(folded).toBe("<p><span data-quoted>Asked \u{1f99c}</span>answered</p>");
    },
  );

  test("a mail cannot mark its own text", async () => {
    expect(await foldedHtml(`<p data-quoted>a</p><span DATA-QUOTED="">b</span>`)).toBe("<p>a</p><span>b</span>");
  });
});

describe("text", () => {
  const runs = (text: string, fresh: string | null = null) =>
    quotedRuns({ text, html: null }, { subject: "Re: Plan", answers: true, fresh });

  test("a run has the line that introduces it, and the empty lines after it", () => {
    expect(runs("Mine\n\nOn Monday, Ann wrote:\n> one\n> two\n\nAfter\n")).toEqual([{ from: 2, to: 6 }]);
    expect(runs("Mine\r\n\r\nOn Monday, Ann wrote:\r\n> one\r\n> two\r\n")).toEqual([{ from: 2, to: 6 }]);
  });

  test("a line of the new part ends a run", () => {
    const text = "Mine\n\nOn Monday, Ann wrote:\n> one\n> two\nMy answer\n> three\n> four\n> five\n";
    expect(runs(text)).toEqual([
      { from: 2, to: 5 },
      { from: 6, to: 10 },
    ]);
    expect(runs("Mine\n\nOn Monday, Ann wrote:\n> one\n> two\n> My answer\n", "Mine\n\nMy answer")).toEqual([
      { from: 2, to: 5 },
    ]);
  });
});
