// Decides which conditional rules of a style sheet apply to a desktop in light mode.

const WIDTH_PX = 1280;
const HEIGHT_PX = 800;
const QUERIES = 20;
/** True there; any other feature is for one client, dark mode or paper. */
const FEATURES = new Set([
  "prefers-color-scheme: light",
  "prefers-reduced-motion: no-preference",
  "orientation: landscape",
  "hover: hover",
  "hover",
  "any-hover: hover",
  "pointer: fine",
  "any-pointer: fine",
  "color",
  "min-color: 1",
  "grid: 0",
  "scripting: none",
]);

/** `600px`, `40em` in pixels. */
function readWidth(value: string): number | undefined {
  const found = /^(\d{1,6}(?:\.\d{1,6})?)(px|em|rem)?$/.exec(value);
  return found ? Number(found[1]) * (found[2] && found[2] !== "px" ? 16 : 1) : undefined;
}

function holdsFeature(feature: string): boolean {
  if (FEATURES.has(feature)) return true;
  if (/^-webkit-min-device-pixel-ratio: [01](?:\.0)?$|^min-resolution: (?:\.\d+|[01])\S*$/.test(feature)) return true;
  const [, bound, side, value = ""] = /^(min|max)-(?:device-)?(width|height): (\S+)$/.exec(feature) ?? [];
  const range = /^(width|height) ?(>=?|<=?) ?(\S+)$/.exec(feature);
  const size = (side ?? range?.[1]) === "height" ? HEIGHT_PX : WIDTH_PX;
  const limit = readWidth(bound ? value : (range?.[3] ?? ""));
  if (limit === undefined) return false;
  return bound === "min" || range?.[2]?.startsWith(">") ? size >= limit : size <= limit;
}

function holdsQuery(query: string): boolean {
  const words = query
    .trim()
    .replace(/\s+/g, " ")
    .replace(/^only /, "");
  if (words.startsWith("not ")) return !holdsQuery(words.slice("not ".length));
  return words.split(" and ").every((part) =>
    /^\(.*\)$/.test(part)
      ? holdsFeature(
          part
            .slice(1, -1)
            .replace(/(?<!\s)\s*:\s*/, ": ")
            .trim(),
        )
      : part === "all" || part === "screen" || part === "",
  );
}

/** @param list media queries as in a `media` attribute or after `@media`, lower case */
export function holdsOnDesktop(list: string): boolean {
  return list.split(",", QUERIES).some(holdsQuery);
}

/**
 * Whether the rules in a block apply.
 * @param prelude the text before its `{`, lower case
 */
export function entersBlock(prelude: string): boolean {
  if (prelude.startsWith("@media")) return holdsOnDesktop(prelude.slice("@media".length));
  if (prelude.startsWith("@supports")) return !/^@supports\s*\(?\s*not\b/.test(prelude);
  return prelude.startsWith("@layer");
}
