// Writes flat OpenDocument files from a seed, which LibreOffice makes into other formats.

const SPACES =
  'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0" xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0" xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0" xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"';

/** The same numbers for the same seed (mulberry32). */
function randomFrom(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (limit: number) => Math.floor(next() * limit), is: (chance: number) => next() < chance };
}

const LATIN = ["Grüße", "straße", "déjà", "žluťoučký", "Привет", "Καλημέρα", "şifre"];
const WIDE = ["請求書", "合計額", "발행일", "总金额", "カタカナ"];

type Words = () => string;

/** Words that no other place of the document has. @param isWide also Chinese, Japanese and Korean */
function wordsFrom(random: ReturnType<typeof randomFrom>, isWide: boolean): Words {
  const known = isWide ? [...LATIN, ...WIDE] : LATIN;
  let count = 0;
  return () => `${known[random.below(known.length)]}${1_000 + count++}`;
}

const flat = (kind: string, styles: string, masters: string, body: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><office:document ${SPACES} office:version="1.3" office:mimetype="application/vnd.oasis.opendocument.${kind}"><office:automatic-styles>${styles}</office:automatic-styles>${masters}<office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`;

const STYLES = [
  '<number:date-style style:name="N1"><number:day number:style="long"/><number:text>.</number:text><number:month number:style="long"/><number:text>.</number:text><number:year number:style="long"/></number:date-style>',
  '<number:date-style style:name="N2"><number:year number:style="long"/><number:text>年</number:text><number:month/><number:text>月</number:text><number:day/><number:text>日 </number:text><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:date-style>',
  '<number:time-style style:name="N3" number:truncate-on-overflow="false"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/><number:text>:</number:text><number:seconds number:style="long"/></number:time-style>',
  '<number:percentage-style style:name="N4"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text>%</number:text></number:percentage-style>',
  '<number:number-style style:name="N5"><number:number number:decimal-places="1" number:min-integer-digits="1"/><number:text> kg</number:text></number:number-style>',
  '<style:style style:name="hidden" style:family="table"><style:table-properties table:display="false"/></style:style>',
  ...[1, 2, 3, 4, 5].map(
    (n) => `<style:style style:name="c${n}" style:family="table-cell" style:data-style-name="N${n}"/>`,
  ),
].join("");

const pad = (value: number) => String(value).padStart(2, "0");

/** A workbook with dates, formulas, merged and empty cells, gaps and hidden sheets. */
export function flatSheets(seed: number): string {
  const random = randomFrom(seed);
  const word = wordsFrom(random, true);
  const day = () => `${1950 + random.below(150)}-${pad(1 + random.below(12))}-${pad(1 + random.below(28))}`;
  // 45 minutes are a part of a day that a number holds exactly: LibreOffice rounds others down.
  const clock = () => {
    const quarters = 3 * random.below(32);
    return `${pad(Math.floor(quarters / 4))}:${pad((quarters % 4) * 15)}:00`;
  };
  const typed = (type: string, value: string, style = "") =>
    `<table:table-cell office:value-type="${type}" ${value}${style && ` table:style-name="${style}"`}/>`;
  const amount = () => (random.below(2_000_000) - 1_000_000) / 100;
  const kinds: (() => string)[] = [
    () => `<table:table-cell office:value-type="string"><text:p>${word()}</text:p></table:table-cell>`,
    () =>
      `<table:table-cell office:value-type="string"><text:p>${word()}</text:p><text:p>${word()} &amp; ${word()}</text:p></table:table-cell>`,
    () => typed("float", `office:value="${amount()}"`),
    () => typed("float", `office:value="${random.below(1_000) / 64}"`, "c5"),
    () => typed("percentage", `office:value="${amount() / 1e6}"`, "c4"),
    () => typed("date", `office:date-value="${day()}"`, "c1"),
    () => typed("date", `office:date-value="${day()}T${clock()}"`, "c2"),
    () =>
      typed(
        "time",
        `office:time-value="PT${pad(random.below(60))}H${pad(random.below(60))}M${pad(random.below(60))}S"`,
        "c3",
      ),
    () => typed("boolean", `office:boolean-value="${random.is(0.5)}"`),
    () => '<table:table-cell table:formula="of:=6*7" office:value-type="float" office:value="42"/>',
    () =>
      `<table:table-cell table:number-columns-spanned="2" table:number-rows-spanned="1" office:value-type="string"><text:p>${word()}</text:p></table:table-cell><table:covered-table-cell/>`,
    () => `<table:table-cell table:number-columns-repeated="${1 + random.below(6)}"/>`,
    () =>
      `<table:table-cell table:number-columns-repeated="3" office:value-type="float" office:value="${random.below(99)}"/>`,
  ];
  const cells = () => Array.from({ length: 1 + random.below(8) }, () => kinds[random.below(kinds.length)]?.()).join("");
  const row = () =>
    random.is(0.2)
      ? `<table:table-row table:number-rows-repeated="${1 + random.below(20)}"><table:table-cell/></table:table-row>`
      : `<table:table-row>${cells()}</table:table-row>`;
  const sheets = Array.from({ length: 2 + random.below(3) }, (_, n) => {
    const look = n > 0 && random.is(0.4) ? ' table:style-name="hidden"' : "";
    const rows = Array.from({ length: 5 + random.below(20) }, row).join("");
    return `<table:table table:name="${word()} ${n}"${look}>${rows}<table:table-row>${kinds[0]?.()}</table:table-row></table:table>`;
  });
  return flat("spreadsheet", STYLES, "", sheets.join(""));
}

export type Letter = {
  flat: string;
  /** What LibreOffice leaves out of plain text, and what it shows although it was deleted. */
  apart: string[];
  deleted: string[];
};

/** A letter with headers, tables, notes, comments and tracked changes. */
export function flatLetter(seed: number, isWide: boolean): Letter {
  const random = randomFrom(seed);
  const word = wordsFrom(random, isWide);
  const apart: string[] = [];
  const deleted: string[] = [];
  const changes: string[] = [];
  const sentence = () => Array.from({ length: 2 + random.below(7) }, word).join(" ");
  const kept = (list: string[], words: string) => {
    list.push(...words.split(" "));
    return words;
  };
  const info =
    "<office:change-info><dc:creator>x</dc:creator><dc:date>2031-01-01T10:00:00</dc:date></office:change-info>";
  const inline: (() => string)[] = [
    sentence,
    () => `<text:span>${sentence()}</text:span>`,
    () => `${word()}<text:tab/>${word()}<text:line-break/>${word()}`,
    () =>
      `${word()} <text:note text:note-class="${random.is(0.5) ? "footnote" : "endnote"}"><text:note-citation>1</text:note-citation><text:note-body><text:p>${kept(apart, sentence())}</text:p></text:note-body></text:note>`,
    () =>
      `${word()} <office:annotation><dc:creator>x</dc:creator><text:p>${kept(apart, sentence())}</text:p></office:annotation>`,
    () => {
      const id = `ct${changes.length}`;
      changes.push(
        `<text:changed-region text:id="${id}"><text:deletion>${info}<text:p>${kept(deleted, word())}</text:p></text:deletion></text:changed-region>`,
      );
      return `<text:change text:change-id="${id}"/> ${word()}`;
    },
    () => {
      const id = `ct${changes.length}`;
      changes.push(
        `<text:changed-region text:id="${id}"><text:insertion>${info}</text:insertion></text:changed-region>`,
      );
      return `<text:change-start text:change-id="${id}"/>${sentence()}<text:change-end text:change-id="${id}"/>`;
    },
  ];
  const paragraph = () =>
    `<text:p>${Array.from({ length: 1 + random.below(4) }, () => inline[random.below(inline.length)]?.()).join(" ")}</text:p>`;
  const table = () => {
    const columns = 2 + random.below(3);
    const cell = () => `<table:table-cell><text:p>${random.is(0.2) ? "" : sentence()}</text:p></table:table-cell>`;
    const row = () => `<table:table-row>${Array.from({ length: columns }, cell).join("")}</table:table-row>`;
    return `<table:table><table:table-column table:number-columns-repeated="${columns}"/>${Array.from({ length: 2 + random.below(3) }, row).join("")}</table:table>`;
  };
  const blocks: (() => string)[] = [
    paragraph,
    paragraph,
    () => `<text:h text:outline-level="1">${sentence()}</text:h>`,
    () =>
      `<text:list><text:list-item><text:p>${sentence()}</text:p></text:list-item><text:list-item>${paragraph()}</text:list-item></text:list>`,
    table,
  ];
  const body = Array.from({ length: 8 + random.below(12) }, () => blocks[random.below(blocks.length)]?.()).join("");
  const masters = `<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="pl"><style:header><text:p>${kept(apart, sentence())}</text:p></style:header><style:footer><text:p>${kept(apart, sentence())}</text:p></style:footer></style:master-page></office:master-styles>`;
  const layout =
    '<style:page-layout style:name="pl"><style:page-layout-properties fo:page-width="21cm" fo:page-height="29.7cm"/><style:header-style/><style:footer-style/></style:page-layout>';
  return {
    flat: flat(
      "text",
      layout,
      masters,
      `<text:tracked-changes>${changes.join("")}</text:tracked-changes>${body}<text:p/>`,
    ),
    apart,
    deleted,
  };
}
