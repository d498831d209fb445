// Generates the mails that the weights of codes are fitted to: with a one-time code, and with other numbers.
import { CODE_WORDS } from "#server/extraction/code-words.ts";
import { CODE, lexiconOfAll, OTHER, PURPOSE, tokensIn } from "#server/extraction/lexicon.ts";
import { OTHER_PHRASES, type OtherPhrases } from "./other-phrases.ts";
import type { Phrases } from "./phrases.ts";
import { PURPOSE_PHRASES, type PurposePhrases } from "./purpose-phrases.ts";
import type { Random } from "./random.ts";

export type MadeMail = {
  language: string;
  from: string;
  subject: string;
  text?: string;
  html?: string;
  otp: string | null;
  /** Nobody tells the number from others without the words. */
  needsWords?: boolean;
};

const BRANDS = [
  "Lumen",
  "Nordwind",
  "Acme Cloud",
  "PayLeaf",
  "Tandem",
  "Q-Bank",
  "Vela",
  "Studio 54",
  "Mono",
  "K2 Travel",
  "Orbit",
  "Kiosk24",
  "NORDBANK",
  "TELIO",
];
const PEOPLE = ["Ana", "Omar", "Li Wei", "Kofi", "Mira", "Jonas", "Priya", "Sam K."];
const MINUTES = ["5", "10", "10", "15", "20", "30", "60", "3", "2"];
const NATIVE: Record<string, number> = { ar: 0x660, fa: 0x6f0, ur: 0x6f0, hi: 0x966, bn: 0x9e6, th: 0xe50 };
const CURRENCIES = ["€", "$", "£", "kr", "Kč", "zł", "Ft", "₹", "¥", "EUR", "USD", "lei", "₽", "TL"];
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const WORDS = "amber river stone maple cloud tiger lemon harbor silent copper meadow falcon".split(" ");

/** The share of mails whose sentences lack the words of a kind, so that no kind of word becomes a condition. */
const DROPPED = 0.4;

/** A sentence without the listed words of some kinds. */
function without(text: string, kinds: number): string {
  let left = text;
  for (const token of tokensIn(lexiconOfAll(), text, false).toReversed())
    if (token.kinds & kinds && text[token.start - 1] !== "{") left = left.slice(0, token.start) + left.slice(token.end);
  return /\p{L}/u.test(left.replace("{c}", "")) ? left.replace(/ {2,}/g, " ").trim() : text;
}

/** A word of the language that no list has. */
function unlisted({ phrases, random }: Pick<Words, "phrases" | "random">): string {
  const text = [phrases.news, phrases.ticket, phrases.team, phrases.unsubscribe].join(" ").replace(/\{\w\}/g, " ");
  const words = tokensIn(lexiconOfAll(), text, false).filter(({ kinds, start, end }) => kinds === 0 && end - start > 3);
  const word = words.length === 0 ? undefined : random.pick(words);
  if (word) return text.slice(word.start, word.end).toLowerCase();
  const letters = text.match(/\p{L}\p{M}*/gu) ?? ["x"];
  const at = random.below(letters.length);
  return letters.slice(at, at + 2 + random.below(2)).join("");
}

const wordsOf = (wanted: string) =>
  new Map(
    CODE_WORDS.split("\n")
      .map((line) => line.split(" "))
      .filter(([, kind, word = "*"]) => kind === wanted && !word.startsWith("*"))
      .map(([language = "", , word = ""]) => [language, word.replace("*", "")]),
  );
const NUMBER_WORDS = wordsOf("number");
const ENTER_WORDS = wordsOf("enter");
const CODE_NAMES = wordsOf("code");
/** The share of mails with a code that call it a number. */
const NUMBERED = 0.15;

/** A sentence that says "number" for "code". */
function numbered(text: string, language: string): string {
  const word = NUMBER_WORDS.get(language);
  if (word === undefined) return text;
  let left = text;
  for (const token of tokensIn(lexiconOfAll(), text, false).toReversed())
    if (token.kinds & CODE && text[token.start - 1] !== "{")
      left = left.slice(0, token.start) + word + left.slice(token.end);
  return left;
}

const inNative = (language: string, text: string) => {
  const zero = NATIVE[language];
  return zero === undefined ? text : text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
};

/** A code as it is written, and as a person types it in. */
function makeCode(random: Random): { shown: string; otp: string } {
  const letters = (count: number) => Array.from({ length: count }, () => random.pick([...LETTERS])).join("");
  const mixed = (count: number): string => {
    const made = letters(count);
    return /\d/.test(made) && /[A-Z]/.test(made) && !/^\d+[A-Z]{2}$|^\d{1,2}[A-Z]{3}\d{2,4}$|^[A-Z]{3,}\d+$/.test(made)
      ? made
      : mixed(count);
  };
  const groups = (...sizes: number[]) => sizes.map((size) => random.digits(size));
  const roll = random.next();
  if (roll < 0.46) return same(random.digits(6));
  if (roll < 0.56) return same(notYear(random));
  if (roll < 0.62) return same(random.digits(5));
  if (roll < 0.65) return same(random.digits(7));
  if (roll < 0.72) return same(random.digits(8));
  if (roll < 0.82) return joined(groups(3, 3), random.pick([" ", "-", " "]));
  if (roll < 0.85) return joined(groups(4, 4), random.pick([" ", "-"]));
  if (roll < 0.87) return joined(groups(2, 2, 2), random.pick([" ", "-"]));
  if (roll < 0.89) return joined(groups(1, 1, 1, 1, 1, 1), " ");
  if (roll < 0.94) return same(mixed(6));
  if (roll < 0.97) return same(`${mixed(4)}-${mixed(4)}`);
  if (roll < 0.985)
    return same(
      mixed(6)
        .toLowerCase()
        .replace(/^(\d+)([a-z]{1,3})$/, "$2x$1"),
    );
  return same(random.shuffled(WORDS).slice(0, 3).join("-"));
}

const same = (shown: string) => ({ shown, otp: shown });
const joined = (groups: string[], between: string) => ({ shown: groups.join(between), otp: groups.join("") });
function notYear(random: Random): string {
  const made = random.digits(4);
  return /^(?:19|20)/.test(made) ? notYear(random) : made;
}

/** A number that is no code, of a usual form. */
const otherNumber = (random: Random) =>
  random.pick([
    () => random.digits(6),
    () => random.digits(6),
    () => random.digits(8),
    () => random.digits(5),
    () => random.digits(4),
    () => random.digits(7),
    () => `${random.digits(3)}-${random.digits(4)}`,
    () => `${random.digits(3)} ${random.digits(3)}`,
    () => `2026-${random.digits(5)}`,
    () => `${random.pick(["A", "RK", "INV-", "TK"])}${random.digits(6)}`,
    () =>
      `${random.pick([..."KLMNPQ"])}${random.digits(1)}${random.pick([..."XYZW"])}${random.digits(1)}${random.pick(["QP", "TT", "AB"])}`,
  ])();
