// Finds the verification link of a mail: scores HTML links and bare URLs by their words, the text around them and their
// form.
import { getDomain } from "tldts";
import { readDomain } from "#server/base/addresses.ts";
import { whenNeeded } from "../base/when-needed.ts";
import { ACT_WORDS } from "./act-words.ts";
import { CODE_WORDS } from "./code-words.ts";
import type { Found } from "./codes.ts";
import type { Link } from "./html/html-reading.ts";
import {
  ACCOUNT,
  CODE,
  createLexicon,
  ENTER,
  INVITE,
  type Lexicon,
  LINK_ACT,
  lexiconOfAll,
  NEVER,
  NUMBER,
  OTHER,
  PURPOSE,
  tokensIn,
} from "./lexicon.ts";
import {
  ACT,
  ADDRESS_OF_ORDER,
  BEGUN,
  COMMERCE,
  CONSENT,
  DENIAL,
  DOCUMENT,
  FOLLOW,
  GOES_ON,
  INVITES,
  JOIN,
  LOGIN_BUTTON,
  NOT_AN_ORDER,
  OTHER_ACT,
  OTHER_SITES,
  PASSWORD,
  POINTER,
  REGISTRATION,
  SIGN_BUTTON,
  SIGNS,
  URL_ACT,
  URL_ASKS,
  URL_BESIDE,
  URL_OF_DEVICE,
  URL_OTHER,
  URL_PLACE,
} from "./link-words.ts";
import { replaceUrls, URL_CHARS, urlPart, withoutTrailing } from "./urls.ts";

const READ_CHARS = 50_000;
const LINKS = 500;
const LABEL_CHARS = 160;
const LINK_TEXT_CHARS = 150;
/** A longer link text is prose, not a button. */
const BUTTON_CHARS = 100;
const LINES_BEFORE = 3;
const PAGE_CONFIDENCE = 0.6;
/** A page for a code is one of few links. */
const PAGES = 12;
/** A path segment or query value that may be a secret rather than a word. */
const SECRET_CHARS = 16;
const BARE_URL = /^(?:https?:\/\/\S+|[\w.-]{1,255}\.[a-z]{2,24}\/\S*)$/i;

/** A line that a mailer broke is at least so long, unless it ends amid a query. */
const WRAPPED_CHARS = 60;
const WRAPPED_LINES = 20;
/** In a language that the words of links do not have, so much text is read, and few links. */
const FOREIGN_CHARS = 4_000;
const FOREIGN_LINKS = 40;
const KNOWN_SHARE = 0.1;
/** So much more of the words are in the languages of `link-words.ts` if the mail is in one of them. */
const OWN_SHARE = 1.2;
/** Of a word of the mail, to be found in an address. */
const ADDRESS_STEM_CHARS = 5;
const STEM_CHARS = 4;

/** A link with its visible context: its own words, what stands before it in its sentence, its sentence, the lines before. */
type Seen = {
  url: string;
  words: string;
  label: string;
  sentence: string;
  before: string;
  /** The line below. */
  after: string;
  button?: boolean;
  /** Listed like the articles of an issue: the words of its address are those of a title. */
  isArticle?: boolean;
};

/**
 * The link that verifies, activates, signs in, resets a password or accepts an invitation, as in the mail; undefined if
 * there is none. The first 50,000 characters and 500 links of a part are read.
 * @param code of the mail, for a page on which it is entered
 */
export function findLink(
  subject: string,
  text: string | null,
  html: { text: string; links: Link[] } | null,
  {
    code,
    lexicons = lexiconsOfAll(),
  }: { code?: string | undefined; lexicons?: ReturnType<typeof createLinkLexicons> } = {},
): Found | undefined {
  const fromHtml = html && (html.links.length > 0 ? linksOf(html) : urlsIn(unquoted(html.text)));
  const seen = withArticles([...(fromHtml ?? []), ...(text === null ? [] : urlsIn(unquoted(text)))]);
  const subjectActs = ACT.test(straight(subject));
  let best: Found | undefined;
  for (const link of seen) {
    const confidence = judge(link, straight(subject), subjectActs);
    if (confidence > (best?.confidence ?? 0)) best = { value: link.url, confidence };
  }
  if (best) return best;
  const written = html?.text ?? text ?? "";
  return findPage(code, seen) ?? findForeign(subject, written, seen, lexicons, code);
}

