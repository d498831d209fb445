// Counts the automatic numbers of paragraphs in Word documents (ECMA-376 part 1, §17.9). Bullets have no number.
import { readXml } from "./archive.ts";

const LEVELS = 9;
/** Of styles that are based on each other. */
const STYLES_DEEP = 20;
const NUMBER_CHARS = 100;
/** Greater numbers stay decimal: Word repeats letters, and Roman numbers end. */
const LETTERS_MAX = 26 * 4;
const ROMAN_MAX = 3_999;
const ROMAN: [number, string][] = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

/** `restart`: the number of levels of which each begins this one again; undefined: all above it. */
type Level = {
  start: number;
  format: string;
  text: string;
  restart: number | undefined;
  style: string;
  isLegal: boolean;
};
type Abstract = { levels: Map<number, Level>; link: string };
type Num = { abstract: string; starts: Map<number, number>; levels: Map<number, Level> };
type Style = { num: string | undefined; level: number | undefined; basedOn: string };

/** What the properties of a paragraph say. */
export type Listed = { style: string; num: string | undefined; level: number | undefined };
/** The number before a paragraph, which counts it; "" if it has none. */
export type NumberOf = (listed: Listed) => string;

const whole = (value: string | undefined) => {
  const number = Number(value);
  return Number.isSafeInteger(number) && number >= 0 ? number : 0;
};
const isOff = (value: string | undefined) => /^(?:0|false|off)$/.test(value ?? "");

function readNumbering(xml: string) {
  const abstracts = new Map<string, Abstract>();
  const nums = new Map<string, Num>();
  let abstract: Abstract | undefined;
  let num: Num | undefined;
  let overridden = 0;
  let level: Level | undefined;
  readXml(xml, {
    open(name, attribute) {
      const value = attribute("val");
      if (name === "abstractNum") {
        abstract = { levels: new Map(), link: "" };
        abstracts.set(attribute("abstractNumId") ?? "", abstract);
      } else if (name === "num") {
        num = { abstract: "", starts: new Map(), levels: new Map() };
        nums.set(attribute("numId") ?? "", num);
      } else if (name === "lvl") {
        level = { start: 0, format: "decimal", text: "", restart: undefined, style: "", isLegal: false };
        (num ?? abstract)?.levels.set(whole(attribute("ilvl")), level);
      } else if (name === "lvlOverride") overridden = whole(attribute("ilvl"));
      else if (name === "startOverride") num?.starts.set(overridden, whole(value));
      else if (name === "abstractNumId" && num) num.abstract = value ?? "";
      else if (name === "numStyleLink" && abstract) abstract.link = value ?? "";
      if (!level) return;
      if (name === "start") level.start = whole(value);
      else if (name === "numFmt") level.format = value ?? "decimal";
      else if (name === "lvlText") level.text = (value ?? "").slice(0, NUMBER_CHARS);
      else if (name === "lvlRestart") level.restart = whole(value);
      else if (name === "pStyle") level.style = value ?? "";
      else if (name === "isLgl") level.isLegal = !isOff(value);
    },
    close(name) {
      if (name === "lvl") level = undefined;
      else if (name === "abstractNum") abstract = undefined;
      else if (name === "num") num = undefined;
    },
  });
  return { abstracts, nums };
}

function readStyles(xml: string) {
  const styles = new Map<string, Style>();
  let usual = "";
  let style: Style | undefined;
  let changes = 0;
  readXml(xml, {
    open(name, attribute) {
      if (name === "style") {
        style = { num: undefined, level: undefined, basedOn: "" };
        styles.set(attribute("styleId") ?? "", style);
        if (attribute("type") === "paragraph" && /^(?:1|true|on)$/.test(attribute("default") ?? ""))
          usual = attribute("styleId") ?? "";
      } else if (name === "pPrChange") changes += 1;
      if (!style || changes > 0) return;
      if (name === "basedOn") style.basedOn = attribute("val") ?? "";
      else if (name === "numId") style.num = attribute("val");
      else if (name === "ilvl") style.level = whole(attribute("val"));
    },
    close(name) {
      if (name === "style") style = undefined;
      else if (name === "pPrChange") changes -= 1;
    },
  });
  return { styles, usual };
}

