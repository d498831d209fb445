// Tokenizes an HTML document: its tags and texts in order, and their attributes.
import { setImmediate } from "node:timers/promises";
import { Tokenizer } from "htmlparser2";

const CLASSES = 32;
const TURN_CHARS = 64 * 1024;
const URL_CHARS = 8_192;
const SCHEME = /^(?:https?|mailto|javascript|data|vbscript):/i;

export type Attributes = Map<string, string>;

/** Receives the tags and texts of an HTML document in order. `at`: where they are in it. */
type Events = {
  open(name: string, attributes: Attributes, at: number): void;
  close(name: string): void;
  text(text: string, at: number): void;
  /** The text of a comment, including Outlook's conditional ones. */
  comment?(text: string): void;
};

export function tokenize(html: string, events: Events): void {
  const tokenizer = tokenizerOf(html, events);
  tokenizer.write(html);
  tokenizer.end();
}

/** Like `tokenize`, but yields to other work after every 64 KiB characters. */
export async function tokenizeInTurns(html: string, events: Events): Promise<void> {
  const tokenizer = tokenizerOf(html, events);
  for (let at = 0; at < html.length; at += TURN_CHARS) {
    tokenizer.write(html.slice(at, at + TURN_CHARS));
    await setImmediate();
  }
  tokenizer.end();
}

/** The Tokenizer of htmlparser2, because the stack of its Parser takes quadratic time on nested tags. */
function tokenizerOf(html: string, events: Events): Tokenizer {
  let name = "";
  let attribute = "";
  let value = "";
  let attributes: Attributes = new Map();
  let tagAt = 0;
  const opened = () => events.open(name, attributes, tagAt);
  return new Tokenizer(
    {},
    {
      ontext: (start, end) => events.text(html.slice(start, end), start),
      ontextentity(code, end) {
        const text = String.fromCodePoint(code);
        events.text(text, end - text.length);
      },
      onopentagname(start, end) {
        tagAt = start - 1;
        name = html.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname(start, end) {
        attribute = html.slice(start, end).toLowerCase();
        value = "";
      },
      onattribdata(start, end) {
        value += html.slice(start, end);
      },
      onattribentity(code) {
        value += String.fromCodePoint(code);
      },
      onattribend() {
        if (!attributes.has(attribute)) attributes.set(attribute, value);
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag: (start, end) => events.close(html.slice(start, end).trim().toLowerCase()),
      oncdata() {},
      oncomment: (start, end, offset) => events.comment?.(html.slice(start, end - offset)),
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  );
}

/** HTML 3 attributes with CSS equivalents; the style attribute overrides them. */
export function presentation(name: string, attributes: Attributes): string {
  if (attributes.size === 0 && name !== "pre") return "";
  let hints = "";
  const add = (property: string, value: string | undefined) => {
    if (value) hints += `${property}:${value.replaceAll(";", "")};`;
  };
  if (name === "font") add("color", attributes.get("color"));
  else if (name === "body") add("color", attributes.get("text"));
  add("background-color", attributes.get("bgcolor"));
  if (attributes.has("background")) add("background-image", "url(…)");
  if (attributes.has("hidden")) add("display", "none");
  if (name === "pre") add("white-space", "pre");
  return hints;
}

/** The href as html.ts describes it, undefined for links inside the mail. */
export function readUrl(href: string): string | undefined {
  const url = href
    .replace(/[\t\r\n]/g, "")
    .replace(/^[\0-\x20]+/, "")
    .trimEnd();
  const absolute = /^[\\/]{2}/.test(url) ? `https:${url}` : url;
  if (!SCHEME.test(absolute)) return undefined;
  if (absolute.length <= URL_CHARS) return absolute;
  return /^(?:http|mailto)/i.test(absolute) ? undefined : absolute.slice(0, URL_CHARS);
}

/** An element's words for CSS selectors: its tag, `.class`es, `#id`. */
export function tokensOf(name: string, attributes: Attributes): string[] {
  if (!attributes.has("class") && !attributes.has("id")) return [name];
  const classes = attributes.get("class")?.split(/\s+/, CLASSES).filter(Boolean) ?? [];
  const id = attributes.get("id")?.trim();
  return [name, ...classes.map((token) => `.${token}`), ...(id ? [`#${id}`] : [])];
}
