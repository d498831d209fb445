// The open elements of an HTML document while it is read or written.
import { TABLE_PARTS } from "./elements.ts";

const ANCESTORS_MAX = 8;
/** Scopes, as the HTML standard has them (§13.2.4.2). */
const CELL_BOUNDS = ["table", "td", "th", "caption"];
const BOUNDS = new Map([
  ...[...TABLE_PARTS].map((name): [string, string[]] => [name, ["table"]]),
  ["li", [...CELL_BOUNDS, "ul", "ol"]],
]);

/**
 * The open elements and their positions: every lookup takes constant time at any depth. `tokens`: the name of an element, its `#id` and its
 * `.class` names.
 */
export function elementStack<Open extends { tokens: string[] }>() {
  const frames: Open[] = [];
  const places = new Map<string, number[]>();
  const last = (token: string) => places.get(token)?.at(-1) ?? -1;
  return {
    top: () => frames.at(-1),
    /** The last eight elements, the innermost first. */
    ancestors: () => frames.slice(-ANCESTORS_MAX).reverse(),
    size: () => frames.length,
    at: (place: number): Open | undefined => frames[place],
    isOpen: (token: string) => last(token) >= 0,
    push(frame: Open): void {
      for (const token of frame.tokens) {
        const at = places.get(token);
        if (at) at.push(frames.length);
        else places.set(token, [frames.length]);
      }
      frames.push(frame);
    },
    pop(): Open | undefined {
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
