// Replies as mail clients write them, in many languages and shapes, of which it is known who wrote each line.
import { createHash } from "node:crypto";
import { LANGUAGES, type Language } from "./languages.ts";

/** `own` must be in the new part, `quoted` must not. `earlier`: messages of the thread, with their senders. */
export type Reply = {
  name: string;
  subject: string;
  text?: string;
  html?: string;
  own: string[];
  quoted: string[];
  earlier: { text: string; own: boolean }[];
};

type Made = Partial<Pick<Reply, "subject" | "text" | "html" | "own" | "quoted" | "earlier">>;
type Parts = Language & { intro: string; q: string; header: string; subjectText: string };
type Shape = (parts: Parts) => Made;

const NAME = "Kim Berg";
const ADDRESS = "kim.berg@shop.example";
const OTHER = "lee@mail.localhost";
const CLOCK = "09:41";
const SUBJECT = "4711 / B-12";

const marked = (text: string, mark = "> ") => text.replace(/^/gm, mark);
const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const paragraphs = (lines: string[]) => lines.map((line) => `<p>${escaped(line)}</p>`).join("");
const all = ({ own, quoted }: Language) => [...own, ...quoted];
/** Wraps before the word at the middle. */
function wrapped(line: string): string {
  const words = line.split(" ");
  const at = Math.ceil(words.length / 2);
  return `${words.slice(0, at).join(" ")}\n${words.slice(at).join(" ")}`;
}
const top = ({ own }: Parts, below: string) => ({ text: `${own.join("\n\n")}\n\n${below}\n` });