/** The address of an article, without a personal part, and its folder, which has the number of an issue or a year. */
const ARTICLE =
  /^(https?:\/\/[^/?#]+\/(?:[a-z]{1,20}\/){0,2}\d{1,4}\/(?:[a-z]{1,20}\/|\d{1,2}\/){0,2})[a-z-]{1,200}(?:\.html?)?\/?$/i;
const ARTICLES_MIN = 3;

/**
 * Links, with those marked that a mail lists like the articles of an issue: at least three in one folder, without help, terms and settings.
 * What stands above an article is its title, unless a colon leads to the address.
 */
function withArticles(seen: Seen[]): Seen[] {
  const folders = new Map<string, Set<string>>();
  for (const { url } of seen) {
    const folder = ARTICLE.exec(url)?.[1];
    const path = folder === undefined ? "" : url.slice(folder.length - 1);
    if (folder !== undefined && !URL_OTHER.test(path) && !URL_BESIDE.test(path))
      folders.set(folder, (folders.get(folder) ?? new Set()).add(url));
  }
  const articles = new Set([...folders.values()].flatMap((urls) => (urls.size < ARTICLES_MIN ? [] : [...urls])));
  if (articles.size === 0) return seen;
  return seen.map((link) => {
    if (!articles.has(link.url)) return link;
    const above = lastLine(link.before);
    return { ...link, before: /[:：]\s*$/u.test(above) ? above : "", isArticle: true };
  });
}

/**
 * The page on which a code is entered, as for another device: its sentence asks for that, the line below goes on with it, or is the next
 * step. A page that is named as such needs no code that was found.
 */
function findPage(code: string | undefined, seen: Seen[]): Found | undefined {
  const kindsOfAll = (text: string) => kindsIn(lexiconOfAll(), text);
  const enters = (text: string) => (kindsOfAll(text) & ENTER) !== 0;
  const names = (text: string) => (code !== undefined && text.includes(code)) || (kindsOfAll(text) & CODE) !== 0;
  const pages = new Set<string>();
  for (const { url, words, sentence, before, after } of seen.slice(0, PAGES)) {
    const parsed = url.length <= URL_CHARS ? URL.parse(url) : null;
    if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.pathname === "/" || elsewhere(parsed)) continue;
    if (code === undefined && !URL_OF_DEVICE.test(parsed.pathname)) continue;
    if (OTHER_ACT.test(words) || DENIAL.test(sentence)) continue;
    const above = lastLine(before);
    const isShown = /\p{L}/u.test(sentence);
    const goesOn = isShown ? /^2[.)]/.test(after) : /^\p{Ll}/u.test(after);
    const isAsked =
      (isShown && enters(sentence) && names(sentence)) ||
      (!isShown && /[:：]\s*$/u.test(above) && enters(`${above} ${after}`)) ||
      (goesOn && enters(after) && names(after));
    if (isAsked) pages.add(url);
  }
  const [page] = pages;
  return page === undefined || pages.size > 1 ? undefined : { value: page, confidence: PAGE_CONFIDENCE };
}

/** The languages of `link-words.ts`. */
export const READ_LANGUAGES = new Set("en de fr es pt it nl pl tr ru zh ja ko".split(" "));
/** @param isLeftOut of the other languages */
export const createLinkLexicons = (isLeftOut: (language: string) => boolean = () => false) => ({
  read: createLexicon((language) => !READ_LANGUAGES.has(language)),
  foreign: createLexicon(
    (language) => READ_LANGUAGES.has(language) || isLeftOut(language),
    `${CODE_WORDS.trim()}\n${ACT_WORDS}`,
  ),
});
const lexiconsOfAll = whenNeeded(() => createLinkLexicons());

/** Words of Persian and of scripts of India are written with and without joiners. */
const withoutJoiners = (text: string) => text.replace(/[\u200b-\u200f\u00ad]/g, "");

