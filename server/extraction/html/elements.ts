// The meaning of HTML elements for reading a mail: lines, paragraphs, quotes, signatures, and hidden content.

const words = (text: string) => new Set(text.split(" "));

/** Elements without content, so without an end tag. */
export const VOID = words(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);
/** Elements whose text is never shown. */
export const UNSEEN = words("script style title template noembed noframes iframe datalist canvas");
/** Elements whose text is code. */
export const CODE = words("script style");
/** Elements whose text only some clients show, or only after a click: it is read, and also counts as hidden. */
export const SOMETIMES_SEEN = words("details object video audio noscript dialog bdo");
/** Elements with an empty line before and after. */
export const PARAGRAPH = words("p h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote figure fieldset hr");
/** Elements on a separate line. */
export const BLOCK = words(
  "address article aside body caption center dd details dialog dir div dt figcaption footer form header hgroup html legend " +
    "li main menu nav option section summary table tbody tfoot thead tr",
);
export const CELL = words("td th");
export const TABLE_PARTS = words("caption colgroup table tbody td tfoot th thead tr");
/** Browsers reopen these after a misplaced end tag (HTML, adoption agency). */
export const FORMATTING = words("b big code em font i nobr s small strike strong tt u");

const CLOSED_BY = new Map<string, Set<string>>([
  ["li", words("li")],
  ["dd", words("dd dt")],
  ["dt", words("dd dt")],
  ["tr", words("tr td th")],
  ["td", words("td th")],
  ["th", words("td th")],
  ["tbody", words("tbody thead tfoot tr td th")],
  ["tfoot", words("tbody thead tfoot tr td th")],
  ["thead", words("tbody thead tfoot tr td th")],
  ["option", words("option")],
  ["a", words("a")],
]);
const P = words("p");
/** The elements that end where this one starts, without an end tag. */
export function closedBy(name: string): Set<string> | undefined {
  return CLOSED_BY.get(name) ?? (PARAGRAPH.has(name) || BLOCK.has(name) ? P : undefined);
}

/**
 * `rest`: everything from here on is quoted, also after the element. `forward`: a forwarded mail. `block`: a `<blockquote>` that no mail
 * client marked, which may be the sender's own.
 */
export type Part = "attribution" | "quoted" | "signature" | "rest" | "forward" | "block";

const PARTS = new Map<string, Part>([
  [".gmail_attr", "attribution"],
  [".moz-cite-prefix", "attribution"],
  [".gmail_signature", "signature"],
  [".gmail_signature_prefix", "signature"],
  [".moz-signature", "signature"],
  [".protonmail_signature_block", "signature"],
  [".tutanota_signature", "signature"],
  ["#signature", "signature"],
  ["#ms-outlook-mobile-signature", "signature"],
  ["#applemailsignature", "signature"],
  ["#linebreakatbeginningofsignature", "signature"],
  [".moz-forward-container", "forward"],
  [".yahoo_quoted", "quoted"],
  [".protonmail_quote", "quoted"],
  [".tutanota_quote", "quoted"],
  [".zmail_extra", "quoted"],
  [".ms-outlook-mobile-reference-message", "quoted"],
  ["#mail-editor-reference-message-container", "quoted"],
  ["#ms-outlook-mobile-reference-message", "quoted"],
  ["#appendonsend", "rest"],
  ["#divrplyfwdmsg", "rest"],
  ["#composer_reply", "rest"],
]);

/** Elements in which mail clients put what they quote. */
const QUOTING = [
  "gmail_quote",
  "gmail_extra",
  "gmail_quote_container",
  "yahoo_quoted",
  "protonmail_quote",
  "zmail_extra",
];
const QUOTE_NAME = /quote|cite|mac_outlook|zmail|reply|replied/i;
/** Of quotations in newsletters and pages: "wp-block-quote", "pullquote". */
const QUOTATION_NAME = /block-?quote|pull-?quote|quotation|testimonial/i;
/** The address of a page that is cited; mail clients name a message. */
const PAGE = /^\s*https?:/i;

/** Whether a mail client marked a `<blockquote>` as the quote of another mail. */
export function isMarkedQuote(
  attributes: Map<string, string>,
  tokens: string[],
  isOpen: (token: string) => boolean,
): boolean {
  if (attributes.get("type")?.toLowerCase() === "cite") return true;
  const cited = attributes.get("cite");
  if (cited !== undefined && !PAGE.test(cited)) return true;
  if (attributes.get("data-marker") === "__QUOTED_TEXT__") return true;
  const isNamed = tokens.slice(1).some((token) => QUOTE_NAME.test(token) && !QUOTATION_NAME.test(token));
  return isNamed || QUOTING.some((name) => isOpen(`.${name}`));
}

/** Whether a `<blockquote>` has no bar by its style: the buttons of Gmail and Apple Mail that indent a paragraph write it so. */
export function isIndentation(style: string): boolean {
  return /border\s*:\s*(?:none|0)/i.test(style) && !/border-left/i.test(style);
}

/** What a mail client's class or id says about an element. Outlook on the web adds `x_` to those of others. */
export function partOf(tokens: string[]): Part | undefined {
  for (const token of tokens.slice(1)) {
    const part = PARTS.get(token.toLowerCase().replace(/^([.#])(?:x_)+/, "$1"));
    if (part) return part;
  }
  return undefined;
}
