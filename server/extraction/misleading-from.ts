// Finds what From shows as the sender beside the address that was authenticated: other addresses and domains.
import { parse } from "tldts";
import { readDomain } from "../base/addresses.ts";
import { ownerOf } from "./suspicious.ts";

const CLAIMS_MAX = 3;
/** Senders write these texts; more than this is no address that a person recognizes. */
const QUOTED_CHARS = 100;
const TEXT_CHARS = 4_096;

/** Characters that look like a full stop (UTS 39), beside those that NFKC makes one. */
const DOTS = /[\u3002\uff61\u0701\u0702\ua60e\ua4f8]/gu;
const RIGHT_TO_LEFT_OVERRIDE = "\u202e";
const UNSEEN = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

const LABEL = "[\\p{L}\\p{N}][\\p{L}\\p{M}\\p{N}_-]{0,62}";
/** A space before a full stop is not usual between sentences, so a domain may have it. */
const LOOSE_HOST = `${LABEL}(?:(?:\\.|\\s{1,4}\\.\\s{0,4})${LABEL}){1,20}`;
const ADDRESS = new RegExp(`([\\p{L}\\p{M}\\p{N}._%+'=-]{0,64})\\s{0,4}@\\s{0,4}(${LOOSE_HOST})`, "gu");
const DOMAIN = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}@._-])(https?://|www\\.)?(${LABEL}(?:\\.${LABEL}){1,20})(?![\\p{L}\\p{M}\\p{N}@_-])`,
  "giu",
);
/** Titles, companies and surnames that are top-level domains too: "Dr.med", "Acme.Inc", "J.Kim". */
const NAME_ENDINGS = new Set("med ing phd dds esq inc ltd llc gmbh srl mba cpa md".split(" "));
/** For documents and tests (RFC 2606), so that what they show is what happens. */
const RESERVED_TOPS = new Set(["example", "test"]);

/** As people read it: without what is invisible, with the usual letter forms. */
function readable(text: string): string[] {
  const plain = (part: string) => part.normalize("NFKC").replace(UNSEEN, "").replace(DOTS, ".");
  const read = text.slice(0, TEXT_CHARS);
  return read.includes(RIGHT_TO_LEFT_OVERRIDE) ? [plain(read), [...plain(read)].reverse().join("")] : [plain(read)];
}

/** Whether a text with dots is meant as a domain, rather than as a name with initials or a title. */
function isMeantAsDomain(host: string, local: string): boolean {
  const { isIcann, publicSuffix, domainWithoutSuffix } = parse(host);
  const top = host.slice(host.lastIndexOf(".") + 1);
  if (!(isIcann || RESERVED_TOPS.has(top)) || NAME_ENDINGS.has(top)) return false;
  // "wei.li" of wei.li@shop.example: a name, unless it ends as few names do.
  if (host === local.toLowerCase() && publicSuffix?.length === 2) return false;
  return (domainWithoutSuffix?.length ?? 0) > 1;
}

type Claim = { shown: string; owner: string };

/** The addresses and domains that a person reads in a text. */
function claimsIn(text: string, local: string): Claim[] {
  const claims: Claim[] = [];
  const add = (host: string | undefined, shown: string) => {
    if (host !== undefined) claims.push({ shown: shown.slice(0, QUOTED_CHARS), owner: ownerOf(host) });
  };
  for (const part of readable(text)) {
    // Most names have neither sign.
    for (const [, user = "", written = ""] of part.includes("@") ? part.matchAll(ADDRESS) : []) {
      const host = readDomain(written.replace(/\s/g, ""));
      add(host, `${user.replace(/^['=+-]+/, "")}@${host}`);
    }
    for (const [, scheme, written = ""] of part.includes(".") ? part.matchAll(DOMAIN) : []) {
      const host = readDomain(written);
      if (host !== undefined && (scheme || isMeantAsDomain(host, local))) add(host, host);
    }
  }
  return claims;
}

/** Claims of owners other than that of the address, one for each owner. */
function foreign(claims: Claim[], owner: string): string[] {
  const others = new Map(claims.filter((claim) => claim.owner !== owner).map((claim) => [claim.owner, claim.shown]));
  return [...others.values()].slice(0, CLAIMS_MAX);
}

/**
 * How From shows another sender than `address`, one sentence each: its name or a comment has an address or a domain of
 * another owner (by the public suffix list), or the part before the `@` has one, or it is not one valid address. A name
 * without an address or a domain claims nothing that can be compared.
 * @param from as `readFrom` returns it
 */
export function misleadingFrom(from: {
  fields: number;
  isOne: boolean;
  author: { address: string } | undefined;
  shown: string;
}): string[] {
  const { fields, isOne, author, shown } = from;
  const address = author?.address;
  if (address === undefined) {
    if (fields === 0 || shown.trim() === "") return [];
    const named = foreign(claimsIn(shown, ""), "").map((claim) => `From shows ${claim} and has no valid address`);
    return named.length > 0 || !shown.includes("@") ? named : ["From has no valid address"];
  }
  const local = address.slice(0, address.lastIndexOf("@"));
  const domain = readDomain(address.slice(address.lastIndexOf("@") + 1));
  const owner = domain === undefined ? "" : ownerOf(domain);
  const routed = /[%!@]/.test(local) ? claimsIn(local.replace("%", "@").replaceAll("!", " "), "") : [];
  return [
    ...foreign(claimsIn(shown, local), owner).map((claim) => `From shows ${claim}, but the address is ${address}`),
    ...foreign(routed, owner).map((claim) => `The address ${address} has ${claim} before its own domain`),
    ...(isOne
      ? []
      : [`From is not exactly one valid address: another program may show another sender than ${address}`]),
  ];
}
