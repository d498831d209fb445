// What a person sees of a number in a cell: dates, times, percent, currency and masks, by its number format (ECMA-376 part 1, §18.8.30).
// Digits are never left out: `0` shows 45.678 as 46, and here it stays 45.678.

/** Formats that a workbook does not write down. Those of East Asia differ by language; each of them is a date or a time. */
const BUILT_IN: Record<number, string> = {
  9: "0%",
  10: "0.00%",
  14: "yyyy-mm-dd",
  15: "d-mmm-yy",
  16: "d-mmm",
  17: "mmm-yy",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss.0",
};
const EAST_ASIAN = "yyyy-mm-dd h:mm";
const isEastAsian = (id: number) => (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
const CODE_CHARS = 1_024;
/** Milliseconds. */
const FRACTION_MAX = 3;

/** The parts of a format, without what only fills space. */
const TOKEN =
  /"([^"]*)"|\\(.)|[_*](?:.|$)|\[\$([^\]-]*)[^\]]*\]|\[(h+|m+|s+)\]|\[((?:<>|<=|>=|<|>|=)-?[\d.]+)\]|\[[^\]]*\]|(AM\/PM|A\/P)|General|([ymdhsgeab]+)|([0#?]+)|([\s\S])/gi;

type Section = {
  condition: string | undefined;
  prefix: string;
  suffix: string;
  /** Digits and what stands between them, for a number that is written as `000-0000`. */
  mask: string[] | undefined;
  hasDigits: boolean;
  isPercent: boolean;
  isScaled: boolean;
  hasDate: boolean;
  hasTime: boolean;
  hasSeconds: boolean;
  /** Digits of a second that are shown behind the point. */
  fraction: number;
  isElapsed: boolean;
};

export type CellFormat = (value: number) => string;

