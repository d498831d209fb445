// What the text part of a mail says and its HTML part does not show.
import { expect, test } from "vitest";
import { unseenInText } from "#server/extraction/alternatives.ts";

const SHOWN = "The lake train leaves at nine, bring 20 apples and a warm coat for the evening by the water please";

test("the same words in other lines, letters and with other signs are no unseen text", () => {
  const written = SHOWN.toUpperCase().replace(/ /g, "\n").replace("NINE,", "*NINE* \u2014");
  expect(unseenInText(written, SHOWN)).toEqual({ kind: "none", text: "" });
});

test("addresses do not count", () => {
  const written = SHOWN.replace("coat", "https://lake.example/one/two/three www.lake.example/4 coat");
  expect(unseenInText(written, SHOWN)).toEqual({ kind: "none", text: "" });
});

test.each([
  ["four words in a row", "only the owl knows why", "only the owl knows why"],
  ["words that are shown in another order", "water lake coat nine", "water lake coat nine"],
  ["characters of a script without spaces", "\u6e56\u4e0a\u5217\u8eca", "\u6e56 \u4e0a \u5217 \u8eca"],
  ["the parts of an address", "owl@pond.example", "owl @ pond example"],
  [
    "words of letters in pairs",
    "\u{10428} \u{10429}a \u{1d7d8} b\u{10428}",
    "\u{10428} \u{10429}a \u{1d7d8} b\u{10428}",
  ],
])("%s that is not shown is unseen text", (_, added, unseen) => {
  expect(unseenInText(`${SHOWN}. ${added}`, SHOWN)).toEqual({ kind: "usual", text: unseen });
});

test("a number of four digits that is not shown is unseen text, a shorter one is not", () => {
  const written = SHOWN.replace("apples", "2071 apples").replace("coat", "207 coat").replace("lake", "20 lake");
  expect(unseenInText(written, SHOWN)).toEqual({ kind: "usual", text: "2071" });
});

test("much text of which little is shown deceives", () => {
  const words = Array.from({ length: 60 }, (_, n) => `secret${"abcdefgh"[n % 8]}`).join(" ");
  expect(unseenInText(`${SHOWN} ${words}`, SHOWN)).toEqual({ kind: "deceptive", text: words });
  expect(unseenInText(words, "a picture").kind).toBe("usual");
});
