// The mails that the load generator sends: `plain` is text of 4 KiB; `mixed` is what mailboxes get, in ten shapes.
import { dkimSign } from "mailauth/lib/dkim/sign.js";

export type Corpus = "plain" | "mixed";
/** What a signed mail needs: the key, and the name under which DNS has its public part. */
export type Signer = { privateKey: string; domain: string; selector: string };
type Named = { tag: string; n: number; to: string };
/** @returns a mail as DATA sends it, with the final dot */
export type Compose = (named: Named) => Buffer;

const PLAIN_BYTES = 4_096;
const LARGE_BYTES = 60 * 1024;
const FILE_BYTES = 12 * 1024;
const BASE64_LINE_CHARS = 76;
const LINE = `${"The quick brown fox jumps over the lazy dog, and again. ".repeat(2).slice(0, 76)}\r\n`;
const FILLER = LINE.repeat(Math.ceil(LARGE_BYTES / LINE.length));
const BOUNDARY = "=_bench_boundary";
const SENDER = "Ada <ada@sender.example>";
const DATE = "Date: Fri, 20 Nov 2026 12:00:00 +0000\r\nMIME-Version: 1.0\r\n";
const TEXT = "Content-Type: text/plain; charset=utf-8\r\n";
const CODE =
  "Your verification code is 482913. It expires in 10 minutes.\r\nIf you did not ask for it, ignore this mail.\r\n";
const GERMAN = "Grüße\r\n\r\nCode: 738 214. Größe, Änderung, Übersicht.\r\n";
const JAPANESE =
  "認証コードは 593017 です。このコードの有効期限は10分です。\r\nお問い合わせはこちらまでご連絡ください。\r\n";

const head = ({ tag, n, to }: Named, from = SENDER) =>
  `From: ${from}\r\nTo: <${to}>\r\nSubject: bench ${tag} ${n}\r\nMessage-ID: <${tag}.${n}@sender.example>\r\n`;
const end = (body: string) => Buffer.from(`${body}\r\n.\r\n`);

function filled(named: Named, bytes: number): Buffer {
  const headers = `${head(named)}${DATE}${TEXT}\r\n`;
  return end(`${headers}${FILLER.slice(0, bytes - headers.length - 2)}`);
}

const cell = (text: string) => `<td style="padding:8px;font-family:Arial,sans-serif;color:#333333">${text}</td>`;
const HTML =
  `<html><head><style>.button{background:#0055aa}</style></head><body><table width="600">${`<tr>${cell("Your order")}${cell("12.90 EUR")}</tr>`.repeat(24)}
</table><p>Hello Ada,</p><p>please confirm your address.</p><a class="button" href="https://shop.example/confirm?token=6f1c0a">Confirm</a>
<p>Code: <b>204816</b></p><img src="https://shop.example/open.gif" width="1" height="1"></body></html>`.replaceAll(
    "\n",
    "\r\n",
  );

const part = (headers: string, body: string) => `--${BOUNDARY}\r\n${headers}\r\n${body}\r\n`;
const multipart = (kind: string, parts: string[]) =>
  `Content-Type: multipart/${kind}; boundary="${BOUNDARY}"\r\n\r\n${parts.join("")}--${BOUNDARY}--`;

const ALTERNATIVE = multipart("alternative", [
  part(TEXT, CODE),
  part("Content-Type: text/html; charset=utf-8\r\n", HTML),
]);
const FILE = Buffer.alloc(FILE_BYTES, "%PDF-1.7 bench ")
  .toString("base64")
  .match(new RegExp(`.{1,${BASE64_LINE_CHARS}}`, "g"));
const PDF =
  'Content-Type: application/pdf; name="invoice.pdf"\r\nContent-Disposition: attachment; filename="invoice.pdf"\r\nContent-Transfer-Encoding: base64\r\n';
const ATTACHED = multipart("mixed", [part(TEXT, CODE), part(PDF, (FILE ?? []).join("\r\n"))]);

/** The signature covers what all signed mails share, so that it is made once and the generator stays cheap. */
async function signature(signer: Signer): Promise<string> {
  const mail = `From: ${SENDER}\r\n${DATE}${TEXT}\r\n${CODE}${LINE.repeat(20)}\r\n`;
  const { domain: signingDomain, selector, privateKey } = signer;
  const { signatures } = await dkimSign(mail, {
    canonicalization: "relaxed/relaxed",
    headerList: ["From", "Date"],
    signingDomain,
    selector,
    privateKey,
  });
  return signatures;
}

export async function createCorpus(corpus: Corpus, signer?: Signer): Promise<Compose> {
  if (corpus === "plain" || !signer) return (named) => filled(named, PLAIN_BYTES);
  const signed = await signature(signer);
  const text = (named: Named) => filled(named, PLAIN_BYTES);
  const html = (named: Named) => end(`${head(named)}${DATE}${ALTERNATIVE}`);
  const shapes: Compose[] = [
    text,
    html,
    (named) => end(`${head(named)}${DATE}${TEXT}\r\n${CODE}`),
    (named) => end(`${signed}${head(named)}${DATE}${TEXT}\r\n${CODE}${LINE.repeat(20)}`),
    html,
    (named) =>
      end(`${head(named, "=?utf-8?q?J=C3=BCrgen?= <ada@sender.example>")}${DATE}${TEXT}\r\n${GERMAN}${JAPANESE}`),
    (named) => end(`${head(named)}${DATE}${ATTACHED}`),
    (named) => end(`${signed}${head(named)}${DATE}${TEXT}\r\n${CODE}${LINE.repeat(20)}`),
    text,
    (named) => filled(named, LARGE_BYTES),
  ];
  return (named) => (shapes[named.n % shapes.length] as Compose)(named);
}
