// Parses colours of CSS and of old attributes, and decides whether text is readable on a background.
import { colord, extend } from "colord";
import hwb from "colord/plugins/hwb";
import lab from "colord/plugins/lab";
import lch from "colord/plugins/lch";
import names from "colord/plugins/names";
import oklab from "colord/plugins/oklab";
import oklch from "colord/plugins/oklch";

extend([hwb, lab, lch, names, oklab, oklch]);

/** Channels 0–255. */
export type Rgb = readonly [red: number, green: number, blue: number];
/** `alpha`: 0 is transparent, 1 is opaque. */
export type Colour = { rgb: Rgb; alpha: number };

export const BLACK: Rgb = [0, 0, 0];
export const WHITE: Rgb = [255, 255, 255];
const COLOUR_CHARS = 80;
/** System colours of CSS in light mode. */
const SYSTEM = new Map<string, Rgb>([
  ...["canvas", "window", "field", "background", "-webkit-canvas"].map((name): [string, Rgb] => [name, WHITE]),
  ...["canvastext", "windowtext", "fieldtext", "buttontext"].map((name): [string, Rgb] => [name, BLACK]),
]);
/** WCAG contrast ratio, 1–21. Text below it is unreadable; the palest legitimate footers have 1.6. */
const UNREADABLE_CONTRAST = 1.25;
/** Sum over the three channels. Larger differences of hue are visible even with a low contrast. */
const SAME_HUE = 120;

/** Between the channels. Clients write replies in a dark blue that has 94. */
const STRONG = 128;

/** `#rgb(a)`, `#rrggbb(aa)`, `rgb()`, `hsl()`, `hwb()`, `lab()`, a name; `rrggbb` as in old attributes. Undefined for anything else. */
export function readColour(value: string): Colour | undefined {
  if (value === "" || value.length > COLOUR_CHARS) return undefined;
  const system = SYSTEM.get(value);
  if (system) return { rgb: system, alpha: 1 };
  const colour = colord(/^[\da-f]{6}$/.test(value) ? `#${value}` : value);
  if (!colour.isValid()) return undefined;
  const { r, g, b, a } = colour.rgba;
  return { rgb: [r, g, b], alpha: a };
}

/** The visible colour over an opaque one. */
export function blend({ rgb, alpha }: Colour, under: Rgb): Rgb {
  const channel = (at: 0 | 1 | 2) => rgb[at] * alpha + under[at] * (1 - alpha);
  return [channel(0), channel(1), channel(2)];
}

/** Whether a colour is none of black, grey, white and what is near them, as dark blue is. */
export const isStrong = (rgb: Rgb) => Math.max(...rgb) - Math.min(...rgb) >= STRONG;

/** Relative luminance (WCAG 2.2). */
function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Whether people can read text of the one colour on the other. */
export function isReadable(text: Rgb, background: Rgb): boolean {
  const distance = text.reduce((sum, channel, at) => sum + Math.abs(channel - (background[at] ?? 0)), 0);
  if (distance > SAME_HUE) return true;
  const [a, b] = [luminance(text), luminance(background)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= UNREADABLE_CONTRAST;
}
