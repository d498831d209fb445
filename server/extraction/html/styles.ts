// Collects the style sheets of an HTML body.
import { readStylesheet, type Stylesheet } from "./css.ts";
import { holdsOnDesktop } from "./css-media.ts";
import { tokenize } from "./html-tokens.ts";

/** A style sheet also applies to elements before it, so all are read first. */
export function collectStyles(html: string): Stylesheet {
  if (!/<style/i.test(html)) return new Map();
  const styles: string[] = [];
  let inside = false;
  tokenize(html, {
    open: (name, attributes) => {
      inside = name === "style" && holdsOnDesktop((attributes.get("media") ?? "all").toLowerCase());
    },
    close: () => {
      inside = false;
    },
    text: (text) => {
      if (inside) styles.push(text);
    },
  });
  return readStylesheet(styles.join("\n"));
}
