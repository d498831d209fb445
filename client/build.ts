// Builds `dist/`, the package published as `mailberth`: the client in one module, its declarations, and a minimal
// manifest. `npm run build:client` runs it after the compiler has written the declarations.
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMPILED = join(ROOT, "node_modules/.cache/client-types");
const DECLARATIONS = join(COMPILED, "client");
const DIST = join(ROOT, "dist");
/** What the published files may import, beside each other. */
const IMPORTS = ["@trpc/client", "@trpc/server", "eventsource", "node:crypto"];
const SPECIFIER = /(?<=\b(?:from |import |import\())"([^"]+)"/g;

type Manifest = Record<string, unknown> & { dependencies: Record<string, string> };

function refuseImport(importer: string, specifier: string): never {
  throw new Error(`${importer} would ship an import of "${specifier}"; only ${IMPORTS.join(", ")} are allowed`);
}

async function bundle(): Promise<void> {
  await using bundled = await rolldown({
    input: join(ROOT, "client/index.ts"),
    external: (specifier) => !specifier.startsWith(".") && !specifier.startsWith("/"),
  });
  const dir = join(DIST, "client");
  const { output } = await bundled.write({ dir, format: "esm" });
  await bundled.write({ dir, format: "cjs", entryFileNames: "[name].cjs" });
  for (const specifier of output[0].imports) {
    if (!IMPORTS.includes(specifier)) refuseImport(output[0].fileName, specifier);
  }
}

/** The compiler's declarations, once for each module format, importing each other by their published names. */
async function copyDeclarations(): Promise<void> {
  for (const name of await readdir(DECLARATIONS)) {
    const declaration = await readFile(join(DECLARATIONS, name), "utf8");
    for (const extension of ["js", "cjs"]) {
      const published = declaration.replace(SPECIFIER, (quoted, specifier: string) => {
        if (/^\.\/[\w-]+\.ts$/.test(specifier)) return `"${specifier.replace(/ts$/, extension)}"`;
        return IMPORTS.includes(specifier) ? quoted : refuseImport(name, specifier);
      });
      await writeFile(join(DIST, "client", name.replace(/ts$/, extension.replace("js", "ts"))), published);
    }
  }
}

async function writeManifest(): Promise<void> {
  const root = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8")) as Manifest;
  const { name, version, description, license, type, engines, dependencies } = root;
  const needed = Object.entries(dependencies).filter(([dependency]) => IMPORTS.includes(dependency));
  const manifest = {
    name,
    version,
    description,
    license,
    type,
    engines,
    sideEffects: false,
    exports: {
      "./client": {
        import: { types: "./client/index.d.ts", default: "./client/index.js" },
        require: { types: "./client/index.d.cts", default: "./client/index.cjs" },
      },
      "./package.json": "./package.json",
    },
    dependencies: Object.fromEntries(needed.map(([dependency, pinned]) => [dependency, `^${pinned}`])),
  };
  await writeFile(join(DIST, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

await rm(DIST, { recursive: true, force: true });
await mkdir(join(DIST, "client"), { recursive: true });
await Promise.all([
  bundle(),
  copyDeclarations(),
  writeManifest(),
  cp(join(ROOT, "client/README.md"), join(DIST, "README.md")),
  cp(join(ROOT, "LICENSE"), join(DIST, "LICENSE")),
]);
await rm(COMPILED, { recursive: true }); // otherwise a deleted file would still be published
