// `npm run release -- --rehearse`: builds the packages as they would be published, publishes those of npm to a registry on this
// machine, installs and starts them from there, and checks their contents and licenses. Nothing is published elsewhere.
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const ROOT = join(import.meta.dirname, "..");
/** The packages, `sbom.cdx.json` and `licenses.txt`: what a release is published and described with. */
const OUT = join(ROOT, "dist/release");
/** A registry of npm packages in a folder, which takes other packages from the configured registry. Installed for the rehearsal only. */
const REGISTRY = "verdaccio@6.10.4";
/** One of its dependencies asks for a tag of node-fetch that not every mirror has. */
const REGISTRY_OVERRIDES = { "node-fetch": "2.7.0" };
const PACKAGE_MAX_MIB = 100;
/** As root, the embedded PostgreSQL runs as another user. */
const ENTERED_BY_ALL_MODE = 0o755;
const STEP_MAX_MS = 600_000;
const START_MAX_MS = 180_000;
const ASK_EVERY_MS = 250;
const OUTPUT_MAX_BYTES = 100_000_000;
/** Tests, sources of compiled code, caches of compilers, settings and secrets. */
const UNPUBLISHED =
  /\.(map|tsbuildinfo|key)$|\.(test|spec)\.[cm]?[jt]s$|(^|\/)(tests?|__tests__|e2e|bench|\.npmrc|\.env(?!\.example)[^/]*|\.git)(\/|$)/i;
/** The licenses that allow everyone to use, change and sell the program, with no condition but to name the author. */
const ALLOWED =
  "0BSD Apache-2.0 BlueOak-1.0.0 BSD-2-Clause BSD-3-Clause CC0-1.0 CC-BY-4.0 ISC MIT MIT-0 PostgreSQL Python-2.0 Unlicense".split(
    " ",
  );
/** Copyleft libraries that npm installs beside the service, which our packages do not contain and the service never loads. */
const BESIDE: [name: RegExp, license: string][] = [
  // The optional image library of Next.js. No page has an image that Next.js resizes, and the image of ops/ leaves it out.
  [/^@img\/sharp-libvips-/, "LGPL-3.0-or-later"],
];
/** Applies our patch in a clone. */
const CLONE_ONLY = ["patch-package"];

type License = { license?: { id?: string; name?: string }; expression?: string };
type Component = { "bom-ref": string; name: string; version: string; licenses?: License[] };
type Bill = {
  metadata: { component: object };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
};
type Manifest = { name: string; version: string; dependencies?: Record<string, string> } & Record<string, unknown>;