function roman(number: number): string {
  let left = number;
  let out = "";
  for (const [value, sign] of ROMAN) for (; left >= value; left -= value) out += sign;
  return out;
}

function written(number: number, format: string): string {
  const small = format.toLowerCase();
  const isUpper = format.startsWith("upper");
  const cased = (text: string) => (isUpper ? text.toUpperCase() : text);
  if (small === "none") return "";
  if (small.endsWith("letter") && number > 0 && number <= LETTERS_MAX)
    return cased(String.fromCharCode(97 + ((number - 1) % 26)).repeat(Math.ceil(number / 26)));
  if (small.endsWith("roman") && number > 0 && number <= ROMAN_MAX) return cased(roman(number));
  return small === "decimalzero" ? String(number).padStart(2, "0") : String(number);
}

/** @param numbering the XML of the numbers, @param styleSheet and of the styles of a document; "" if it has none */
export function countNumbers(numbering: string, styleSheet: string): NumberOf {
  if (numbering === "") return () => "";
  const { abstracts, nums } = readNumbering(numbering);
  const { styles, usual } = readStyles(styleSheet);
  /** For each list, which several numbers may share: the last number of each level. */
  const counts = new Map<string, (number | undefined)[]>();
  const begun = new Set<string>();

  /** Its own properties, then those of its style and of the styles that it is based on. */
  const ofStyle = (listed: Listed): { num: string | undefined; level: number | undefined; by: string } => {
    let { num, level } = listed;
    let by = "";
    let id = listed.style || usual;
    for (let depth = 0; depth < STYLES_DEEP && num === undefined; depth += 1) {
      const style = styles.get(id);
      if (!style) break;
      num = style.num;
      level ??= style.level;
      by = id;
      id = style.basedOn;
    }
    return { num, level, by };
  };
  const listOf = (num: Num): string => {
    const link = abstracts.get(num.abstract)?.link ?? "";
    const linked = link === "" ? undefined : nums.get(styles.get(link)?.num ?? "");
    return linked ? linked.abstract : num.abstract;
  };

  return (listed) => {
    const found = ofStyle(listed);
    const num = nums.get(found.num ?? "");
    if (!num) return "";
    const list = listOf(num);
    const shared = abstracts.get(list)?.levels ?? new Map<number, Level>();
    const levelOf = (at: number) => num.levels.get(at) ?? shared.get(at);
    const byStyle = found.by === "" ? undefined : [...shared].find(([, level]) => level.style === found.by)?.[0];
    const at = Math.min(LEVELS - 1, found.level ?? byStyle ?? 0);
    const count = counts.get(list) ?? [];
    counts.set(list, count);
    const numId = found.num ?? "";
    if (!begun.has(numId)) for (const restarted of num.starts.keys()) delete count[restarted];
    begun.add(numId);
    const startOf = (level: number) => num.starts.get(level) ?? levelOf(level)?.start ?? 1;
    const last = count[at];
    count[at] = last === undefined ? startOf(at) : last + 1;
    for (let below = at + 1; below < LEVELS; below += 1) {
      const restart = levelOf(below)?.restart ?? below;
      if (at < restart) delete count[below];
    }
    const level = levelOf(at);
    if (!level || level.format === "bullet") return "";
    const text = level.text.replace(/%([1-9])/g, (_, digit: string) => {
      const part = Number(digit) - 1;
      const format = level.isLegal ? "decimal" : (levelOf(part)?.format ?? "decimal");
      return written(count[part] ?? startOf(part), format);
    });
    return text.slice(0, NUMBER_CHARS).trim();
  };
}
