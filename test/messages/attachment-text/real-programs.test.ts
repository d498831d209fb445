// The text of documents that LibreOffice makes, against what openpyxl, pdftotext and LibreOffice itself read in them.
import { execFile, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { flatLetter, flatSheets, type Letter } from "./flat-documents.ts";
import { textReader } from "./reader.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 600_000;
/** DOCX, XLSX, ODS, ODT and PDF. */
const FORMATS = 5;
const seeds = Array.from({ length: size("OFFICE_DOCUMENTS") / FORMATS }, (_, n) => 4_100 + n);
/** Debian's, for which openpyxl is a package. */
const PYTHON = "/usr/bin/python3";
/** All sheets, with tabs between values, each as it is in the file and not as its format rounds it. */
const CSV = "csv:Text - txt - csv (StarCalc):9,34,76,1,,0,false,false,false,false,false,-1";
/** Each sheet of a workbook: its name, whether it is hidden, and its cells as [row, column, text]. */
const OPENPYXL = `
import datetime, json, sys, openpyxl
def text(cell):
  value = cell.value
  if isinstance(value, bool): return "TRUE" if value else "FALSE"
  if isinstance(value, datetime.timedelta):
    seconds = round(value.total_seconds())
    return "%02d:%02d:%02d" % (seconds // 3600, seconds // 60 % 60, seconds % 60)
  if isinstance(value, datetime.datetime): return value.isoformat(" ")
  if isinstance(value, datetime.time): return value.isoformat()
  if isinstance(value, (int, float)): return repr(value * 100 if "%" in cell.number_format else value)
  return " ".join(str(value).split("\\n"))
book = openpyxl.load_workbook(sys.argv[1], data_only=True)
print(json.dumps([[sheet.title, sheet.sheet_state != "visible", [[c.row, c.column, text(c)] for row in sheet.iter_rows() for c in row if c.value is not None]] for sheet in book.worksheets]))
`;

function whyNot(): string | undefined {
  if (seeds.length === 0) return "only at night";
  if (spawnSync("soffice", ["--version"]).error)
    return "LibreOffice is not installed (apt-get install --no-install-recommends libreoffice-calc libreoffice-writer)";
  if (spawnSync("pdftotext", ["-v"]).error) return "pdftotext is not installed (apt-get install poppler-utils)";
  if (spawnSync(PYTHON, ["-c", "import openpyxl"]).status !== 0)
    return "openpyxl is not installed (apt-get install python3-openpyxl)";
  return undefined;
}
const why = whyNot();

type Sheet = { name: string; isHidden: boolean; cells: Map<string, string> };

/** Dates as `05/06/2031 17:45:00` or `2031-05-06 00:00:00`, numbers with a unit, and times in one form. */
function plain(text: string): string {
  const [, month, date, year, rest = ""] = /^(\d\d)\/(\d\d)\/(\d{4})(.*)$/.exec(text) ?? [];
  const iso = year ? `${year}-${month}-${date}${rest}` : clock(text);
  const short = /^\d{4}-|^\d+:\d\d/.test(iso)
    ? iso.replace(/(?<=\d\d:\d\d):00$|(?<=:\d\d):00$/, "").replace(/ 00:00$/, "")
    : iso;
  const [, number] = /^(-?[\d.]+(?:e[-+]?\d+)?)(?:%| kg)?$/i.exec(short) ?? [];
  return number ? String(Number(Number(number).toPrecision(12))) : short.replace(/^0(?=\d:)/, "");
}

const cellsOf = (lines: string[]) =>
  new Map(
    lines.flatMap((line, row) =>
      line.split("\t").flatMap((cell, column) => {
        const text = plain(cell.trim());
        return text === "" ? [] : [[`${row + 1} ${column + 1}`, text] as const];
      }),
    ),
  );

function sheetsOf(text: string): Sheet[] {
  return text
    .split(/^# /m)
    .slice(1)
    .map((sheet) => {
      const [head = "", ...lines] = sheet.split("\n");
      return { name: head.replace(/ \(hidden\)$/, ""), isHidden: head.endsWith("(hidden)"), cells: cellsOf(lines) };
    });
}

const NO_LETTER: Letter = { flat: "", apart: [], deleted: [] };
/** All of the document have a number; the marks of notes do not, or are short. */
const words = (text: string) => text.match(/\p{L}[\p{L}\p{M}]*\d+/gu) ?? [];
/** A clock of twelve hours as one of 24. */
const clock = (text: string) =>
  text.replace(/^(\d+)(.*) ([AP])M$/, (_, hours: string, rest: string, half: string) => {
    return `${(Number(hours) % 12) + (half === "P" ? 12 : 0)}${rest}`;
  });
const without = (all: string[], some: string[]) => {
  const left = new Set(some);
  return all.filter((word) => !left.has(word));
};

describe.skipIf(why)(`documents of LibreOffice${why ? ` (${why})` : ""}`, { timeout: TIMEOUT_MS }, async () => {
  const service = await startTestService({ ROLES: "web,smtp" });
  const client = api(service);
  const { agentKey } = await service.newOrganization();
  const { attached, read, between } = textReader(service, client, agentKey);
  const folder = await mkdtemp(join(tmpdir(), "office-documents-"));
  const letters = new Map<number, Letter>(seeds.map((seed) => [seed, flatLetter(seed, true)]));
  afterAll(async () => {
    await client.close();
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** The files with that ending, in the folder of what they become. */
  async function convert(from: string, ending: string, format: string, to: string): Promise<void> {
    const files = (await readdir(join(folder, from))).filter((name) => name.endsWith(ending));
    const given = files.map((name) => join(folder, from, name));
    const profile = `-env:UserInstallation=file://${folder}/profile`;
    await run("soffice", [profile, "--headless", "--convert-to", format, "--outdir", join(folder, to), ...given]);
  }

  /** All pieces of its text. */
  async function textOf(filename: string): Promise<string> {
    const path = await attached({ filename, content: await readFile(join(folder, "made", filename)) });
    let text = "";
    for (let offset: number | null = 0; offset !== null; ) {
      const { status, body }: Awaited<ReturnType<typeof read>> = await read(path, `?offset=${offset}`);
      expect(status).toBe(200);
      text += between(body);
      offset = body.next_offset;
    }
    return text;
  }

  beforeAll(async () => {
    await mkdir(join(folder, "flat"));
    await mkdir(join(folder, "pages"));
    for (const seed of seeds) {
      await writeFile(join(folder, "flat", `sheets-${seed}.fods`), flatSheets(seed));
      await writeFile(join(folder, "flat", `letter-${seed}.fodt`), letters.get(seed)?.flat ?? "");
      // Without fonts for them, LibreOffice cannot write Chinese, Japanese and Korean into a PDF.
      await writeFile(join(folder, "pages", `pages-${seed}.fodt`), flatLetter(seed, false).flat);
    }
    await convert("flat", ".fods", "xlsx", "made");
    await convert("flat", ".fods", "ods", "made");
    await convert("flat", ".fodt", "docx", "made");
    await convert("flat", ".fodt", "odt", "made");
    await convert("pages", ".fodt", "pdf", "made");
    await convert("made", ".ods", CSV, "csv");
    await convert("made", ".docx", "txt:Text (encoded):UTF8", "docx");
    await convert("made", ".odt", "txt:Text (encoded):UTF8", "odt");
  }, TIMEOUT_MS);

  test.each(seeds)("XLSX %i has the cells that openpyxl reads", async (seed) => {
    const name = `sheets-${seed}.xlsx`;
    const { stdout } = await run(PYTHON, ["-c", OPENPYXL, join(folder, "made", name)]);
    const given: [string, boolean, [number, number, string][]][] = JSON.parse(stdout);
    const expected = given.map(([title, isHidden, cells]) => ({
      name: title,
      isHidden,
      cells: new Map(cells.map(([row, column, text]) => [`${row} ${column}`, plain(text)])),
    }));
    expect(sheetsOf(await textOf(name))).toEqual(expected);
  });

  test.each(seeds)("ODS %i has the cells that LibreOffice reads", async (seed) => {
    const sheets = sheetsOf(await textOf(`sheets-${seed}.ods`));
    const files = (await readdir(join(folder, "csv"))).filter((name) => name.startsWith(`sheets-${seed}-`));
    expect(sheets.map(({ name }) => `sheets-${seed}-${name}.csv`).toSorted()).toEqual(files.toSorted());
    for (const { name, cells } of sheets) {
      const csv = await readFile(join(folder, "csv", `sheets-${seed}-${name}.csv`), "utf8");
      const lines = csv
        .replace(/^\ufeff/, "")
        .replace(/"[^"]*"/g, (quoted) => quoted.slice(1, -1).replaceAll("\n", " "));
      expect(cells).toEqual(cellsOf(lines.split("\n")));
    }
  });

  test.each(seeds.flatMap((seed) => ["docx", "odt"].map((ending) => [ending, seed] as const)))(
    "%s %i has the words that LibreOffice reads, and notes, headers and comments",
    async (ending, seed) => {
      const { apart, deleted } = letters.get(seed) ?? NO_LETTER;
      const own = words(await textOf(`letter-${seed}.${ending}`));
      const shown = await readFile(join(folder, ending, `letter-${seed}.txt`), "utf8");
      const theirs = words(deleted.reduce((text, word) => text.replace(word, " "), shown));
      expect(without(own, apart)).toEqual(without(theirs, apart));
      expect(own.filter((word) => apart.includes(word)).toSorted()).toEqual(apart.toSorted());
    },
  );

  test.each(seeds)("PDF %i has the words that pdftotext reads", async (seed) => {
    const name = `pages-${seed}.pdf`;
    const { stdout } = await run("pdftotext", [join(folder, "made", name), "-"]);
    expect(words(await textOf(name)).toSorted()).toEqual(words(stdout).toSorted());
  });
});
