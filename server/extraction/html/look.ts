// Decides whether the text of an element is visible, from inherited properties, CSS and attributes.
import { BLACK, blend, type Colour, isReadable, type Rgb, readColour, WHITE } from "./colours.ts";
import type { Declarations } from "./css.ts";

// Converts CSS lengths to pixels.
const FONT_PX = 16;
/** The reference width of percentages: the width of most newsletters. */
const BOX_PX = 600;
const CALC_TERMS = 20;
const LENGTH = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?)([a-z%]*)$/;
/** In pixels. `dvw`, `svw` and `lvw` are as `vw`. */
const FACTORS = new Map(
  Object.entries({
    "": 1,
    px: 1,
    rem: FONT_PX,
    rlh: 1.2 * FONT_PX,
    rex: FONT_PX / 2,
    rch: FONT_PX / 2,
    rcap: FONT_PX,
    ric: FONT_PX,
    pt: 4 / 3,
    pc: 16,
    cm: 38,
    mm: 3.8,
    q: 0.95,
    in: 96,
    vw: 12.8,
    vh: 8,
    vi: 12.8,
    vb: 8,
    vmin: 8,
    vmax: 12.8,
    cqw: BOX_PX / 100,
    cqi: BOX_PX / 100,
    cqh: 8,
    cqb: 8,
    cqmin: BOX_PX / 100,
    cqmax: 8,
  }),
);
/** In the font size. */
const FONT_FACTORS = new Map(Object.entries({ em: 1, ex: 0.5, ch: 0.5, cap: 1, ic: 1, lh: 1.2 }));

function readPlain(value: string, emPx: number, wholePx: number): number | undefined {
  const found = LENGTH.exec(value);
  if (!found) return undefined;
  const unit = (found[2] ?? "").replace(/^[dls](?=v)/, "");
  const factor = unit === "%" ? wholePx / 100 : (FACTORS.get(unit) ?? (FONT_FACTORS.get(unit) ?? Number.NaN) * emPx);
  return Number.isNaN(factor) ? undefined : Number(found[1]) * factor;
}

/** Sums and products without brackets, from left to right. */
function readCalc(formula: string, emPx: number, wholePx: number): number | undefined {
  let result: number | undefined;
  let operator = "+";
  for (const word of formula.split(/\s+/, CALC_TERMS).filter(Boolean)) {
    if (/^[-+*/]$/.test(word)) {
      operator = word;
      continue;
    }
    const term = readPlain(word, emPx, wholePx);
    if (term === undefined) return undefined;
    if (result === undefined) result = term;
    else if (operator === "*") result *= term;
    else if (operator === "/") result /= term || 1;
    else result += operator === "-" ? -term : term;
  }
  return result;
}

/**
 * A length in CSS pixels; undefined if the value is not a length (`auto`).
 * @param emPx the font size that `em` refers to
 * @param wholePx the length that a percentage refers to
 */
function readPx(value: string | undefined, emPx = FONT_PX, wholePx = BOX_PX): number | undefined {
  if (value === undefined) return undefined;
  const formula = /^calc\(([^()]*)\)$/.exec(value)?.[1];
  if (formula === undefined) return readPlain(value, emPx, wholePx);
  return readCalc(formula.replace(/[*/]/g, " $& "), emPx, wholePx);
}

/** `usual` is how newsletters hide preheaders and phone variants; `deceptive` has no legitimate use. */
export type Hiding = "no" | "usual" | "deceptive";

export type Look = {
  /** The whole element with its content. */
  gone: Hiding;
  invisible: boolean;
  fontPx: number;
  slanted: boolean;
  /** By its text-indent. */
  movedAway: boolean;
  /** Of all ancestors, multiplied. */
  opacity: number;
  colour: Colour;
  /** `unknown`: an image, on which any colour may be readable. */
  background: Rgb | "unknown";
  /** Height of the closest ancestor that clips its content. */
  clipPx: number;
  /** Custom properties, `--name` → value. */
  variables: ReadonlyMap<string, string> | undefined;
  /** White space is kept. */
  pre: boolean;
  /** The effect of these on text. */
  hides: Hiding;
};

type Css = (name: string) => string | undefined;

const TINY_FONT_PX = 4;
const FAR_PX = 500;
const BEYOND_PX = 2_000;
const FLAT_PX = 1;
const FAINT_OPACITY = 0.1;
const SMALLEST_SCALE = 0.1;
const BLURRED_PX = 5;
const SQUEEZED_EM = -0.5;
const CSS_VALUE_CHARS = 300;
const VARIABLES = 50;
const VARIABLE_DEPTH = 4;

export const FIRST_LOOK: Look = {
  gone: "no",
  invisible: false,
  fontPx: FONT_PX,
  slanted: false,
  movedAway: false,
  opacity: 1,
  colour: { rgb: BLACK, alpha: 1 },
  background: WHITE,
  clipPx: Number.POSITIVE_INFINITY,
  variables: undefined,
  pre: false,
  hides: "no",
};

