// Generates the mails that the weights of codes are fitted to: with a one-time code, and with other numbers.
import { CODE, lexiconOfAll, OTHER, PURPOSE, tokensIn } from "#server/extraction/lexicon.ts";
import type { Phrases } from "./phrases.ts";
import type { Random } from "./random.ts";

export type MadeMail = {
  language: string;
  from: string;
  subject: string;
  text?: string;
  html?: string;
  otp: string | null;
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
];
const PEOPLE = ["Ana", "Omar", "Li Wei", "Kofi", "Mira", "Jonas", "Priya", "Sam K."];
const MINUTES = ["5", "10", "10", "15", "20", "30", "60", "3", "2"];
const NATIVE: Record<string, number> = { ar: 0x660, fa: 0x6f0, ur: 0x6f0, hi: 0x966, bn: 0x9e6, th: 0xe50 };
const CURRENCIES = ["€", "$", "£", "kr", "Kč", "zł", "Ft", "₹", "¥", "EUR", "USD", "lei", "₽", "TL"];
const LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const WORDS = "amber river stone maple cloud tiger lemon harbor silent copper meadow falcon".split(" ");

/** The share of mails whose sentences lack the words of a kind, so that no kind of word becomes a condition. */
const DROPPED = 0.25;

/** A sentence without the listed words of some kinds. */
function without(text: string, kinds: number): string {
  let left = text;
  for (const token of tokensIn(lexiconOfAll(), text, false).toReversed())
    if (token.kinds & kinds && text[token.start - 1] !== "{") left = left.slice(0, token.start) + left.slice(token.end);
  return /\p{L}/u.test(left.replace("{c}", "")) ? left.replace(/ {2,}/g, " ").trim() : text;
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
  random: Random;
  brand: string;
  fill: (text: string, number?: string) => string;
};

export function wordsFor(phrases: Phrases, random: Random): Words {
  const brand = random.pick(BRANDS);
  const native = random.chance(0.35);
  const dropped = random.chance(DROPPED) ? random.pick([CODE, CODE | PURPOSE, PURPOSE, OTHER]) : 0;
  const fill = (template: string, number = "") => {
    // A bare label is all that says what a number is.
    const text =
      dropped !== 0 && (dropped !== OTHER || template.includes("{c}")) ? without(template, dropped) : template;
    const made = text
      .replace("{c}", number)
      .replace("{n}", random.pick(MINUTES))
      .replace("{b}", brand)
      .replace("{p}", random.pick(PEOPLE))
      .replace("{a}", amount(random))
      .replace("{d}", date(random))
      .replace("{k}", random.pick([random.digits(4), random.digits(5), `${random.below(90) + 1},${random.digits(3)}`]))
      .replace("{q}", random.pick(["10", "15", "20", "25", "50"]));
    return native ? inNative(phrases.language, made) : made;
  };
  return { phrases, random, brand, fill };
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
function footer({ phrases, random, brand, fill }: Words): string[] {
  const lines: string[] = random.chance(0.3) ? noise({ phrases, random, brand, fill }) : [];
  if (random.chance(0.35)) lines.push(fill(phrases.team));
  if (random.chance(0.3)) lines.push(`© 2026 ${brand}`);
  if (random.chance(0.25)) lines.push(`${fill(phrases.phone)}: ${phone(random)}`);
  if (random.chance(0.2))
    lines.push(
      `${brand}, ${random.below(400) + 1} Main St, ${random.digits(5)} ${random.pick(["Springfield", "Praha", "Lyon"])}`,
    );
  if (random.chance(0.1)) lines.push(`${fill(phrases.reference)}: ${otherNumber(random)}`);
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

const TEXTS: Layout[] = [
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

/** A mail with a one-time code. */
export function positive(words: Words): MadeMail {
  const { phrases, random, fill } = words;
  const { shown, otp } = makeCode(random);
  const body = random.pick(random.chance(0.5) ? TEXTS : HTMLS)(words, shown);
  const subject =
    body.subject ??
    fill(
      random.pick([
        phrases.subject,
        phrases.subject,
        phrases.welcome,
        phrases.label,
        `${words.brand}`,
        "",
        phrases.confirm,
      ]),
    );
  return { language: phrases.language, from: fromFor(words, "code"), otp, ...body, subject };
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

/** A mail with numbers of which none is a one-time code. */
export function negative(words: Words): MadeMail {
  const { phrases, random } = words;
  const body = random.pick(OTHERS)(words, otherNumber(random));
  return { language: phrases.language, from: fromFor(words, "other"), ...body, subject: body.subject ?? "", otp: null };
}
