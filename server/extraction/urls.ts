// Cuts web addresses out of text: where one ends, in any script.
import { SCRIPTS_WITHOUT_SPACES } from "./lexicon.ts";

/** Longer addresses are cut. */
export const URL_CHARS = 4_096;

/**
 * A URL goes on to white space, a character that none has (RFC 3986), a letter of a script without spaces, and beyond ASCII to what ends a
 * sentence, quotes, encloses or turns the direction of writing. Of an unlimited run only so much is read.
 */
const PART = `[^\\s\\p{Cc}<>"\`\\{\\}\\|\\\\\\^${SCRIPTS_WITHOUT_SPACES}\\u2014\\u2015\\u3000-\\u303f\\uff00-\\uffef[[\\p{Terminal_Punctuation}\\p{Sentence_Terminal}\\p{Quotation_Mark}\\p{Ps}\\p{Pe}\\p{Pi}\\p{Pf}\\p{Bidi_Control}]--\\p{ASCII}]]`;
const START = "(?:https?:\\/\\/|www\\.)";
/** Labels of a host may be in any script; the last of a script without spaces must end where a host ends. */
const HOST = `(?:[\\p{L}\\p{M}\\p{N}\\-]{1,63}\\.){1,8}(?:[${SCRIPTS_WITHOUT_SPACES}]{1,24}(?=[\\/:?#\\s]|$))?`;
const URLS = new RegExp(`${START}(?:${HOST}${PART}{0,${URL_CHARS}}|${PART}{1,${URL_CHARS}})`, "giv");
const URL_PART = new RegExp(`^(?:${START}${HOST})?${PART}{0,${URL_CHARS}}`, "iv");

/** What could be of the URL that begins a text. {@link withoutTrailing} ends it. */
export const urlPart = (text: string): string => URL_PART.exec(text)?.[0] ?? "";

const OPENING = "([";
const CLOSING = ")]";
/** Behind a URL they are marks of it, if one stands before it too: `_https://a.example_`. */
const PAIRED = /[*_~]/;
/** Of the sentence. Beyond ASCII so is all but letters, their marks and digits. */
const OUTSIDE = /^(?:[.,:;!?'*]|[[\p{P}\p{S}\p{Z}\p{C}\p{Default_Ignorable_Code_Point}]--\p{ASCII}])$/v;
/** Within a URL they let programs break it. Joiners and selectors spell words. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\ufe00-\ufe0f]]/gv;
/** An ending of a word, as the language of the sentence writes it behind names: `'ya`, `-ზე`. */
const SUFFIX = /(?:(?<=[a-z\d\/=])'\p{L}{1,5}|(?<=[a-z\d])-?[[\p{L}\p{M}]--\p{Script=Latin}]{1,6})$/iv;

/**
 * Where a URL ends: before the punctuation directly behind it, a bracket without its partner in it, an unseen character. Semicolons, full
 * stops, and brackets in pairs stay within it.
 * @param before the character before it
 */
function endOf(raw: string, before: string): number {
  let end = balanced(raw);
  for (;;) {
    const last = [...raw.slice(Math.max(0, end - 2), end)].at(-1) ?? "";
    if (!OUTSIDE.test(last) && !(PAIRED.test(last) && last === before)) break;
    end -= last.length;
  }
  return raw.slice(0, end).replace(SUFFIX, "").length;
}

/** The length up to the first bracket without its partner. */
function balanced(raw: string): number {
  const open: { char: string; at: number }[] = [];
  for (let at = 0; at < raw.length; at += 1) {
    const char = raw[at] as string;
    if (OPENING.includes(char)) open.push({ char, at });
    else if (CLOSING.includes(char) && open.pop()?.char !== OPENING[CLOSING.indexOf(char)]) return at;
  }
  return open[0]?.at ?? raw.length;
}

/**
 * The URL without what stands directly behind it.
 * @param before the character before it
 */
export const withoutTrailing = (raw: string, before = ""): string =>
  raw.slice(0, endOf(raw, before)).replace(UNSEEN, "");

/** The URLs of a text in order, also those that begin with `www.`. */
export const urlsOf = (text: string, max: number): string[] =>
  [...text.matchAll(URLS).take(max)].map(({ 0: raw, index }) => withoutTrailing(raw, text[index - 1]));

/** A text with other words for each URL. */
export const replaceUrls = (text: string, by: string): string =>
  /:\/\/|www\./i.test(text)
    ? text.replace(URLS, (raw: string, at: number) => by + raw.slice(endOf(raw, text[at - 1] ?? "")))
    : text;