function readFontPx(css: Css, inherited: number): number {
  // `font: 0/0 a` is a shorthand: its first length is the size.
  const words = css("font")?.split(/[\s/]+/) ?? [];
  const short = words.find((word) => /^[\d.]+(?:px|pt|em|rem|%)?$/.test(word) && !/^[1-9]00$/.test(word));
  const size = css("font-size") ?? short;
  if (size === "inherit" || size === "unset") return inherited;
  return readPx(size, inherited, inherited) ?? (words.length > 0 || size ? FONT_PX : inherited);
}

/** The common colour of all stops of a gradient. */
function readGradient(value: string): Colour | undefined {
  const inner = /^[a-z-]{1,40}gradient\((.*)\)$/.exec(value)?.[1] ?? "";
  const stops = inner
    .split(/,(?![^(]*\))/)
    .map((stop) => readColour(stop.trim().replace(/(?<!\s)\s+[\d.]+(?:%|px)/g, "")))
    .filter((stop) => stop !== undefined);
  const [first] = stops;
  return first && stops.every(({ rgb }) => String(rgb) === String(first.rgb)) ? first : undefined;
}

function readBackground(css: Css, text: Colour, inherited: Look["background"]): Look["background"] {
  const over = (colour: Colour) => (inherited === "unknown" && colour.alpha < 1 ? inherited : on(colour));
  const on = (colour: Colour) => blend(colour, inherited === "unknown" ? WHITE : inherited);
  const image = css("background-image");
  const short = css("background");
  const drawn = image && image !== "none" ? image : short && /url\(|gradient/.test(short) ? short : undefined;
  if (drawn) {
    const flat = readGradient(drawn);
    return flat ? over(flat) : "unknown";
  }
  const words = css("background-color") ?? short;
  if (words === undefined || words === "") return inherited;
  if (words === "currentcolor") return over(text);
  const candidates = [words, ...words.split(/\s+/)].map(readColour);
  const colour = candidates.find((candidate) => candidate !== undefined);
  if (colour !== undefined) return over(colour);
  return /^(?:none|inherit|initial|unset)$/.test(words) ? inherited : "unknown";
}

/** A number or a percentage; NaN for all else. */
function readRatio(value: string): number {
  return Number.parseFloat(value) * (value.trim().endsWith("%") ? 0.01 : 1);
}

const SCALES = /(scale(?:3d|x|y)?|matrix)\(([^()]*)\)/g;

/** The factors of width and height of all functions of a transform, and of the properties beside it. */
function scalesOf(css: Css, transform: string): number[] {
  const inTransform = Array.from(transform.matchAll(SCALES), ([, name, values = ""]) => {
    const numbers = values.split(",").map(readRatio);
    const [a = 1, b = 0, c = 0, d = 1] = numbers;
    return name === "matrix" ? [Math.hypot(a, b), Math.hypot(c, d)] : numbers.slice(0, 2);
  });
  const beside = (css("scale") ?? "").split(/\s+/, 2).map(readRatio);
  return [...inTransform.flat(), ...beside, readRatio(css("zoom") ?? "")];
}

/** Scaled, rotated or moved so that nothing is visible. */
function isTransformedAway(css: Css): boolean {
  const transform = css("transform") ?? "";
  if (scalesOf(css, transform).some((scale) => Math.abs(scale) < SMALLEST_SCALE)) return true;
  const moved = `${/translate(?:3d|x|y)?\(([^)]*)\)/.exec(transform)?.[1] ?? ""} ${css("translate") ?? ""}`;
  if (moved.split(/[\s,]+/).some((way) => isAway(readPx(way)))) return true;
  return /rotate[xy]\((?:90deg|0?\.25turn)/.test(transform);
}

const isAway = (px = 0) => px <= -FAR_PX || px >= BEYOND_PX;

/** Off the screen, clipped, covered, or below the end of a clipping box. */
function isOutOfSight(css: Css, clipPx: number): boolean {
  const px = (name: string) => readPx(css(name));
  const position = css("position") ?? "";
  const placed = /absolute|fixed/.test(position);
  const sides = ["left", "top", "right", "bottom"];
  if ((placed || /relative/.test(position)) && sides.some((side) => isAway(px(side)))) return true;
  if (placed && Number.parseInt(css("z-index") ?? "0", 10) < 0) return true;
  if (["margin-left", "margin-top"].some((name) => isAway(px(name)))) return true;
  if (["margin-top", "padding-top", "top"].some((name) => (px(name) ?? 0) >= clipPx)) return true;
  if (placed && /^rect\((?:[01](?:px)?[\s,]*){4}\)$/.test(css("clip") ?? "")) return true;
  const path = css("clip-path") ?? "";
  if (/^inset\((?:5\d|[6-9]\d|100)%|^(?:circle|ellipse)\(0|^polygon\((?:0(?:px|%)?[\s,]*)+\)/.test(path)) return true;
  return isTransformedAway(css);
}

function isGone(css: Css): boolean {
  if (css("display") === "none" || css("mso-hide") === "all" || css("content-visibility") === "hidden") return true;
  return (
    isClipping(css) && ["height", "max-height", "width", "max-width", "line-height"].some((name) => isFlat(css, name))
  );
}

const isFlat = (css: Css, name: string) => (readPx(css(name)) ?? Number.POSITIVE_INFINITY) <= FLAT_PX;

const isClipping = (css: Css) =>
  ["overflow", "overflow-x", "overflow-y"].some((name) => /hidden|clip/.test(css(name) ?? ""));

/** Shown but illegible: dots for letters, overlapping letters, blurred, reversed. */
function isGarbled(css: Css, fontPx: number): boolean {
  const spacing = readPx(css("letter-spacing"), fontPx);
  if (spacing !== undefined && spacing <= fontPx * SQUEEZED_EM) return true;
  const filter = css("filter") ?? "";
  const blur = /blur\(([^)]*)\)/.exec(filter)?.[1];
  const opacity = /opacity\(([^)]*)\)/.exec(filter)?.[1] ?? "";
  if ((readPx(blur) ?? 0) >= BLURRED_PX || readRatio(opacity) < FAINT_OPACITY) return true;
  const masked = css("-webkit-text-security") ?? "none";
  return masked !== "none" || (css("unicode-bidi") ?? "").includes("override");
}

function isSameColour({ colour, opacity, background }: Look): boolean {
  const alpha = colour.alpha * opacity;
  if (alpha < FAINT_OPACITY) return true;
  return background !== "unknown" && !isReadable(blend({ ...colour, alpha }, background), background);
}

function hidingOf(look: Look): Hiding {
  if (look.gone !== "no") return look.gone;
  if (look.invisible) return "usual";
  return look.fontPx <= TINY_FONT_PX || look.movedAway || isSameColour(look) ? "deceptive" : "no";
}

/** Resolves `var(--name, other)` in values; undefined for a property that is not declared. */
function reader(declarations: Declarations, variables: Look["variables"]): Css {
  return (name) => {
    let value = declarations.get(name)?.value.slice(0, CSS_VALUE_CHARS);
    for (let depth = 0; depth < VARIABLE_DEPTH && value?.includes("var("); depth += 1) {
      value = value
        .replace(/var\(\s*(--[\w-]{1,60})\s*(?:,([^()]*))?\)/g, (_, key: string, other?: string) =>
          (variables?.get(key) ?? other ?? "").trim(),
        )
        .slice(0, CSS_VALUE_CHARS);
    }
    return value;
  };
}

function variablesOf(declarations: Declarations, inherited: Look["variables"]): Look["variables"] {
  let variables: Map<string, string> | undefined;
  for (const [name, { value }] of declarations) {
    if (!name.startsWith("--")) continue;
    variables ??= new Map(inherited);
    if (variables.size < VARIABLES || variables.has(name)) variables.set(name, value.slice(0, CSS_VALUE_CHARS));
  }
  return variables ?? inherited;
}

function opacityOf(css: Css): number {
  const opacity = readRatio(css("opacity") ?? "1");
  return Number.isNaN(opacity) ? 1 : Math.min(1, Math.max(0, opacity));
}

function clipOf(css: Css, inherited: number): number {
  if (!isClipping(css)) return inherited;
  return Math.min(inherited, ...["height", "max-height"].map((name) => readPx(css(name)) ?? inherited));
}

/** The style of an element inside another. */
export function derive(parent: Look, declarations: Declarations): Look {
  if (declarations.size === 0 || parent.gone !== "no") return parent;
  const variables = variablesOf(declarations, parent.variables);
  const css = reader(declarations, variables);
  const colour = readColour(css("-webkit-text-fill-color") ?? css("color") ?? "") ?? parent.colour;
  const visibility = css("visibility");
  const indent = readPx(css("text-indent"));
  const space = css("white-space");
  const style = css("font-style");
  const fontPx = readFontPx(css, parent.fontPx);
  const opacity = parent.opacity * opacityOf(css);
  const isLost = isOutOfSight(css, parent.clipPx) || isGarbled(css, fontPx);
  const look: Look = {
    gone: isGone(css) || opacity < FAINT_OPACITY ? "usual" : isLost ? "deceptive" : "no",
    invisible: visibility === undefined ? parent.invisible : /hidden|collapse/.test(visibility),
    fontPx,
    slanted: style === undefined ? parent.slanted : /italic|oblique/.test(style),
    movedAway: indent === undefined ? parent.movedAway : isAway(indent),
    opacity,
    colour,
    background: readBackground(css, colour, parent.background),
    clipPx: clipOf(css, parent.clipPx),
    variables,
    pre: space === undefined ? parent.pre : space.startsWith("pre") || space === "break-spaces",
    hides: "no",
  };
  look.hides = hidingOf(look);
  return look;
}
