// Usual mistakes with a secret or a body before signing or verifying: each is undone and tried.

export const EVENT_FIELDS = ["event", "inbox", "message"];
const MESSAGE_FIELDS = ["id", "thread_id", "from", "subject", "received_at"];
const HMAC = { name: "HMAC", hash: "SHA-256" };

type Bytes = Uint8Array<ArrayBuffer>;
export type Evidence = {
  secret: string;
  /** Value of the signature header. */
  header: string;
  /** Raw body: text as it was pasted, or the bytes of a file. */
  body: string | Bytes;
  receivedAt: Date;
  /** Tried if `secret` does not match, for example the one before a rotation. */
  otherSecret?: string;
};

/** A possible change of the secret or the body. The first of a list is the input itself, without a `change`. */
type Variant = { bytes: Bytes; change?: string; fix?: string };
/** `index`: of the matching signature; `changes`: what was undone for it. */
export type Match = { index: number; changes: Variant[] };

export const encode = (text: string): Bytes => new TextEncoder().encode(text);
/** Without surrounding white space and quotes. */
export const bare = (text: string): string =>
  text
    .trim()
    .replace(/^(["'`])(.*)\1$/s, "$2")
    .trim();

/** Undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON is a valid result here.
    return undefined;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function decodeBase64(text: string): Bytes | undefined {
  const plain = text.replace(/\s/g, "").replaceAll("-", "+").replaceAll("_", "/");
  if (plain === "" || !/^[A-Za-z0-9+/]+=*$/.test(plain)) return undefined;
  try {
    return Uint8Array.from(atob(plain), (char) => char.charCodeAt(0));
  } catch {
    // Not base64: one guess less.
    return undefined;
  }
}

const FOREIGN = "The service uses the whole text as the key. The program that made this header does not: fix it.";
const NO_TIME = "The service also signs t. The program that made this header does not: fix it.";

function keyVariants({ secret, otherSecret = "" }: Evidence): Variant[] {
  const text = bare(secret);
  const rest = text.replace(/^(whsec_)+/, "");
  const decoded = decodeBase64(rest);
  const fix = "Give your verifier the whole secret, as it was shown: whsec_ is part of the key.";
  const all: Variant[] = [
    { bytes: encode(secret) },
    { bytes: encode(text), change: "without the white space or quotes around the secret", fix: "Remove them." },
    { bytes: encode(`whsec_${rest}`), change: "with whsec_ once before the secret", fix },
    { bytes: encode(bare(otherSecret)), change: "with the other secret", fix: "Use that one in your receiver." },
    { bytes: encode(rest), change: "with the secret without its whsec_", fix: FOREIGN },
  ];
  if (decoded) all.push({ bytes: decoded, change: "with the secret decoded from base64", fix: FOREIGN });
  return all.filter(({ bytes }) => bytes.length > 0);
}

/** In the order of fields in which the service serializes them. */
function inOrder(value: unknown, fields: string[]): unknown {
  if (!isRecord(value)) return value;
  const known = fields.filter((field) => field in value).map((field) => [field, value[field]] as const);
  const ordered = Object.fromEntries([...known, ...Object.entries(value).filter(([name]) => !fields.includes(name))]);
  return "message" in ordered ? { ...ordered, message: inOrder(ordered.message, MESSAGE_FIELDS) } : ordered;
}

const RAW = "Verify the bytes as received, before they are parsed. JSON that is serialized again is a different text.";
const UNTOUCHED = "Verify the bytes as received. Something between the socket and your verifier changes them.";

function jsonVariants(text: string): [string, string, string][] {
  const value = parseJson(text);
  if (typeof value === "string") return [[value, "with the body taken out of its JSON string", RAW]];
  if (!isRecord(value)) return [];
  return [
    [JSON.stringify(value), "with compact JSON", RAW],
    [JSON.stringify(inOrder(value, EVENT_FIELDS)), "with compact JSON, its fields in the service's order", RAW],
    [JSON.stringify(value, null, 2), "with JSON indented by two spaces", RAW],
    [JSON.stringify(value, null, 4), "with JSON indented by four spaces", RAW],
  ];
}

function bodyVariants(body: string | Bytes, text: string): Variant[] {
  const lf = text.replaceAll("\r\n", "\n");
  const texts: [string, string, string][] = [
    [text.replace(/^\uFEFF/, ""), "without the byte order mark before the body", UNTOUCHED],
    [text.replace(/\r?\n$/, ""), "without the newline at the end of the body", UNTOUCHED],
    [text.trim(), "without the white space around the body", UNTOUCHED],
    [`${text}\n`, "with a newline at the end of the body", UNTOUCHED],
    [lf, "with LF instead of CRLF line ends", UNTOUCHED],
    [lf.replaceAll("\n", "\r\n"), "with CRLF instead of LF line ends (pasting makes LF: choose a file)", UNTOUCHED],
    [`${lf}\r\n`, "with CRLF at the end of the body", UNTOUCHED],
    ...jsonVariants(text),
    [text.normalize("NFC"), "with composed letters (Unicode NFC)", UNTOUCHED],
    [text.normalize("NFD"), "with decomposed letters (Unicode NFD)", UNTOUCHED],
  ];
  const exact = typeof body === "string" ? encode(body) : body;
  const variants: Variant[] = [{ bytes: exact }];
  const seen = new Set([text]);
  for (const [variant, change, fix] of texts) {
    if (!seen.has(variant)) variants.push({ bytes: encode(variant), change, fix });
    seen.add(variant);
  }
  if (/[\u0080-\u00ff]/.test(text) && !/[^\0-\u00ff]/.test(text)) {
    const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
    variants.push({ bytes, change: "with the body's bytes, which were read as Latin-1 and not as UTF-8", fix: RAW });
  }
  const decoded = decodeBase64(text);
  const fix = "Decode it first (AWS Lambda says isBase64Encoded), then verify the bytes.";
  if (decoded) variants.push({ bytes: decoded, change: "with the body decoded from base64", fix });
  return variants;
}

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * Tries the input, then with one change of secret, body or signed text, then with two, then with three.
 * @param header `t`, and the well-formed `v1`
 * @param text the body as text
 * @throws TypeError without WebCrypto
 */
export async function findMatch(
  evidence: Evidence,
  header: { t: string; signatures: string[] },
  text: string,
): Promise<Match | undefined> {
  const alone = { change: "with the body alone, without “<t>.” before it", fix: NO_TIME };
  const prefixes: Variant[] = [{ bytes: encode(`${header.t}.`) }, { bytes: encode(""), ...alone }];
  const wanted = header.signatures.map((signature) => signature.toLowerCase());
  const bodies = bodyVariants(evidence.body, text);
  const guesses = keyVariants(evidence)
    .flatMap((key) => bodies.flatMap((body) => prefixes.map((prefix) => ({ key, body, prefix }))))
    .map((guess) => ({ ...guess, changes: Object.values(guess).filter(({ change }) => change !== undefined) }))
    .sort((a, b) => a.changes.length - b.changes.length);
  for (const { key, body, prefix, changes } of guesses) {
    const secret = await crypto.subtle.importKey("raw", key.bytes, HMAC, false, ["sign"]);
    const signed = await crypto.subtle.sign(HMAC, secret, await new Blob([prefix.bytes, body.bytes]).arrayBuffer());
    const index = wanted.indexOf(hex(signed));
    if (index !== -1) return { index, changes };
  }
}
