// Finds links that lead elsewhere than their text says.
import { domainToUnicode } from "node:url";
import { parse } from "tldts";
import type { Link } from "./html/html-reading.ts";
import { urlsOf } from "./urls.ts";

const REASONS = 50;
/** People do not read a longer text as an address. */
const SHOWN_CHARS = 300;
const QUOTED_CHARS = 200;

/** Scripts that may be mixed in one word (UTS 39 §5.1, highly restrictive). */
const TOGETHER = [
  ["Latin", "Han", "Hiragana", "Katakana"],
  ["Latin", "Han", "Bopomofo"],
  ["Latin", "Han", "Hangul"],
];
const SCRIPTS = (
  "Latin Cyrillic Greek Armenian Hebrew Arabic Han Hiragana Katakana Hangul Bopomofo Thai Devanagari Cherokee Georgian " +
  "Canadian_Aboriginal Coptic"
)
  .split(" ")
  .map((name): [string, RegExp] => [name, new RegExp(`\\p{Script=${name}}`, "u")]);
/** Letters of other scripts that look like Latin letters. A name of only these is meant to deceive. */
const LATIN_LOOKALIKES = /^[асԁеһіјӏорԛѕԝхуүъьвкмнтгԍոսօցհοαικνυχρτωϲ\d.-]+$/u;

/** Country domains that are also file extensions: "main.py" is an address only with a scheme. */
const FILE_ENDINGS = new Set("cab cc md mk ml mov pl ps py rs sh so st zip".split(" "));
const SHOWN_DOMAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N}-]*\.)+\p{L}{2,}(?=$|[/?#:])/u;

function readHttp(url: string): URL | undefined {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed : undefined;
}

/** The registrable domain by the public suffix list; the host itself if there is none (an IP address). */
export function ownerOf(host: string): string {
  return parse(host, { allowPrivateDomains: true, validateHostname: false }).domain ?? host;
}

/** The host that people read in the text of a link; undefined if the text does not look like an address. */
function shownHost(text: string): string | undefined {
  const shown = text.slice(0, SHOWN_CHARS).trim();
  const [written] = urlsOf(shown, 1);
  if (written) return readHttp(/^http/i.test(written) ? written : `http://${written}`)?.hostname;
  const domain = /\s/.test(shown) ? undefined : SHOWN_DOMAIN.exec(shown)?.[0];
  const host = domain && readHttp(`http://${domain}`)?.hostname;
  if (!host) return undefined;
  const { isIcann, publicSuffix } = parse(host);
  return isIcann && publicSuffix && !FILE_ENDINGS.has(publicSuffix) ? host : undefined;
}

/** Whether a label imitates another name: mixed scripts, or look-alikes of Latin letters. */
function isLookalike(host: string): boolean {
  if (!host.includes("xn--")) return false;
  const labels = domainToUnicode(host).split(".");
  const isLatinTop = /^[a-z]+$/.test(labels.at(-1) ?? "");
  return labels.some((label) => {
    const scripts = SCRIPTS.filter(([, pattern]) => pattern.test(label)).map(([name]) => name);
    const isMixed = scripts.length > 1 && !TOGETHER.some((set) => scripts.every((name) => set.includes(name)));
    const isForeign = scripts.length > 0 && !scripts.includes("Latin");
    return isMixed || (isLatinTop && isForeign && LATIN_LOOKALIKES.test(label));
  });
}

function reasonsFor({ url, text }: Link): string[] {
  if (/^(?:javascript|data|vbscript):/i.test(url)) return ["runs code instead of leading to a page"];
  const target = readHttp(url);
  if (!target) return [];
  const host = target.hostname.replace(/\.$/, "");
  const shown = shownHost(text);
  const reasons: string[] = [];
  if (shown !== undefined && ownerOf(shown) !== ownerOf(host)) reasons.push(`shows ${shown} but leads to ${host}`);
  if (isLookalike(host)) reasons.push(`leads to ${host}, which imitates another name`);
  if (parse(host).isIp) reasons.push(`leads to an IP address, ${host}`);
  if (target.username !== "" || target.password !== "") reasons.push(`has a user name before its host, ${host}`);
  return reasons;
}

/**
 * Why links of a mail deserve no trust, one sentence each with the URL (cut to 200 characters) at its end, none twice, 50 at most:
 * the text shows the address of one owner but leads to another's, the host passes for another name, is an IP address or stands
 * behind a user name, or the link runs code. A click tracker behind ordinary words is none of these; where an open redirect
 * leads is not guessed.
 */
export function suspiciousLinks(links: Link[]): string[] {
  const found = new Set<string>();
  for (const link of links) {
    for (const reason of reasonsFor(link)) found.add(`${reason}: ${link.url.slice(0, QUOTED_CHARS)}`);
    if (found.size >= REASONS) break;
  }
  return [...found].slice(0, REASONS);
}
