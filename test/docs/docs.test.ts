// The documents are true: files they name exist, commands they give run something, settings are all listed.
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings, SETTING_NAMES } from "#server/base/env.ts";
import { ENTRIES } from "../../app/guides/content/contents.ts";
import { GENERATED } from "./generated.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const present = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", ".env.example"];
const guides = existsSync(join(ROOT, "docs/guides"))
  ? readdirSync(join(ROOT, "docs/guides")).map((name) => `docs/guides/${name}`)
  : [];
/** They stand beside the code, and name the files of their folder without a path. */
const beside = [...globSync("server/**/README.md", { cwd: ROOT }), "app/README.md"].sort();
const documents = [...present, ...guides, "docs/glossary.md", "docs/dependencies.md", ...beside];
const packageJson = JSON.parse(read("package.json")) as { version: string; scripts: Record<string, string> };

describe.each(documents)("%s", (document) => {
  const text = read(document);

  it("names files that exist", () => {
    const named = [...text.matchAll(/`((?:app|server|db|client|test|e2e|bench|docs)\/[\w./*-]*)`/g)].map(
      ([, path]) => path,
    );
    const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = ""]) =>
      join(dirname(document), path),
    );
    const missing = [...named, ...linked].filter((path) => path && !existsSync(join(ROOT, path.replace(/\*.*$/, ""))));
    expect(missing).toEqual([]);
  });

  it("gives npm commands that exist", () => {
    const scripts = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name as string);
    expect(scripts.filter((name) => !(name in packageJson.scripts))).toEqual([]);
  });
});

it.each(ENTRIES)("$file begins with a sentence", ({ file }) => {
  const [, first = ""] = read(file).split("\n\n");
  expect(first).toMatch(/^(?!```|[#|<]|- ).*[.:]$/s);
});

it.each(beside)("%s names files of its folder", (document) => {
  const named = [...read(document).matchAll(/`([\w./-]+\.tsx?)`/g)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(0);
  expect(
    named.filter((path) => !existsSync(join(ROOT, dirname(document), path)) && !existsSync(join(ROOT, path))),
  ).toEqual([]);
});

describe(".env.example", () => {
  const lines = read(".env.example")
    .split("\n")
    .filter((line) => /^[A-Z]/.test(line));
  const given = Object.fromEntries(lines.map((line) => line.split("=", 2) as [string, string]));

  it("lists every setting and no other", () => {
    expect(Object.keys(given).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it("gives the defaults", () => {
    expect(readSettings(given)).toEqual(readSettings({}));
  });
});

it.each(Object.entries(GENERATED))(
  "docs/guides/%s is made from the source; UPDATE_GUIDES=1 writes it",
  (name, make) => {
    const path = join(ROOT, "docs/guides", name);
    if (process.env.UPDATE_GUIDES) writeFileSync(path, make());
    expect(readFileSync(path, "utf8")).toBe(make());
  },
);

it("every guide has its place on the pages", () => {
  const placed = ENTRIES.map(({ file }) => file);
  expect(guides.filter((guide) => !placed.includes(guide))).toEqual([]);
});

it("the README names only settings that there are", () => {
  const named = [...read("README.md").matchAll(/`([A-Z][A-Z]+(?:_[A-Z]+)+|HOST|PORT|ROLES|OUTBOUND)`/g)].map(
    ([, name]) => name,
  );
  expect(named.filter((name) => !(SETTING_NAMES as string[]).includes(name as string))).toEqual([]);
});

describe("CHANGELOG.md", () => {
  const [top, ...sections] = read("CHANGELOG.md").split(/^## /m);
  const kinds = new Set(["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]);

  it("has the form of Keep a Changelog", () => {
    expect(top).toContain("keepachangelog.com");
    expect(sections[0]).toMatch(/^\[Unreleased\]\n/);
    for (const section of sections.slice(1)) expect(section).toMatch(/^\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}\n/);
    for (const section of sections) {
      const named = [...section.matchAll(/^### (.+)$/gm)].map(([, kind]) => kind as string);
      expect(named.filter((kind, index) => !kinds.has(kind) || named.indexOf(kind) < index)).toEqual([]);
    }
  });

  it("has an entry for this version, or for the one to come", () => {
    const isReleased = sections.some((section) => section.startsWith(`[${packageJson.version}]`));
    expect(isReleased || /^- /m.test(sections[0] ?? "")).toBe(true);
  });
});

it("decisions are numbered without a gap or a double, and the index has each", () => {
  const pages = readdirSync(join(ROOT, "docs/decisions")).filter((name) => name !== "README.md");
  const numbers = pages.map((name) => Number(name.slice(0, 3)));
  expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, i) => i + 1));
  const index = readFileSync(join(ROOT, "docs/decisions/README.md"), "utf8");
  const listed = [...index.matchAll(/^\| \[(\d+)\]\(([^)]+)\) \|/gm)].map(([, number, page]) => [number, page]);
  expect(listed).toEqual(pages.toSorted().map((page) => [page.slice(0, 3), page]));
});
