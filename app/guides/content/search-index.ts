// What the search looks through: every section of every guide, as plain text.
import { plainText, readGuides } from "./guide.ts";

export type Found = { href: string; guide: string; heading: string; text: string };

export function buildSearchIndex(): Found[] {
  return readGuides().flatMap(({ name, title, sections }) =>
    sections.map(({ heading, tokens }) => ({
      href: heading.depth === 1 ? `/guides/${name}` : `/guides/${name}#${heading.anchor}`,
      guide: title,
      heading: heading.text,
      text: tokens
        .map((token) => plainText([token]))
        .join(" ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    })),
  );
}