/** @throws Error naming the first thing that is not as it must be published */
export async function rehearse(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-rehearsal-"));
  await chmod(folder, ENTERED_BY_ALL_MODE);
  const registry = await startRegistry(folder);
  try {
    const packages = await build();
    for (const file of packages) await checkContents(file, folder);
    const app = await publishAndInstall(packages, registry.url, folder);
    await tryPackages(app, packages);
    const bill = await billOfMaterials(app);
    await writeFile(join(OUT, "sbom.cdx.json"), `${JSON.stringify(bill, null, 2)}\n`);
    const lines = bill.components.map((each) => `${each.name} ${each.version} ${licenseOf(each)}`);
    await writeFile(join(OUT, "licenses.txt"), `${lines.join("\n")}\n`);
    const problems = licenseProblems(bill.components);
    if (problems.length > 0)
      throw new Error(`Replace these packages, or decide on their licenses:\n${problems.join("\n")}`);
    console.log(`\nThe rehearsal passed: ${packages.length} packages, ${lines.length} libraries. See dist/release/.`);
  } finally {
    await registry.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs a program to its end. @throws Error with its output when it fails */
async function run(program: string, args: string[], cwd = ROOT, env: Record<string, string> = {}): Promise<string> {
  console.log(`$ ${basename(program)} ${args.map((each) => each.split("\n", 1)[0] || "…").join(" ")}`);
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: OUTPUT_MAX_BYTES, timeout: STEP_MAX_MS };
  return promisify(execFile)(program, args, options).then(
    ({ stdout }) => stdout,
    ({ message, stdout }) => Promise.reject(new Error(`${message}\n${stdout}`)),
  );
}

/** @returns the two packages of npm, then the wheel and the sdist of Python */
async function build(): Promise<string[]> {
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  await run("npm", ["run", "build:service"]);
  await run("npm", ["run", "build:client"]);
  for (const name of ["mailberth", "client"]) await run("npm", ["pack", `./dist/${name}`, "--pack-destination", OUT]);
  await run(findPython(), ["-m", "hatchling", "build", "-d", OUT], join(ROOT, "client/python"));
  const { version } = await readManifest(ROOT);
  const names = [`-${version}.tgz`, `-client-${version}.tgz`, `-${version}-py3-none-any.whl`, `-${version}.tar.gz`];
  const built = await readdir(OUT);
  return names.map((name) => {
    const found = built.find((each) => each === `mailberth${name}`);
    if (!found) throw new Error(`No package mailberth${name} was built, but ${built.join(", ")}`);
    return join(OUT, found);
  });
}

/** @returns an interpreter that builds and runs the package. A machine may have another one before it in its PATH. */
function findPython(): string {
  const found = ["python3", "/usr/bin/python3"].find(
    (name) => spawnSync(name, ["-c", "import hatchling, httpx, venv, ensurepip"]).status === 0,
  );
  if (!found) throw new Error("Install a Python with hatchling, httpx and venv (CONTRIBUTING.md), then repeat");
  return found;
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}

/** Fails for files that are not for users, for paths of this machine, and for a manifest that npm could not prove. */
async function checkContents(file: string, folder: string): Promise<void> {
  const unpacked = await mkdtemp(join(folder, "unpacked-"));
  if (file.endsWith(".whl")) await run(findPython(), ["-m", "zipfile", "-e", file, unpacked]);
  else await run("tar", ["-xzf", file, "-C", unpacked]);
  let files = 0;
  for (const entry of await readdir(unpacked, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(unpacked.length + 1);
    if (entry.isSymbolicLink()) throw new Error(`${basename(file)} has a symbolic link: ${name}`);
    if (!entry.isFile()) continue;
    files++;
    if (UNPUBLISHED.test(name)) throw new Error(`${basename(file)} has a file that is not for users: ${name}`);
    if ((await readFile(path)).includes(ROOT))
      throw new Error(`${basename(file)} has a path of this machine in ${name}`);
  }
  console.log(`${basename(file)}: ${files} files`);
  if (!file.endsWith(".tgz")) return;
  const { repository, publishConfig, license } = await readManifest(join(unpacked, "package"));
  const described = JSON.stringify({ repository, publishConfig, license });
  if (!repository || !license || !/"access":"public","provenance":true/.test(described)) {
    throw new Error(`${basename(file)} cannot be published with provenance: ${described}`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return address && typeof address === "object" ? address.port : freePort();
}

/** Starts a program, and waits until its output has `ready` or `url` answers. It and its children end with `stop`. */
async function startProgram(program: string, args: string[], cwd: string, env: Record<string, string>, ready: RegExp) {
  const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, detached: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = once(child, "close");
  const stop = async () => {
    if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  };
  for (const deadline = Date.now() + START_MAX_MS; !ready.test(output); await sleep(ASK_EVERY_MS)) {
    if (child.exitCode === null && Date.now() < deadline) continue;
    await stop();
    throw new Error(`${program} ${args.join(" ")} did not start:\n${output}`);
  }
  return { output: () => output, stop };
}

async function startRegistry(folder: string) {
  const home = join(folder, "registry");
  await mkdir(home);
  await writeFile(join(home, "package.json"), JSON.stringify({ private: true, overrides: REGISTRY_OVERRIDES }));
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", REGISTRY], home);
  const upstream = (await run("npm", ["config", "get", "registry"])).trim();
  const ours = { access: "$all", publish: "$all" };
  const config = {
    storage: "./storage",
    auth: { htpasswd: { file: "./htpasswd" } },
    uplinks: { npm: { url: upstream, cache: false } },
    // No uplink: a package of this name that is published already is not seen.
    packages: { mailberth: ours, "@mailberth/*": ours, "**": { access: "$all", proxy: "npm" } },
    max_body_size: `${PACKAGE_MAX_MIB}mb`,
    log: { type: "stdout", format: "json", level: "warn" },
  };
  await writeFile(join(home, "config.yaml"), JSON.stringify(config));
  const host = `127.0.0.1:${await freePort()}`;
  const program = join(home, "node_modules/verdaccio/bin/verdaccio");
  const args = [program, "--config", "config.yaml", "--listen", host];
  const { stop } = await startProgram(process.execPath, args, home, {}, /http address/);
  return { url: `http://${host}/`, stop };
}

/** @returns the folder of a project that has both packages from the registry, and nothing of this one */
async function publishAndInstall(
  [service = "", client = ""]: string[],
  registry: string,
  folder: string,
): Promise<string> {
  const options = ["--registry", registry, "--fetch-retries", "0"];
  for (const file of [service, client]) {
    // The registry takes everyone, npm wants a token. Provenance comes from the workflow that publishes.
    const token = `--${registry.replace("http:", "")}:_authToken=none`;
    await run("npm", ["publish", file, "--provenance=false", token, ...options]);
  }
  const app = join(folder, "app");
  await mkdir(app);
  await writeFile(join(app, "package.json"), JSON.stringify({ name: "rehearsal", version: "0.0.0", private: true }));
  const cache = ["--cache", join(folder, "cache"), "--no-audit", "--no-fund"];
  await run("npm", ["install", ...options, ...cache, "mailberth", "@mailberth/client"], app);
  return app;
}

/** `npx mailberth start` in the empty project, and a code that each client gets from it. */
async function tryPackages(app: string, [, , wheel = ""]: string[]): Promise<void> {
  const environment = join(app, "python");
  await run(findPython(), ["-m", "venv", "--system-site-packages", environment]);
  const quiet = ["--no-index", "--no-deps", "--disable-pip-version-check"];
  await run(join(environment, "bin/pip"), ["install", ...quiet, wheel]);
  const port = `${await freePort()}`;
  const env = { HOME: app, DATA_DIR: join(app, "data"), PORT: port, SMTP_PORT: `${await freePort()}`, NODE_ENV: "" };
  const service = await startProgram("npx", ["mailberth", "start"], app, env, /is ready[\s\S]+mb_enroll_\w+/);
  try {
    const given = { ...env, MB: `http://127.0.0.1:${port}`, TOKEN: /mb_enroll_\w+/.exec(service.output())?.[0] ?? "" };
    const answers = {
      "npx mailberth": () => run("npx", ["mailberth", "enroll", "--url", given.MB, given.TOKEN], app, given),
      "@mailberth/client": () => run(process.execPath, ["--input-type=module", "--eval", TYPESCRIPT], app, given),
      python: () => run(join(environment, "bin/python"), ["-c", PYTHON], app, given),
    };
    for (const [name, answer] of Object.entries(answers)) {
      const wanted = name === "npx mailberth" ? /agent/ : /^482913$/m;
      const printed = await answer();
      if (!wanted.test(printed)) throw new Error(`${name} printed ${printed}`);
    }
    const { status } = await fetch(`${given.MB}/dashboard`);
    if (status !== 200) throw new Error(`The dashboard of the installed package answers ${status}`);
  } finally {
    await service.stop();
  }
}

const TYPESCRIPT = `
import { createClient } from "@mailberth/client";
const { MB: url, TOKEN: token } = process.env;
const { agent_key: key } = await createClient({ url }).enroll.redeem.mutate({ token, agent_handle: "typescript" });
const mail = createClient({ url, key });
const { address } = await mail.inboxes.create.mutate({});
await mail.messages.send.mutate({ addr: address, to: address, subject: "Code", text: "Your code is 482913." });
const { extracted } = await mail.messages.wait.mutate({ addr: address, timeout_seconds: 60 });
console.log(extracted.otp);
`;

const PYTHON = `
import os
from mailberth import Mailberth
mail = Mailberth.enroll(os.environ["MB"], os.environ["TOKEN"], "python")
address = mail.inboxes.create()["address"]
mail.send(address, to=address, subject="Code", text="Your code is 482913.")
print(mail.wait(address, timeout_seconds=60).otp)
`;

/**
 * What a user gets, in CycloneDX: what npm installed with the service, and what the prebuilt pages contain.
 * Platforms other than this one have other builds of Node, PostgreSQL and the compiler of Next.js.
 */
async function billOfMaterials(app: string): Promise<Bill> {
  const sbom = ["sbom", "--sbom-format", "cyclonedx", "--omit", "dev"];
  const installed = JSON.parse(await run("npm", sbom, app)) as Bill;
  const source = JSON.parse(await run("npm", sbom, ROOT)) as Bill;
  const { dependencies = {} } = await readManifest(ROOT);
  const names = Object.entries(dependencies).filter(([name]) => !CLONE_ONLY.includes(name));
  const known = new Set(installed.components.map((each) => each["bom-ref"]));
  const shipped = names.map(([name, version]) => `${name}@${version}`);
  for (const ref of shipped) {
    const { dependsOn = [] } = source.dependencies.find((each) => each.ref === ref) ?? {};
    shipped.push(...dependsOn.filter((each) => !shipped.includes(each)));
  }
  const isOfPages = (ref: string) => shipped.includes(ref) && !known.has(ref);
  const own = installed.components.find(({ name }) => name === "mailberth");
  if (!own) throw new Error("npm sbom does not name mailberth");
  return {
    ...installed,
    metadata: { ...installed.metadata, component: own },
    components: [...installed.components, ...source.components.filter((each) => isOfPages(each["bom-ref"]))]
      .filter((each) => each !== own)
      .toSorted((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1)),
    dependencies: [...installed.dependencies, ...source.dependencies.filter(({ ref }) => isOfPages(ref))],
  };
}

function licenseOf({ licenses = [] }: Pick<Component, "licenses">): string {
  const names = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? "unknown");
  return names.length === 0 ? "unknown" : names.join(" AND ");
}

/** @returns a line for each component whose license is unknown, or is not in `ALLOWED` */
export function licenseProblems(components: Pick<Component, "name" | "version" | "licenses">[]): string[] {
  return components.flatMap((component) => {
    const license = licenseOf(component);
    const isAllowed = license
      .replaceAll(/[()]/g, "")
      .split(" OR ")
      .some((choice) => choice.split(" AND ").every((each) => ALLOWED.includes(each)));
    const isBeside = BESIDE.some(([name, allowed]) => name.test(component.name) && license === allowed);
    return isAllowed || isBeside ? [] : [`${component.name} ${component.version}: ${license}`];
  });
}