const kindsIn = (lexicon: Lexicon, text: string) =>
  tokensIn(lexicon, withoutJoiners(text), false).reduce(
    (all, { kinds }) => all | (kinds & ACCOUNT ? kinds & ~(OTHER | NUMBER) : kinds),
    0,
  );

/** The share of a text's words that a lexicon has. */
function shareOfKnown(lexicon: Lexicon, text: string): number {
  const tokens = tokensIn(lexicon, withoutJoiners(text), false);
  return tokens.filter(({ kinds }) => kinds !== 0).length / Math.max(1, tokens.length);
}

/**
 * The link in a language that `link-words.ts` does not have, by its words in the other languages, and by what a person sees: it looks like
 * a button, says what the subject says, as does its address, is the only one with a personal part, stands beside a duration, and its
 * address is written out below.
 */
function findForeign(
  subject: string,
  written: string,
  seen: Seen[],
  { foreign, read: own }: ReturnType<typeof createLinkLexicons>,
  code: string | undefined,
): Found | undefined {
  const candidates = new Map<string, Seen>();
  for (const link of seen) {
    const parsed = candidates.size < FOREIGN_LINKS && link.url.length <= URL_CHARS ? URL.parse(link.url) : null;
    if (
      parsed &&
      /^https?:$/.test(parsed.protocol) &&
      hasSecret(parsed) &&
      !elsewhere(parsed) &&
      !candidates.get(link.url)?.words
    )
      candidates.set(link.url, link);
  }
  if (candidates.size === 0) return;
  const text = replaceUrls(written.slice(0, FOREIGN_CHARS).normalize("NFKC"), " ");
  const words = [...candidates.values()].map((link) => link.words).join("\n");
  const whole = `${subject}\n${words}\n${text}`;
  const read = shareOfKnown(own, whole);
  const listed = shareOfKnown(foreign, whole);
  if (read >= KNOWN_SHARE && read > listed * OWN_SHARE) return;
  const isListed = listed >= KNOWN_SHARE;
  const ofSubject = kindsIn(foreign, subject);
  const isLimited = /(?<![\p{N}.,:/-])(?:10|15|20|24|30|48|60|72)[ -]?\p{L}/u.test(text);
  const numbers = text.match(/\p{N}+/gu)?.length ?? 0;
  const named = new Set(
    `${subject}\n${text}`.match(/[\p{L}\p{N}]+/gu)?.filter((word) => /\p{N}/u.test(word) && word !== code),
  );
  const isAsked =
    (ofSubject & PURPOSE) !== 0 && (ofSubject & LINK_ACT) !== 0 && (ofSubject & (OTHER | NUMBER | NEVER)) === 0;
  const actsByAddress = ({ url, isArticle }: Seen) =>
    !isArticle && (kindsIn(foreign, wordsOfPath(url)) & LINK_ACT) !== 0;
  const all = [...candidates.values()];
  const labelActs = (link: Seen) => (kindsOfLabel(foreign, link) & LINK_ACT) !== 0;
  const labels = all.filter(labelActs).map((link) => link.words);
  const fit = all
    .map((link) => withoutLabelsOfOthers(link, labels))
    .map((link) => ({
      link,
      kinds: kindsOf(foreign, link),
      stems: stemsOf(`${subject} ${link.words} ${sentenceOf(link)}`),
      isNamed: !hasSecret(new URL(link.url), named),
    }))
    .filter(({ link, kinds }) => !link.isArticle || (kinds & ACTING) !== 0)
    .filter(({ link, kinds }) => (kinds & NEVER) === 0 && !OTHER_ACT.test(link.words))
    // Of words in the languages that were read, `judge` has decided.
    .filter(({ link }) => listed > read || (kindsOf(own, link) & (PURPOSE | OTHER)) === 0);
  const acts = ({ link, kinds }: { link: Seen; kinds: number }) => (kinds & LINK_ACT) !== 0 || actsByAddress(link);
  const isActElsewhere = fit.some((each) => !each.isNamed && acts(each));
  // A customer's number may be all that a link has, but the page of a numbered build acts in no way.
  const judged = fit.filter((each) => !each.isNamed || (!isActElsewhere && (isAsked || acts(each))));
  // The name of a person may be a link to any address: an address says what its link does if no label does.
  const addressCounts = !judged.some(({ link }) => labelActs(link));
  // Offers beside the one link that acts are no rivals of it.
  const acting = judged.filter(({ kinds }) => (kinds & (PURPOSE | LINK_ACT)) !== 0);
  const isOnlyActing = (link: Seen) => acting.length === 1 && acting[0]?.link === link;
  const points = judged
    .filter(
      ({ link, kinds }) =>
        (kinds & ACTING) !== 0 ||
        ((kinds & (OTHER | NUMBER)) === 0 && (!isListed || isAsked || (addressCounts && actsByAddress(link)))),
    )
    .map(({ link, kinds, stems }) => ({
      link,
      points:
        (kinds & (PURPOSE | LINK_ACT) ? 2 : kinds & INVITE ? 1 : 0) +
        (ofSubject & (PURPOSE | LINK_ACT) ? (ofSubject & OTHER ? -1 : 1) : 0) +
        (isAsked && (kinds & ACTING) === 0 ? 1 : 0) +
        (sharesStem(subject, link.words) ? 1.5 : 0) +
        (addressCounts && (actsByAddress(link) || (!link.isArticle && isInAddress(link.url, stems))) ? 1 : 0) +
        (link.button ? 1 : 0) +
        (isMain(link, judged) ? 1 : 0) +
        (link.words !== "" && written.includes(link.url) ? 1.5 : 0) +
        (isLimited ? (isListed ? 1 : 2) : 0) +
        (isLimited && numbers === 1 ? 1 : 0) -
        (/[$€£¥₽₺₩₹]|\d ?%|% ?\d/.test(text) ? 1.5 : 0) -
        (judged.length > 3 && !(isAsked && isOnlyActing(link)) ? 2 : 0) -
        (kinds & OTHER ? (kinds & ACTING ? 1 : 2) : 0) -
        (ofSubject & OTHER && !(ofSubject & ACTING) ? 2 : 0),
      needed: kinds & ACTING || isAsked ? 3 : 4,
    }))
    .sort((a, b) => b.points - a.points);
  const [first, second] = points;
  if (!first || first.points < first.needed || (second && first.points - second.points < 1)) return;
  return { value: first.link.url, confidence: Math.min(0.8, 0.5 + 0.05 * first.points) };
}

