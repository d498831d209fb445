// Small files that become large when they are read: PDF and ZIP, written by hand.
import { deflateSync } from "node:zlib";
import { type Zippable, zipSync } from "fflate";

const MIB = 1024 * 1024;
const CATALOG = "<< /Type /Catalog /Pages 2 0 R >>";
const PAGES = "<< /Type /Pages /Count 1 /Kids [3 0 R] >>";
const page = (resources: string) =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << ${resources} >> /Contents 4 0 R >>`;

type Content = string | Buffer;

const bytesOf = (content: Content) => (typeof content === "string" ? Buffer.from(content, "latin1") : content);

function stream(dictionary: string, content: Content): Buffer {
  const bytes = bytesOf(content);
  const head = `<< ${dictionary} /Length ${bytes.length} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from("\nendstream")]);
}

/** A PDF of these objects, of which the first is the catalog. */
function pdf(objects: Content[]): Buffer {
  const pieces = [Buffer.from("%PDF-1.5\n")];
  let at = pieces[0]?.length ?? 0;
  const places = objects.map((object, n) => {
    const start = at;
    const piece = Buffer.concat([Buffer.from(`${n + 1} 0 obj\n`), bytesOf(object), Buffer.from("\nendobj\n")]);
    pieces.push(piece);
    at += piece.length;
    return `${String(start).padStart(10, "0")} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${places.join("")}`;
  pieces.push(Buffer.from(`${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF`));
  return Buffer.concat(pieces);
}

/** So many octets, deflated so many times. */
function deflated(bytes: number, times: number, octet = " "): Buffer {
  let content: Buffer = Buffer.alloc(bytes, octet);
  for (let i = 0; i < times; i += 1) content = deflateSync(content, { level: 9 });
  return content;
}

const flates = (times: number) => `/Filter [ ${"/FlateDecode ".repeat(times)}]`;
const BIG = 600 * MIB;

/** Text in a font with these parts. */
const withFont = (...font: Content[]) =>
  pdf([CATALOG, PAGES, page("/Font << /F1 5 0 R >>"), stream("", "BT /F1 12 Tf <00410042> Tj ET"), ...font]);
const CID_FONT =
  "<< /Type /Font /Subtype /Type0 /BaseFont /F /Encoding /Identity-H /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>";
const DESCENDANT =
  "/Type /Font /Subtype /CIDFontType2 /BaseFont /F /CIDSystemInfo << /Registry (A) /Ordering (I) /Supplement 0 >>";
const FILE = "/FontDescriptor << /Type /FontDescriptor /FontName /F /Flags 4 /FontFile2 8 0 R >>";
const CMAP = "/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange";
const RANGE = " 1 beginbfrange <000000> <fffff0> <0041> endbfrange";

/** A cross-reference stream that declares entries of no octets. */
function endlessTable(): Buffer {
  const start = Buffer.from("%PDF-1.5\n");
  const object = Buffer.concat([
    Buffer.from("1 0 obj\n"),
    stream("/Type /XRef /Size 2000000000 /W [0 0 0] /Index [0 2000000000] /Root 2 0 R", "x"),
    Buffer.from("\nendobj\n"),
  ]);
  return Buffer.concat([start, object, Buffer.from(`startxref\n${start.length}\n%%EOF`)]);
}

/** Kinds of PDF that become large. */
export const PDF_BOMBS: Record<string, () => Buffer> = {
  "a page, deflated twice": () => pdf([CATALOG, PAGES, page(""), stream(flates(2), deflated(BIG, 2))]),
  "a page, deflated three times": () => pdf([CATALOG, PAGES, page(""), stream(flates(3), deflated(BIG, 3))]),
  "a page of run lengths, deflated": () =>
    pdf([CATALOG, PAGES, page(""), stream("/Filter [/FlateDecode /RunLengthDecode]", deflated(8 * MIB, 1, "\x81 "))]),
  "a page in ASCII 85, deflated twice": () =>
    pdf([
      CATALOG,
      PAGES,
      page(""),
      stream("/Filter [/FlateDecode /FlateDecode /ASCII85Decode]", deflated(BIG, 2, "z")),
    ]),
  "a page of long rows": () =>
    pdf([
      CATALOG,
      PAGES,
      page(""),
      stream(`${flates(2)} /DecodeParms [null << /Predictor 12 /Columns 2000000000 >>]`, deflated(BIG, 2, "\x02")),
    ]),
  "a page through a chain of filters": () =>
    pdf([
      CATALOG,
      PAGES,
      page(""),
      stream(`/Filter [ ${"/ASCIIHexDecode ".repeat(24)}${"/FlateDecode ".repeat(40)}]`, "30".repeat(MIB)),
    ]),
  "an object stream, deflated twice": () =>
    pdf([
      CATALOG,
      PAGES,
      page("/Font << /F1 5 0 R >>"),
      stream(`/Type /ObjStm /N 1 /First 500000000 ${flates(2)}`, deflated(BIG, 2)),
    ]),
  "a cross-reference stream without end": endlessTable,
  "a font with endless widths": () =>
    withFont(CID_FONT, `<< ${DESCENDANT} /W [0 2000000000 500] /DW 1000 >>`, stream("", CMAP)),
  "a font file, deflated twice": () =>
    withFont(CID_FONT, `<< ${DESCENDANT} ${FILE} >>`, stream("", CMAP), stream(flates(2), deflated(BIG, 2, "\0"))),
  "a font with large character maps": () =>
    withFont(CID_FONT, `<< ${DESCENDANT} >>`, stream(flates(1), deflateSync(CMAP + RANGE.repeat(2_000)))),
  "a page with endless text": () =>
    pdf([
      CATALOG,
      PAGES,
      page("/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"),
      stream(flates(2), deflateSync(deflateSync(`BT /F1 1 Tf ${"(abc) Tj 1 2 Td ".repeat(2_000_000)} ET`))),
    ]),
};

function zip(files: Record<string, Uint8Array>): Buffer {
  return Buffer.from(zipSync(files as Zippable, { level: 9 }));
}

const open = (kind: string, content: string) =>
  zip({
    mimetype: Buffer.from(`application/vnd.oasis.opendocument.${kind}`),
    "content.xml": Buffer.from(`<office>${content}</office>`),
  });

const WORKBOOK = Buffer.from("<workbook><sheets><sheet name='a'/></sheets></workbook>");
const DOCUMENT = "<document><body>";
/** The first element says what a document is; it is repeated, which changes nothing. */
const letter = (bytes: number, content: string) => Buffer.alloc(bytes, `${DOCUMENT}${content}`);

/** Kinds of office files that become large. */
export const OFFICE_BOMBS: Record<string, () => Buffer> = {
  "a Word document of one large file": () => zip({ "word/document.xml": letter(40 * MIB, "<w:p><w:t>é</w:t></w:p>") }),
  "a Word document of large files": () =>
    zip({
      "word/document.xml": letter(7 * MIB, "<w:p>x"),
      "word/footnotes.xml": Buffer.alloc(7 * MIB, "<w:t>é"),
      "word/comments.xml": Buffer.alloc(7 * MIB, "<w:tab/>"),
    }),
  "an Excel workbook of empty cells": () =>
    zip({ "xl/workbook.xml": WORKBOOK, "xl/worksheets/sheet1.xml": Buffer.alloc(20 * MIB, "<row><c/>") }),
  "an Excel workbook of shared texts": () =>
    zip({
      "xl/workbook.xml": WORKBOOK,
      "xl/sharedStrings.xml": Buffer.alloc(10 * MIB, "<si>"),
      "xl/worksheets/sheet1.xml": Buffer.alloc(10 * MIB, "<row><c t='s'><v>1</v></c>"),
    }),
  "an Excel workbook of a million rows": () =>
    zip({
      "xl/workbook.xml": WORKBOOK,
      "xl/worksheets/sheet1.xml": Buffer.alloc(22 * MIB, "<row><c><v>1</v></c></row>"),
    }),
  "an Excel workbook whose cells are the same long text": () =>
    zip({
      "xl/workbook.xml": WORKBOOK,
      "xl/sharedStrings.xml": Buffer.from(`<si><t>${"x".repeat(MIB)}</t></si>`),
      "xl/worksheets/sheet1.xml": Buffer.alloc(10 * MIB, "<row><c t='s'><v>0</v></c></row>"),
    }),
  "an Excel workbook of 100 MiB of shared texts": () =>
    zip({
      "xl/workbook.xml": WORKBOOK,
      "xl/sharedStrings.xml": Buffer.alloc(100 * MIB, "<si><t>ab</t></si>"),
      "xl/worksheets/sheet1.xml": Buffer.from("<row><c t='s'><v>0</v></c></row>"),
    }),
  "a sheet whose cells repeat a million times": () =>
    open(
      "spreadsheet",
      "<table><table-row number-rows-repeated='1000000'><table-cell number-columns-repeated='1000000'><p>x</p></table-cell></table-row></table>",
    ),
  "a sheet whose empty cells repeat a million times": () =>
    open(
      "spreadsheet",
      `<table>${"<table-row number-rows-repeated='1000000'><table-cell number-columns-repeated='1000000'/><table-cell><p>x</p></table-cell></table-row>".repeat(100_000)}</table>`,
    ),
  "a letter of spaces that are counted": () => open("text", `<p>${"<s c='1000'/>".repeat(1_000_000)}</p>`),
  "a letter of notes within notes": () => open("text", "<p><note-body>".repeat(1_000_000)),
  "a Word document of tables within tables": () =>
    zip({ "word/document.xml": Buffer.from(`<document>${"<tbl><tr><tc><p>".repeat(1_400_000)}`) }),
  "a presentation of 100,000 slides": () =>
    zip({
      "ppt/presentation.xml": Buffer.from(`<presentation>${"<sldId r:id='a'/>".repeat(100_000)}</presentation>`),
      "ppt/_rels/presentation.xml.rels": Buffer.from("<Relationship Id='a' Target='one.xml'/>"),
      "ppt/one.xml": Buffer.from(`<sld><p><r><t>${"x".repeat(100_000)}</t></r></p></sld>`),
    }),
  "an archive of 6,000 files": () =>
    zip(Object.fromEntries(Array.from({ length: 6_000 }, (_, n) => [`word/${n}.xml`, Buffer.from("<p>")]))),
  "an archive within an archive": () =>
    zip({ "word/document.xml": zip({ "word/document.xml": Buffer.alloc(200 * MIB) }) }),
};

const mixed = (body: string) => `Subject: x\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n${body}`;
const html = (body: string) => `Subject: x\r\nContent-Type: text/html\r\n\r\n${body}`;
const lines = (line: string, count: number) => `${line}\r\n`.repeat(count);

/** Kinds of mail that take much memory for their size. */
export const MAIL_BOMBS: Record<string, () => string> = {
  "thousands of parts": () => mixed(lines("--b\r\n\r\nx", 1_900)),
  "too many parts": () => mixed(lines("--b\r\n\r\nx", 10_000)),
  "parts in parts": () =>
    `Subject: x\r\n${Array.from({ length: 900 }, (_, n) => `Content-Type: multipart/mixed; boundary="b${n}"\r\n\r\n--b${n}\r\n`).join("")}`,
  "long header lines": () => `${lines(`X-Long: ${"x".repeat(990)}\r\n ${"y ".repeat(490)}`, 900)}\r\nx`,
  "many elements": () => html("<p><b>".repeat(350_000)),
  "many styles": () => html(`<style>${"a,b>c{color:red}".repeat(6_000)}</style>${"<p class=a>x".repeat(80_000)}`),
  "many links": () => html("<a href=http://a.example/b>c.example</a>".repeat(50_000)),
};
