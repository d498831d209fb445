// What the elements of HTML mean for reading a mail: lines, paragraphs, quotes, signatures, and what shows nothing.

const words = (text: string) => new Set(text.split(" "));

/** Without content, so without an end tag. */
export const VOID = words(
  "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
);
/** Their text is never shown. */
export const UNSEEN = words("script style title template noembed noframes iframe datalist canvas");
/** Their text is code. */
export const CODE = words("script style");
/** Their text is shown by some clients, or after a click, and not by others: it is read, and counts as not seen as well. */
export const SOMETIMES_SEEN = words("details object video audio noscript dialog bdo");
/** An empty line before and after. */
export const PARAGRAPH = words("p h1 h2 h3 h4 h5 h6 ul ol dl pre blockquote figure fieldset hr");
/** A line of their own. */
export const BLOCK = words(
  "address article aside body caption center dd details dialog dir div dt figcaption footer form header hgroup html legend " +
    "li main menu nav option section summary table tbody tfoot thead tr",
);
export const CELL = words("td th");
/** Browsers open these again after an end tag that closed them by mistake (HTML, adoption agency). */
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
/** The elements that end where this one starts, though nobody wrote so. */
export function closedBy(name: string): Set<string> | undefined {
  return CLOSED_BY.get(name) ?? (PARAGRAPH.has(name) || BLOCK.has(name) ? P : undefined);
}

/** `rest`: from here on all is quoted, whatever the element itself holds. */
export type Part = "attribution" | "quoted" | "signature" | "rest";

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

/** What a mail client says about an element by its class or id. Outlook on the web adds `x_` to those of others. */
export function partOf(tokens: string[]): Part | undefined {
  for (const token of tokens) {
    const part = PARTS.get(token.toLowerCase().replace(/^([.#])(?:x_)+/, "$1"));
    if (part) return part;
  }
  return undefined;
}