/** Whether a link is the only one with a personal part, or the only button among them. */
const isMain = (link: Seen, judged: { link: Seen }[]) =>
  judged.length === 1 || (link.button === true && judged.filter((each) => each.link.button).length === 1);

/** What a link does, as words of any kind say. */
const ACTING = PURPOSE | LINK_ACT | INVITE;

/** The sentence of a link, or the line above it. */
const sentenceOf = ({ sentence, before }: Seen) => (/\p{L}/u.test(sentence) ? sentence : lastLine(before));

/** A link without the labels of others in the text around it: what these say is not said of it. */
function withoutLabelsOfOthers(link: Seen, labels: string[]): Seen {
  const without = (text: string) =>
    labels.reduce((rest, label) => (label === link.words ? rest : rest.replaceAll(label, "")), text);
  return { ...link, sentence: without(link.sentence), before: without(link.before) };
}

const kindsOfLabel = (lexicon: Lexicon, { words }: Seen) => (BARE_URL.test(words) ? 0 : kindsIn(lexicon, words));

/** The words of a link decide; if they say nothing ("here"), the sentence around it does. */
function kindsOf(lexicon: Lexicon, link: Seen): number {
  const kinds = kindsOfLabel(lexicon, link);
  return kinds & (ACTING | OTHER | NEVER) ? kinds : kinds | kindsIn(lexicon, sentenceOf(link));
}

/** Octets of letters beyond ASCII. Others may hide the separators of an address that is only carried along. */
const ENCODED_LETTERS = /(?:%[89a-f][\da-f])+/gi;
const ENCODED = /(?:%[\da-f]{2})+/gi;
const decoded = (octets: string) => Buffer.from(octets.replaceAll("%", ""), "hex").toString();