const amount = (random: Random) => {
  const sum = `${random.below(900) + 9}${random.pick([".", ","])}${random.digits(2)}`;
  const currency = random.pick(CURRENCIES);
  return /^[$£¥€₹]$/.test(currency) && random.chance(0.6) ? `${currency}${sum}` : `${sum} ${currency}`;
};
const date = (random: Random) => {
  const [day, month] = [String(random.below(28) + 1).padStart(2, "0"), String(random.below(12) + 1).padStart(2, "0")];
  return random.pick([
    `${day}.${month}.2026`,
    `${day}/${month}/2026`,
    `2026-${month}-${day}`,
    `${day}. ${month}. 2026`,
    `${day}-${month}-26`,
  ]);
};
const time = (random: Random) =>
  `${random.below(14) + 8}${random.pick([":", ":", "."])}${random.pick(["00", "15", "30", "40"])}`;
const address = (random: Random) =>
  random.pick([
    () => `Storgatan ${random.below(90) + 1}, ${random.digits(3)} ${random.digits(2)} Sundsvall`,
    () => `${random.below(900) + 1} Mill Road, Springfield ${random.digits(5)}`,
    () => `Lindenweg ${random.below(90) + 1}, ${random.digits(5)} Neustadt`,
    () => `Rua do Sol ${random.below(90) + 1}, ${random.digits(4)}-${random.digits(3)} Porto`,
    () => `ul. Polna ${random.below(90) + 1}/${random.below(20) + 1}, ${random.digits(2)}-${random.digits(3)} Kielce`,
    () => `${random.below(90) + 1} rue des Lilas, ${random.digits(5)} Lyon`,
    () => `Husova ${random.below(90) + 1}, ${random.digits(3)} ${random.digits(2)} Brno`,
    () => `〒${random.digits(3)}-${random.digits(4)} 1-${random.digits(1)}-1`,
    () => `${random.digits(6)}, MG Road ${random.below(90) + 1}`,
  ])();
const phone = (random: Random) =>
  random.pick([
    `+${random.below(89) + 10} ${random.digits(2)} ${random.digits(7)}`,
    `0800 ${random.digits(6)}`,
    `(0${random.digits(2)}) ${random.digits(3)}-${random.digits(4)}`,
    `9200${random.digits(5)}`,
    `2${random.digits(9)}`,
  ]);

export type Words = {
  phrases: Phrases;
  others: OtherPhrases;
  purposes: PurposePhrases;
  random: Random;
  brand: string;
  fill: (text: string, number?: string) => string;
};

export function wordsFor(phrases: Phrases, random: Random, isNumbered = random.chance(NUMBERED)): Words {
  const brand = random.pick(BRANDS);
  const native = random.chance(0.35);
  const dropped = random.chance(DROPPED) ? random.pick([CODE, CODE, CODE | PURPOSE, PURPOSE, OTHER]) : 0;
  const purposes = PURPOSE_PHRASES.find(({ language }) => language === phrases.language) as PurposePhrases;
  // Nothing is left of these without their words.
  const whole = new Set(Object.values(purposes).flatMap((text) => [text, text.replace(" {c}", "")]));
  const fill = (template: string, number = "") => {
    // A bare label is all that says what a number is.
    const own = isNumbered ? numbered(template, phrases.language) : template;
    const text =
      dropped !== 0 && !whole.has(template) && (dropped !== OTHER || template.includes("{c}"))
        ? without(own, dropped)
        : own;
    const made = text
      .replace("{c}", number)
      .replace("{n}", random.pick(MINUTES))
      .replace("{b}", brand)
      .replace("{p}", random.pick(PEOPLE))
      .replace("{a}", amount(random))
      .replace("{d}", date(random))
      .replace("{k}", random.pick([random.digits(4), random.digits(5), `${random.below(90) + 1},${random.digits(3)}`]))
      .replace("{q}", random.pick(["10", "15", "20", "25", "50"]))
      .replace("{x}", random.pick(["6", "6", "6", "6", "8", "5"]))
      .replace("{e}", random.digits(random.chance(0.8) ? 4 : 3))
      .replace("{t}", time(random));
    return native ? inNative(phrases.language, made) : made;
  };
  const others = OTHER_PHRASES.find(({ language }) => language === phrases.language) as OtherPhrases;
  return { phrases, others, purposes, random, brand, fill };
}

const domain = (brand: string) => `${brand.toLowerCase().replace(/[^a-z0-9]/g, "")}.example`;

function fromFor({ random, brand }: Words, kind: "code" | "other"): string {
  const local =
    kind === "code"
      ? random.pick([
          "no-reply",
          "noreply",
          "no-reply",
          "noreply",
          "security",
          "account",
          "auth",
          "login",
          "verify",
          "info",
          "hello",
          "team",
          "support",
          "service",
          "notifications",
          "kundenservice",
          "mail",
        ])
      : random.pick([
          "no-reply",
          "noreply",
          "no-reply",
          "orders",
          "billing",
          "support",
          "info",
          "newsletter",
          "hello",
          "shop",
          "service",
          "notifications",
          "help",
          "ana.k",
          "account",
          "invoice",
        ]);
  return `${local}@${domain(brand)}`;
}

/** Lines below a mail that hold numbers of other kinds. */
function footer(words: Words): string[] {
  const { phrases, random, brand, fill } = words;
  const lines: string[] = random.chance(0.3) ? noise(words) : [];
  if (random.chance(0.15)) lines.push(`${fill(phrases.news)} ${date(random)}, ${address(random)}`);
  if (random.chance(0.35)) lines.push(fill(phrases.team));
  if (random.chance(0.3)) lines.push(`© 2026 ${brand}`);
  if (random.chance(0.25)) lines.push(`${fill(phrases.phone)}: ${phone(random)}`);
  if (random.chance(0.2))
    lines.push(
      `${brand}, ${random.below(400) + 1} Main St, ${random.digits(5)} ${random.pick(["Springfield", "Praha", "Lyon"])}`,
    );
  if (random.chance(0.1)) lines.push(`${fill(phrases.reference)}: ${otherNumber(random)}`);
  if (random.chance(0.08)) lines.push(`${brand}, ${address(random)}`);
  if (random.chance(0.1))
    lines.push(`${date(random)} ${random.below(14) + 10}:${random.digits(1)}5, IP 203.0.113.${random.below(200)}`);
  return lines;
}

const paragraphs = (...lines: (string | string[])[]) => lines.flat().filter(Boolean).join("\n\n");
const optional = (random: Random, share: number, line: string) => (random.chance(share) ? line : "");