const SHAPES: Record<string, Shape> = {
  "above a quote": (p) => top(p, `${p.intro}\n\n${marked(p.q)}`),
  "above a quote, wrapped attribution": (p) => top(p, `${wrapped(p.intro)}\n\n${marked(p.q)}`),
  "below a quote": (p) => ({ text: `${p.intro}\n${marked(p.q)}\n\n${p.own.join("\n\n")}\n` }),
  "between quotes": ({ intro, own, quoted }) => ({
    text: `${intro}\n> ${quoted[0]}\n\n${own[0]}\n\n> ${quoted[1]}\n\n${own[1]}\n`,
  }),
  "signature above the quote": (p) => top(p, `-- \nLee Holm\nShop 12\n\n${p.intro}\n\n${marked(p.q)}`),
  "signature without the space": (p) => top(p, `--\nLee Holm\n+47 55 12 34 56\n\n${p.intro}\n\n${marked(p.q)}`),
  "nested quotes": (p) => top(p, `${p.intro}\n\n${marked(`${p.quoted[0]}\n\n${p.intro}\n\n${marked(p.quoted[1])}`)}`),
  "attribution in the quote": (p) => top(p, `${p.phone}\n\n${marked(`${p.intro}\n\n${p.q}`)}`),
  "header lines": (p) => top(p, `${p.header}\n\n${p.q}`),
  "bold header lines": (p) => top(p, `${p.header.replace(/^([^:\n]+):/gm, "*$1:*")}\n\n${p.q}`),
  "header lines below a ruler": (p) => top(p, `________________________________\n${p.header}\n\n${p.q}`),
  "header lines below a separator": (p) => top(p, `-----${p.original}-----\n${p.header}\n\n${p.q}`),
  "header lines, subject first": (p) => {
    const lines = p.header.split("\n");
    return top(p, `${[lines[3], lines[0], lines[2], lines[1]].join("\n")}\n\n${p.q}`);
  },
  "header lines, recipient by name": (p) => top(p, `${p.header.replace(/Lee Holm <\S+>/, "Lee Holm")}\n\n${p.q}`),
  "reply above": (p) => top(p, `##- ${p.marker} -##\n\n${p.q}`),
  "reply above, dashes": (p) => top(p, `----- ${p.marker} -----\n\n${p.q}`),
  "address and date, no marks": (p) => top(p, `${p.intro}\n\n${p.q}`),
  "sent from a phone": (p) => ({ text: `${p.own.join("\n")}\n\n${p.phone}\n\n${p.intro}\n\n${marked(p.q)}\n` }),
  "HTML of Gmail": (p) => ({
    html: `<div dir="ltr">${paragraphs(p.own)}</div><div class="gmail_quote"><div class="gmail_attr">${escaped(p.intro)}</div><blockquote class="gmail_quote">${paragraphs(p.quoted)}</blockquote></div>`,
  }),
  "HTML of Outlook": (p) => ({
    html: `<div class="WordSection1">${paragraphs(p.own)}<div style="border-top:solid #E1E1E1 1.0pt"><p>${escaped(
      p.header,
    )
      .replace(/^([^:\n]+):/gm, "<b>$1:</b>")
      .replaceAll("\n", "<br>")}</p></div>${paragraphs(p.quoted)}</div>`,
  }),
  "HTML of Apple": (p) => ({
    html: `${paragraphs(p.own)}<blockquote type="cite"><div>${escaped(p.intro)}</div>${paragraphs(p.quoted)}</blockquote>`,
  }),
  "HTML of Thunderbird, between quotes": (p) => ({
    html: `<div class="moz-cite-prefix">${escaped(p.intro)}</div><blockquote type="cite" cite="mid:1"><p>${p.quoted[0]}</p></blockquote><p>${p.own[0]}</p><blockquote type="cite"><p>${p.quoted[1]}</p></blockquote><p>${p.own[1]}</p>`,
  }),
  "HTML of Proton": (p) => ({
    html: `${paragraphs(p.own)}<div class="protonmail_quote">${escaped(p.intro)}<blockquote class="protonmail_quote" type="cite">${paragraphs(p.quoted)}</blockquote></div>`,
  }),
  "HTML, blockquote below an attribution": (p) => ({
    html: `${paragraphs(p.own)}<p>${escaped(p.intro)}</p><blockquote>${paragraphs(p.quoted)}</blockquote>`,
  }),
  "HTML, blockquote of the sender": (p) => ({
    html: `<p>${p.own[0]}</p><blockquote>${paragraphs(p.quoted)}</blockquote><p>${p.own[1]}</p>`,
    own: all(p),
    quoted: [],
  }),
  "forward with a comment": (p) => ({
    text: `${p.own.join("\n")}\n\n---------- ${p.forwarded} ---------\n${p.header}\n\n${p.q}\n`,
    subject: `Fwd: ${SUBJECT}`,
    own: all(p),
    quoted: [],
  }),
  "HTML forward of Gmail": (p) => ({
    html: `${paragraphs(p.own)}<div class="gmail_quote"><div class="gmail_attr">---------- ${p.forwarded} ---------<br>${escaped(p.header).replaceAll("\n", "<br>")}</div>${paragraphs(p.quoted)}</div>`,
    own: all(p),
    quoted: [],
  }),
  "what a person said, in prose": (p) => ({
    text: `${p.own[0]}\n\n${p.attribution
      .replace(/\s?\(?<.*?\{A\}.*?>\)?/, "")
      .replace("{D}", p.date)
      .replace("{T}", CLOCK)
      .replace("{N}", NAME)}\n\n${p.quoted[0]}\n\n${p.own[1]}\n`,
    own: all(p).slice(0, 3),
    quoted: [],
  }),
  "a form below two dashes": (p) => ({
    text: `${p.own[0]}\n--\n${p.labels[0]}: Pat\n${p.labels[3]}: ${p.own[1]}\n`,
    quoted: [],
  }),
  "a record with an address and a date": (p) => ({
    text: `${p.own[0]}\n\nID: 77-12\n${p.labels[0]}: ${ADDRESS}\n${p.labels[1]}: ${p.date} ${CLOCK}\nStatus: 550 full\n\n${p.own[1]}\n`,
    quoted: [],
  }),
  "a log between sentences": (p) => ({
    text: `${p.own[0]}\n\n2026-11-02 09:41:07 smtp[1]: connect from ${ADDRESS}:\n2026-11-02 09:41:08 smtp[1]: disk full\n\n${p.own[1]}\n`,
    own: [...p.own, "2026-11-02 09:41:08 smtp[1]: disk full"],
    quoted: [],
  }),
  "sections below dashes": (p) => ({
    text: `${p.own[0]}\n\n----- ${p.quoted[1]} -----\n\n${p.own[1]}\n\n--\n\n${p.quoted[0]}\n`,
    own: [p.own[0], p.own[1]],
    quoted: [],
  }),
  "P.S. below the signature": (p) => ({
    text: `${p.own[0]}\n\n-- \nLee Holm\n\nP.S. ${p.own[1]}!\n\n${p.quoted[0]} ${p.quoted[1]} (${p.own[0]})\n`,
    own: [p.own[0], p.quoted[1]],
    quoted: [],
  }),
  "thread known, no marks": (p) => ({ ...top(p, p.q), earlier: [{ text: p.q, own: false }] }),
  "thread known, between the lines": (p) => ({
    text: `${p.quoted[0]}\n${p.own[0]}\n\n${p.quoted[1]}\n${p.own[1]}\n`,
    earlier: [{ text: p.q, own: false }],
  }),
  "thread known, wrapped anew": (p) => ({
    ...top(p, wrapped(p.q.replace("\n", " "))),
    earlier: [{ text: p.q, own: false }],
  }),
  "thread known, below header lines and between": (p) => ({
    text: `${p.header}\n\n${p.quoted[0]}\n\n${p.own[0]}\n\n${p.quoted[1]}\n\n${p.own[1]}\n`,
    earlier: [{ text: p.q, own: false }],
  }),
  "thread known, the own mail sent again": (p) => ({
    text: `${p.own[1]}\n\n${p.q}\n`,
    own: all(p).slice(1),
    quoted: [],
    earlier: [
      { text: p.q, own: true },
      { text: "Thank you, we will look at it and write to you next week.", own: false },
    ],
  }),
  "thread known, another's quote": (p) => ({
    ...top(p, `${p.intro}\n\n${p.q}`),
    own: all(p),
    quoted: [],
    earlier: [
      { text: "Which supplier promised the delivery, and what exactly did they write to you about it?", own: false },
    ],
  }),
};

