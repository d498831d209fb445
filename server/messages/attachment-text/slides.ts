// Reads the text of a PowerPoint presentation: each slide in the order of the show, and the notes of the speaker.
import { type Archive, collect, readXml, relationsOf, relationsPath } from "./archive.ts";
import { paragraphsOf } from "./word.ts";

const NOTES = "notesSlide";
const DIAGRAM = "diagramData";
const SLIDES_MAX = 1_000;

function slideOrder(xml: string): string[] {
  const ids: string[] = [];
  readXml(xml, {
    open(name, attribute) {
      if (name === "sldId") ids.push(attribute(":id") ?? "");
    },
  });
  return ids.slice(0, SLIDES_MAX);
}

function isHidden(xml: string): boolean {
  return /<(?:\w+:)?sld\s[^>]*\bshow\s*=\s*["'](?:0|false)["']/.test(xml.slice(0, 4_096));
}

/** @param main the path of the presentation */
export function slidesText(archive: Archive, main: string): string {
  const first = archive.read([main, relationsPath(main)]);
  const targets = new Map(
    relationsOf(main, first.get(relationsPath(main)) ?? "").map(({ id, target }) => [id, target]),
  );
  const slides = slideOrder(first.get(main) ?? "").map((id) => {
    const target = targets.get(id);
    if (target === undefined || !archive.has(target)) throw new Error("a slide has no file");
    return target;
  });
  const files = archive.read(slides.flatMap((slide) => [slide, relationsPath(slide)]));
  const related = slides.map((slide) =>
    relationsOf(slide, files.get(relationsPath(slide)) ?? "").filter(({ type }) => type === NOTES || type === DIAGRAM),
  );
  const others = archive.read(related.flat().map(({ target }) => target));
  const out = collect();
  for (const [at, slide] of slides.entries()) {
    const xml = files.get(slide) ?? "";
    if (at > 0) out.add("\n");
    out.add(`# Slide ${at + 1}${isHidden(xml) ? " (hidden)" : ""}\n${paragraphsOf(xml)}`);
    for (const { type, target } of related[at] ?? []) {
      const text = paragraphsOf(others.get(target) ?? "").trim();
      if (text !== "") out.add(`${type === NOTES ? "Notes: " : ""}${text}\n`);
    }
  }
  return out.text();
}
