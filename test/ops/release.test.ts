// The rehearsal of a release: it publishes to a registry on this machine, and refuses what must not be shipped.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { licenseProblems } from "../../.changeset/rehearse.ts";

const ROOT = join(import.meta.dirname, "../..");
const REHEARSAL_MAX_MS = 1_800_000;
const OUTPUT_MAX_BYTES = 50_000_000;

const component = (name: string, ...licenses: object[]) => ({ name, version: "1.0.0", licenses });
const licensed = (name: string, id: string) => component(name, { license: { id } });

test("packages with permissive licenses can be shipped", () => {
  const either = component("either", { expression: "(GPL-3.0-only OR MIT)" });
  const libvips = licensed("@img/sharp-libvips-linux-x64", "LGPL-3.0-or-later");
  expect(licenseProblems([licensed("one", "MIT"), either, libvips])).toEqual([]);
});

test.each([
  ["copyleft", licensed("one", "AGPL-3.0-only"), "one 1.0.0: AGPL-3.0-only"],
  ["copyleft beside another", component("two", { expression: "MIT AND LGPL-3.0-or-later" }), "two 1.0.0: MIT AND LGPL"],
  ["no license", component("three"), "three 1.0.0: unknown"],
  ["a license in words", component("four", { license: { name: "SEE LICENSE IN FILE" } }), "four 1.0.0: SEE LICENSE"],
  ["another license of an exception", licensed("@img/sharp-libvips-linux-x64", "GPL-3.0-only"), "@img/sharp-libvips"],
])("a package with %s is named", (_, planted, name) => {
  expect(licenseProblems([licensed("zero", "ISC"), planted])).toEqual([expect.stringContaining(name)]);
});

describe.each(Array.from({ length: size("RELEASE_REHEARSALS") }, (_, index) => index + 1))("rehearsal %i", () => {
  test(
    "publishes, installs and starts the packages, and describes them",
    async () => {
      const { stdout } = await promisify(execFile)("npm", ["run", "release", "--", "--rehearse"], {
        cwd: ROOT,
        maxBuffer: OUTPUT_MAX_BYTES,
      });
      console.log(stdout);
      const read = (name: string) => readFile(join(ROOT, "dist/release", name), "utf8");
      const { bomFormat, components } = JSON.parse(await read("sbom.cdx.json"));
      const names = components.map(({ name }: { name: string }) => name);
      // Installed with the service, contained in it, and contained in its pages.
      expect([bomFormat, names]).toEqual(["CycloneDX", expect.arrayContaining(["next", "postgres", "@mantine/core"])]);
      for (const name of ["patch-package", "vitest"]) expect(names).not.toContain(name);
      expect((await read("licenses.txt")).trim().split("\n")).toHaveLength(names.length);
    },
    REHEARSAL_MAX_MS,
  );
});