type Body = { subject?: string; text?: string; html?: string; otp?: string };
type Layout = (words: Words, shown: string) => Body;
const afterCode = ({ phrases, random, fill }: Words) => [
  optional(random, 0.75, fill(phrases.valid)),
  optional(random, 0.4, fill(phrases.share)),
  optional(random, 0.5, fill(phrases.ignore)),
];
const P = (lines: (string | string[])[]) =>
  lines
    .flat()
    .filter(Boolean)
    .map((line) => `<p>${line}</p>`)
    .join("\n");
const STYLES = [
  "font-size:32px;font-weight:bold",
  "font-size:28px;letter-spacing:6px",
  "font-weight:700",
  "font-family:monospace;font-size:24px",
  "background:#f4f4f4;padding:16px;font-size:30px",
  "border:1px solid #ddd;padding:10px",
  "font-size:36px",
  "text-align:center",
];
const button = (href: string, label: string) =>
  `<table><tr><td bgcolor="#0055ff"><a href="${href}" style="color:#ffffff;padding:12px 20px">${label}</a></td></tr></table>`;

/** Numbers of other kinds that mails with codes have too: payments, accounts, orders. */
function noise({ phrases, random, fill }: Words): string[] {
  const lines: string[] = [];
  if (random.chance(0.1)) lines.push(`${fill(phrases.total)}: ${amount(random)}`);
  if (random.chance(0.06))
    lines.push(
      `IBAN DE${random.digits(2)} ${random.digits(4)} ${random.digits(4)} ${random.digits(4)} ${random.digits(4)} ${random.digits(2)}`,
    );
  if (random.chance(0.12)) lines.push(`ID: ${random.digits(11 + random.below(5))}`);
  if (random.chance(0.06)) lines.push(`${fill(phrases.orderLabel)}: ${otherNumber(random)}`);
  if (random.chance(0.04)) lines.push(fill(phrases.due));
  return lines;
}
const bare = (text: string) => text.replace(/[.:։：。।]$/u, "");

/** Said to a courier: the bare name of the code, amid words. */
const handed = (w: Words, c: string) => {
  const name = w.random.chance(0.4) ? "PIN" : (CODE_NAMES.get(w.phrases.language) ?? "PIN");
  return w.random.pick([
    `${w.random.pick(PEOPLE)} ${name} ${c} ${w.brand}.`,
    `${name} ${c} ${w.fill(w.phrases.team)}.`,
  ]);
};

const TEXTS: Layout[] = [
  (w, c) => ({
    subject: w.fill(w.phrases.shipped, otherNumber(w.random)),
    text: `${w.fill(w.phrases.shipped, otherNumber(w.random))} ${optional(w.random, 0.5, `${time(w.random)}.`)} ${handed(w, c)} ${optional(w.random, 0.4, `${w.fill(w.phrases.total)} ${amount(w.random)}.`)}`,
  }),
  (w, c) => ({
    text: paragraphs(
      optional(w.random, 0.5, w.fill(w.phrases.greet)),
      `${handed(w, c)} ${optional(w.random, 0.5, w.fill(w.phrases.share))}`,
      optional(w.random, 0.4, `${w.fill(w.phrases.phone)}: ${phone(w.random)}`),
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      optional(w.random, 0.4, w.fill(w.phrases.greet)),
      `${ENTER_WORDS.get(w.phrases.language) ?? ""} ${w.fill("{c}", c)} ${without(w.random.pick([w.phrases.label, w.phrases.subject]), CODE).toLowerCase()} ${w.brand}. ${optional(w.random, 0.8, w.fill(w.phrases.valid))}`,
      footer(w),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick(["", w.brand, w.fill(w.phrases.subject)]),
    text: `[${w.brand.toUpperCase()}] ${w.fill(w.random.pick([w.phrases.say, w.phrases.sayAfter]), c)} ${optional(w.random, 0.7, w.fill(w.phrases.valid))}`,
  }),
  (w, c) => ({
    text: paragraphs(
      `${w.fill(w.phrases.label)}${w.random.pick([" nr ", " #", " no. ", " № "])}${w.random.below(20) + 1}, ${date(w.random)}: ${c}.`,
      optional(w.random, 0.5, `${w.fill(w.phrases.total)}: ${amount(w.random)}`),
      optional(w.random, 0.6, w.fill(w.phrases.valid)),
    ),
  }),
  (w, c) => ({
    text: [
      w.fill(w.phrases.greet),
      "",
      `${w.fill(w.phrases.label)}: ${w.fill("{c}", c)}`,
      ...w.random
        .shuffled([
          `IP: 203.0.113.${w.random.below(200)}`,
          `${w.brand}: ${date(w.random)} ${time(w.random)}`,
          "Firefox: Linux",
          `${w.fill(w.phrases.reference)}: ${otherNumber(w.random)}`,
        ])
        .slice(0, 1 + w.random.below(3)),
      "",
      ...afterCode(w),
    ].join("\n"),
  }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.greet),
      `${w.fill(w.phrases.say, c)} ${optional(w.random, 0.6, w.fill(w.phrases.valid))}`,
      w.random.pick([
        w.fill(w.others.appointment),
        address(w.random),
        w.fill(w.others.confirmed, otherNumber(w.random)),
      ]),
    ),
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.shipped, otherNumber(w.random)),
    text: paragraphs(
      `${w.fill(w.phrases.shipped, otherNumber(w.random))} ${w.fill(w.phrases.label)}${w.random.pick([":", ""])} ${c}`,
      `${w.fill(w.phrases.phone)}: ${phone(w.random)}`,
    ),
  }),
  (w, c) => ({
    text: `${w.random.digits(11)} ${w.fill(w.phrases.shipped, "")} ${w.brand} ${c} ${w.fill(w.phrases.label)}, ${w.fill(w.phrases.share)}`,
  }),
  (w, c) => ({
    text: paragraphs(
      optional(w.random, 0.5, w.fill(w.phrases.greet)),
      `${bare(w.fill(w.phrases.enter))} ${w.fill("{c}", c)} ${w.brand}. ${w.fill(w.phrases.valid)}`,
      noise(w),
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      `${w.fill(w.phrases.total)} ${amount(w.random)}, ${w.brand} *${w.random.digits(4)}. ${w.fill(w.phrases.label)} ${w.fill("{c}", c)}${w.random.pick([".", "", ","])} ${w.fill(w.phrases.share)}`,
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.greet),
      `${bare(w.fill(w.phrases.valid))}: ${w.fill(w.phrases.label)} ${c} (${w.brand}, ${date(w.random)} 12:41).`,
      noise(w),
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      optional(w.random, 0.7, w.fill(w.phrases.greet)),
      w.fill(w.phrases.say, c),
      afterCode(w),
      footer(w),
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.greet),
      `${w.fill(w.phrases.say, c)} ${afterCode(w).join(" ")}`,
      footer(w).join("\n"),
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      optional(w.random, 0.7, w.fill(w.phrases.greet)),
      w.fill(w.phrases.enter),
      w.random.pick(["", "    "]) + w.fill("{c}", c),
      afterCode(w),
      footer(w),
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      optional(w.random, 0.5, w.fill(w.phrases.greet)),
      `${w.fill(w.phrases.label)}: ${w.fill("{c}", c)}`,
      afterCode(w),
      footer(w),
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.sayAfter, c) +
        optional(w.random, 0.5, ` ${w.fill(w.phrases.valid)}`) +
        optional(w.random, 0.3, ` ${w.fill(w.phrases.share)}`),
    ),
  }),
  (w, c) => ({
    text: `${w.fill(w.phrases.label)}\n${w.fill("{c}", c)}\n${afterCode(w).filter(Boolean).join("\n")}\n${footer(w).join("\n")}`,
  }),
  (w, c) => ({
    subject: `${c} – ${w.fill(w.phrases.subject)}`,
    text: paragraphs(w.fill(w.phrases.enter), c, afterCode(w), footer(w)),
  }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.greet),
      `${w.fill(w.phrases.welcome)}. ${w.fill(w.phrases.say, c)} ${w.fill(w.phrases.valid)} ${w.fill(w.phrases.reference)}: ${otherNumber(w.random)}, ${date(w.random)} 14:05.`,
    ),
  }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.say, c),
      afterCode(w),
      Array.from({ length: 10 + w.random.below(40) }, () => `${w.fill(w.phrases.news)} ${w.fill(w.phrases.ignore)}`),
    ),
  }),
  (w, c) => ({
    subject: `Re: ${w.fill(w.phrases.subject)}`,
    text: `${w.fill(w.phrases.say, c)}\n\n${date(w.random)}, ${w.brand}:\n> ${w.fill(w.phrases.say, w.random.digits(6))}\n> ${w.fill(w.phrases.valid)}`,
  }),
  (w, c) => ({
    subject: `Fwd: ${w.fill(w.phrases.subject)}`,
    text: `---------- Forwarded message ---------\nFrom: ${w.brand} <no-reply@${domain(w.brand)}>\nDate: 3 May 2026 at 10:14\n\n${w.fill(w.phrases.enter)}\n\n${c}\n\n${w.fill(w.phrases.valid)}`,
  }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.label),
      w.fill("{c}", c),
      `${w.fill(w.phrases.total)}: ${amount(w.random)}`,
      w.fill(w.phrases.valid),
      footer(w),
    ),
  }),
  (w, c) => ({ text: `${w.brand}: ${w.fill(w.phrases.label)} ${w.fill("{c}", c)}. ${w.fill(w.phrases.share)}` }),
  (w, c) => ({ text: `[${w.brand}] ${w.fill(w.phrases.say, c)}` }),
  (w, c) => ({
    subject: `${w.fill(w.phrases.subject)}: ${c}`,
    text: paragraphs(w.fill(w.phrases.say, c), afterCode(w)),
  }),
];

