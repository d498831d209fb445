// Decides how an element sets its text off: large, bold, spaced, framed, struck through, or as a button.
import type { Frame } from "./html-reading.ts";

/** How a text is set off. */
export const BIG = 1;
export const BOLD = 2;
export const SPACED = 4;
export const MONOSPACED = 8;
export const FRAMED = 16;
/** Struck through: no longer valid. */
export const STRUCK = 32;

const BIG_PX = 20;
const SPACED_PX = 1;
/** Frames further out hold more than the text. */
const FRAME_LEVELS = 3;
const HEADINGS = new Set(["h1", "h2", "h3"]);
const BOLD_ELEMENTS = new Set(["b", "strong", "h1", "h2", "h3", "h4", "th"]);
const STRUCK_ELEMENTS = new Set(["s", "strike", "del"]);
export const CODE_ELEMENTS = new Set(["code", "pre", "tt", "kbd", "samp"]);
const COLOURLESS = /^(?:none|transparent|inherit|initial|unset|#fff(?:fff)?|white|0(?:px)?)?$/;

const declared = ({ declarations }: Frame, name: string) => declarations?.get(name)?.value ?? "";
const isFramed = (frame: Frame) =>
  ["border", "background", "background-color"].some((name) => !COLOURLESS.test(declared(frame, name)));

function flagsOf(frame: Frame, level: number): number {
  const { name } = frame;
  let flags = 0;
  if (HEADINGS.has(name)) flags |= BIG;
  if (BOLD_ELEMENTS.has(name)) flags |= BOLD;
  if (CODE_ELEMENTS.has(name)) flags |= MONOSPACED;
  if (STRUCK_ELEMENTS.has(name)) flags |= STRUCK;
  if (frame.declarations) {
    if (/^(?:bold|bolder|[6-9]00)/.test(declared(frame, "font-weight"))) flags |= BOLD;
    if (/mono|courier|consolas|menlo/.test(declared(frame, "font-family") + declared(frame, "font")))
      flags |= MONOSPACED;
    if (/line-through/.test(declared(frame, "text-decoration") + declared(frame, "text-decoration-line")))
      flags |= STRUCK;
    const spacing = declared(frame, "letter-spacing");
    if (Number.parseFloat(spacing) >= (spacing.endsWith("em") ? 0.05 : SPACED_PX)) flags |= SPACED;
    if (level < FRAME_LEVELS && isFramed(frame)) flags |= FRAMED;
  }
  return flags;
}

/** @param ancestors of a text, the innermost first */
export function setOff(ancestors: Frame[], fontPx: number): number {
  return ancestors.reduce((flags, frame, level) => flags | flagsOf(frame, level), fontPx >= BIG_PX ? BIG : 0);
}

/** Whether a link is drawn as a button: coloured or framed, itself or the cell that it fills. */
export function isButton(link: Frame, parent: Frame | undefined): boolean {
  if (/button|btn|cta/i.test(link.tokens.join(" "))) return true;
  if (isFramed(link) && (/block|flex/.test(declared(link, "display")) || link.declarations?.has("padding")))
    return true;
  return parent !== undefined && /^t[dh]$/.test(parent.name) && isFramed(parent);
}
