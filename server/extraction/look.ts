// Whether a human sees the text of an element: what it inherits, and what its CSS and attributes change.
import type { Declarations } from "./css.ts";

type Rgb = readonly [red: number, green: number, blue: number];

/** `everyday` is how newsletters hide preheaders and phone variants; `trick` has no honest use. */
export type Hiding = "no" | "everyday" | "trick";

export type Look = {
  /** The whole element with all in it. */
  gone: Hiding;
  invisible: boolean;
  fontPx: number;
  indented: boolean;
  colour: Rgb | "transparent";
  /** `unknown`: an image or a gradient, on which any colour may be read. */
  background: Rgb | "unknown";
  /** White space is kept. */
  pre: boolean;
  /** What all this does to text. */
  hides: Hiding;
};

const FONT_PX = 16;
const TINY_FONT_PX = 2;
const FAR_PX = 500;
const FLAT_PX = 1;
const FAINT_OPACITY = 0.05;
/** Sum over the three channels, 0–255 each. Less apart than this nobody reads. */
const SAME_COLOUR = 24;
const CSS_VALUE_CHARS = 300;

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];
/** The names that mails use; others count as readable on anything. */
const NAMED = new Map<string, Rgb>([
  ["white", WHITE],
  ["black", BLACK],
  ["snow", [255, 250, 250]],
  ["ivory", [255, 255, 240]],
  ["ghostwhite", [248, 248, 255]],
  ["whitesmoke", [245, 245, 245]],
  ["gainsboro", [220, 220, 220]],
  ["lightgray", [211, 211, 211]],
  ["lightgrey", [211, 211, 211]],
  ["silver", [192, 192, 192]],
  ["gray", [128, 128, 128]],
  ["grey", [128, 128, 128]],
  ["red", [255, 0, 0]],
  ["green", [0, 128, 0]],
  ["lime", [0, 255, 0]],
  ["blue", [0, 0, 255]],
  ["navy", [0, 0, 128]],
  ["yellow", [255, 255, 0]],
  ["orange", [255, 165, 0]],
  ["purple", [128, 0, 128]],
]);

export const FIRST_LOOK: Look = {
  gone: "no",
  invisible: false,
  fontPx: FONT_PX,
  indented: false,
  colour: BLACK,
  background: WHITE,
  pre: false,
  hides: "no",
};

/** `#rgb(a)`, `#rrggbb(aa)`, `rgb()`, `rgba()`, a name; undefined for anything else. */
function readColour(value: string): Rgb | "transparent" | undefined {
  if (value === "transparent") return "transparent";
  if (value.startsWith("rgb")) return readRgb(value);
  const digits = /^#?([0-9a-f]{3,8})$/.exec(value)?.[1];
  if (!digits || (!value.startsWith("#") && digits.length !== 6)) return NAMED.get(value);
  const wide = digits.length <= 4 ? [...digits].map((digit) => digit + digit).join("") : digits;
  if (wide.length === 8 && Number.parseInt(wide.slice(6), 16) < 255 * FAINT_OPACITY) return "transparent";
  return [0, 2, 4].map((at) => Number.parseInt(wide.slice(at, at + 2), 16)) as unknown as Rgb;
}

function readRgb(value: string): Rgb | "transparent" | undefined {
  const numbers = value.match(/\d+(?:\.\d+)?%?|\.\d+/g)?.slice(0, 4);
  if (!numbers || numbers.length < 3) return undefined;
  if (numbers[3] !== undefined && Number.parseFloat(numbers[3]) < FAINT_OPACITY) return "transparent";
  const channel = (text = "0") => Number.parseFloat(text) * (text.endsWith("%") ? 2.55 : 1);
  return [channel(numbers[0]), channel(numbers[1]), channel(numbers[2])];
}

/** A length in CSS pixels, undefined when it is none (`auto`). */
function readPx(value: string | undefined, emPx = FONT_PX): number | undefined {
  const found = value === undefined ? null : /^([+-]?(?:\d+\.?\d*|\.\d+))([a-z%]*)$/.exec(value);
  if (!found) return undefined;
  const factors: Record<string, number> = {
    em: emPx,
    rem: FONT_PX,
    "%": emPx / 100,
    pt: 4 / 3,
    cm: 38,
    mm: 3.8,
    in: 96,
  };
  return Number(found[1]) * (factors[found[2] ?? ""] ?? 1);
}