/** A path in letters, as of "/caf%C3%A9/". */
const inLetters = (path: string) => path.replace(ENCODED_LETTERS, decoded);
const pathOf = (url: string) => inLetters(URL.parse(url)?.pathname ?? "");

/** The words of a path, which hyphens separate. */
const wordsOfPath = (url: string) => pathOf(url).replace(/[-_.+]/g, " ");

const withoutMarks = (text: string) => text.toLowerCase().normalize("NFKD").replace(/\p{M}/gu, "");
/** Latin letters without marks. */
const plain = (text: string) => withoutMarks(text).replace(/ae|æ/g, "a").replace(/oe|ø/g, "o");

/** Beginnings of the words of a text in Latin letters. */
const stemsOf = (text: string) =>
  [...plain(text).matchAll(/[a-z]{5,}/g)].map(([word]) => word.slice(0, ADDRESS_STEM_CHARS));

/** Whether the path of an address has one of the words. */
function isInAddress(url: string, stems: string[]): boolean {
  const path = plain(pathOf(url));
  return stems.some((stem) => path.includes(stem));
}

const lastLine = (lines: string) => lines.slice(lines.lastIndexOf("\n") + 1);

/** Whether a word of a link begins like one of the subject. */
function sharesStem(subject: string, words: string): boolean {
  const stems = (text: string) =>
    [...text.toLowerCase().matchAll(/\p{L}[\p{L}\p{M}]{3,}/gu)].map(([word]) => word.slice(0, STEM_CHARS));
  const ofSubject = new Set(stems(subject));
  return stems(words).some((stem) => ofSubject.has(stem));
}

/** Whether a link's registrable domain (public and private suffixes such as github.io) is the sender's. */
export function hostMatchesSender(link: string, from: string): boolean {
  const host = URL.parse(link)?.hostname.toLowerCase();
  const sender = readDomain(from.slice(from.lastIndexOf("@") + 1).replace(/[>\s]+$/, ""));
  if (!host || !sender) return false;
  const domain = getDomain(host, { allowPrivateDomains: true });
  return domain === null ? host === sender : domain === getDomain(sender, { allowPrivateDomains: true });
}

const straight = (text: string) => withoutJoiners(text.replace(/[\u2018\u2019]/g, "'").replace(/İ/g, "I"));
const unquoted = (text: string) => text.slice(0, READ_CHARS).replace(/^[ \t]*>.*$/gm, "");
const lastSentence = (text: string) => text.slice(text.search(/\P{Sentence_Terminal}*$/u));

/** Links of the HTML, located in the visible text, in order. */
function linksOf(html: { text: string; links: Link[] }): Seen[] {
  const text = unquoted(html.text);
  let cursor = 0;
  return html.links.slice(0, LINKS).map(({ url, text: label, button = false }) => {
    const words = label.slice(0, LINK_TEXT_CHARS);
    const at = words === "" ? -1 : text.indexOf(words, cursor);
    if (at < 0) return { url, words, button, label: "", sentence: "", before: "", after: "" };
    cursor = at + words.length;
    return { url, words, button, ...around(text, at, cursor) };
  });
}

/** The sentence before the link and, if it continues, after it; and the previous lines with words. */
function around(text: string, start: number, end: number): Pick<Seen, "label" | "sentence" | "before" | "after"> {
  const lineStart = text.lastIndexOf("\n", Math.max(0, start - 1)) + 1;
  const head = text.slice(Math.max(lineStart, start - LABEL_CHARS), start);
  const [rest = "", ...below] = text.slice(end, end + LABEL_CHARS).split("\n");
  const tail = rest.split(/\p{Sentence_Terminal}\s?/u, 1)[0] ?? "";
  const lines = text
    .slice(Math.max(0, lineStart - LABEL_CHARS * LINES_BEFORE), lineStart)
    .split("\n")
    .filter((line) => /\p{L}/u.test(line));
  const label = lastSentence(head);
  // "Please confirm your address. <https://…>"
  const closed = /\p{L}/u.test(label) ? label : lastSentence(head.replace(/\p{Sentence_Terminal}[^\p{L}]*$/u, ""));
  return {
    label,
    sentence: `${closed} ${tail}`,
    before: lines.slice(-2).join("\n"),
    after: below.find((line) => /\p{L}/u.test(line)) ?? "",
  };
}

