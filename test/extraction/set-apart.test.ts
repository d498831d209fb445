// What an answer repeats of its thread without the usual marks: set apart by its look, by its cell in a table, or by a delimiter; what others
// wrote, by a sign before each line, too. Without such a sign, an own message that is sent again is new.
import { describe, expect, test } from "vitest";
import { readHtml } from "#server/extraction/html/html.ts";
import { newText } from "#server/extraction/new-text.ts";

const NOTE =
  "Dear all,\n\nThe ferry to the island leaves at half past six on Friday.\nCould someone bring the key of the boathouse?\n\nSee you there,\nMarit";
const SENTENCES = NOTE.split("\n").filter((line) => /[.?]$/.test(line));
const [FERRY = "", KEY = ""] = SENTENCES;

const known = (own: boolean, text = NOTE) => [{ text, fresh: text, own, isAnswered: true }];
const ofText = (text: string, own = true, message = NOTE) =>
  newText({ text, html: null }, { earlier: known(own, message) });
const ofHtml = (html: string, own = true, message = NOTE) =>
  newText({ text: null, html: readHtml(html) }, { earlier: known(own, message) });

describe.each([
  ["an own message", true],
  ["a message of another", false],
])("of %s", (_, own) => {
  test("all of it in grey is a quote", () => {
    const grey = `<p style="color:#999">${NOTE.replaceAll("\n", "<br>")}</p>`;
    expect(ofHtml(`<p>Peer has it, so it is settled.</p>${grey}`, own)).toBe("Peer has it, so it is settled.");
    expect(ofHtml(`${grey}<p>Peer has it, so it is settled.</p>`, own)).toBe("Peer has it, so it is settled.");
  });

  test("all of it in italics is a quote", () => {
    const slanted = `<div><i>${NOTE.replaceAll("\n", "<br>")}</i></div>`;
    expect(ofHtml(`<p>Peer has it, so it is settled.</p>${slanted}`, own)).toBe("Peer has it, so it is settled.");
  });

  test("its sentences in the left cells of a table are quotes, and the answers beside them stay", () => {
    const message = SENTENCES.join("\n");
    const row = (left: string, right: string) => `<tr><td><p>${left}</p></td><td><p>${right}</p></td></tr>`;
    const html = `<table>${row(FERRY, "It leaves at seven now.")}${row(KEY, "I shall.")}</table>`;
    const answer = ofHtml(html, own, message) ?? "";
    expect(answer.split(/\n+/)).toEqual(["It leaves at seven now.", "I shall."]);
  });

  test.each(["-- ", "__________"])("all of it below %j is a quote", (delimiter) => {
    expect(ofText(`Peer has it, so it is settled.\n\n${delimiter}\nMarit Sand\n\n${NOTE}`, own)).toMatch(
      /^Peer has it, so it is settled\.(?:\n\n_+\nMarit Sand)?$/,
    );
  });
});

describe("of a message of another", () => {
  test.each(["}", "|", ":", "*", "»", "~", "│"])("lines behind %s are a quote", (sign) => {
    const marked = SENTENCES.map((line) => `${sign} ${line}`).join("\n");
    expect(ofText(`${marked}\n\nPeer has it, so it is settled.`, false)).toBe("Peer has it, so it is settled.");
    expect(ofText(`It is settled.\n\n${marked}`, false)).toBe("It is settled.");
  });

  test.each(["}", "|", ":"])("one line behind %s is a quote, and the answers stay", (sign) => {
    const text = `${sign} ${FERRY}\n\nIt leaves at seven now.\n\n${sign} ${KEY}\n\nI shall.`;
    expect(ofText(text, false)).toBe("It leaves at seven now.\n\nI shall.");
  });
});

describe("an own message is new", () => {
  test("where it is sent again with a sentence above it", () => {
    const text = `I saw no answer to this yet, so here it is again.\n\n${NOTE}`;
    expect(ofText(text)).toBe(text);
    const html = `<p>I saw no answer to this yet, so here it is again.</p><p>${NOTE.replaceAll("\n", "<br>")}</p>`;
    expect(ofHtml(html)).toContain(FERRY);
  });

  test("where one line of it is changed, in a look of its own", () => {
    const changed = NOTE.replace("half past six", "seven").replaceAll("\n", "<br>");
    const answer = ofHtml(`<p>The times were wrong, this is right.</p><p style="color:#444">${changed}</p>`) ?? "";
    expect(answer).toContain("leaves at seven on Friday");
    expect(answer).toContain(KEY);
  });

  test("where the names of rows are repeated beside other values", () => {
    const names = ["Number of boats at the pier", "Keys that hang in the boathouse", "Lamps that work on the quay"];
    const table = (values: string[]) =>
      `<table>${names.map((name, at) => `<tr><td><p>${name}</p></td><td><p>${values[at]}</p></td></tr>`).join("")}</table>`;
    const first = newText({ text: null, html: readHtml(table(["4", "2", "9"])) }) ?? "";
    const answer = ofHtml(`<p>The count was wrong.</p>${table(["5", "1", "8"])}`, true, first);
    for (const name of names) expect(answer).toContain(name);
  });

  test("where nothing else is in the mail", () => {
    expect(ofHtml(`<p style="color:#999">${NOTE.replaceAll("\n", "<br>")}</p>`)).toContain(KEY);
    expect(ofText(SENTENCES.map((line) => `} ${line}`).join("\n"))).toContain(KEY);
  });
});

describe("own words that repeat some of the thread are new", () => {
  const question =
    "Which evenings suit you?\nThursday at 17:30 at the pier\nFriday at 18:00 at the old mill\nSunday at 11:00 at the inn";

  test.each(["*", "-", "•"])("the points that a person chooses, behind %s", (sign) => {
    const text = `${sign} Thursday at 17:30 at the pier\n${sign} Friday at 18:00 at the old mill\n\nThe rest is too late for me.`;
    expect(ofText(text, false, question)).toBe(text);
  });

  test("sentences that a person announces, behind *", () => {
    const text = `What I still need to know:\n* ${FERRY}\n* ${KEY}\n\nThank you!`;
    expect(ofText(text, true)).toBe(text);
  });

  test("a few words of it", () => {
    const text = "Thursday at 17:30 suits me.\n\nWhere do we meet?";
    expect(ofText(text, false, "Does Thursday at 17:30 suit you?")).toBe(text);
    expect(ofHtml("<p><i>Thursday at 17:30</i> suits me.</p><p>Where?</p>", false, question)).toContain("Thursday");
  });

  test("a list whose points the message has with the same sign", () => {
    const list = "| The boat is ready.\n| The lamp is not, it needs a new wick.";
    expect(ofText(`As before, and the sail is torn.\n${list}`, true, list)).toContain("| The boat is ready.");
  });
});