const HTMLS: Layout[] = [
  (w, c) => ({
    html:
      P([w.fill(w.phrases.greet), w.fill(w.phrases.enter)]) +
      `<p style="${w.random.pick(STYLES)}">${w.fill("{c}", c)}</p>` +
      P([afterCode(w), footer(w)]),
  }),
  (w, c) => ({
    html:
      P([w.fill(w.phrases.enter)]) +
      `<div style="${w.random.pick(STYLES)}"><span>${w.fill("{c}", c)}</span></div>` +
      P([afterCode(w), footer(w)]),
  }),
  (w, c) => ({
    html: `<table><tr><td>${w.fill(w.phrases.enter)}</td></tr><tr><td style="${w.random.pick(STYLES)}">${c}</td></tr><tr><td>${afterCode(w).join(" ")}</td></tr></table>${P(footer(w))}`,
  }),
  (w, c) => ({
    html:
      P([w.fill(w.phrases.enter)]) +
      `<table><tr>${[...(/^[\d -]+$/.test(c) ? c.replace(/[ -]/g, "") : "Q7K2M9")].map((each) => `<td style="border:1px solid #ccc;font-size:24px">${each}</td>`).join(w.random.pick(["", "\n"]))}</tr></table>` +
      P([afterCode(w), footer(w)]),
    ...(/^[\d -]+$/.test(c) ? {} : { otp: "Q7K2M9" }),
  }),
  (w, c) => ({ html: P([w.fill(w.phrases.greet), w.fill(w.phrases.say, `<b>${c}</b>`), afterCode(w), footer(w)]) }),
  (w, c) => ({
    html:
      P([w.fill(w.phrases.enter)]) +
      `<h1>${c}</h1>` +
      P([afterCode(w)]) +
      button(`https://${domain(w.brand)}/v?t=${w.random.digits(12)}`, w.fill(w.phrases.confirm)) +
      P(footer(w)),
  }),
  (w, c) => ({
    html:
      `<div style="display:none">${w.fill(w.phrases.say, c)}</div>` +
      P([w.fill(w.phrases.greet), w.fill(w.phrases.enter)]) +
      `<p style="${w.random.pick(STYLES)}">${c}</p>` +
      P([afterCode(w), footer(w)]),
  }),
  (w, c) => ({
    html:
      `<table><tr><th>${w.fill(w.phrases.label)}</th><td>${c}</td></tr><tr><th>${w.fill(w.phrases.reference)}</th><td>${otherNumber(w.random)}</td></tr></table>` +
      P([afterCode(w), footer(w)]),
  }),
  (w, c) => ({ html: `<h2>${c}</h2>${P([w.fill(w.phrases.enter), afterCode(w), footer(w)])}` }),
  (w, c) => ({
    html:
      `<div><img src="https://${domain(w.brand)}/l.png" alt="${w.brand}"></div>` +
      P([w.fill(w.phrases.greet), `${w.fill(w.phrases.label)}: <strong>${c}</strong>`, afterCode(w)]) +
      `<a href="https://${domain(w.brand)}/u?i=${w.random.digits(8)}">${w.fill(w.phrases.unsubscribe)}</a>`,
  }),
  (w, c) => ({
    html:
      `<span style="font-size:0">${w.random.digits(6)}</span>` +
      P([w.fill(w.phrases.enter)]) +
      `<pre>${c}</pre>` +
      P([afterCode(w), footer(w)]),
  }),
  (w, c) => ({
    subject: `${w.fill(w.phrases.subject)} ${c}`,
    html:
      `<center><p>${w.fill(w.phrases.label)}</p><p><font size="6">${c}</font></p></center>` +
      P([afterCode(w), footer(w)]),
  }),
];

