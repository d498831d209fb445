// Shows attribute texts of images and elements in `safe_text`, marked as annotations.
import type { Attributes } from "./html-tokens.ts";
import type { lineBuilder } from "./lines.ts";
import type { Hiding } from "./look.ts";
import type { unseenText } from "./unseen.ts";

/** In one mail. Further ones count as hidden. */
const ANNOTATIONS = 500;
/** Of each. Longer text counts as hidden. */
const ANNOTATION_CHARS = 200;
const SHOWN = new Set([
  "title",
  "aria-label",
  "aria-description",
  "aria-roledescription",
  "aria-valuetext",
  "aria-placeholder",
]);
/** Attributes with addresses, names and numbers; `alt` and `style` are handled elsewhere. */
const WITHOUT_WORDS = new Set(
  (
    "align alt background bgcolor border cellpadding cellspacing class color colspan dir face height href hspace id lang " +
    "media name rel role rowspan size src srcset style target type valign vspace width xmlns"
  ).split(" "),
);

/** Noncharacters that never occur in a mail's text. They mark annotations until the lines are joined, as those of lines.ts mark cited text. */
const ALT_START = "\ufdd0";
const END = "\ufdd1";
const NOTE_START = "\ufdd2";
const MARKS = /[\ufdd0-\ufdd4]/g;
const ALT = /\ufdd0([^\ufdd1]*)\ufdd1?/g;
const NOTE = /\ufdd2([^\ufdd1]*)\ufdd1? ?/g;

const bounded = (text: string) => text.slice(0, ANNOTATION_CHARS).trim();
/** Square brackets end an annotation, so its text must not contain them. */
const unbracketed = (text: string) => text.replaceAll("[", "(").replaceAll("]", ")");

export const withoutMarks = (text: string) => text.replace(MARKS, "");
const markAlt = (alt: string) => `${ALT_START}${withoutMarks(alt)}${END}`;
const markNote = ({ name, value }: Annotation) =>
  `${NOTE_START}${name}: ${unbracketed(bounded(withoutMarks(value)))}${END}`;

/** The part that is cut off. */
const excessOf = (text: string) => text.slice(ANNOTATION_CHARS);

const isMarked = (line: string) => line.includes(ALT_START) || line.includes(NOTE_START);

/** A line for `text`: alternative texts without brackets, other annotations left out. */
export const bareLine = (line: string) => (isMarked(line) ? line.replace(NOTE, "").replace(ALT, "$1") : line);
/** A line for `safeText`. */
export const markedLine = (line: string) =>
  isMarked(line)
    ? line.replace(NOTE, "[$1] ").replace(ALT, (_, alt: string) => `[alt: ${unbracketed(bounded(alt))}]`)
    : line;
/** A line without its annotations. */
export const bodyLine = (line: string) => (isMarked(line) ? line.replace(NOTE, "").replace(ALT, "") : line);

type Annotation = { name: string; value: string };

/** The texts of `title` and `aria-*` of an element beside its `alt`, without duplicates. */
function annotationsOf(attributes: Attributes): Annotation[] {
  const found: Annotation[] = [];
  for (const [name, value] of attributes) {
    if (!SHOWN.has(name) || value.trim() === "" || value === attributes.get("alt")) continue;
    if (!found.some((other) => other.value === value)) found.push({ name, value });
  }
  return found;
}

/** Adds marked attribute texts to the lines, and reports left-out ones to `unseen`. */
export function annotator(lines: ReturnType<typeof lineBuilder>, unseen: ReturnType<typeof unseenText>) {
  let annotations = 0;

  function tell(annotation: Annotation, hides: Hiding): void {
    if (hides !== "no" || annotations >= ANNOTATIONS) {
      unseen.note(annotation.value);
      return;
    }
    annotations += 1;
    lines.note(markNote(annotation));
    unseen.marked(annotation.value);
    unseen.hide(excessOf(annotation.value), "usual");
  }

  return {
    /** @param hides how the element's style hides its text */
    attributes(attributes: Attributes, hides: Hiding): void {
      let isAnnotated = false;
      for (const [name, value] of attributes) {
        if (SHOWN.has(name)) isAnnotated = true;
        // Other attributes may contain text that nothing shows.
        else if (!WITHOUT_WORDS.has(name)) unseen.code(value);
      }
      const style = attributes.get("style");
      if (style?.includes("/*")) unseen.css(style);
      if (isAnnotated) for (const annotation of annotationsOf(attributes)) tell(annotation, hides);
    },
    /** The alternative text of an image that is shown. */
    alt(alt: string): void {
      annotations += 1;
      lines.text(alt.replace(/\S(?:[\s\S]*\S)?/, markAlt), false);
      unseen.marked(alt);
      unseen.hide(excessOf(alt), "usual");
    },
    /** Whether lines have annotations. */
    any: () => annotations > 0,
  };
}
