// What the prose check reads of a file, and what it leaves out.
import { expect, test } from "vitest";
import { proseOf } from "./prose.ts";

const textsOf = (path: string, text: string) => proseOf(path, text).map((passage) => passage.text);

test("comments: lines that follow each other are one passage, with the line of the first", () => {
  const text = "const a = 1;\n// The first line\n// goes on here.\n\n/** Another one. */\n";
  expect(proseOf("a.ts", text)).toEqual([
    { line: 2, text: "The first line goes on here." },
    { line: 5, text: "Another one." },
  ]);
});

test("strings that are sentences, with the parts of templates", () => {
  const text =
    'const a = "The mailbox does not exist."; const b = `The domain $' +
    "{a} is not verified yet.`; const c = 'mailbox';";
  expect(textsOf("a.ts", text)).toEqual(["The mailbox does not exist.", "The domain … is not verified yet."]);
});

test("no SQL and no markup", () => {
  const text =
    'const a = sql`select a from b where c is d`; const b = "select a from b where c is d"; const c = "<p>one two three four</p>";';
  expect(textsOf("a.ts", text)).toEqual([]);
});

test("the text of JSX", () => {
  expect(textsOf("a.tsx", 'const a = <p className="x">This link has expired.</p>;')).toEqual([
    "This link has expired.",
  ]);
});

test("Markdown outside of code, by paragraph", () => {
  const text =
    "# Title\n\nSome `code` here.\n\n```sh\nnpm run all at once\n```\n\nThe end, see [that](https://a.example/x).\n";
  expect(textsOf("a.md", text)).toEqual(["# Title", "Some here.", "The end, see [that ."]);
});

test("a file that cannot be parsed is an error, not a file without prose", () => {
  expect(() => proseOf("a.ts", "const = ;")).toThrow("a.ts cannot be parsed");
});
