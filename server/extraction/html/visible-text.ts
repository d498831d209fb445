// Computes the visible text of a mail, and marks untrusted text for agents.

/**
 * Invisible characters: zero-width and bidi controls, soft hyphen, fillers, invisible operators, interlinear marks,
 * Unicode tags and the supplement of variation selectors, which can hide whole texts.
 */
const INVISIBLE = new RegExp(
  "\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,6}\\u{E007F}|[\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u206F\\u3164" +
    "\\uFE00-\\uFE0D\\uFEFF\\uFFA0\\uFFF0-\\uFFFB\\u{1BCA0}-\\u{1BCA3}\\u{1D173}-\\u{1D17A}\\u{E0000}-\\u{E0FFF}]",
  "gu",
);
/** Code units that such characters begin with, style selectors included. Most letters and the usual punctuation are not among them. */
const PERHAPS_INVISIBLE =
  /[\u00AD\u061C\u115F-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFEFF\uFFA0\uFFF0-\uFFFB]|[\u034F\uFE00-\uFE0F]/;
/** Emoji and text style selectors: legitimate only after a character that has both. */
const STYLE_SELECTOR = /(?<!\p{Emoji}|\p{Extended_Pictographic})[\uFE0E\uFE0F]/gu;
/** Joiners stay between emoji and in scripts that need them (Arabic, Indic and related ones). */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Nko}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const EMOJI = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\uFE0F/u;
const BLACK_FLAG = "\u{1f3f4}";
const VARIANT = /[\u{E0100}-\u{E01EF}]/u;
const HAN = /\p{Script=Han}/u;
const ZWNJ = "\u200c";
const ZWJ = "\u200d";

/** The code points beside an offset. A lone surrogate half belongs to no relevant script. */
function neighbours(text: string, at: number): [string, string] {
  const low = text.charCodeAt(at - 1);
  const before = text.slice(low >= 0xdc00 && low <= 0xdfff ? at - 2 : at - 1, at);
  const after = text.codePointAt(at + 1);
  return [at === 0 ? "" : before, after === undefined ? "" : String.fromCodePoint(after)];
}

function isHonest(character: string, at: number, text: string): boolean {
  // Subdivision flags (England) are written with tags, variants of Han characters with selectors.
  if (character.startsWith(BLACK_FLAG)) return true;
  if (VARIANT.test(character)) return HAN.test(neighbours(text, at)[0]);
  if (character !== ZWJ && character !== ZWNJ) return false;
  const [before, after] = neighbours(text, at);
  if (character === ZWJ && EMOJI.test(before) && EMOJI.test(after)) return true;
  // At the end of a word a joiner shapes the letter before it; two in a row never do.
  return JOINING.test(before) && (JOINING.test(after) || /^(?:\s|)$/.test(after));
}

/** Removes invisible characters; joiners and emoji selectors stay where scripts need them. */
export function stripInvisible(text: string): string {
  if (!PERHAPS_INVISIBLE.test(text)) return text;
  const stripped = text.replace(INVISIBLE, (found, at: number) => (isHonest(found, at, text) ? found : ""));
  return stripped.replace(STYLE_SELECTOR, "");
}

/**
 * Whether a text has invisible characters that no script needs, other than a byte order mark at its start and soft
 * hyphens, which word processors leave behind.
 */
export function hasHiddenCharacters(text: string): boolean {
  if (!PERHAPS_INVISIBLE.test(text)) return false;
  const rest = text.replace(/^\uFEFF/, "").replaceAll("\u00ad", "");
  return stripInvisible(rest).length !== rest.length;
}

const MARK = /[\u200B-\u200F\u202A-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/u;
/** Encoded text: tags and selectors, or at least 24 consecutive zero-width characters, which no preheader has. */
const SMUGGLED = /[\u{E0000}-\u{E0FFF}]|[\u200B-\u200D\u2060-\u2064\uFEFF]{24,}/gu;
/** Of letters, not of numbers in a right-to-left text: the following text is reversed. */
const OVERRIDES = /[\u202D\u202E]/;
const TAGS = /[\u{E0020}-\u{E007E}]/gu;
const TAG_OFFSET = 0xe0000;
const FAR_LINES = 100;

/**
 * The text in invisible characters that no script needs. `letters`: how many, `Infinity` for text that is shown in
 * another order than it is written. `text`: what Unicode tags spell.
 */
export function smuggledText(text: string): { letters: number; text: string } {
  if (!PERHAPS_INVISIBLE.test(text) || !MARK.test(text)) return { letters: 0, text: "" };
  let letters = OVERRIDES.test(text) ? Number.POSITIVE_INFINITY : 0;
  let spelled = "";
  for (const found of stripHonest(text).match(SMUGGLED) ?? []) {
    if (found.length > 2 && new Set(found).size === 1) continue;
    letters += found.length;
    spelled +=
      found
        .match(TAGS)
        ?.map((tag) => String.fromCodePoint((tag.codePointAt(0) ?? 0) - TAG_OFFSET))
        .join("") ?? "";
  }
  return { letters, text: spelled };
}

/** Whether text follows so many empty lines that people do not see it. */
export function isFarDown(text: string): boolean {
  let empty = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") empty += 1;
    else if (empty >= FAR_LINES) return true;
    else empty = 0;
  }
  return false;
}

/** The text without flags and variants of Han characters. */
function stripHonest(text: string): string {
  return text.replace(INVISIBLE, (found, at: number) =>
    (found.startsWith(BLACK_FLAG) || VARIANT.test(found)) && isHonest(found, at, text) ? "" : found,
  );
}

/**
 * The visible text: of the HTML body if there is one, else of the text. Empty if there is neither. Attribute texts of
 * images and elements are marked: `[alt: Logo]`.
 */
export function visibleText(body: { text: string | null; html: { safeText: string } | null }): string {
  return body.html ? body.html.safeText : stripInvisible(body.text ?? "");
}

/**
 * Foreign text between two lines that say where it begins and ends:
 *
 *     <<<untrusted mail 3f9c…>>>
 *     the text
 *     <<<end of untrusted mail 3f9c…>>>
 *
 * What stands between them was written by a stranger and is never an instruction. Should the text hold the marker, it is taken
 * out of it, so the second line is the only end there is.
 * @param marker fresh and random for every answer, of letters and digits, so that no sender can know it
 */
export function fence(text: string, marker: string): string {
  return betweenMarkers(withoutMarker(text, marker), marker);
}

/** @param text in which no sender can have written the marker */
export function betweenMarkers(text: string, marker: string): string {
  return `<<<untrusted mail ${marker}>>>\n${text}\n<<<end of untrusted mail ${marker}>>>`;
}

/** The replacement keeps the words around it separate. */
export function withoutMarker(text: string, marker: string): string {
  const escaped = marker.replace(/[^\p{L}\p{N}]/gu, "\\$&");
  return marker === "" ? text : text.replace(new RegExp(escaped, "giu"), "[…]");
}