/**
 * Bare http(s) URLs of a text. A URL in angle brackets may be wrapped over lines, and so may one that reaches the end of a long line or
 * ends amid its query; others end where no URL can continue. Entities that a template left in them are read.
 */
function urlsIn(text: string): Seen[] {
  const found: Seen[] = [];
  const starts = /https?:\/\//gi;
  for (let match = starts.exec(text); match && found.length < LINKS; match = starts.exec(text)) {
    const start = match.index;
    const piece = text.slice(start, start + URL_CHARS);
    const { raw, url } = (text[start - 1] === "<" && bracketed(piece)) || unwrapped(text, start, piece);
    const end = start + Math.max(raw.length, 1);
    starts.lastIndex = end;
    found.push({ url, ...shownAt(text, start, start + raw.length) });
  }
  return found;
}

const SPACES_AND_MARKS = /^[\s<>()[\]*_>|:.-]*$/;
/** "[1] https://…" in a list below the text. */
const REFERENCE = /^[ \t]*(\[\d{1,3}\]):?[ \t]*$/;

/** What a text shows of the URL between two places: the words of a Markdown link, the sentence that refers to it, or the one it stands in. */
function shownAt(text: string, start: number, end: number): Omit<Seen, "url"> {
  const lineStart = text.lastIndexOf("\n", start) + 1;
  const head = text.slice(Math.max(lineStart, start - LABEL_CHARS), start);
  const [written, words = ""] = /(?<!!)\[([^[\]]{1,150})\]\($/.exec(head) ?? [];
  const tail = text.slice(end, end + LABEL_CHARS).split("\n", 1)[0] ?? "";
  if (written !== undefined) {
    const before = head.slice(0, -written.length);
    const button = SPACES_AND_MARKS.test(before) && SPACES_AND_MARKS.test(tail);
    const closed = end + (tail.startsWith(")") ? 1 : 0);
    return { words: words.replace(/[*_]{2,}/g, ""), button, ...around(text, start - written.length, closed) };
  }
  const reference = REFERENCE.exec(head)?.[1];
  const at = reference === undefined ? -1 : text.indexOf(reference);
  if (reference !== undefined && at >= 0 && at < lineStart)
    return { words: "", ...around(text, at, at + reference.length) };
  const button = SPACES_AND_MARKS.test(head) && SPACES_AND_MARKS.test(tail);
  return { words: "", button, ...around(text, start, end) };
}

/** A URL up to ">". White space in it, as of a mailer that breaks lines, is no part of it (RFC 3986, appendix C). */
function bracketed(piece: string): { raw: string; url: string } | undefined {
  const raw = /^[^<>]{1,4000}(?=>)/.exec(piece)?.[0];
  const lines = raw?.split("\n").map((line) => line.trim());
  if (!raw || !lines || lines.some((line) => /\s/.test(line) || line === "")) return;
  return { raw, url: withoutTrailing(withoutEntities(lines.join(""))) };
}

/** A URL and its continuation on the following lines. `raw`: as it stands. */
function unwrapped(text: string, start: number, piece: string): { raw: string; url: string } {
  const raw = urlPart(piece);
  let url = raw;
  let end = raw.length;
  let lineStart = text.lastIndexOf("\n", start) + 1 - start;
  for (let lines = 0; lines < WRAPPED_LINES; lines += 1) {
    const lineEnd = /^[ \t]{0,2}\r?\n[ \t]{0,8}/.exec(piece.slice(end, end + 12))?.[0];
    if (lineEnd === undefined) break;
    const next =
      piece
        .slice(end + lineEnd.length)
        .split("\n", 1)[0]
        ?.trimEnd() ?? "";
    if (!continues(url, end - lineStart, next)) break;
    url += next;
    lineStart = end + lineEnd.length;
    end = lineStart + next.length;
  }
  const whole = withoutTrailing(withoutEntities(url), text[start - 1]);
  return { raw: raw.slice(0, whole.length) === whole ? whole : piece.slice(0, end), url: whole };
}

/** Whether a line goes on with the URL at the end of the line before, which is so long. */
function continues(url: string, lineChars: number, next: string): boolean {
  if (urlPart(next) !== next || next === "" || /^(?:https?:|www\.|-+$)/i.test(next)) return false;
  // "&", "=" and half an octet promise more, whatever the line's length is.
  if (/[&=?]$|%[\da-f]?$/i.test(url)) return /[\p{L}\p{N}]/u.test(next);
  // So does a hyphen, before what begins like no sentence.
  if (/[^-]-$/.test(url) && /^(?:[a-z\d]|\p{Lu}*\d)/u.test(next)) return true;
  if (lineChars < WRAPPED_CHARS || next.includes("@") || /^[\w-]+(?:\.[\w-]+)+\.?$/.test(next)) return false;
  return /\d|[=&%_]|[a-z][A-Z]/.test(next) || (/[/_-]$/.test(url) && /^[\w/=&%.-]+$/.test(next));
}

const ENTITY =
  /&(?:amp|#38|#x26|#61|#x3d|#43|#x2b|#47|#x2f|#37|#x25|#63|#x3f|#45|#x2d|#95|#x5f|#58|#x3a|#46|#x2e|#35|#x23);/gi;
/** No URL goes on after these, which a template made of quotes and angle brackets. */
const ENTITY_OF_END = /&(?:quot|lt|gt|nbsp|#34|#39|#x22|#x27|#60|#62|#160);.*$/is;

/** `&amp;` and `&#x3D;` of an escaped template, also escaped twice. */
function withoutEntities(url: string): string {
  if (!/&(?:#|amp;|quot;|lt;|gt;|nbsp;)/i.test(url)) return url;
  const decode = (text: string) =>
    text.replace(ENTITY, (entity) => {
      const code = /^&#(x?)([\da-f]+);$/i.exec(entity);
      return code ? String.fromCharCode(Number.parseInt(code[2] ?? "", code[1] ? 16 : 10)) : "&";
    });
  return decode(decode(url.replace(ENTITY_OF_END, "")).replace(ENTITY_OF_END, ""));
}

function judge(
  { url, words, label, sentence, before, isArticle }: Seen,
  subject: string,
  subjectActs: boolean,
): number {
  const parsed = url.length <= URL_CHARS ? URL.parse(url) : null;
  if (!parsed || !/^https?:\/\/\S/i.test(url) || !hasSecret(parsed) || elsewhere(parsed)) return 0;
  const place = plain(inLetters(parsed.pathname) + parsed.search);
  const urlActs = !isArticle && (URL_ACT.test(place) || URL_ACT.test(parsed.hostname));
  const spoken = speaks(straight(words), straight(label), straight(sentence), straight(before), subject);
  if (spoken < 0) return 0;
  if (spoken === 0 && !urlActs) return 0;
  const base = spoken === 0 ? (/[?&](?:token|code|key|t|k)=/i.test(url) || subjectActs ? 0.55 : 0.5) : spoken;
  return Math.min(0.99, base + (spoken && urlActs ? 0.1 : 0) + (subjectActs ? 0.08 : 0));
}

function elsewhere({ hostname, pathname, search }: URL): boolean {
  const domain = getDomain(hostname) ?? hostname;
  // All octets: what speaks against a link counts in any spelling.
  const path = withoutMarks(pathname.replace(ENCODED, decoded));
  if (OTHER_SITES.has(domain) || OTHER_SITES.has(hostname) || URL_OTHER.test(path + search)) return true;
  return URL_PLACE.test(path + search) && !URL_ASKS.test(path);
}

/** The score of the words, 0–1; 0 nothing, -1 something else. */
function speaks(words: string, label: string, sentence: string, before: string, subject: string): number {
  const own = words.trim();
  const isUrl = own === "" || BARE_URL.test(own);
  if (!isUrl && !POINTER.test(own)) return namedLink(own, sentence, subject, `${before}\n${sentence}`);
  const bare = (text: string) => text.replace(/[\p{P}\p{S}]+/gu, " ").trim();
  if (bare(sentence) !== "") {
    if (OTHER_ACT.test(sentence) || DENIAL.test(sentence)) return -1;
    if (ACT.test(sentence)) return isPurchase(sentence) ? 0 : 0.8;
    if (goesOn(sentence, subject, `${before}\n${sentence}`)) return 0.75;
    // A separate label ("More about us: …") is not about the lines above.
    const name = bare(label);
    if (
      isUrl &&
      name !== "" &&
      name.split(/\s+/).length <= 6 &&
      !/link|url|here|below|hier|klick|clic|visit|open/i.test(name)
    )
      return 0;
  }
  const [last = ""] = before.split("\n").slice(-1);
  // "You moved. Please confirm your address:"
  const asked = lastSentence(last.trimEnd().replace(/\p{Sentence_Terminal}{1,3}$/u, ""));
  if (isPurchase(ACT.test(asked) ? asked : last) || (OTHER_ACT.test(last) && !ACT.test(last))) return 0;
  if (goesOn(last, subject, before)) return 0.7;
  if (ACT.test(before)) return 0.72;
  return FOLLOW.test(last) && ACT.test(subject) ? 0.6 : 0;
}

/** Whether words ask to go on with what the subject or the text beside them says was begun. */
const goesOn = (words: string, subject: string, beside: string) =>
  GOES_ON.test(words) &&
  (REGISTRATION.test(`${subject}\n${beside}`) || BEGUN.test(subject)) &&
  !isPurchase(`${subject}\n${beside}`);

/** Whether words are about an order. Where it is sent is an address to confirm. */
const isPurchase = (words: string) => COMMERCE.test(words.replace(ADDRESS_OF_ORDER, ""));

/** A link whose own text describes it. `around`: the text around it. */
function namedLink(own: string, sentence: string, subject: string, around: string): number {
  const beside = `${subject}\n${around}`;
  if (OTHER_ACT.test(own) || isPurchase(own) || DENIAL.test(sentence) || NOT_AN_ORDER.test(own)) return -1;
  if (own.length > BUTTON_CHARS) return 0;
  if (LOGIN_BUTTON.test(own)) return ACT.test(beside) ? 0.75 : 0;
  if (ACT.test(own)) return 0.85;
  if (goesOn(own, subject, around)) return 0.75;
  if (JOIN.test(own) && INVITES.test(beside)) return 0.8;
  if ((DOCUMENT.test(own) && SIGNS.test(beside)) || (SIGN_BUTTON.test(own) && DOCUMENT.test(beside))) return 0.8;
  if (PASSWORD.test(own) && PASSWORD.test(beside)) return 0.7;
  return CONSENT.test(own) ? 0.65 : 0;
}

/**
 * Only a link with a personal part can verify; `/login` and a home page cannot.
 * @param named numbers and words with digits that the mail itself names, as of a ticket: they are no secrets
 */
function hasSecret({ pathname, search, hash }: URL, named = new Set<string>()): boolean {
  const values = [...new URLSearchParams(search)].filter(([, value]) => !named.has(value));
  const query = values.some(
    ([name, value]) => isSecret(value) || value.length >= 8 || (value !== "" && NAMES_SECRET.test(name)),
  );
  const parts = [...pathname.split("/"), ...hash.split(/[/=?&]/)].filter((part) => !named.has(part));
  return query || parts.some(isSecret);
}

const NAMES_SECRET = /^(?:[a-z]+[_-]?)?(?:token|key|hash|nonce|secret|signature|sig)$/i;

/** Words have no digits, no separators side by side or at an end, and are not long. */
const isSecret = (part: string) =>
  /\d|[\w.~-][-_~]{2}|[\w-][-_~]$/.test(part) || part.length >= SECRET_CHARS * 2 || mixedCase(part);
const mixedCase = (part: string) => part.length >= SECRET_CHARS && /[a-z]/.test(part) && /[A-Z]/.test(part);
