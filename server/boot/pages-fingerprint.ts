// Computes a hash over all files that the pages are built from. It uses contents, because a clone changes all times.
import { createHash } from "node:crypto";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const SOURCES = [
  "app/**/*",
  "docs/{guides,images}/*",
  "docs/glossary.md",
  "SECURITY.md",
  "instrumentation.ts",
  "next.config.ts",
  "package-lock.json",
];
const NAME_CHARS = 24;

/**
 * Hash over paths and contents, in hex; Next stores it as the build id (next.config.ts).
 * @param root folder of the project
 */
export function pagesFingerprint(root: string): string {
  const hash = createHash("sha256");
  const files = globSync(SOURCES, { cwd: root }).filter((file) => statSync(join(root, file)).isFile());
  for (const file of files.sort()) {
    const content = readFileSync(join(root, file));
    hash.update(`${file.replaceAll("\\", "/")}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, NAME_CHARS);
}