/** A sentence that says what the number is for, and does not call it a code. */
const forPurpose = (w: Words, c: string) =>
  w.fill(
    w.random.pick([w.purposes.enter, w.purposes.enter, w.purposes.need, w.purposes.confirm, w.purposes.courier]),
    c,
  );
/** How long, without the name of the code. */
const uncalled = (w: Words, text: string) => w.fill(without(text, CODE));

const PURPOSES: Layout[] = [
  (w, c) => ({
    text: paragraphs(
      optional(w.random, 0.6, w.fill(w.phrases.greet)),
      `${forPurpose(w, c)} ${optional(w.random, 0.4, uncalled(w, w.phrases.valid))}`,
      optional(w.random, 0.4, w.fill(w.phrases.ignore)),
      optional(w.random, 0.4, w.fill(w.phrases.team)),
    ),
  }),
  (w, c) => ({ text: `${w.random.pick([`${w.brand}: `, "", `[${w.brand}] `])}${forPurpose(w, c)}` }),
  (w, c) => ({
    text: paragraphs(
      w.fill(w.phrases.greet),
      `${w.fill(w.phrases.welcome)}. ${forPurpose(w, c)}`,
      w.fill(w.phrases.ignore),
      footer(w),
    ),
  }),
  (w, c) => ({
    html: P([
      optional(w.random, 0.6, w.fill(w.phrases.greet)),
      forPurpose(w, w.random.pick([`<b>${c}</b>`, c, `<span style="${w.random.pick(STYLES)}">${c}</span>`])),
      optional(w.random, 0.4, uncalled(w, w.phrases.valid)),
      optional(w.random, 0.4, w.fill(w.phrases.ignore)),
      footer(w),
    ]),
  }),
  (w, c) => ({
    html: `${P([uncalled(w, w.phrases.enter)])}<p style="${w.random.pick(STYLES)}">${c}</p>${P([optional(w.random, 0.4, uncalled(w, w.phrases.valid)), w.fill(w.phrases.ignore), footer(w)])}`,
  }),
  (w, c) => ({
    subject: w.random.pick([w.fill(w.purposes.parcel, ""), w.fill(w.phrases.shipped, otherNumber(w.random)), w.brand]),
    text: paragraphs(
      optional(w.random, 0.5, w.fill(w.purposes.parcel, w.random.pick(["", otherNumber(w.random)]))),
      `${w.fill(w.purposes.courier, c)} ${optional(w.random, 0.4, `${w.fill(w.phrases.total)}: ${amount(w.random)}`)}`,
      optional(w.random, 0.3, `${w.fill(w.phrases.phone)}: ${phone(w.random)}`),
    ),
  }),
];

/** The code of a thing for which no list has a word. */
const codeOf = (w: Words) => {
  const name = CODE_NAMES.get(w.phrases.language) ?? "code";
  if (UNSPACED_LANGUAGES.has(w.phrases.language)) return `${unlisted(w)}${name}`;
  const [word, own] = [unlisted(w), w.random.chance(0.5) ? name : `${name[0]?.toUpperCase()}${name.slice(1)}`];
  return w.random.pick([
    `${own} ${word}`,
    `${word} ${own}`,
    `${w.fill(w.phrases.orderLabel).split(" ")[0]} ${word} ${own}`,
  ]);
};
const UNSPACED_LANGUAGES = new Set(["zh", "ja", "ko", "th"]);

const CODES_OF_THINGS: Layout[] = [
  (w, c) => ({
    subject: w.random.pick([w.fill(w.others.confirmed, otherNumber(w.random)), w.brand, w.fill(w.phrases.orderLabel)]),
    text: paragraphs(
      optional(w.random, 0.5, w.fill(w.phrases.greet)),
      w.random
        .shuffled([`${codeOf(w)}: ${c}`, ...facts(w)])
        .slice(0, 5)
        .join("\n"),
      optional(w.random, 0.5, w.random.pick([`${w.random.below(6) + 2} ${unlisted(w)}`, w.fill(w.phrases.due)])),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.news)]),
    text: paragraphs(
      `${codeOf(w)}${w.random.pick([": ", " ", "\n"])}${c}`,
      w.random.pick([
        `${w.fill(w.phrases.total)}: ${amount(w.random)}`,
        w.fill(w.others.appointment),
        w.fill(w.phrases.news),
      ]),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.news)]),
    html: `<table>${w.random
      .shuffled([`${codeOf(w)}: ${c}`, ...facts(w)])
      .map((fact) => `<tr><td>${fact.replace(": ", "</td><td>")}</td></tr>`)
      .join("")}</table>`,
  }),
];

/** Numbers that are no codes, beside the words for what a code is for, or beside a duration. */
const NEAR_PURPOSES: Layout[] = [
  (w, c) => ({
    subject: w.random.pick([
      w.brand,
      w.fill(w.purposes.account, c),
      w.fill(w.phrases.confirm),
      w.fill(w.phrases.welcome),
    ]),
    text: paragraphs(
      optional(w.random, 0.6, w.fill(w.phrases.greet)),
      `${w.fill(w.random.pick([w.purposes.account, w.purposes.open]), c)} ${optional(w.random, 0.3, uncalled(w, w.phrases.valid))}`,
      optional(w.random, 0.4, w.fill(w.phrases.ignore)),
      footer(w),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.confirm), w.fill(w.phrases.changed)]),
    html:
      P([
        w.fill(w.phrases.greet),
        w.fill(w.random.pick([w.purposes.account, w.purposes.open]), w.random.pick([`<b>${c}</b>`, c])),
      ]) +
      button(`https://${domain(w.brand)}/s/${w.random.digits(9)}`, w.fill(w.phrases.confirm)) +
      P(footer(w)),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.purposes.parcel, c)]),
    text: paragraphs(
      `${w.fill(w.purposes.parcel, c)} ${w.random.pick(["", w.fill(w.purposes.ride, w.random.digits(3))])}`,
      optional(w.random, 0.4, address(w.random)),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.news)]),
    text: paragraphs(
      optional(w.random, 0.4, w.fill(w.phrases.greet)),
      w.fill(w.random.pick([w.purposes.ride, w.purposes.sensor]), c),
      optional(w.random, 0.3, w.brand),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.news), w.fill(w.others.appointment)]),
    html: `${P([w.fill(w.random.pick([w.purposes.ride.replace(" {c}", ""), w.others.appointment])), optional(w.random, 0.5, w.brand)])}<div style="${w.random.pick(STYLES)}">${c}</div>${P([w.fill(w.random.pick([w.purposes.ride.replace(" {c}", ""), w.purposes.sensor, w.others.appointment]), w.random.pick([c, w.random.digits(3)]))])}`,
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.changed)]),
    text: paragraphs(
      w.fill(w.random.pick([w.purposes.open, w.phrases.changed, w.purposes.account]), ""),
      `${w.random.pick([w.brand, w.fill(w.phrases.reference), "ID"])}: ${c}\n${w.fill(w.phrases.phone)}: ${phone(w.random)}`,
      optional(w.random, 0.5, `${date(w.random)} ${time(w.random)}`),
    ),
  }),
];

