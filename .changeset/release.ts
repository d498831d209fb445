// `npm run release`: raises the version by the changesets and dates the section of the changelog. It commits and publishes nothing.
// `--rehearse` raises nothing: it builds, installs and checks what would be published.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rehearse } from "./rehearse.ts";

const ROOT = join(import.meta.dirname, "..");
const CHANGELOG = join(ROOT, "CHANGELOG.md");
const UNRELEASED = "## [Unreleased]";
/** The other files that name the version, and where. */
const VERSIONS: [path: string, place: RegExp][] = [
  ["client/python/pyproject.toml", /(?<=^version = ")[^"]+/gm],
  ["ops/helm/Chart.yaml", /(?<=^(?:appVersion|version): )\S+/gm],
  ["server.json", /(?<="version": ")[^"]+/g],
];

function run(command: string, args: string[]): void {
  const { status, error } = spawnSync(command, args, { cwd: ROOT, stdio: "inherit" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${error?.message ?? `ended with ${status}`}`);
}

/** @throws Error when there is nothing to release, or the version is out already */
function dated(changelog: string, version: string, date: string): string {
  const [before = "", after] = changelog.split(`${UNRELEASED}\n`, 2);
  if (after === undefined) throw new Error(`CHANGELOG.md has no section ${UNRELEASED}`);
  const entries = after.split(/^## /m, 1)[0] ?? "";
  if (!/^- /m.test(entries)) throw new Error(`CHANGELOG.md has no entry under ${UNRELEASED}`);
  if (after.includes(`## [${version}]`)) throw new Error(`${version} is out already: add a changeset (npx changeset)`);
  return `${before}${UNRELEASED}\n\n## [${version}] - ${date}\n${after}`;
}

function prepare(): void {
  // The first release has the version that is in package.json, and needs no changeset.
  const changesets = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".md") && name !== "README.md");
  if (changesets.length > 0) run(process.execPath, [join(ROOT, "node_modules/@changesets/cli/bin.js"), "version"]);
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };
  writeFileSync(CHANGELOG, dated(readFileSync(CHANGELOG, "utf8"), version, new Date().toISOString().slice(0, 10)));
  for (const [path, place] of VERSIONS) {
    writeFileSync(join(ROOT, path), readFileSync(join(ROOT, path), "utf8").replaceAll(place, version));
  }
  run("npm", ["install", "--package-lock-only", "--ignore-scripts"]);
  console.log(`
Mailberth ${version} is prepared. Read the changes, then:

  npm run verify && npm run release -- --rehearse
  git commit -am "Release ${version}" && git tag -s v${version} -m "Mailberth ${version}"
  git push --follow-tags       # .github/workflows/release.yml publishes what the tag names
`);
}

if (process.argv.includes("--rehearse")) await rehearse();
else prepare();