function readFontPx(css: (name: string) => string | undefined, inherited: number): number {
  // `font: 0/0 a` is a shorthand: the first length in it is the size.
  const words = css("font")?.split(/[\s/]+/) ?? [];
  const short = words.find((word) => /^[\d.]+(?:px|pt|em|rem|%)?$/.test(word) && !/^[1-9]00$/.test(word));
  return readPx(css("font-size") ?? short, inherited) ?? (words.length > 0 || css("font-size") ? FONT_PX : inherited);
}

function readBackground(css: (name: string) => string | undefined, inherited: Look["background"]): Look["background"] {
  const image = css("background-image");
  const short = css("background");
  if ((image && image !== "none") || (short && /url\(|gradient/.test(short))) return "unknown";
  const words = css("background-color") ?? short;
  if (words === undefined || words === "") return inherited;
  const candidates = [words, ...words.split(/\s+/)].map(readColour);
  const colour = candidates.find((candidate) => candidate !== undefined);
  if (colour !== undefined) return colour === "transparent" ? inherited : colour;
  return /^(?:none|inherit|initial|unset)$/.test(words) ? inherited : "unknown";
}

/** Off the screen, clipped or scaled away. */
function isOutOfSight(css: (name: string) => string | undefined): boolean {
  const far = (name: string) => (readPx(css(name)) ?? 0) <= -FAR_PX;
  const placed = /absolute|fixed/.test(css("position") ?? "");
  const beyond = (name: string) => Math.abs(readPx(css(name)) ?? 0) >= FAR_PX * 4;
  if (placed && (["left", "top", "right", "bottom"].some(far) || ["left", "right"].some(beyond))) return true;
  if (/relative/.test(css("position") ?? "") && ["left", "top"].some(far)) return true;
  if (far("margin-left") || far("margin-top")) return true;
  if (placed && /^rect\((?:[01](?:px)?[\s,]*){4}\)$/.test(css("clip") ?? "")) return true;
  if (/^inset\((?:50|100)%/.test(css("clip-path") ?? "")) return true;
  return /scale[xy]?\(0[),]|translate[xy]?\(-\d{4}/.test(css("transform") ?? "");
}

function isGone(css: (name: string) => string | undefined): boolean {
  if (css("display") === "none" || css("mso-hide") === "all") return true;
  const opacity = css("opacity");
  if (opacity && Number.parseFloat(opacity) < FAINT_OPACITY) return true;
  const clipped = ["overflow", "overflow-x", "overflow-y"].some((name) => /hidden|clip/.test(css(name) ?? ""));
  const flat = (name: string) => (readPx(css(name)) ?? Number.POSITIVE_INFINITY) <= FLAT_PX;
  return clipped && ["height", "max-height", "width", "max-width"].some(flat);
}

function isSameColour({ colour, background }: Look): boolean {
  if (colour === "transparent") return true;
  if (background === "unknown") return false;
  return colour.reduce((sum, channel, at) => sum + Math.abs(channel - (background[at] ?? 0)), 0) < SAME_COLOUR;
}

function hidingOf(look: Look): Hiding {
  if (look.gone !== "no") return look.gone;
  if (look.invisible) return "everyday";
  return look.fontPx <= TINY_FONT_PX || look.indented || isSameColour(look) ? "trick" : "no";
}

/** The look of an element inside another. */
export function derive(parent: Look, declarations: Declarations): Look {
  if (declarations.size === 0 || parent.gone !== "no") return parent;
  const css = (name: string) => declarations.get(name)?.value.slice(0, CSS_VALUE_CHARS);
  const colour = readColour(css("-webkit-text-fill-color") ?? css("color") ?? "");
  const visibility = css("visibility");
  const indent = readPx(css("text-indent"));
  const space = css("white-space");
  const look: Look = {
    gone: isGone(css) ? "everyday" : isOutOfSight(css) ? "trick" : "no",
    invisible: visibility === undefined ? parent.invisible : /hidden|collapse/.test(visibility),
    fontPx: readFontPx(css, parent.fontPx),
    indented: indent === undefined ? parent.indented : indent <= -FAR_PX,
    colour: colour ?? parent.colour,
    background: readBackground(css, parent.background),
    pre: space === undefined ? parent.pre : space.startsWith("pre") || space === "break-spaces",
    hides: "no",
  };
  look.hides = hidingOf(look);
  return look;
}
