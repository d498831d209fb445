// Serves the pages with Next in this process, under strict headers, once they are built.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { fileURLToPath } from "node:url";
import { setPagesEnvironment } from "../base/env.ts";
import type { Logger } from "../base/log.ts";
import { pagesFingerprint } from "./pages-fingerprint.ts";

// Builds the pages with `next build` when their sources have changed.
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
    if (attempt === 1) log.info("building the pages, which takes one or two minutes; the API already answers");
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

const FILES = "/_next/";
const NOT_FOUND = "/_not-found";
const RELOAD_AFTER_SECONDS = 3;
const PRERENDERED = join(ROOT, ".next/server/app");
const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs;

type Options = { dev: boolean; log: Logger; hostname: string; port: number };

export type PagesState = "building" | "ready" | "failed";

export type Pages = {
  /** For readiness: a process that still builds should get no readers. */
  state(): PagesState;
  /** Resolves when the pages are served, or when the build failed or was stopped. */
  settled: Promise<void>;
  /** Answers a request for a page or an asset; resolves when Next has taken the request or the answer is sent. */
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** What Next does with this upgrade request. Undefined: nothing; it has only its reload socket in development. */
  upgrades(req: IncomingMessage): Upgrade | undefined;
  /** Stops a running build and Next. */
  close(): Promise<void>;
};

type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => unknown;

type State =
  | { name: Exclude<PagesState, "ready"> }
  | { name: "ready"; answer: (req: IncomingMessage, res: ServerResponse) => Promise<void> };

/**
 * Starts the pages in the background: until they are built, a page answers 503; if the build fails, 500.
 * @param dev runs `next dev`, which builds each page on request and again when its source changes
 * @param hostname where the service listens, for Next's own links and its check of development origins
 */
export function startPages({ dev, log, hostname, port }: Options): Pages {
  const stop = new AbortController();
  let state: State = { name: "building" };
  let scriptHashes = new Map<string, string>();
  let close = async () => {};
  // Next listens for the upgrade requests of a server from the first page on. On the server of the service, Next would also get the upgrades of other paths.
  const upgrades = createServer();

  async function start(): Promise<void> {
    setPagesEnvironment(dev);
    if (!dev) await buildWhenStale(log, stop.signal);
    if (stop.signal.aborted) return;
    const app = await createNext({ dev, hostname, port }, upgrades);
    close = () => app.close();
    await prepareWithoutCatchAlls(() => app.prepare());
    if (!dev) scriptHashes = readScriptHashes();
    state = { name: "ready", answer: app.getRequestHandler() };
  }

  const started = start().catch((error) => {
    if (stop.signal.aborted) return;
    state = { name: "failed" };
    log.error({ error }, "the pages are not available; the API is not affected");
  });

  return {
    state: () => state.name,
    settled: started,
    async handle(req, res) {
      setPageHeaders(req, res, scriptHashes, dev);
      if (state.name === "ready") await state.answer(req, res);
      else sendNotice(res, state.name);
    },
    upgrades: (req) =>
      dev && state.name === "ready" && (req.url ?? "").startsWith(FILES)
        ? (...given) => upgrades.emit("upgrade", ...given) || given[1].destroy()
        : undefined,
    async close() {
      stop.abort();
      await started;
      await close();
      process.off("unhandledRejection", rethrow);
    },
  };
}

/** Imports Next late, so that the API is up before Next's half second of start. */
async function createNext({ dev, hostname, port }: Omit<Options, "log">, httpServer: Server) {
  const { default: next } = await import("next");
  return next({ dev, dir: ROOT, hostname, port, quiet: !dev, httpServer });
}

function setPageHeaders(req: IncomingMessage, res: ServerResponse, hashes: Map<string, string>, dev: boolean): void {
  const path = (req.url ?? "/").split("?", 1)[0] ?? "/";
  const scripts = hashes.get(path) ?? hashes.get(NOT_FOUND) ?? "";
  setHeaders(res, scripts, path.startsWith(FILES), dev);
}

/**
 * Next catches uncaught errors, logs them and continues. This process stores mail, so an unknown error must end it, as
 * Node does by default. Next adds its `uncaughtException` listeners in `prepare`, so they are removed afterwards. It
 * adds its `unhandledRejection` listener again with each page, so a listener that throws is placed before it. (It adds
 * none for signals.)
 */
async function prepareWithoutCatchAlls(prepare: () => Promise<void>): Promise<void> {
  const before = new Set(process.listeners("uncaughtException"));
  process.prependListener("unhandledRejection", rethrow);
  await prepare();
  for (const added of process.listeners("uncaughtException")) {
    if (!before.has(added)) process.off("uncaughtException", added);
  }
}

function rethrow(reason: unknown): never {
  throw reason;
}

/**
 * `'sha256-…'` of every inline script, by path. All pages are rendered at build time, so their inline scripts are
 * known: the policy lists them and blocks every other script (docs/decisions/006-pages.md).
 */
function readScriptHashes(): Map<string, string> {
  const files = globSync("**/*.html", { cwd: PRERENDERED });
  return new Map(
    files.map((file) => {
      const html = readFileSync(join(PRERENDERED, file), "utf8");
      const hashes = [...html.matchAll(INLINE_SCRIPT)].map(
        ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`,
      );
      const path = `/${file.replaceAll("\\", "/").replace(/\.html$/, "")}`;
      return [path === "/index" ? "/" : path, hashes.join(" ")];
    }),
  );
}

function setHeaders(res: ServerResponse, scripts: string, isFile: boolean, dev: boolean): void {
  const policy = [
    "default-src 'none'",
    // In development React evaluates code, styles are inline, and Next's error panel has its own font.
    `script-src 'self' ${dev ? "'unsafe-inline' 'unsafe-eval'" : scripts}`,
    `style-src 'self'${dev ? " 'unsafe-inline'" : ""}`,
    "img-src 'self'",
    // HTML mail, which has a separate policy (api/mail-door.ts).
    "frame-src 'self'",
    `font-src ${dev ? "'self'" : "'none'"}`,
    `connect-src 'self'${dev ? " ws:" : ""}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
  res.setHeader("Content-Security-Policy", policy);
  // The policy belongs to one build of the page, so caches must revalidate. Next's assets have content hashes in their
  // names.
  if (!isFile) res.setHeader("Cache-Control", "no-cache");
  res.setHeader("Referrer-Policy", "no-referrer");
  res.setHeader("Cross-Origin-Opener-Policy", "same-origin");
}

const NOTICES = {
  building: {
    status: 503,
    title: "The pages are being built",
    text: "This happens at the first start and after an update. The page reloads automatically. The API is already available.",
  },
  failed: {
    status: 500,
    title: "The pages could not be built",
    text: "The reason is in the service's log. The API is not affected: see /v1/openapi.json.",
  },
} as const;

function sendNotice(res: ServerResponse, name: keyof typeof NOTICES): void {
  const { status, title, text } = NOTICES[name];
  const refresh = `<meta http-equiv="refresh" content="${RELOAD_AFTER_SECONDS}">`;
  res.writeHead(status, {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    ...(name === "building" && { "Retry-After": String(RELOAD_AFTER_SECONDS) }),
  });
  res.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<meta name="color-scheme" content="light dark"><title>${title} · Mailberth</title>` +
      `${name === "building" ? refresh : ""}</head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>\n`,
  );
}
