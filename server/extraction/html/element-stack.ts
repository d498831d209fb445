// The open elements of an HTML document while it is read.
import type { Declarations } from "./css.ts";
import type { Link, MarkedLines } from "./html-reading.ts";
import type { Look } from "./look.ts";

export const TABLE_PARTS = new Set(["caption", "colgroup", "table", "tbody", "td", "tfoot", "th", "thead", "tr"]);
const ANCESTORS = 8;
const CELL_BOUNDS = ["table", "td", "th", "caption"];
const BOUNDS = new Map([
  ...[...TABLE_PARTS].map((name): [string, string[]] => [name, ["table"]]),
  ["li", [...CELL_BOUNDS, "ul", "ol"]],
]);

export type Frame = {
  name: string;
  look: Look;
  declarations: Declarations | undefined;
  tokens: string[];
  /** Of an element with an address. */
  link?: Link & { imageText: string; seen: boolean };
  /** The last number of an ordered list. */
  counter?: number;
  marked?: MarkedLines | undefined;
  /** A `<blockquote>` that no mail client marked. */
  isBlock?: boolean;
  /** Such a one that only moves its text to the right. */
  isIndented?: boolean;
};

/** The open elements and their positions: every lookup takes constant time at any depth. */
export function elementStack<Element extends { tokens: string[] }>() {
  const frames: Element[] = [];
  const places = new Map<string, number[]>();
  const last = (token: string) => places.get(token)?.at(-1) ?? -1;
  return {
    top: () => frames.at(-1),
    /** The last eight elements, the innermost first. */
    ancestors: () => frames.slice(-ANCESTORS).reverse(),
    size: () => frames.length,
    at: (place: number): Element | undefined => frames[place],
    isOpen: (token: string) => last(token) >= 0,
    push(frame: Element): void {
      for (const token of frame.tokens) {
        const at = places.get(token);
        if (at) at.push(frames.length);
        else places.set(token, [frames.length]);
      }
      frames.push(frame);
    },
    pop(): Element | undefined {
      const frame = frames.pop();
      for (const token of frame?.tokens ?? []) places.get(token)?.pop();
      return frame;
    },
    /**
     * The position of the element that an end tag closes; -1 for none. It never crosses a table or, except for its
     * parts, a cell.
     */
    find(name: string): number {
      const at = last(name);
      if (at < 0) return -1;
      return (BOUNDS.get(name) ?? CELL_BOUNDS).some((bound) => bound !== name && last(bound) > at) ? -1 : at;
    },
  };
}
