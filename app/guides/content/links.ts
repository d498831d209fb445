// Turns links between files of the project into links between pages.
import { posix } from "node:path";
import { ENTRIES } from "./contents.ts";

const EXTERNAL = /^https?:\/\//;
const IMAGES = "docs/images/";

/** @returns undefined for a file that is not a page: its name stays text */
export function linkTarget(href: string, file: string): string | undefined {
  if (EXTERNAL.test(href) || href.startsWith("#")) return href;
  const [path = "", anchor] = href.split("#", 2);
  const target = posix.join(posix.dirname(file), path);
  const entry = ENTRIES.find((each) => each.file === target);
  return entry && `/guides/${entry.name}${anchor ? `#${anchor}` : ""}`;
}

export function imageTarget(href: string, file: string): string {
  const target = posix.join(posix.dirname(file), href);
  if (!target.startsWith(IMAGES)) throw new Error(`${file}: the image ${href} is not in ${IMAGES}.`);
  return `/guides/images/${target.slice(IMAGES.length)}`;
}