const escaped = (line: string) => line.replace(/&/g, "&amp;").replace(/</g, "&lt;");

/** Text as HTML, and what stands below any mail, so that length, links and form tell nothing. */
function dress(words: Words, body: Body): Body {
  const { phrases, random, brand, fill } = words;
  const more = random.chance(0.35) ? Array.from({ length: 1 + random.below(5) }, () => fill(phrases.news)) : [];
  const isQuoted = body.text !== undefined && /^>|^-{5}/m.test(body.text);
  if (body.text !== undefined && (isQuoted || random.chance(0.6)))
    return { ...body, text: isQuoted ? body.text : `${body.text}${more.map((line) => `\n\n${line}`).join("")}` };
  const own =
    body.html ??
    (body.text ?? "")
      .split("\n\n")
      .map((part) => `<p>${part.split("\n").map(escaped).join("<br>")}</p>`)
      .join("\n");
  const links = random.chance(0.5)
    ? [
        fill(phrases.unsubscribe),
        ...Array.from({ length: random.below(6) }, (_, nth) =>
          random.pick([brand, `${brand} ${nth}`, "Facebook", "X"]),
        ),
      ].map(
        (label) =>
          `<a href="https://${domain(brand)}/${random.pick(["u", "p", "x"])}?i=${random.digits(6)}">${label}</a>`,
      )
    : [];
  const html = `${own}${P(more)}${links.join(" | ")}`;
  const { text: _, ...rest } = body;
  return { ...rest, html: random.chance(0.3) ? `<table width="100%"><tr><td>${html}</td></tr></table>` : html };
}

/** Of the mails with a code, and of those without. */
const PURPOSES_SHARE = 0.25;
const NEAR_PURPOSES_SHARE = 0.2;
const CODES_OF_THINGS_SHARE = 0.12;

/** A mail with a one-time code. */
export function positive(words: Words): MadeMail {
  const { phrases, random, fill } = words;
  const { shown, otp } = makeCode(random);
  const isPurpose = random.chance(PURPOSES_SHARE);
  const layout = random.pick(isPurpose ? PURPOSES : random.chance(0.5) ? TEXTS : HTMLS);
  const body = dress(words, layout(words, shown));
  const subject =
    body.subject ??
    fill(
      random.pick([
        isPurpose ? without(phrases.subject, CODE) : phrases.subject,
        phrases.subject,
        phrases.welcome,
        phrases.label,
        `${words.brand}`,
        "",
        phrases.confirm,
      ]),
    );
  return { language: phrases.language, from: fromFor(words, "code"), otp, ...body, subject, needsWords: isPurpose };
}

const MEETINGS = [
  "Meeting ID",
  "Meeting-ID",
  "ID de réunion",
  "ID de reunión",
  "ID spotkania",
  "ミーティングID",
  "会议号",
  "Идентификатор конференции",
];
const HOURS = ["24 h", "48 h", "24 h", "72 h", "10 min", "2"];
/** Names and values of a list. */
const facts = (w: Words) =>
  w.random
    .shuffled([
      `${w.fill(w.others.booking)}: ${otherNumber(w.random)}`,
      `${w.fill(w.others.member)}: ${otherNumber(w.random)}`,
      `${w.fill(w.others.tracking)}: ${otherNumber(w.random)}`,
      `${w.fill(w.phrases.orderLabel)}: ${otherNumber(w.random)}`,
      `${w.fill(w.phrases.reference)}: ${otherNumber(w.random)}`,
      `${w.fill(w.phrases.invoice)}: ${otherNumber(w.random)}`,
      `${w.fill(w.phrases.total)}: ${amount(w.random)}`,
      `${w.fill(w.phrases.phone)}: ${phone(w.random)}`,
      `${w.brand}: ${date(w.random)} ${time(w.random)}`,
    ])
    .slice(0, 2 + w.random.below(4));
const coupon = (random: Random) =>
  random.pick([
    () =>
      `${random.pick(["WINTER", "SAVE", "HELLO", "NEW", "GIFT", "XMAS", "BDAY"])}${random.pick(["10", "20", "25", "26", "5", "2026", "500"])}`,
    () => `${random.pick(["GX", "QK", "VIP"])}${random.digits(1)}${random.pick(["K", "M"])}-${random.digits(2)}PQ`,
    () => `${random.pick(["A", "R", "T"])}${random.digits(2)}${random.pick(["KX", "QM"])}${random.digits(2)}`,
    () => `${random.pick(["SPRING", "JOY", "MIA", "TEAM"])}${random.digits(2)}`,
    () => random.digits(random.chance(0.5) ? 6 : 8),
    () => `${random.pick(["SAVE", "TAKE", "GET"])}-${random.digits(2)}-${random.pick(["OFF", "NOW"])}`,
    () => random.pick(["FREESHIP", "WELCOME", "THANKS"]),
  ])();
const version = (random: Random) => `${random.below(9) + 1}.${random.below(20)}.${random.below(9)}`;

