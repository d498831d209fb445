// Builds `dist/client`, the package published as `@mailberth/client`: the client with tRPC in one module, the tools for models
// and the mailboxes for tests in two others, their declarations, and a minimal manifest. `npm run build:client` runs it after the compiler has written the declarations.
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MODULES = join(ROOT, "node_modules");
const COMPILED = join(MODULES, ".cache/client-types");
const DECLARATIONS = join(COMPILED, "client");
const DIST = join(ROOT, "dist/client");
/**
 * What the module contains. tRPC asks npm for TypeScript as a peer, which a program that only calls the service would install.
 */
const CONTAINED = ["@trpc/client", "@trpc/server", "eventsource", "eventsource-parser"];
/** The published modules, and what each may import beside packages that it contains. Browsers run `index`. */
const MODULES_IMPORT: Record<string, string[]> = {
  index: ["node:crypto"],
  ai: [],
  testing: [
    "./index.js",
    "node:child_process",
    "node:events",
    "node:fs/promises",
    "node:module",
    "node:net",
    "node:os",
    "node:path",
  ],
};
const SPECIFIER = /(?<=\b(?:from |import |import\())"([^"]+)"/g;
/** Declarations of tRPC that those of the client name, below `trpc/`. */
const TRPC = join(MODULES, "@trpc/server/dist");
const TRPC_FILES_MAX = 20;
/** Imports for their effects, of which types have none, and the names of source maps. */
const WITHOUT_NAMES = /^(import '[^']+';|\/\/# sourceMappingURL=.*)$/gm;
/** Of no exported value. */
const INTERNAL = ["subscriptions.d.ts"];

type Manifest = Record<string, unknown>;

function refuseImport(importer: string, specifier: string): never {
  throw new Error(`${importer} would ship an import of "${specifier}"; see MODULES_IMPORT`);
}

async function bundle(name: string): Promise<void> {
  const allowed = MODULES_IMPORT[name] ?? [];
  await using bundled = await rolldown({
    input: join(ROOT, `client/${name}.ts`),
    external: (specifier) => specifier.startsWith("node:") || (name !== "index" && specifier === "./index.ts"),
    platform: "neutral",
    makeAbsoluteExternalsRelative: false,
  });
  for (const [format, extension] of [
    ["esm", "js"],
    ["cjs", "cjs"],
  ] as const) {
    const { output } = await bundled.write({
      dir: DIST,
      format,
      entryFileNames: `[name].${extension}`,
      exports: "named",
      codeSplitting: false,
      paths: (specifier) => specifier.replace(/\.ts$/, `.${extension}`),
    });
    if (output.length > 1) throw new Error(`${name} is more than one module`);
    for (const specifier of output[0].imports) {
      if (!allowed.includes(specifier.replace(/\.cjs$/, ".js"))) refuseImport(output[0].fileName, specifier);
    }
  }
}

/** A declaration for each module format, importing the others by their published names. */
async function publish(name: string, declaration: string, rename: (specifier: string) => string | undefined) {
  for (const extension of ["js", "cjs"]) {
    const published = declaration.replace(SPECIFIER, (_, specifier: string) => {
      const renamed = rename(specifier) ?? refuseImport(name, specifier);
      return `"${renamed.startsWith(".") ? `${renamed}.${extension}` : renamed}"`;
    });
    await writeFile(join(DIST, `${name}.d.${extension.replace("js", "ts")}`), published);
  }
}

async function writeDeclarations(): Promise<void> {
  for (const name of await readdir(DECLARATIONS)) {
    if (INTERNAL.includes(name)) continue;
    await publish(name.replace(/\.d\.ts$/, ""), await readFile(join(DECLARATIONS, name), "utf8"), (specifier) => {
      if (specifier === "@trpc/server") return "./trpc/index";
      return /^\.\/[\w-]+\.ts$/.test(specifier) ? specifier.replace(/\.ts$/, "") : undefined;
    });
  }
  const files = ["index"];
  for (const name of files) {
    if (files.length > TRPC_FILES_MAX) throw new Error("the declarations of tRPC have grown");
    const declaration = (await readFile(join(TRPC, `${name}.d.mts`), "utf8")).replace(WITHOUT_NAMES, "");
    await publish(`trpc/${name}`, declaration, (specifier) => {
      const [, other] = /^\.\/([\w-]+)\.mjs$/.exec(specifier) ?? [];
      if (other !== undefined && !files.includes(other)) files.push(other);
      return other && `./${other}`;
    });
  }
}

/** The licenses of the packages in the module require their text. */
async function writeLicenses(): Promise<void> {
  const texts = CONTAINED.map(async (name) => {
    const folder = join(MODULES, name);
    const file = (await readdir(folder)).find((each) => /^(license|licence)/i.test(each));
    const { license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
    return `${name} (${license})\n\n${file ? await readFile(join(folder, file), "utf8") : ""}`;
  });
  await writeFile(join(DIST, "THIRD-PARTY-LICENSES"), (await Promise.all(texts)).join("\n---\n\n"));
}

const exportOf = (name: string) => ({
  import: { types: `./${name}.d.ts`, default: `./${name}.js` },
  require: { types: `./${name}.d.cts`, default: `./${name}.cjs` },
});

async function writeManifest(): Promise<void> {
  const { version, license, repository, type } = JSON.parse(
    await readFile(join(ROOT, "package.json"), "utf8"),
  ) as Manifest;
  const manifest = {
    name: "@mailberth/client",
    version,
    description: "Typed client of Mailberth: mailboxes for software agents, signed webhooks, payments.",
    license,
    repository,
    type,
    engines: { node: ">=20" },
    sideEffects: false,
    main: "./index.cjs",
    module: "./index.js",
    types: "./index.d.cts",
    exports: {
      ".": exportOf("index"),
      "./ai": exportOf("ai"),
      "./testing": exportOf("testing"),
      "./package.json": "./package.json",
    },
    publishConfig: { access: "public", provenance: true },
  };
  await writeFile(join(DIST, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

await rm(DIST, { recursive: true, force: true });
await mkdir(join(DIST, "trpc"), { recursive: true });
await Promise.all([
  ...Object.keys(MODULES_IMPORT).map(bundle),
  writeDeclarations(),
  writeLicenses(),
  writeManifest(),
  cp(join(ROOT, "client/README.md"), join(DIST, "README.md")),
  cp(join(ROOT, "LICENSE"), join(DIST, "LICENSE")),
]);
await rm(COMPILED, { recursive: true }); // otherwise a deleted file would still be published
