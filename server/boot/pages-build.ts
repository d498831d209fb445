// Builds the pages with `next build` when their sources have changed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Logger } from "../base/log.ts";
import { pagesFingerprint } from "./pages-fingerprint.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BUILD_ID_FILE = join(ROOT, ".next/BUILD_ID");
/** A build writes this file near its end: if it is missing, the build was interrupted. */
const COMPLETE_FILE = join(ROOT, ".next/export-marker.json");
/** Missing in the npm package, which has the built pages only, and where nothing is written. */
const SOURCES_FOLDER = join(ROOT, "app");
const BUSY = /Another .*next build.* is already running/s;
const BUSY_ATTEMPTS = 60;
const BUSY_DELAY_MS = 2_000;
const KEPT_OUTPUT_CHARS = 8_000;

function isBuilt(): boolean {
  if (!existsSync(BUILD_ID_FILE) || !existsSync(COMPLETE_FILE)) return false;
  return !existsSync(SOURCES_FOLDER) || readFileSync(BUILD_ID_FILE, "utf8") === pagesFingerprint(ROOT);
}

/** Several processes may start in one folder: one builds, the others wait for it. */
export async function buildWhenStale(log: Pick<Logger, "info">, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; !isBuilt() && !signal.aborted; attempt++) {
    if (attempt === 1) log.info("building the pages, which takes up to a minute; the API already answers");
    const started = performance.now();
    const { code, output } = await runBuild(signal);
    if (code === 0) {
      log.info({ seconds: Math.round((performance.now() - started) / 100) / 10 }, "pages built");
      return;
    }
    if (!BUSY.test(output) || attempt === BUSY_ATTEMPTS) throw new Error(`next build failed:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, BUSY_DELAY_MS));
  }
}

function runBuild(signal: AbortSignal): Promise<{ code: number | null; output: string }> {
  const nextBinary = createRequire(import.meta.url).resolve("next/dist/bin/next");
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [nextBinary, "build"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
      signal,
    });
    let output = "";
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-KEPT_OUTPUT_CHARS);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}