function partsOf(language: Language): Parts {
  const { attribution, date, labels, quoted } = language;
  const values = { "{D}": date, "{T}": CLOCK, "{N}": NAME, "{A}": ADDRESS };
  const [from, sent, to, subject] = labels;
  return {
    ...language,
    intro: Object.entries(values).reduce((text, [mark, value]) => text.replaceAll(mark, value), attribution),
    q: quoted.join("\n"),
    subjectText: SUBJECT,
    header: `${from}: ${NAME} <${ADDRESS}>\n${sent}: ${date} ${CLOCK}\n${to}: Lee Holm <${OTHER}>\n${subject}: RE: ${SUBJECT}`,
  };
}

const isHeldBack = (name: string) => ((createHash("sha256").update(name).digest()[0] ?? 0) & 1) === 1;

/** Half of the replies, by chance: rules are made on those that are not held back. */
export function repliesOf(half: "tuned" | "held back"): Reply[] {
  const replies = LANGUAGES.flatMap((language) =>
    Object.entries(SHAPES).map(([shape, make]): Reply => {
      const made = make(partsOf(language));
      const own = made.own ?? language.own;
      const quoted = made.quoted ?? language.quoted;
      return { subject: `Re: ${SUBJECT}`, earlier: [], ...made, own, quoted, name: `${language.name}, ${shape}` };
    }),
  );
  return replies.filter(({ name }) => isHeldBack(name) === (half === "held back"));
}
