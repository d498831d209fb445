// Signs a composed message with DKIM (RFC 6376): relaxed canonicalization, RSA with SHA-256. The signature is made in Node's thread
// pool.
import { hash, sign } from "node:crypto";
import { promisify } from "node:util";
import type { DkimKey } from "../base/ports/outbound.ts";

const CRLF = "\r\n";
const HEAD_END = "\r\n\r\n";
const SIGNATURE_LINE_CHARS = 72;

const signInPool = promisify<string, Buffer, DkimKey["privateKey"], Buffer>(sign);

/** RFC 6376 §3.4.2, of a value or of lines that continue it. */
function relaxedValue(value: string): string {
  return value
    .replaceAll(CRLF, "")
    .replace(/[ \t]+/g, " ")
    .replace(/^ | $/g, "");
}

/** RFC 6376 §3.4.4. */
function relaxedBody(body: string): string {
  const lines = body.replace(/[ \t]+/g, " ").replaceAll(" \r\n", CRLF);
  let end = lines.length;
  while (lines.endsWith(CRLF, end)) end -= CRLF.length;
  return end === 0 ? "" : lines.slice(0, end) + CRLF;
}

/** The last header of each of the names, in their order, as `name:value`. */
function relaxedHeaders(head: string, names: string[]): [name: string, line: string][] {
  const values = new Map<string, string>();
  for (const line of head.split(/\r\n(?![ \t])/)) {
    const colon = line.indexOf(":");
    values.set(line.slice(0, colon).trim().toLowerCase(), relaxedValue(line.slice(colon + 1)));
  }
  return names.flatMap((name): [string, string][] => {
    const value = values.get(name);
    return value === undefined ? [] : [[name, `${name}:${value}`]];
  });
}

/**
 * @param message with CRLF at the end of every line
 * @param names of the headers to sign, in lower case
 * @returns the header line to put before the message
 */
export async function dkimSignature(message: Buffer, key: DkimKey, names: string[]): Promise<Buffer> {
  // One character for each octet.
  const text = message.toString("latin1");
  const headEnd = text.indexOf(HEAD_END);
  const bodyHash = hash("sha256", Buffer.from(relaxedBody(text.slice(headEnd + HEAD_END.length)), "latin1"), "base64");
  const signed = relaxedHeaders(text.slice(0, headEnd), names);
  const tags = [
    `v=1; a=rsa-sha256; c=relaxed/relaxed; d=${key.domainName};`,
    `q=dns/txt; s=${key.keySelector}; bh=${bodyHash};`,
    `h=${signed.map(([name]) => name).join(":")};`,
    "b=",
  ].join("\r\n ");
  const canonical = [...signed.map(([, line]) => line), `dkim-signature:${relaxedValue(tags)}`].join(CRLF);
  const signature = (await signInPool("sha256", Buffer.from(canonical, "latin1"), key.privateKey)).toString("base64");
  const lines = signature.match(new RegExp(`.{1,${SIGNATURE_LINE_CHARS}}`, "g")) ?? [];
  return Buffer.from(`DKIM-Signature: ${tags}${lines.join("\r\n ")}\r\n`, "latin1");
}
