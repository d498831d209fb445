// The reader of mail beside the one of Python: the same words and the same octets of files, or a reason from a closed list.
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Mail, readMail } from "#server/mime/read.ts";
import { size } from "#test/sizes.ts";
import { changedMails, mails } from "./mails.ts";

/** The same mails each time: a new one may show a difference that has no reason yet. */
const SEED = 20_261_128;
const COUNT = size("DIFFERENTIAL_MAILS");
const PROGRAM = fileURLToPath(new URL("./read.py", import.meta.url));

type Part = { octets: string; words: string | null; isSure: boolean; isText: boolean; isNested: boolean };
type Theirs = { parts: Part[]; defects: string[] };

function isPythonHere(): boolean {
  return spawnSync("python3", ["-c", "import email"]).status === 0;
}

function readAll(raws: Buffer[]): Theirs[] {
  const input = raws.map((raw) => `${raw.toString("base64")}\n`).join("");
  const out = execFileSync("python3", [PROGRAM], { input, maxBuffer: 1024 * 1024 * 1024 }).toString();
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Without what joining lines changes. */
const letters = (text: string) => (text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).join("");
const ourWords = ({ texts }: Mail) => letters(texts.map(({ value }) => value).join("\n"));
const theirWords = ({ parts }: Theirs) => letters(parts.map(({ words }) => words ?? "").join("\n"));
const sorted = (octets: Buffer[]) => octets.map((each) => each.toString("base64")).sort();
const ourFiles = ({ files }: Mail) => sorted(files.map(({ octets }) => octets));
const theirFiles = ({ parts }: Theirs) =>
  sorted(parts.filter(({ words }) => words === null).map(({ octets }) => Buffer.from(octets, "base64")));

/** Why two right readers differ. */
const REASONS: Record<string, (ours: Mail, theirs: Theirs, raw: string) => boolean> = {
  "Python says that the mail is defective": (_, { defects }) => defects.length > 0,
  "the reader says that it read the mail in another way than it declares": ({ notes }) => notes.length > 0,
  "Python does not know the charset, or the octets are none of it": (_, { parts }) =>
    parts.some((part) => !part.isSure),
  "a named text among alternatives, or alone, is the words": (_, { parts }) =>
    parts.some(({ isText, words }) => isText && words === null),
  "a text of another kind is the words where there are no others": (_, { parts }) =>
    parts.every(({ words }) => words === null),
  "Python opens attached messages": (_, { parts }) => parts.some(({ isNested }) => isNested),
  "octets that ISO-8859-1 does not use are those of windows-1252, as browsers have it": (_, { parts }) =>
    parts.some(({ words }) => /[\u0080-\u009f]/.test(words ?? "")),
  "Python ends lines at CR": (_mail, _theirs, raw) => /\r(?!\n)/.test(raw),
  "Python knows an encoding only by its exact name": (_mail, _theirs, raw) =>
    /^content-transfer-encoding:(?! (?:8bit|base64|quoted-printable)\r?\n(?![ \t]))/im.test(raw),
};

function differences(raws: Buffer[]) {
  const found: { reason: string | undefined; mail: string; ours: unknown; theirs: unknown }[] = [];
  for (const [n, theirs] of readAll(raws).entries()) {
    const raw = raws[n] as Buffer;
    const ours = readMail(raw);
    const [own, other] = [
      { words: ourWords(ours), files: ourFiles(ours) },
      { words: theirWords(theirs), files: theirFiles(theirs) },
    ];
    if (own.words === other.words && own.files.join() === other.files.join()) continue;
    const reason = Object.keys(REASONS).find((each) => REASONS[each]?.(ours, theirs, raw.toString("latin1")));
    found.push({
      reason,
      mail: raw.toString("latin1"),
      ours: { ...own, notes: ours.notes },
      theirs: { ...other, defects: theirs.defects },
    });
  }
  return found;
}

describe.skipIf(!isPythonHere())(`beside Python's package email (skipped where python3 is missing)`, () => {
  test("well-formed mails have the same words and files", () => {
    const raws = mails(COUNT / 2, SEED).map((mail) => Buffer.from(mail, "latin1"));
    expect(differences(raws)).toEqual([]);
  });
  test("changed mails have the same words and files, or a reason", () => {
    const raws = changedMails(COUNT / 2, SEED).map((mail) => Buffer.from(mail, "latin1"));
    expect(differences(raws).filter(({ reason }) => reason === undefined)).toEqual([]);
  });
});
