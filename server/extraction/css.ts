// Reads the CSS of mails: style attributes and style sheets, as far as it decides whether a human sees a text.

/** Nothing else can hide text in a mail client. */
const PROPERTIES = new Set(
  (
    "background background-color background-image bottom clip clip-path color display font font-size height left " +
    "margin-left margin-top max-height max-width mso-hide opacity overflow overflow-x overflow-y position right " +
    "text-indent top transform visibility white-space width -webkit-text-fill-color"
  ).split(" "),
);
const RULES = 2_000;
/** Of one key: rules of more than one word. Those of one word are merged, so there is no way to crowd them out. */
const RULES_PER_KEY = 16;
const SELECTORS_PER_RULE = 100;
const SELECTOR_CHARS = 200;
const STYLESHEET_CHARS = 1024 * 1024;
const COMPOUND = /^(?:[a-z][\w-]*|\*)?(?:[.#][\w-]+)*$/i;
/** Media that every screen has. All others are for phones, dark mode or one client, and are left out. */
const EVERY_SCREEN =
  /^@media\s+(?:only\s+)?(?:all|screen)?\s*(?:and\s*)?(?:\(min-(?:device-)?width:\s*[0-3]?\d{1,2}px\))?$/;

/** Property → value, lower case, without `!important`. */
export type Declarations = Map<string, { value: string; important: boolean }>;

type Rule = { words: string[]; ancestors: string[]; weight: number; declarations: Declarations };

/** The rules of all style sheets of a mail by one word of their last compound: `p`, `.name` or `#name`. */
export type Stylesheet = Map<string, Rule[]>;

/** Later ones win, but never over important ones. */
function override(under: Declarations, over: Declarations): void {
  for (const [name, entry] of over) if (entry.important || !under.get(name)?.important) under.set(name, entry);
}

/** The declarations between braces or in a style attribute. */
function readDeclarations(style: string): Declarations {
  const declarations: Declarations = new Map();
  for (const part of style.split(";")) {
    const colon = part.indexOf(":");
    if (colon < 0) continue;
    const name = part.slice(0, colon).trim().toLowerCase();
    if (!PROPERTIES.has(name)) continue;
    const written = part.slice(colon + 1).toLowerCase();
    const bang = written.indexOf("!");
    const important = bang >= 0 && written.slice(bang + 1).trim() === "important";
    const value = (bang < 0 ? written : written.slice(0, bang)).trim();
    override(declarations, new Map([[name, { value, important }]]));
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

/** `td.a.b` as `["td", ".a", ".b"]`; undefined for what is not understood (pseudo classes, attributes). */
function wordsOf(compound: string): string[] | undefined {
  if (!COMPOUND.test(compound)) return undefined;
  const words = compound.split(/(?=[.#])/).filter((word) => word !== "*");
  return words.map((word) => (/^[.#]/.test(word) ? word : word.toLowerCase()));
}

/** A child combinator is read as a descendant's; siblings are not understood. */
function readSelector(selector: string, declarations: Declarations): Rule | undefined {
  const compounds = selector.split(/[\s>]+/).map(wordsOf);
  const words = compounds.pop();
  if (!words || words.length === 0 || compounds.includes(undefined)) return undefined;
  const ancestors = compounds.flatMap((compound) => compound ?? []);
  const weigh = (word: string) => (word.startsWith("#") ? 10_000 : word.startsWith(".") ? 100 : 1);
  const weight = [...words, ...ancestors].reduce((sum, word) => sum + weigh(word), 0);
  return { words, ancestors, weight, declarations };
}

function addRule(sheet: Stylesheet, rule: Rule): void {
  const key = rule.words.at(-1) ?? "";
  const rules = sheet.get(key) ?? [];
  const single = rule.words.length === 1 && rule.ancestors.length === 0;
  const same = single && rules.find(({ words, ancestors }) => words.length === 1 && ancestors.length === 0);
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
      at =
        prelude.length < SELECTOR_CHARS && EVERY_SCREEN.test(prelude.toLowerCase()) ? open + 1 : endOfBlock(css, open);
      continue;
    }
    const close = css.indexOf("}", open);
    at = close < 0 ? css.length : close + 1;
    const declarations = readDeclarations(css.slice(open + 1, close < 0 ? css.length : close));
    if (declarations.size === 0) continue;
    for (const selector of prelude.split(",", SELECTORS_PER_RULE)) {
      const rule = selector.length < SELECTOR_CHARS && readSelector(selector.trim(), declarations);
      if (rule) addRule(sheet, rule);
      left -= 1;
    }
  }
  return sheet;
}

/**
 * What applies to an element: hints of old attributes, matching rules, the more specific over the less, its style attribute.
 * @param words its tag, `.class`es and `#id`
 * @param isOpen whether an element with this word is around it
 * @returns undefined when nothing applies
 */
export function cascade(
  sheet: Stylesheet,
  words: string[],
  isOpen: (word: string) => boolean,
  hints: string,
  style: string | undefined,
): Declarations | undefined {
  const rules = words.flatMap((word) => sheet.get(word) ?? []);
  const matching = rules.filter(
    (rule) => rule.words.every((word) => words.includes(word)) && rule.ancestors.every(isOpen),
  );
  if (matching.length === 0 && hints === "" && style === undefined) return undefined;
  const declarations = readDeclarations(hints);
  for (const rule of matching.sort((a, b) => a.weight - b.weight)) override(declarations, rule.declarations);
  if (style !== undefined) override(declarations, readDeclarations(style));
  return declarations;
}
