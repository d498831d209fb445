// Reads the text of a PowerPoint presentation: each slide in the order of the show, and the notes of the speaker.
import { type Archive, collect, type Relation, readXml, relationsOf, relationsPath } from "./archive.ts";
import { type Graphics, graphicsText } from "./graphics.ts";
import { paragraphsOf } from "./word.ts";

/** What is read of a part beside a slide, and what stands before it. */
const LABELS: Record<string, string> = { notesSlide: "Notes: ", comments: "Comment: " };
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

const isLabelled = ({ type }: Relation) => Object.hasOwn(LABELS, type);

/** Older programs write a comment as `text`, newer ones as paragraphs. */
const commentsOf = (xml: string) =>
  paragraphsOf(xml.replace(/<(\/?)(\w+:)?text(?=[\s/>])/g, "<$1$2t").replace(/<\/(\w+:)?cm>/g, "<a:p></a:p>$&"));

/** @param main the path of the presentation */
export function slidesText(archive: Archive, main: string): Graphics {
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
  const related = slides.map((slide) => relationsOf(slide, files.get(relationsPath(slide)) ?? ""));
  const others = archive.read(related.flatMap((each) => each.filter(isLabelled).map(({ target }) => target)));
  const out = collect();
  let isPartial = false;
  for (const [at, slide] of slides.entries()) {
    const xml = files.get(slide) ?? "";
    if (at > 0) out.add("\n");
    out.add(`# Slide ${at + 1}${isHidden(xml) ? " (hidden)" : ""}\n${paragraphsOf(xml)}`);
    const beside = graphicsText(archive, related[at] ?? []);
    isPartial ||= beside.isPartial;
    out.add(beside.text);
    for (const { type, target } of (related[at] ?? []).filter(isLabelled)) {
      const part = others.get(target) ?? "";
      const text = (type === "comments" ? commentsOf(part) : paragraphsOf(part)).trim();
      if (text !== "") out.add(`${LABELS[type]}${text}\n`);
    }
  }
  return { text: out.text(), isPartial };
}
