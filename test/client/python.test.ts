// The Python package: its generated files, and its tests with the built wheel against a running service.
import { type ExecFileOptions, execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generatePython } from "#client/python/generate.ts";
import { freePort, PRELOAD } from "#test/support/process.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const PROJECT = join(import.meta.dirname, "../..");
const { version: VERSION } = JSON.parse(await readFile(join(PROJECT, "package.json"), "utf8")) as { version: string };
const PACKAGE = join(PROJECT, "client/python");
const TESTS = join(import.meta.dirname, "python");
const NEEDED = "import httpx, pytest, hatchling, venv, ensurepip";
const DEBIAN_PACKAGES = ["python3-httpx", "python3-pytest", "python3-hatchling", "python3-venv", "mypy"];
const INSTALLER = "/usr/bin/apt-get";
const INSTALL_MAX_MS = 120_000;
const RUN_MAX_MS = 300_000;
const run = promisify(execFile);

/** An interpreter that has the packages that the tests need; as root on Debian they are installed. */
function findPython(): string | undefined {
  const find = () => ["python3", "/usr/bin/python3"].find((name) => spawnSync(name, ["-c", NEEDED]).status === 0);
  const found = find();
  if (found || process.getuid?.() !== 0 || !existsSync(INSTALLER)) return found;
  const options = { timeout: INSTALL_MAX_MS, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } };
  spawnSync(INSTALLER, ["update"], options);
  spawnSync(INSTALLER, ["install", "-y", "--no-install-recommends", ...DEBIAN_PACKAGES], options);
  return find();
}

/** The exit code of a program and what it printed, for a failed test to show. */
async function outcome(program: string, words: string[], options: ExecFileOptions): Promise<string> {
  const {
    code = 0,
    stdout,
    stderr,
  } = (await run(program, words, { ...options, timeout: RUN_MAX_MS, encoding: "utf8" }).catch(
    (error: { code: number; stdout: string; stderr: string }) => error,
  )) as { code?: number; stdout: string; stderr: string };
  return `ended with ${code}\n${stdout}${stderr}`;
}

test("the generated files are those of the OpenAPI document", async () => {
  for (const [path, text] of Object.entries(await generatePython())) {
    const kept = await readFile(join(PACKAGE, path), "utf8");
    expect(kept === text, `Run \`node client/python/generate.ts\`: ${path} is not that of the document.`).toBe(true);
  }
});

const python = findPython();
const skipped = python ? "" : " (skipped: no Python with httpx, pytest, hatchling and venv)";
const hasTypes = python !== undefined && spawnSync(python, ["-c", "import mypy"]).status === 0;

describe.skipIf(!python)(`with Python${skipped}`, () => {
  let folder = "";
  let installed = "";
  let service: TestService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "mailberth-python-"));
    service = await startTestService({ RATE_LIMIT_BURST: "1000" });
    const dist = join(folder, "dist");
    await run(`${python}`, ["-m", "hatchling", "build", "-d", dist], { cwd: PACKAGE, timeout: RUN_MAX_MS });
    await run(`${python}`, ["-m", "venv", "--system-site-packages", join(folder, "venv")], { timeout: RUN_MAX_MS });
    installed = join(folder, "venv/bin/python");
    const [wheel = ""] = (await readdir(dist)).filter((name) => name.endsWith(".whl"));
    const options = ["--no-index", "--no-deps", "--disable-pip-version-check"];
    await run(installed, ["-m", "pip", "install", ...options, join(dist, wheel)], { timeout: RUN_MAX_MS });
  }, RUN_MAX_MS);
  afterAll(async () => {
    await service?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("the wheel and the sdist have the package, its types and nothing else", async () => {
    const list =
      "import sys, tarfile, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), *tarfile.open(sys.argv[2]).getnames(), sep='\\n')";
    // `npm run release` keeps the version that of package.json.
    const named = [`mailberth-${VERSION}-py3-none-any.whl`, `mailberth-${VERSION}.tar.gz`];
    const files = named.map((name) => join(folder, "dist", name));
    const { stdout } = await run(installed, ["-c", list, ...files]);
    const names = stdout.trim().split("\n");
    for (const kept of ["mailberth/py.typed", "mailberth/models.py", `mailberth-${VERSION}/mailberth/py.typed`]) {
      expect(names).toContain(kept);
    }
    const others =
      /^(mailberth\/|mailberth-[\d.]+(dist-info)?\/(mailberth\/|[A-Z-]+(\.md)?$|entry_points|pyproject|\.gitignore))/;
    expect(names.filter((name) => !others.test(name))).toEqual([]);
  });

  test.skipIf(!hasTypes)(
    "mypy finds nothing in the package",
    async () => {
      const cache = join(folder, "mypy");
      expect(await outcome(`${python}`, ["-m", "mypy", "--cache-dir", cache, "mailberth"], { cwd: PACKAGE })).toMatch(
        /^ended with 0\nSuccess/,
      );
    },
    RUN_MAX_MS,
  );

  test(
    "pytest finds nothing in the installed package",
    async () => {
      const { agentKey, enrollmentKey } = await service.newOrganization();
      const env = {
        PATH: process.env.PATH,
        MAILBERTH_URL: service.url,
        MAILBERTH_KEY: agentKey,
        TEST_ENROLLMENT_KEY: enrollmentKey,
        TEST_SMTP_PORT: `${service.smtpPort}`,
        TEST_PROGRAM: [process.execPath, ...PRELOAD, join(PROJECT, "client/command/main.ts")].join(" "),
        TEST_GUIDE: join(PROJECT, "docs/guides/python.md"),
        TEST_FREE_PORT: `${await freePort()}`,
        NODE_ENV: "test" as const,
      };
      const options = { cwd: TESTS, env };
      const printed = await outcome(
        installed,
        ["-B", "-m", "pytest", "-q", "-o", `cache_dir=${join(folder, "pytest")}`, "."],
        options,
      );
      expect(printed).toMatch(/^ended with 0\n[\s\S]*\d+ passed/);
    },
    RUN_MAX_MS,
  );
});