/** The sections of a format: for numbers above zero, below zero, zero and text. */
function sectionsOf(code: string): string[] {
  // A semicolon at the end begins a section that is empty.
  return [...`${code};`.matchAll(/((?:"[^"]*"|\\.|[^;"\\]|["\\])*?);/g)].map(([, section = ""]) => section);
}

type Letters = { letters: string; isElapsed: boolean };

/** `m` is a minute after an hour or before a second, otherwise a month. */
function readLetters(found: Letters[]) {
  const kinds = found.map(({ letters }) => letters.charAt(0).toLowerCase());
  const isMinute = (at: number) =>
    kinds[at] === "m" && (found[at]?.letters.length ?? 0) < 3 && (kinds[at - 1] === "h" || kinds[at + 1] === "s");
  const isTime = (at: number) =>
    kinds[at] === "h" || kinds[at] === "s" || isMinute(at) || found[at]?.isElapsed === true;
  return {
    hasDate:
      kinds.some((kind, at) => "ymd".includes(kind) && !isTime(at)) || /^(?:aaa|ggg)/i.test(found[0]?.letters ?? ""),
    hasTime: kinds.some((_, at) => isTime(at)),
    hasSeconds: kinds.includes("s"),
    isElapsed: found.some((each) => each.isElapsed),
  };
}

function readSection(code: string): Section {
  const parts: { text: string; isDigits: boolean }[] = [];
  const letters: Letters[] = [];
  let condition: string | undefined;
  let isPercent = false;
  let isMasked = true;
  let isScaled = false;
  let isExponent = false;
  let fraction = 0;
  let before = "";
  for (const [whole, quoted, escaped, currency, elapsed, compared, half, run, digits, other] of code.matchAll(TOKEN)) {
    const literal = quoted ?? escaped ?? currency;
    const isFraction = digits !== undefined && before === "." && letters.at(-1)?.letters.toLowerCase().startsWith("s");
    before = whole;
    if (literal !== undefined) parts.push({ text: literal, isDigits: false });
    else if (elapsed) letters.push({ letters: elapsed, isElapsed: true });
    else if (compared) condition = compared;
    else if (half) letters.push({ letters: "h", isElapsed: false });
    else if (whole.toLowerCase() === "general") {
      parts.push({ text: "", isDigits: true });
      isMasked = false;
    } else if (run && /^e$/i.test(run) && parts.some((part) => part.isDigits)) {
      isExponent = true;
      isMasked = false;
    } else if (run) for (const [same] of run.matchAll(/(.)\1*/gi)) letters.push({ letters: same, isElapsed: false });
    else if (isFraction) fraction = Math.min(FRACTION_MAX, whole.length);
    else if (digits) {
      parts.push({ text: digits, isDigits: true });
      isScaled = false;
    } else if (other === "%") isPercent = true;
    else if (other === "," && parts.at(-1)?.isDigits) [isScaled, isMasked] = [true, false];
    else if (other === "." || other === "/" || other === "@") isMasked = false;
    else if (other !== undefined && !(isExponent && /[+-]/.test(other))) parts.push({ text: other, isDigits: false });
  }
  const first = parts.findIndex((part) => part.isDigits);
  const last = parts.findLastIndex((part) => part.isDigits);
  const literals = (some: typeof parts) => some.map(({ text, isDigits }) => (isDigits ? "" : text)).join("");
  // Signs come with the number; a dash or brackets stand for them.
  const unsigned = (text: string) => text.replace(/[-−()+]/g, "");
  const digitRuns = parts.filter((part) => part.isDigits);
  const isWorthIt = first < last || (digitRuns[0]?.text.startsWith("00") ?? false);
  return {
    condition,
    prefix: first < 0 ? literals(parts) : unsigned(literals(parts.slice(0, first))),
    suffix: first < 0 ? "" : unsigned(literals(parts.slice(last + 1))),
    mask:
      first >= 0 && isMasked && !isPercent && isWorthIt
        ? parts.flatMap(({ text, isDigits }) => (isDigits ? [...text] : [`"${text}`]))
        : undefined,
    hasDigits: first >= 0,
    isPercent,
    isScaled,
    fraction,
    ...readLetters(letters),
  };
}

function holds(condition: string, value: number): boolean {
  const [, sign = "", limit = ""] = /^([<>=]+)(.*)$/.exec(condition) ?? [];
  const than = Number(limit);
  if (sign === "<>") return value !== than;
  return (
    (sign.includes("=") && value === than) ||
    (sign.includes("<") && value < than) ||
    (sign.includes(">") && value > than)
  );
}

function sectionFor(sections: Section[], value: number): Section | undefined {
  if (sections.some(({ condition }) => condition !== undefined))
    return sections.find(({ condition }) => condition === undefined || holds(condition, value)) ?? sections.at(-1);
  const [positive, negative = positive, zero = positive] = sections;
  return value < 0 ? negative : value === 0 ? zero : positive;
}

/** Excel keeps 15 digits: 0.1 + 0.2 is 0.3. */
const DIGITS = 15;
export const plainNumber = (value: number) =>
  String(Number.isInteger(value) && Math.abs(value) < 10 ** DIGITS ? value : Number(value.toPrecision(DIGITS)));

function masked(mask: string[], value: number): string {
  let digits = String(Math.abs(value));
  const firstDigit = mask.findIndex((each) => !each.startsWith('"'));
  const out = mask.toReversed().map((each, fromEnd) => {
    if (each.startsWith('"')) return each.slice(1);
    if (mask.length - 1 - fromEnd === firstDigit) return digits || (each === "0" ? "0" : "");
    const digit = digits.slice(-1) || (each === "0" ? "0" : "");
    digits = digits.slice(0, -1);
    return digit;
  });
  return `${value < 0 ? "-" : ""}${out.toReversed().join("")}`.trim();
}

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1_000;
/** After 9999-12-31 there is no date. */
const DAYS_END = 2_958_466;
const two = (value: number) => String(value).padStart(2, "0");

/** @param parts in a second there are as many as the format shows */
function clock(parts: number, { hasSeconds, fraction }: Section): string {
  const seconds = Math.floor(parts / 10 ** fraction);
  const [hours, minutes, rest] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = fraction > 0 ? `.${String(parts % 10 ** fraction).padStart(fraction, "0")}` : "";
  return `${two(hours)}:${two(minutes)}${hasSeconds || rest > 0 ? `:${two(rest)}${shown}` : ""}`;
}

/** Day 60 is the 29 February 1900 that never was, and that every spreadsheet program has. */
function day(days: number, from1904: boolean): string {
  if (!from1904 && days === 60) return "1900-02-29";
  const start = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  return new Date(start + days * DAY_MS).toISOString().slice(0, 10);
}

function date(value: number, section: Section, from1904: boolean): string | undefined {
  const dayParts = DAY_SECONDS * 10 ** section.fraction;
  const total = Math.round(value * dayParts);
  if (section.isElapsed) return `${value < 0 ? "-" : ""}${clock(Math.abs(total), section)}`;
  const days = Math.floor(total / dayParts);
  if (value < 0 || days >= DAYS_END) return undefined;
  const time = clock(total - days * dayParts, section);
  if (!section.hasDate || (section.hasTime && days === 0 && !from1904)) return time;
  if (days === 0 && !from1904) return undefined;
  return section.hasTime ? `${day(days, from1904)} ${time}` : day(days, from1904);
}

/** @param id of the format in the workbook. @param code what the workbook writes for it */
export function cellFormat(id: number, code: string | undefined, from1904: boolean): CellFormat {
  const known = code ?? BUILT_IN[id] ?? (isEastAsian(id) ? EAST_ASIAN : undefined);
  if (known === undefined || /^general$/i.test(known) || known.length > CODE_CHARS) return plainNumber;
  const sections = sectionsOf(known).map(readSection);
  const isOpen = code === undefined && isEastAsian(id);
  return (value) => {
    const section = sectionFor(sections, value);
    if (!section) return plainNumber(value);
    const whole = isOpen && Number.isInteger(value) ? { ...section, hasTime: false } : section;
    if (section.hasDate || section.hasTime) return date(value, whole, from1904) ?? plainNumber(value);
    if (section.isPercent) return `${plainNumber(value * 100)}%`;
    if (section.mask && Number.isSafeInteger(value)) return masked(section.mask, value);
    if (!section.hasDigits) return section.prefix.trim() || plainNumber(value);
    if (section.isScaled) return plainNumber(value);
    return `${value < 0 ? "-" : ""}${section.prefix}${plainNumber(Math.abs(value))}${section.suffix}`.trim();
  };
}
