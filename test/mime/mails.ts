// Mails of parts in many charsets and encodings, and the same after some of their octets and lines are changed.
import fc from "fast-check";
import iconv from "iconv-lite";

const SAMPLES: Record<string, string[]> = {
  "us-ascii": ["The bus leaves at nine", "Kettle 40 and lamp"],
  "utf-8": ["Grüße aus Köln", "Привет мир", "日本語の手紙", "مرحبا بكم", "résumé 🚲 done"],
  "iso-8859-1": ["Señor Peña", "Übergröße"],
  "windows-1252": ["naïve café", "Straße"],
  "iso-8859-2": ["Zażółć gęślą", "příliš žluťoučký"],
  "windows-1251": ["Поезд в пять", "Добрый день"],
  "koi8-r": ["Поезд в пять", "Добрый день"],
  "iso-8859-7": ["Καλημέρα κόσμε"],
  "windows-1255": ["שלום עולם"],
  shift_jis: ["東京の天気", "カタカナ"],
  "euc-jp": ["東京の天気"],
  gbk: ["北京天气很好"],
  big5: ["臺北天氣很好"],
  "euc-kr": ["서울의 날씨"],
  "utf-16": ["Grüße aus Köln"],
};

type Encoding = "8bit" | "base64" | "quoted-printable";

function quoted(octets: Buffer, isText: boolean): string {
  let [line, written] = ["", ""];
  for (const [at, octet] of octets.entries()) {
    const isBreak = isText && octet === 0x0a;
    if (isText && octet === 0x0d && octets[at + 1] === 0x0a) continue;
    const isPlain = octet > 0x20 && octet < 0x7f && octet !== 0x3d;
    const piece = isPlain ? String.fromCharCode(octet) : `=${octet.toString(16).toUpperCase().padStart(2, "0")}`;
    if (isBreak || line.length + piece.length > 75) {
      written += `${line}${isBreak ? "" : "="}\r\n`;
      line = "";
    }
    if (!isBreak) line += piece;
  }
  return written + line;
}

function encoded(octets: Buffer, encoding: Encoding, isText: boolean): string {
  if (encoding === "8bit") return octets.toString("latin1");
  if (encoding === "quoted-printable") return quoted(octets, isText);
  return octets.toString("base64").replace(/.{76}(?=.)/g, "$&\r\n");
}

const encoding = fc.constantFrom<Encoding>("8bit", "base64", "quoted-printable");

const text = fc
  .constantFrom(...Object.keys(SAMPLES))
  .chain((charset) =>
    fc.record({
      charset: fc.constant(charset),
      lines: fc.array(fc.constantFrom(...(SAMPLES[charset] as string[])), { minLength: 1, maxLength: 4 }),
      number: fc.nat(999_999),
      kind: fc.constantFrom("plain", "html"),
      encoding: charset === "utf-16" ? fc.constant<Encoding>("base64") : encoding,
      isFlowed: fc.boolean(),
    }),
  )
  .map(({ charset, lines, number, kind, encoding, isFlowed }) => {
    const words = `${lines.join(isFlowed && kind === "plain" ? " \r\n" : "\r\n")} ${number}\r\n`;
    const octets = iconv.encode(kind === "html" ? `<p>${words}</p>` : words, charset, { addBOM: charset === "utf-16" });
    const flowed = isFlowed && kind === "plain" ? "; format=flowed" : "";
    return [
      `Content-Type: text/${kind}; charset="${charset}"${flowed}`,
      `Content-Transfer-Encoding: ${encoding}`,
      "",
      encoded(octets, encoding, true),
    ].join("\r\n");
  });

const octets = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => ({ octets: Buffer.from(bytes), isBinary: true })),
  fc
    .array(fc.constantFrom("a;b;c", "1;2;3", "Zürich;4", "", "trailing  ", "\t", "=3D", "From here"), { maxLength: 6 })
    .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.join(end)))
    .map((lines) => ({ octets: Buffer.from(lines, "latin1"), isBinary: false })),
);
const TYPES = [
  "application/octet-stream",
  "application/pdf",
  "image/png",
  "text/csv",
  "text/calendar; method=REQUEST",
  "text/x-log",
];
const NAMES = ["a.bin", '"two words.csv"', '"=?utf-8?B?w7xiZXI=?="'];
const file = fc
  .record({ type: fc.constantFrom(...TYPES), name: fc.constantFrom(...NAMES), content: octets, encoding })
  .map(({ type, name, content, encoding }) => {
    const own = content.isBinary && encoding === "8bit" ? "base64" : encoding;
    return [
      `Content-Type: ${type}`,
      `Content-Disposition: attachment; filename=${name}`,
      `Content-Transfer-Encoding: ${own}`,
      "",
      encoded(content.octets, own, false),
    ].join("\r\n");
  });

let boundaries = 0;
const { entity } = fc.letrec<{ entity: string; multipart: string }>((tie) => ({
  entity: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: text, weight: 3 },
    { arbitrary: file, weight: 2 },
    { arbitrary: tie("multipart"), weight: 3 },
  ),
  multipart: fc
    .record({
      kind: fc.constantFrom("mixed", "alternative", "related"),
      parts: fc.array(tie("entity"), { minLength: 1, maxLength: 4 }),
      preamble: fc.constantFrom("", "This mail has parts.\r\n"),
      isQuoted: fc.boolean(),
    })
    .map(({ kind, parts, preamble, isQuoted }) => {
      boundaries += 1;
      const boundary = `=_b${boundaries}_`;
      const inner = parts.map((part) => `--${boundary}\r\n${part}\r\n`).join("");
      const parameter = isQuoted ? `"${boundary}"` : `"${boundary}"; type=any`;
      return `Content-Type: multipart/${kind};\r\n boundary=${parameter}\r\n\r\n${preamble}${inner}--${boundary}--\r\n`;
    }),
}));

type Change = { kind: number; at: number; octet: number };
const change = fc.record({ kind: fc.nat(7), at: fc.nat(1_000_000), octet: fc.nat(255) });

function changed(mail: string, { kind, at, octet }: Change): string {
  const lines = mail.split("\r\n");
  const line = at % lines.length;
  const place = at % Math.max(1, mail.length);
  switch (kind) {
    case 0:
      return lines.toSpliced(line, 1).join("\r\n");
    case 1:
      return lines.toSpliced(line, 0, lines[line] as string).join("\r\n");
    case 2:
      return lines.toSpliced(line, 0, "").join("\r\n");
    case 3:
      return lines.with(line, `${lines[line]}  `).join("\r\n");
    case 4:
      return mail.slice(0, place);
    case 5:
      return mail.slice(0, place) + String.fromCharCode(octet) + mail.slice(place + 1);
    case 6:
      return lines.join("\n");
    default:
      return lines.with(line, (lines[line] as string).toUpperCase()).join("\r\n");
  }
}

const whole = entity.map((body) => `From: mia@letters.example\r\nSubject: any\r\nMIME-Version: 1.0\r\n${body}`);

/** Each octet is a character. */
export const mails = (count: number, seed: number) => fc.sample(whole, { numRuns: count, seed });
export const changedMails = (count: number, seed: number) =>
  fc.sample(
    fc.tuple(whole, fc.array(change, { minLength: 1, maxLength: 3 })).map(([mail, all]) => all.reduce(changed, mail)),
    { numRuns: count, seed },
  );
