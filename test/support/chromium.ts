// A Chromium for the browser tests: the one there is, or else one that is installed now.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "@playwright/test";

/** Debian's browser without windows comes first: a page takes two thirds of the CPU in it. */
const SYSTEM_NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];
const DEBIAN_PACKAGE = "chromium-headless-shell";
const SYSTEM_PATHS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];
/** Brings its binary inside the npm package, for Linux machines that reach npm and nothing else. */
const PACKED = "@sparticuz/chromium@153.0.0";
const PACKED_FOLDER = join(import.meta.dirname, "../../node_modules/.cache/chromium");
const INSTALL_TIMEOUT_MS = 300_000;

/** The options of every browser test: no requests of the browser itself. */
export const CHROMIUM_ARGS = [
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
];

/**
 * Path of a Chromium that is already here: `CHROME_PATH`, Playwright's own, the system's, one unpacked earlier.
 * @throws Error when `CHROME_PATH` names a file that does not exist
 */
export function findChromium(): string | undefined {
  const chosen = process.env.CHROME_PATH;
  if (chosen) {
    if (!existsSync(chosen)) throw new Error(`CHROME_PATH names ${chosen}, and there is no such file.`);
    return chosen;
  }
  const folders = (process.env.PATH ?? "").split(delimiter);
  const onPath = SYSTEM_NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  const candidates = [chromium.executablePath(), ...onPath, ...SYSTEM_PATHS, join(PACKED_FOLDER, "chromium")];
  return candidates.find((path) => existsSync(path));
}

/**
 * As `findChromium`, and where there is none installs one: Debian's package as root, else Playwright's own, else on
 * Linux the one packed for npm.
 * @throws Error that says what to install when nothing worked
 */
export async function ensureChromium(): Promise<string> {
  const found = findChromium();
  if (found) return found;
  const tried: string[] = [];
  for (const install of [installDebian, installPlaywright, installPacked]) {
    const problem = await install();
    if (problem) tried.push(problem);
    const installed = findChromium();
    if (installed) return installed;
  }
  throw new Error(
    [
      "The browser tests need Chromium, and none could be found or installed.",
      ...tried.map((problem) => `  ${problem}`),
      "Install it (Debian: apt-get install chromium-headless-shell; Ubuntu: apt-get install chromium; else: npx playwright install chromium),",
      "or set CHROME_PATH to the program of a Chromium or Chrome that is there.",
    ].join("\n"),
  );
}

/** Runs a command, its output to the terminal; gives what went wrong, or undefined. */
function run(command: string, args: string[]): string | undefined {
  console.log(`no Chromium here; trying: ${command} ${args.join(" ")}`);
  const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  const { status, error } = spawnSync(command, args, {
    stdio: ["ignore", "inherit", "inherit"],
    timeout: INSTALL_TIMEOUT_MS,
    env: environment,
  });
  if (error) return `${command} ${args.join(" ")}: ${error.message}`;
  return status === 0 ? undefined : `${command} ${args.join(" ")}: ended with ${status}`;
}

async function installDebian(): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  return run("apt-get", ["update"]) ?? run("apt-get", ["install", "-y", "--no-install-recommends", DEBIAN_PACKAGE]);
}

async function installPlaywright(): Promise<string | undefined> {
  const command = createRequire(import.meta.url).resolve("@playwright/test/cli");
  return run(process.execPath, [command, "install", "chromium"]);
}

async function installPacked(): Promise<string | undefined> {
  if (process.platform !== "linux") return;
  mkdirSync(PACKED_FOLDER, { recursive: true });
  const problem = run("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", PACKED_FOLDER, PACKED]);
  if (problem) return problem;
  const entry = createRequire(join(PACKED_FOLDER, "package.json")).resolve("@sparticuz/chromium");
  const packed = (await import(pathToFileURL(entry).href)) as { default: { executablePath(): Promise<string> } };
  copyFileSync(await packed.default.executablePath(), join(PACKED_FOLDER, "chromium"));
}