const HARD: Layout[] = [
  (w) => ({
    subject: w.random.pick([w.fill(w.phrases.news), w.brand, `${w.brand}: -${w.random.pick(["10", "15", "20"])} %`]),
    html:
      P([w.fill(w.phrases.greet), `${w.fill(w.others.coupon)}${w.random.pick([":", ""])}`]) +
      `<div style="${w.random.pick([...STYLES, "border:2px dashed red;font-size:28px"])}">${coupon(w.random)}</div>` +
      P([
        w.random.pick([
          date(w.random),
          `${w.random.pick(["10", "20"])} %, ${amount(w.random)}`,
          w.fill(w.phrases.news),
          "",
        ]),
      ]),
  }),
  (w) => ({
    subject: w.fill(w.phrases.news),
    text: paragraphs(
      w.fill(w.phrases.greet),
      `${w.fill(w.others.coupon)}:${w.random.pick([" ", "\n\n"])}${coupon(w.random)}`,
      w.random.pick([`${date(w.random)}, ${amount(w.random)}`, date(w.random), ""]),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([`[#${c}] ${w.brand}`, `[${w.fill(w.phrases.reference)} ${c}]`, w.brand, `#${c}`]),
    text: paragraphs(
      optional(w.random, 0.6, w.fill(w.phrases.greet)),
      `${w.fill(w.others.registered, c)}${w.random.pick(["", ` ${w.random.pick(HOURS)}.`])}`,
      footer(w),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.welcome), w.fill(w.others.registered, c)]),
    html: P([w.fill(w.phrases.greet), w.fill(w.others.registered, `<b>${c}</b>`), w.random.pick(HOURS), footer(w)]),
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.confirm), w.fill(w.others.confirmed, c)]),
    text: `${w.fill(w.phrases.greet)}\n\n${w.fill(w.others.appointment)}\n${address(w.random)}\n${optional(w.random, 0.6, `${w.fill(w.others.booking)} ${c}`)}\n\n${w.brand}`,
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.others.confirmed, c), w.fill(w.others.booking)]),
    text: `${w.fill(w.phrases.greet)}\n\n${w.fill(w.others.booking)}: ${c}\n${w.brand} ${w.random.digits(3)}, ${date(w.random)} ${time(w.random)}\n${w.fill(w.phrases.total)}: ${amount(w.random)}`,
  }),
  (w, c) => ({
    subject: w.random.pick([w.brand, w.fill(w.others.booking)]),
    html: `${P([w.fill(w.others.confirmed, c), w.fill(w.others.booking)])}<p style="${w.random.pick(STYLES)}">${c}</p>${P([w.fill(w.others.appointment), address(w.random)])}`,
  }),
  (w) => {
    const id = w.random.pick([`2026-${w.random.digits(4)}`, version(w.random), w.random.digits(6)]);
    return {
      subject: w.random.pick([w.fill(w.others.update, id), w.brand, w.fill(w.phrases.subject)]),
      text: paragraphs(
        w.fill(w.others.update, id),
        `CVE-2026-${w.random.digits(5)}, CVE-2026-${w.random.digits(5)}\n${w.brand} ${version(w.random)}-${w.random.digits(1)}, build ${w.random.digits(6)}`,
        optional(w.random, 0.5, `${w.random.pick(HOURS)}, ${w.random.digits(7)}`),
      ),
    };
  },
  (w, c) => ({
    subject: w.random.pick([w.fill(w.phrases.subject), w.brand, w.fill(w.phrases.label), w.fill(w.phrases.welcome)]),
    text: paragraphs(
      optional(w.random, 0.5, w.fill(w.phrases.greet)),
      `${w.fill(w.others.sentTo)} ${optional(w.random, 0.4, w.fill(w.phrases.valid))}`,
      optional(w.random, 0.4, w.fill(w.phrases.share)),
      optional(w.random, 0.6, `${w.fill(w.phrases.reference)}${w.random.pick([": ", " ", " n° "])}${c}`),
      footer(w),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.fill(w.phrases.welcome), w.brand]),
    html:
      P([w.fill(w.phrases.greet), w.fill(w.phrases.welcome), w.fill(w.others.member)]) +
      `<p style="${w.random.pick(STYLES)}">${c}</p>` +
      P([footer(w)]),
  }),
  (w) => ({
    subject: w.random.pick([w.brand, w.fill(w.others.tracking)]),
    text: `${w.fill(w.others.tracking)}${w.random.pick([":", ""])}\n${w.random.pick([w.random.digits(8), `${w.random.digits(4)} ${w.random.digits(4)}`, w.random.digits(10)])}\n\n${w.fill(w.others.appointment)}`,
  }),
  (w) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.confirm), w.fill(w.phrases.changed)]),
    text: paragraphs(optional(w.random, 0.5, w.fill(w.phrases.greet)), facts(w).join("\n"), footer(w)),
  }),
  (w) => ({
    subject: w.random.pick([w.brand, w.fill(w.phrases.news)]),
    html: `<table>${facts(w)
      .map((fact) => `<tr><td>${fact.replace(": ", "</td><td>")}</td></tr>`)
      .join("")}</table>`,
  }),
  (w) => ({
    subject: w.fill(w.phrases.news),
    html: P(
      [w.phrases.news, w.phrases.welcome, w.others.member].flatMap((label) => [
        w.fill(label),
        w.random.digits(4 + w.random.below(3)),
      ]),
    ),
  }),
  (w) => ({
    subject: w.random.pick([w.fill(w.phrases.changed), w.fill(w.phrases.subject)]),
    text: paragraphs(
      w.fill(w.phrases.changed),
      `Firefox: Linux\nIP: 203.0.113.${w.random.below(200)}\n${w.brand}: ${date(w.random)} ${time(w.random)}\nID: ${w.random.digits(8)}`,
      w.fill(w.phrases.ignore),
    ),
  }),
  (w, c) => ({
    subject: w.random.pick([w.fill(w.phrases.label), w.brand]),
    text: paragraphs(
      w.fill(w.phrases.share),
      `${w.fill(w.phrases.news)} ${w.random.digits(5)}.`,
      `${w.fill(w.phrases.phone)}: ${c}`,
    ),
  }),
  (w, c) => ({
    subject: w.fill(w.others.confirmed, c),
    text: paragraphs(w.fill(w.phrases.greet), w.fill(w.others.confirmed, c), w.fill(w.others.appointment), footer(w)),
  }),
];

