// The words of a message and their places, as they are stored. Stored vectors are not made again, so they must stay as they are.
import { expect, test } from "vitest";
import { searchText } from "#server/extraction/search.ts";

const entriesOf = (body: string) => {
  const entries = searchText({ from: "", fromName: null, to: [], subject: "", body }).split(" ");
  // Five fields, two places apart.
  return entries.map((entry) =>
    entry.replace(/\d+/g, (place) => (entry.includes(":") ? `${Number(place) - 8}` : place)),
  );
};

test("each word is there once with all its places, and a longer one with its beginning", () => {
  const words = searchText({
    from: "ivo@mill.example",
    fromName: "Ivo",
    to: ["una@inn.example"],
    subject: "Lantern",
    body: "The lanterns, THE lantern; caf\u00e9 cafe 12 lantern.",
  });
  expect(words).toBe(
    "'ivo':1B,6B 'mill':2B 'example':3B,11C '^exam' 'una':9C 'inn':10C 'lantern':14A,20,24 '^lant' 'the':17,19 " +
      "'lanterns':18 'cafe':21,22 '12':23",
  );
});

test("scripts without spaces are indexed by characters and pairs, symbols by themselves", () => {
  expect(entriesOf("\u99c5\u524dto \u00a9\ud83d\ude80x e\u0301\u0323 \u0e01\u0e32")).toEqual(
    "'\u99c5' '\u524d' '\u99c5\u524d' 'to':2 '\u00a9':3 '\ud83d\ude80':4 'x':5 'e':6 '\u0e01' '\u0e32' '\u0e01\u0e32'".split(
      " ",
    ),
  );
});

test("a beginning has four characters, whatever they take", () => {
  const letter = "\ud835\udd0d".normalize("NFKC");
  expect(entriesOf(`\u{10400}\u{10401}\u{10402}\u{10403}\u{10404} ${letter}abc ${letter}abcd`)).toEqual([
    "'\u{10428}\u{10429}\u{1042a}\u{1042b}\u{1042c}':1",
    "'^\u{10428}\u{10429}\u{1042a}\u{1042b}'",
    "'jabc':2",
    "'jabcd':3",
    "'^jabc'",
  ]);
});

test("a word has at most 255 places, and none behind the last one that is stored", () => {
  const [often, last, ...more] = entriesOf(`${"reed ".repeat(16_374)}oak elm fern reed`);
  expect(often?.split(",")).toHaveLength(255);
  expect([last, ...more]).toEqual(["'oak':16375", "'elm'", "'fern'"]);
});

test("so many different characters and pairs that they crowd the table are all there, once", () => {
  const run = String.fromCodePoint(...Array.from({ length: 4_090 }, (_, n) => 0x4e00 + n));
  const pairs = [...run].slice(1).map((character, n) => `${run[n]}${character}`);
  expect(entriesOf(`${run} ${run}`)).toEqual([...run, ...pairs].map((part) => `'${part}'`));
});
