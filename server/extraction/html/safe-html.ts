// Rewrites an HTML body so that it is safe to show. Only elements and attributes of the allow lists below remain. All
// tags, attributes and texts are written here and escaped, so the result is well-formed for any input. All allowed
// elements have HTML content, except <style>, which is written without any `<`.
import type { Span } from "./html-reading.ts";
import { type Attributes, presentation, readUrl, tokenizeInTurns } from "./html-tokens.ts";
import { quoteMarker } from "./quote-marks.ts";

// Removes all requests from the CSS of a mail, by replacing names of remote resources with an unknown one.

/** Functions and rules that fetch. Escapes are decoded before, so there is no other spelling. */
const FETCHING = /\b(?:url|src|image|image-set|cross-fade|element|paint)\(|@(?:import|font-face|namespace|charset)\b/gi;
const REMOTE_URL = /(?:\burl\(|@import\b)\s{0,20}["']?\s{0,20}((?:https?:)?\/\/[^\s"')]{1,2048})/gi;
/** `<` ends a <style> element, `\` can hide text, `expression` and `behavior` were scripts in old browsers. */
const NEVER = /[<\\\0]|\bexpression\s*\(|\b(?:behavior|-moz-binding)\s*:/gi;

/**
 * @param css of a style sheet or a style attribute
 * @param onRemote receives each address that it would have fetched
 */
function safeCss(css: string, onRemote: (url: string) => void): string {
  const plain = css.replace(NEVER, "");
  for (const [, url = ""] of plain.matchAll(REMOTE_URL)) onRemote(url);
  return plain.replace(FETCHING, (found) => (found.startsWith("@") ? "@not-fetched " : "not-fetched("));
}

const HTML_CHARS = 2 * 1024 * 1024;
/** Of one style sheet, and of one style attribute: longer ones are dropped. */
const SHEET_CHARS = 256 * 1024;
const STYLE_CHARS = 16 * 1024;
const HOSTS_MAX = 20;
/** Places that links lead to, of which the frame can tell each. The `title` of a link tells it in any case. */
const PLACES_MAX = 500;
/** Of attached pictures, each time that one is shown. */
const PICTURE_CHARS = 16 * 1024 * 1024;
const CID = /^cid:/i;
const words = (text: string) => new Set(text.split(" "));

const ELEMENTS = words(
  "a abbr acronym address article aside b bdi bdo big blockquote br caption center cite code col colgroup dd del details " +
    "dfn dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark nav ol " +
    "p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u " +
    "ul var wbr",
);
const VOID = words("br col hr img wbr");
/** Removed with their content. The content of other elements that are not allowed stays. */
const DROPPED = words(
  "script title template iframe frame frameset noframes noembed object embed applet svg math audio video canvas select " +
    "textarea datalist xmp plaintext listing portal fencedframe",
);
const DROPPED_VOID = words("frame embed");
const ATTRIBUTES = words(
  "abbr align alt bgcolor border cellpadding cellspacing char charoff class clear color cols colspan compact datetime dir " +
    "face frame headers height hspace id lang noshade nowrap open reversed rowspan rules scope size span start summary " +
    "title type valign value vspace width",
);
/** Attributes with remote addresses that a browser would fetch. */
const FETCHED = ["src", "srcset", "background", "poster", "lowsrc", "dynsrc", "data", "longdesc"];
const REMOTE = /^(?:https?:|ftp:|[\\/]{2})/i;
const PICTURE = /^data:image\/(?:png|jpe?g|gif|webp|avif|bmp);base64,[a-z\d+/=\s]*$/i;
const LINK = /^(?:https?|mailto):/i;
const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\0": "" };

/**
 * `html`: for a <body>, with <style> where the mail had it. `remote`: how many resources it would have fetched, and
 * from which hosts (the first 20). `places`: the different values of `data-leads-to` of its links (the first 500). `shortened`: it was
 * longer than 2 MiB characters.
 */
export type SafeHtml = {
  html: string;
  remote: { count: number; hosts: string[] };
  places: string[];
  shortened: boolean;
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"\0]/g, (character) => ESCAPES[character] ?? "");
}

/** Counts the blocked requests, by host. */
function remoteCounter() {
  const hosts = new Set<string>();
  let count = 0;
  return {
    add(url: string): void {
      count += 1;
      const absolute = /^[\\/]{2}/.test(url) ? `https:${url}` : url;
      if (hosts.size < HOSTS_MAX && URL.canParse(absolute)) hosts.add(new URL(absolute).host);
    },
    result: () => ({ count, hosts: [...hosts] }),
  };
}

/** The attributes of a link: opened in a new tab, without a referrer. */
function linkAttributes(attributes: Attributes, places: Set<string>): string {
  const url = readUrl(attributes.get("href") ?? "");
  if (url === undefined || !LINK.test(url) || !URL.canParse(url)) return "";
  const leading = new URL(url);
  // `https://bank.example@elsewhere.example` leads elsewhere.
  leading.username = "";
  leading.password = "";
  const { href, host } = leading;
  const where = host || href.slice("mailto:".length).split("?", 1)[0] || "";
  if (places.size < PLACES_MAX) places.add(where);
  const title = `Leads to ${where}\n${href}`;
  return (
    ` href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer nofollow" data-leads-to="${escapeHtml(where)}"` +
    ` title="${escapeHtml(title)}"`
  );
}

/** The attributes of <body>, for the <div> that replaces it. */
function bodyStyle(attributes: Attributes): string {
  return `${presentation("body", attributes)}${attributes.get("style") ?? ""}`;
}

type Writer = {
  remote: ReturnType<typeof remoteCounter>;
  places: Set<string>;
  out: string[];
  openCount: Map<string, number>;
  styles: string[] | undefined;
  dropped: { name: string; depth: number } | undefined;
  pictures: Pictures;
  pictureChars: number;
  quotes: ReturnType<typeof quoteMarker> | undefined;
};

/** Data URLs of pictures, by content id or address. */
type Pictures = { get(name: string): string | undefined };

/** The addresses of the pictures on other servers that the HTML would show, without duplicates. */
export async function remotePicturesIn(html: string): Promise<string[]> {
  const urls = new Set<string>();
  await safeHtml(html, {
    get(name) {
      if (REMOTE.test(name)) urls.add(name);
      return undefined;
    },
  });
  return [...urls];
}

/**
 * Never throws; linear in the length of the body, of which 2 MiB characters are read. Yields to other work in between.
 * @param quotes what is marked as quoted (quote-marks.ts), as characters of the HTML, in order
 */
export async function safeHtml(html: string, pictures: Pictures = new Map(), quotes: Span[] = []): Promise<SafeHtml> {
  const out: string[] = [];
  const writer: Writer = {
    remote: remoteCounter(),
    places: new Set(),
    out,
    openCount: new Map<string, number>(),
    styles: undefined,
    dropped: undefined,
    pictures,
    pictureChars: 0,
    quotes: quotes.length > 0 ? quoteMarker(out, quotes) : undefined,
  };
  await tokenizeInTurns(html.slice(0, HTML_CHARS), {
    open: (name, attributes, at) => opened(writer, name, attributes, at),
    close: (name) => close(writer, name),
    text(written, at) {
      if (writer.dropped) return;
      const write = (text: string) => out.push(escapeHtml(text));
      if (writer.styles) writer.styles.push(written);
      else if (writer.quotes) writer.quotes.text(written, at, write);
      else write(written);
    },
  });
  writeStyles(writer);
  writer.quotes?.end();
  return {
    html: out.join(""),
    remote: writer.remote.result(),
    places: [...writer.places],
    shortened: html.length > HTML_CHARS,
  };
}

function noteRemote(writer: Writer, name: string, attributes: Attributes): void {
  for (const attribute of FETCHED) {
    const value = attributes.get(attribute)?.trim();
    if (value && REMOTE.test(value)) writer.remote.add(value.split(/[\s,]/, 1)[0] ?? "");
  }
  const href = attributes.get("href")?.trim() ?? "";
  if ((name === "link" || name === "image") && REMOTE.test(href)) writer.remote.add(href);
}

function writeStyles(writer: Writer): void {
  if (writer.styles)
    writer.out.push(`<style>${safeCss(writer.styles.join("").slice(0, SHEET_CHARS), writer.remote.add)}</style>`);
  writer.styles = undefined;
}

function attributesOf(writer: Writer, name: string, attributes: Attributes): string {
  let text = "";
  for (const [attribute, value] of attributes) {
    if (attribute === "style")
      text += ` style="${escapeHtml(safeCss(value.slice(0, STYLE_CHARS), writer.remote.add))}"`;
    else if (ATTRIBUTES.has(attribute) && !(name === "a" && attribute === "title")) {
      text += ` ${attribute}="${escapeHtml(value)}"`;
    }
  }
  if (name === "a") text += linkAttributes(attributes, writer.places);
  const shown = name === "img" ? pictureOf(writer, attributes) : undefined;
  return shown === undefined ? text : `${text} src="${escapeHtml(shown)}"`;
}

/** An invisible picture only tells the sender that the mail was read. */
function isPixel(attributes: Attributes): boolean {
  return ["width", "height"].some((name) => /^\s*[01](?:px)?\s*$/.test(attributes.get(name) ?? ""));
}

/** The normalized address of a picture on another server. */
function remoteUrl(src: string): string | undefined {
  const url = REMOTE.test(src) ? readUrl(src) : undefined;
  const parsed = url && /^https?:/i.test(url) ? URL.parse(url) : null;
  return parsed?.href;
}

/** The picture that a `src` names, as a data URL. */
function pictureOf(writer: Writer, attributes: Attributes): string | undefined {
  const src = attributes.get("src")?.trim() ?? "";
  const name = CID.test(src) ? decodeCid(src.replace(CID, "")) : isPixel(attributes) ? undefined : remoteUrl(src);
  const url = name === undefined ? src : writer.pictures.get(name);
  if (url === undefined || !PICTURE.test(url)) return undefined;
  if (url === src) return url;
  writer.pictureChars += url.length;
  return writer.pictureChars > PICTURE_CHARS ? undefined : url;
}

/** The content id in a `cid:` URL, where it is percent-encoded (RFC 2392). */
export function decodeCid(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch (error) {
    if (error instanceof URIError) return id;
    throw error;
  }
}

function opened(writer: Writer, name: string, attributes: Attributes, at: number): void {
  if (attributes.size > 0) noteRemote(writer, name, attributes);
  if (writer.dropped) {
    if (writer.dropped.name === name) writer.dropped.depth += 1;
    return;
  }
  writeStyles(writer);
  if (name === "style") writer.styles = [];
  else if (DROPPED.has(name)) {
    if (!DROPPED_VOID.has(name)) writer.dropped = { name, depth: 1 };
  } else if (name === "body") openElement(writer, "div", new Map(attributes).set("style", bodyStyle(attributes)), at);
  else if (ELEMENTS.has(name)) openElement(writer, name, attributes, at);
}

function openElement(writer: Writer, name: string, attributes: Attributes, at: number): void {
  writer.quotes?.endMark();
  writer.out.push(`<${name}${attributesOf(writer, name, attributes)}>`);
  if (!VOID.has(name)) writer.openCount.set(name, (writer.openCount.get(name) ?? 0) + 1);
  writer.quotes?.opened(name, at, VOID.has(name));
}

function close(writer: Writer, name: string): void {
  if (writer.dropped) {
    if (writer.dropped.name === name) writer.dropped.depth -= 1;
    if (writer.dropped.depth === 0) writer.dropped = undefined;
    return;
  }
  writeStyles(writer);
  // Content after the end tag of the body still belongs to the mail.
  if (!ELEMENTS.has(name) || VOID.has(name) || !writer.openCount.get(name)) return;
  writer.openCount.set(name, (writer.openCount.get(name) ?? 1) - 1);
  writer.quotes?.endMark();
  writer.out.push(`</${name}>`);
  writer.quotes?.closed(name);
}
