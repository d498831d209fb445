// Builds `dist/mailberth`, the package published as `mailberth`: the service and the command as JavaScript, the
// migrations, the prebuilt pages, and the dependencies that the tests ran with. Node reads no TypeScript inside
// node_modules, so types are removed here.
import { existsSync, globSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { dirname, join, relative, sep } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const OUT = join(ROOT, "dist/mailberth");
const SOURCES = ["server/**/*.ts", "db/**/*.ts", "client/*.ts", "client/command/**/*.ts", "next.config.ts"];
const EXCLUDED = /^client\/build|\.d\.ts$/;
const COPIED = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  ".env.example",
  "db/migrations",
  "server/boot/resolve-drizzle.cjs",
  "server/messages/attachment-text/cmaps",
];
/** The build of the pages without its caches and traces. */
const PAGES = ".next";
const PAGES_EXCLUDED = /^\.next\/(cache|dev|types|diagnostics|trace|node_modules\/\.cache)|\.(map|nft\.json)$/;
/** A specifier of the service's own files: `./x.ts`, `#server/x.ts`, `new URL("./x-worker.ts", import.meta.url)`. */
const OWN = /(?<=(?:\bfrom |\bimport |\bimport\(|new URL\()"(?:\.|#)[^"]*)\.ts(?=")/g;
const PACKAGE = /(?:\bfrom |\bimport |\bimport\()"((?:@[\w.-]+\/)?[\w.-]+)/g;
/** What no import names: a peer of trpc-to-openapi, and the log's printer in its thread. */
const UNNAMED = ["pino-pretty", "zod-openapi"];
/** Large, and complete without overrides or patches: npm installs them. */
const INSTALLED = ["next", "react", "react-dom"];
/** For tests of payments only. */
const TESTS_ONLY = /^@foundry-rs\//;
/** What no program reads. */
const UNREAD =
  /\.(d\.[cm]?ts|[cm]?ts|tsx|map|md|markdown|flow|tsbuildinfo|(test|spec)\.[cm]?js)$|[\\/](test|tests|__tests__|docs|examples?)[\\/]/i;
const LICENSES = /license|licence|copying|notice/i;

type Versions = Record<string, string>;
type Manifest = Record<string, unknown> & {
  name: string;
  version: string;
  dependencies?: Versions;
  optionalDependencies?: Versions;
  peerDependencies?: Versions;
};

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
}

/** Writes a file without its types, and returns the packages that it imports. */
async function compile(path: string): Promise<string[]> {
  const code = stripTypeScriptTypes(await readFile(join(ROOT, path), "utf8")).replace(OWN, ".js");
  const target = join(OUT, path.replace(/\.ts$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, code);
  return [...code.matchAll(PACKAGE)].map(([, name]) => name ?? "");
}

/** Copies the built pages. Two files name the folder of the build; no start reads it there. */
async function copyPages(): Promise<void> {
  if (!existsSync(join(ROOT, PAGES, "export-marker.json"))) {
    throw new Error("The pages are not built. Run `npm run build`, then repeat.");
  }
  const isWanted = (path: string) => !PAGES_EXCLUDED.test(relative(ROOT, path).replaceAll("\\", "/"));
  await cp(join(ROOT, PAGES), join(OUT, PAGES), { recursive: true, dereference: true, filter: isWanted });
  for (const name of ["required-server-files.json", "required-server-files.js"]) {
    const path = join(OUT, PAGES, name);
    await writeFile(path, (await readFile(path, "utf8")).replaceAll(JSON.stringify(ROOT).slice(1, -1), "."));
  }
}

/** Where Node finds a package that is imported in `from`; undefined for peers and optional ones that are not there. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; folder.startsWith(ROOT); folder = dirname(folder)) {
    const found = join(folder, "node_modules", name);
    if (existsSync(join(found, "package.json"))) return found;
  }
  return undefined;
}

/** The packages of `names` and what they need in turn, by folder. */
async function collectPackages(names: Iterable<string>): Promise<Map<string, Manifest>> {
  const found = new Map<string, Manifest>();
  const todo = [...names].map((name) => findPackage(name, ROOT));
  for (const folder of todo) {
    if (folder === undefined || found.has(folder)) continue;
    const { name, version, dependencies, optionalDependencies, peerDependencies, ...rest } = await readManifest(folder);
    const exact: Versions = {};
    for (const needed of Object.keys({ ...peerDependencies, ...optionalDependencies, ...dependencies })) {
      const target = INSTALLED.includes(needed) ? undefined : findPackage(needed, folder);
      const isNeeded = dependencies?.[needed] ?? (isOptional(rest, needed) ? undefined : peerDependencies?.[needed]);
      if (!target || !isNeeded) continue;
      exact[needed] = (await readManifest(target)).version;
      todo.push(target);
    }
    found.set(folder, { name, version, ...rest, dependencies: exact });
  }
  return found;
}

function isOptional({ peerDependenciesMeta }: Record<string, unknown>, name: string): boolean {
  const meta = peerDependenciesMeta as Record<string, { optional?: boolean }> | undefined;
  return meta?.[name]?.optional === true;
}

/** Copies a package with exact versions of what it needs, so that npm finds nothing to change. It has no scripts. */
async function bundlePackage(folder: string, manifest: Manifest): Promise<void> {
  const target = join(OUT, relative(ROOT, folder));
  const isRead = (path: string) => {
    const inside = sep + relative(folder, path);
    return !inside.includes(`${sep}node_modules`) && (LICENSES.test(inside) || !UNREAD.test(inside));
  };
  await cp(folder, target, { recursive: true, filter: isRead });
  const { scripts, engines, devDependencies, peerDependenciesMeta, bundleDependencies, ...kept } = manifest;
  await writeFile(join(target, "package.json"), JSON.stringify(kept));
}

async function writeManifest(imported: Set<string>): Promise<void> {
  const root = await readManifest(ROOT);
  const { name, version, description, license, repository, type, engines, imports, dependencies = {} } = root;
  const { name: mcpName } = JSON.parse(await readFile(join(ROOT, "server.json"), "utf8")) as Manifest;
  const bundled = Object.keys(dependencies).filter((each) => imported.has(each) && !INSTALLED.includes(each));
  const optional = Object.entries(root.optionalDependencies ?? {}).filter(([each]) => !TESTS_ONLY.test(each));
  const manifest = {
    name,
    version,
    description,
    license,
    repository,
    // The registry of MCP servers compares it with server.json.
    mcpName,
    type,
    engines,
    bin: { mailberth: "bin/mailberth.cjs" },
    exports: { "./package.json": "./package.json" },
    imports,
    files: ["bin", "client", "db", "server", PAGES, "next.config.js", ".env.example", "CHANGELOG.md"],
    dependencies: Object.fromEntries([...bundled, ...INSTALLED].map((each) => [each, dependencies[each]])),
    optionalDependencies: Object.fromEntries(optional),
    bundleDependencies: bundled,
    publishConfig: { access: "public", provenance: true },
  };
  await writeFile(join(OUT, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

await rm(OUT, { recursive: true, force: true });
await mkdir(OUT, { recursive: true });
const files = globSync(SOURCES, { cwd: ROOT }).filter((path) => !EXCLUDED.test(path.replaceAll("\\", "/")));
const imported = new Set([...(await Promise.all(files.map(compile))).flat(), ...UNNAMED]);
const { dependencies = {} } = await readManifest(ROOT);
const bundled = Object.keys(dependencies).filter((name) => imported.has(name) && !INSTALLED.includes(name));
const packages = await collectPackages(bundled);
await Promise.all([
  writeManifest(imported),
  copyPages(),
  cp(join(ROOT, "client/command/launch.cjs"), join(OUT, "bin/mailberth.cjs")),
  ...COPIED.map((path) => cp(join(ROOT, path), join(OUT, path), { recursive: true })),
]);
for (const [folder, manifest] of packages) await bundlePackage(folder, manifest);
console.log(`dist/mailberth: ${files.length} files, ${packages.size} bundled packages`);