const OTHERS: Layout[] = [
  (w, c) => ({
    subject: w.fill(w.phrases.news),
    text: `${w.fill(w.phrases.greet)}\n\nhttps://${w.random.pick(["zoom", "meet", "call"])}.example/j/${w.random.digits(11)}${w.random.pick(["", `?pwd=${c}`])}\n\n${w.random.pick(MEETINGS)}: ${w.random.pick([`${w.random.digits(3)} ${w.random.digits(4)} ${w.random.digits(4)}`, w.random.digits(10)])}\n${w.random.pick(["Passcode", "Code", "Kenncode", "PIN", "Пароль", "パスコード"])}: ${c}${w.random.pick(["", `\n\n+${w.random.digits(11)},,${w.random.digits(11)}#`])}`,
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.shipped, c),
    text: paragraphs(
      w.fill(w.phrases.greet),
      w.fill(w.phrases.shipped, c),
      `${w.fill(w.phrases.orderLabel)}: ${c}`,
      `${w.fill(w.phrases.total)}: ${amount(w.random)}`,
      footer(w),
    ),
  }),
  (w, c) => ({
    subject: `${w.fill(w.phrases.invoice)} ${c}`,
    text: paragraphs(w.fill(w.phrases.greet), `${w.fill(w.phrases.invoice)}: ${c}`, w.fill(w.phrases.due), footer(w)),
  }),
  (w, c) => ({
    subject: w.random.pick([`[#${c}] ${w.fill(w.phrases.welcome)}`, w.fill(w.phrases.ticket, c), w.brand]),
    text: paragraphs(w.fill(w.phrases.greet), w.fill(w.phrases.ticket, c), footer(w)),
  }),
  (w, c) => ({
    subject: w.brand,
    text: paragraphs(`${w.fill(w.phrases.reference)}: ${c}`, w.fill(w.phrases.ticket, c), footer(w)),
  }),
  (w, c) => ({
    subject: w.brand,
    html:
      P([w.fill(w.phrases.greet), w.fill(w.phrases.orderLabel)]) +
      `<p style="${w.random.pick(STYLES)}">${c}</p>` +
      P([
        `${w.fill(w.phrases.total)}: ${amount(w.random)}`,
        `${w.fill(w.phrases.phone)}: ${phone(w.random)}`,
        footer(w),
      ]),
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.orderLabel),
    html: `<table>${[
      [w.phrases.orderLabel, c],
      [w.phrases.reference, otherNumber(w.random)],
      [w.phrases.total, amount(w.random)],
    ]
      .map(([a, b]) => `<tr><th>${w.fill(a ?? "")}</th><td>${b}</td></tr>`)
      .join("")}</table>${P(footer(w))}`,
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.promo, c),
    html:
      P([w.fill(w.phrases.promo, `<b>${c}</b>`), w.fill(w.phrases.news)]) +
      button(`https://${domain(w.brand)}/sale/${w.random.digits(6)}`, w.brand) +
      `<a href="https://${domain(w.brand)}/u?i=${w.random.digits(8)}">${w.fill(w.phrases.unsubscribe)}</a>`,
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.news),
    text: paragraphs(
      w.fill(w.phrases.greet),
      Array.from({ length: 3 + w.random.below(8) }, () => w.fill(w.phrases.news)),
      `${w.fill(w.phrases.phone)}: ${c}`,
      w.fill(w.phrases.unsubscribe),
    ),
  }),
  (w) => ({
    subject: w.fill(w.phrases.changed),
    text: paragraphs(
      w.fill(w.phrases.greet),
      w.fill(w.phrases.changed),
      w.fill(w.phrases.ignore),
      `${w.fill(w.phrases.phone)}: ${phone(w.random)}`,
      footer(w),
    ),
  }),
  (w) => ({
    subject: w.fill(w.phrases.confirm),
    html:
      P([w.fill(w.phrases.greet), w.fill(w.phrases.valid)]) +
      button(`https://${domain(w.brand)}/confirm?token=${w.random.digits(14)}`, w.fill(w.phrases.confirm)) +
      P([
        w.fill(w.phrases.ignore),
        footer(w),
        `© ${w.random.pick(["2024", "2025", "2026"])} ${w.brand}, ${w.random.digits(5)} Praha`,
      ]),
  }),
  (w) => ({
    subject: w.fill(w.phrases.subject),
    text: paragraphs(
      w.fill(w.phrases.greet),
      w.fill(w.phrases.share),
      w.fill(w.phrases.ignore),
      `© 2026 ${w.brand}`,
      `${w.fill(w.phrases.phone)}: ${phone(w.random)}`,
    ),
  }),
  (w, c) => ({
    subject: `Re: ${w.fill(w.phrases.subject)}`,
    text: `${w.fill(w.phrases.greet)}\n\n${w.fill(w.phrases.news)}\n\n> ${w.fill(w.phrases.say, c)}\n> ${w.fill(w.phrases.valid)}`,
  }),
  (w, c) => ({
    subject: w.random.pick(PEOPLE),
    text: paragraphs(
      w.fill(w.phrases.greet),
      `${w.fill(w.phrases.news)} ${w.fill(w.phrases.due)}`,
      `${w.random.pick(PEOPLE)} ${c}`,
    ),
  }),
  (w, c) => ({
    subject: `${w.brand} ${date(w.random)}`,
    text: `${w.brand}\n\n${Array.from({ length: 4 + w.random.below(6) }, () => `${w.random.pick(["A", "B", "C"])}${w.random.digits(3)}  ${otherNumber(w.random)}  ${amount(w.random)}`).join("\n")}\n\n${w.fill(w.phrases.total)}: ${amount(w.random)}\n${c}`,
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.reference),
    html: P([
      w.fill(w.phrases.greet),
      `${w.fill(w.phrases.reference)}: <b>${c}</b>`,
      w.fill(w.phrases.ticket, otherNumber(w.random)),
      footer(w),
    ]),
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.welcome),
    html:
      P([w.fill(w.phrases.greet), w.fill(w.phrases.welcome), `${w.fill(w.phrases.reference)}: ${c}`]) +
      button(`https://${domain(w.brand)}/start/${w.random.digits(9)}`, w.brand) +
      P(footer(w)),
  }),
  (w, c) => ({
    subject: w.brand,
    text: paragraphs(w.fill(w.phrases.greet), `${w.brand} ${c}`, w.fill(w.phrases.due), footer(w)),
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.ticket, c),
    html: `${P([w.fill(w.phrases.ticket, c)])}<h2>${c}</h2>${P([w.fill(w.phrases.reference), footer(w)])}`,
  }),
  (w, c) => ({
    subject: w.fill(w.phrases.invoice),
    html:
      `<h1>${amount(w.random)}</h1><table><tr><td>${w.fill(w.phrases.invoice)}</td><td><b>${c}</b></td></tr><tr><td>${date(w.random)}</td><td>${amount(w.random)}</td></tr></table>` +
      P([w.fill(w.phrases.due), footer(w)]),
  }),
  (w, c) => ({
    subject: `${w.fill(w.phrases.subject)}`,
    text: paragraphs(
      w.fill(w.phrases.greet),
      w.fill(w.phrases.changed),
      `${w.fill(w.phrases.reference)}: ${c}`,
      w.fill(w.phrases.share),
      footer(w),
    ),
  }),
];

/** Of the mails without a code. */
const HARD_SHARE = 0.55;

/** A mail with numbers of which none is a one-time code. */
export function negative(words: Words): MadeMail {
  const { phrases, random } = words;
  const layouts = random.chance(NEAR_PURPOSES_SHARE)
    ? NEAR_PURPOSES
    : random.chance(CODES_OF_THINGS_SHARE)
      ? CODES_OF_THINGS
      : random.chance(HARD_SHARE)
        ? HARD
        : OTHERS;
  const body = dress(words, random.pick(layouts)(words, otherNumber(random)));
  const from = fromFor(words, random.chance(0.3) ? "code" : "other");
  const needsWords = layouts === NEAR_PURPOSES || layouts === CODES_OF_THINGS;
  return { language: phrases.language, from, ...body, subject: body.subject ?? "", otp: null, needsWords };
}
