// Parses the CSS of mails: style attributes and style sheets, as far as it decides whether text is visible.
import { entersBlock } from "./css-media.ts";

/** No other property can hide text in a mail client, or set it off. */
const PROPERTIES = new Set(
  (
    "background background-color background-image border border-radius bottom clip clip-path color content-visibility display " +
    "filter font font-family font-size font-weight height left letter-spacing line-height margin-left margin-top max-height max-width mso-hide opacity overflow " +
    "overflow-x overflow-y padding padding-top position right scale text-decoration text-decoration-line text-indent top transform translate unicode-bidi visibility " +
    "white-space width z-index zoom -webkit-text-fill-color -webkit-text-security"
  ).split(" "),
);
const CUSTOM_PROPERTY = /^--[\w-]{1,60}$/;
const RULES = 2_000;
/** Per key: rules of several words. Rules of one word are merged, so they cannot be crowded out. */
const RULES_PER_KEY = 16;
const SELECTORS_PER_RULE = 100;
const SELECTOR_CHARS = 200;
const STYLESHEET_CHARS = 1024 * 1024;
/** Rules without a tag, class or id are checked for every element. */
const ANY = "*";
const COMPOUND = /^(?:[a-z][\w-]*|\*)?(?:[.#][\w-]+)*$/i;
const ATTRIBUTE = /\[\s*([\w-]+)\s*(?:([~|^$*]?)=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'\]]+))\s*(?:i\s*)?)?\]/gi;
/** Pseudo classes that every element of the name has. */
const EVERY_STATE = /:(?:any-link|link)\b/gi;
/** Treated as true beside a class or an id, because their result is unknown while the mail is read. */
const PLACE = /:(?:(?:first|last|only)-(?:child|of-type)|nth-(?:last-)?(?:child|of-type)\([^()]*\)|not\([^()]*\))/gi;

/** Property → value, lower case, without `!important`. */
export type Declarations = Map<string, Entry>;

type AttributeTest = { name: string; how: string; value: string | undefined };

type Rule = {
  words: string[];
  tests: AttributeTest[];
  ancestors: string[];
  weight: number;
  declarations: Declarations;
};
/** `place`: its number among the rules of the mail. */
type SheetRule = Rule & { place: number };

/** The rules of all style sheets of a mail by one word of their last compound: `p`, `.name`, `#name` or `*`. */
export type Stylesheet = Map<string, SheetRule[]>;

type Entry = { value: string; important: boolean };

/** Later ones win, except over important ones. */
function declare(under: Declarations, name: string, entry: Entry): void {
  if (entry.important || !under.get(name)?.important) under.set(name, entry);
}

function override(under: Declarations, over: Declarations): void {
  for (const [name, entry] of over) declare(under, name, entry);
}

/** `n\\6fne` is `none`. */
function unescaped(css: string): string {
  if (!css.includes("\\")) return css;
  return css.replace(/\\(?:([\da-f]{1,6})\s?|([^\n]))/gi, (_, code?: string, character = "") => {
    const point = code ? Number.parseInt(code, 16) : 0;
    return code ? (point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "") : character;
  });
}

/** The declarations between braces or in a style attribute, over others. */
function readDeclarations(style: string, declarations: Declarations = new Map()): Declarations {
  for (const part of unescaped(style).split(";")) {
    const colon = part.indexOf(":");
    if (colon < 0) continue;
    const name = part.slice(0, colon).trim().toLowerCase();
    if (!PROPERTIES.has(name) && !CUSTOM_PROPERTY.test(name)) continue;
    const written = part.slice(colon + 1).toLowerCase();
    const bang = written.indexOf("!");
    const important = bang >= 0 && written.slice(bang + 1).trim() === "important";
    const value = (bang < 0 ? written : written.slice(0, bang)).trim();
    declare(declarations, name, { value, important });
  }
  return declarations;
}

function withoutComments(css: string): string {
  let out = "";
  let from = 0;
  for (let open = css.indexOf("/*"); open >= 0; open = css.indexOf("/*", from)) {
    out += css.slice(from, open);
    const close = css.indexOf("*/", open + 2);
    if (close < 0) return out;
    from = close + 2;
  }
  return out + css.slice(from);
}

function endOfBlock(css: string, open: number): number {
  let depth = 0;
  for (let at = open; at < css.length; at += 1) {
    if (css[at] === "{") depth += 1;
    else if (css[at] === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return css.length;
}

/** `td.a.b` as `["td", ".a", ".b"]`; undefined for unsupported selectors (pseudo elements, states, attributes). */
function wordsOf(compound: string): string[] | undefined {
  const every = compound.replace(EVERY_STATE, "").replace(/^:root\b/i, "html");
  const plain = /[.#]/.test(every) ? every.replace(PLACE, "") : every;
  if (!COMPOUND.test(plain)) return undefined;
  const words = plain.split(/(?=[.#])/).filter((word) => word !== "*" && word !== "");
  return words.map((word) => (/^[.#]/.test(word) ? word : word.toLowerCase()));
}

function testsOf(compound: string): AttributeTest[] {
  return [...compound.matchAll(ATTRIBUTE)].map(([, name = "", how = "", ...values]) => ({
    name: name.toLowerCase(),
    how,
    value: values.find((value) => value !== undefined),
  }));
}

/** Where the last compound of a selector starts; a space in brackets ends none. */
function startOfLast(selector: string): number {
  let inBrackets = false;
  for (let at = selector.length - 1; at >= 0; at -= 1) {
    const character = selector[at] ?? "";
    if (character === "]" || character === "[") inBrackets = character === "]";
    else if (!inBrackets && /[\s>]/.test(character)) return at + 1;
  }
  return 0;
}

/** A child combinator is treated as a descendant; siblings, and attributes of ancestors, are not supported. */
function readSelector(selector: string, declarations: Declarations): Rule | undefined {
  const start = startOfLast(selector);
  const own = selector.slice(start);
  const around = selector.slice(0, start).replace(/(?<![\s>])[\s>]+$/, "");
  const compounds = around === "" ? [] : around.split(/[\s>]+/).map(wordsOf);
  const tests = own.includes("[") ? testsOf(own) : [];
  const words = wordsOf(tests.length > 0 ? own.replace(ATTRIBUTE, "") : own);
  if (!words || own === "" || compounds.includes(undefined)) return undefined;
  const ancestors = compounds.flatMap((compound) => compound ?? []);
  const weigh = (word: string) => (word.startsWith("#") ? 10_000 : word.startsWith(".") ? 100 : 1);
  const weight = [...words, ...ancestors].reduce((sum, word) => sum + weigh(word), tests.length * 100);
  return { words, tests, ancestors, weight, declarations };
}

function holds({ name, how, value }: AttributeTest, attributes: ReadonlyMap<string, string>): boolean {
  const written = attributes.get(name);
  if (written === undefined || value === undefined) return written !== undefined;
  if (how === "*") return value !== "" && written.includes(value);
  if (how === "^") return value !== "" && written.startsWith(value);
  if (how === "$") return value !== "" && written.endsWith(value);
  if (how === "|") return written === value || written.startsWith(`${value}-`);
  return how === "~" ? ` ${written.replace(/\s+/g, " ")} `.includes(` ${value} `) : written === value;
}

function addRule(sheet: Stylesheet, rule: SheetRule): void {
  const key = rule.words.at(-1) ?? ANY;
  const rules = sheet.get(key) ?? [];
  const isSingle = ({ words, tests, ancestors }: Rule) => words.length + tests.length < 2 && ancestors.length === 0;
  const single = isSingle(rule) && rule.tests.length === 0;
  const same = single && rules.find((other) => isSingle(other) && other.tests.length === 0);
  if (same) override(same.declarations, rule.declarations);
  else if (single || rules.length < RULES_PER_KEY) {
    rules.push({ ...rule, declarations: new Map(rule.declarations) });
    sheet.set(key, rules);
  }
}

/** All style sheets of a mail in their order, joined. */
export function readStylesheet(text: string): Stylesheet {
  const sheet: Stylesheet = new Map();
  const css = withoutComments(text.slice(0, STYLESHEET_CHARS).replace(/<!--|-->/g, " "));
  let at = 0;
  for (let left = RULES; left > 0; ) {
    const open = css.indexOf("{", at);
    if (open < 0) break;
    const before = css.slice(at, open);
    const prelude = before.slice(Math.max(before.lastIndexOf(";"), before.lastIndexOf("}")) + 1).trim();
    if (prelude.startsWith("@")) {
      const enters = prelude.length < SELECTOR_CHARS && entersBlock(prelude.toLowerCase());
      at = enters ? open + 1 : endOfBlock(css, open);
      continue;
    }
    const close = css.indexOf("}", open);
    at = close < 0 ? css.length : close + 1;
    const declarations = readDeclarations(css.slice(open + 1, close < 0 ? css.length : close));
    if (declarations.size === 0) continue;
    for (const selector of prelude.split(",", SELECTORS_PER_RULE)) {
      const rule = selector.length < SELECTOR_CHARS && readSelector(selector.trim(), declarations);
      if (rule) addRule(sheet, { ...rule, place: left });
      left -= 1;
    }
  }
  return sheet;
}

const NO_RULES: SheetRule[] = [];
/** Newsletters repeat few styles often. */
const KNOWN_MAX = 1_000;
const KNOWN_CHARS = 1_000;

/**
 * The declarations of an element: hints of old attributes, matching rules by specificity, its style attribute. Those of elements that
 * have the same of all three are one object.
 */
export function createCascade(sheet: Stylesheet) {
  const known = new Map<string, Declarations>();

  function read(matching: SheetRule[], hints: string, style: string): Declarations {
    const declarations = readDeclarations(hints);
    for (const rule of matching.sort((a, b) => a.weight - b.weight)) override(declarations, rule.declarations);
    return readDeclarations(withoutComments(style), declarations);
  }

  /**
   * @param words its tag, `.class`es and `#id`
   * @param isOpen whether an element with this word is an ancestor
   * @returns undefined if nothing applies
   */
  return (
    words: string[],
    isOpen: (word: string) => boolean,
    { hints, attributes }: { hints: string; attributes: ReadonlyMap<string, string> },
  ): Declarations | undefined => {
    const style = attributes.get("style");
    const matching = sheet.size === 0 ? NO_RULES : matchingRules(sheet, words, isOpen, attributes);
    if (matching.length === 0 && hints === "" && style === undefined) return undefined;
    const places = matching.length === 0 ? "" : matching.map(({ place }) => place).join();
    const key = `${places} ${hints.length} ${hints}${style ?? ""}`;
    const before = known.get(key);
    if (before) return before;
    const declarations = read(matching, hints, style ?? "");
    if (known.size < KNOWN_MAX && key.length < KNOWN_CHARS) known.set(key, declarations);
    return declarations;
  };
}

function matchingRules(
  sheet: Stylesheet,
  words: string[],
  isOpen: (word: string) => boolean,
  attributes: ReadonlyMap<string, string>,
): SheetRule[] {
  const matching: SheetRule[] = [];
  const add = (rule: SheetRule) => {
    const applies =
      rule.words.every((word) => words.includes(word)) &&
      rule.ancestors.every(isOpen) &&
      rule.tests.every((test) => holds(test, attributes));
    if (applies) matching.push(rule);
  };
  for (const rule of sheet.get(ANY) ?? NO_RULES) add(rule);
  for (const word of words) for (const rule of sheet.get(word) ?? NO_RULES) add(rule);
  return matching;
}
