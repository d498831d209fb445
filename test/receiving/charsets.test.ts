// Bodies and subjects in every charset that the runtime's ICU knows, and in charsets that are labelled wrongly.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureParsed } from "#server/receiving/parse.ts";
import { addMailbox, emptyTables, type Inbound, openInbound, receive, stored } from "../support/inbound.ts";

/** The names of WHATWG Encoding §4.2, one for each encoding, with what is written in them. */
const SINGLE_BYTE = {
  "Grüße, Ærø": ["windows-1252", "iso-8859-15", "macintosh"],
  "Příliš žluťoučký": ["iso-8859-2", "windows-1250"],
  "Привет, код": ["iso-8859-5", "koi8-r", "koi8-u", "windows-1251", "ibm866", "x-mac-cyrillic"],
  Καλημέρα: ["iso-8859-7", "windows-1253"],
  שלום: ["iso-8859-8", "iso-8859-8-i", "windows-1255"],
  مرحبا: ["iso-8859-6", "windows-1256"],
  "Günaydın şifre": ["windows-1254"],
  "Labas, ačiū": ["iso-8859-4", "iso-8859-13", "windows-1257"],
  "Ħello Ċar": ["iso-8859-3"],
  Ŋáŧ: ["iso-8859-10"],
  Ẁŵŷ: ["iso-8859-14"],
  "București țară": ["iso-8859-16"],
  "Xin chào": ["windows-1258"],
  สวัสดี: ["windows-874"],
};
const MULTI_BYTE = {
  验证码: ["gbk", "gb18030"],
  驗證碼: ["big5"],
  確認コード: ["shift_jis", "euc-jp"],
  인증번호: ["euc-kr"],
};

/** The bytes of a text, found by decoding every byte and every pair of bytes. */
function encode(text: string, charset: string): Buffer {
  const decoder = new TextDecoder(charset);
  const known = new Map<string, number[]>();
  const learn = (bytes: number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    if (!char.includes("\ufffd") && [...char].length === 1 && !known.has(char)) known.set(char, bytes);
  };
  for (let a = 0; a < 256; a += 1) learn([a]);
  for (let a = 0x81; a < 256; a += 1) for (let b = 0x40; b < 256; b += 1) learn([a, b]);
  return Buffer.from([...text].flatMap((char) => known.get(char) ?? [0x3f]));
}

let inbound: Inbound;
let address: string;

beforeAll(async () => {
  inbound = await openInbound();
  ({ address } = await addMailbox(inbound));
});
beforeEach(() => emptyTables(inbound, "messages", "raw_messages", "events", "threads"));
afterAll(() => inbound.close());

async function read(type: string, body: Buffer, subject = "x", encoding = "8bit") {
  const head = `From: a@b.example\r\nSubject: ${subject}\r\nContent-Type: ${type}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
  await receive(inbound, { recipients: [address], raw: Buffer.concat([Buffer.from(head), body, Buffer.from("\r\n")]) });
  const [{ id } = { id: "" }] = await stored(inbound);
  await ensureParsed(inbound.ctx, id);
  const [row] = await stored(inbound);
  return row;
}

const all = Object.entries({ ...SINGLE_BYTE, ...MULTI_BYTE }).flatMap(([text, charsets]) =>
  charsets.map((charset) => [charset, text] as const),
);

describe("a body in", () => {
  test.each(all)("%s", async (charset, text) => {
    const bytes = encode(text, charset);
    expect(new TextDecoder(charset).decode(bytes)).toBe(text);
    const word = `=?${charset}?B?${bytes.toString("base64")}?=`;
    const row = await read(`text/plain; charset=${charset}`, bytes, word);
    expect([row?.status, row?.text, row?.subject]).toEqual(["parsed", `${text}\n`, text]);
  });

  test("iso-2022-jp, with its escapes", async () => {
    const bytes = Buffer.from("1b24423333471b2842", "hex");
    const text = new TextDecoder("iso-2022-jp").decode(bytes);
    expect((await read("text/plain; charset=ISO-2022-JP", bytes))?.text).toBe(`${text}\n`);
  });

  test("utf-16, either way round", async () => {
    const little = Buffer.from("Grüße", "utf16le");
    expect((await read("text/plain; charset=utf-16le", little))?.text?.trim().startsWith("Grüße")).toBe(true);
  });
});

const swapped = (text: string) => Buffer.from(text, "utf16le").swap16();
const wide32 = (text: string) => Buffer.from(Uint32Array.from(text, (char) => char.codePointAt(0) ?? 0).buffer);

describe("a body in a charset that the platform does not have", () => {
  test.each<[string, Buffer, string]>([
    ["iso-2022-kr", Buffer.from("\x1b$)C\x0e1;\x0f 7", "latin1"), "굳 7"],
    ["iso-2022-jp-2", Buffer.from("\x1b$A0!\x1b(B, \x1b.A\x1bNi", "latin1"), "啊, é"],
    ["hz", Buffer.from("a~~b ~{0!~}", "latin1"), "a~b 啊"],
    ["cp437", Buffer.from("\x81\x9b", "latin1"), "ü¢"],
    ["ISO_8859_5", Buffer.from("\xbf\xe0", "latin1"), "Пр"],
    ["UTF-16-BE", swapped("Час 5"), "Час 5"],
    ["utf-16", Buffer.from("ציון 8", "utf16le"), "ציון 8"],
    ["utf-16", swapped("ציון 8"), "ציון 8"],
    ["utf-32", wide32("Час 🕑"), "Час 🕑"],
    ["utf-8", swapped("Час 5"), "Час 5"],
    ["utf-8", Buffer.from("a\ufffdb"), "a\ufffdb"],
    ["iso-2022-jp", Buffer.from("ご確認のほど"), "ご確認のほど"],
    ["hz", Buffer.from("我们明天见"), "我们明天见"],
    ["utf-7", Buffer.from("Přijďte v 9"), "Přijďte v 9"],
    // Extensions of Korean and Hong Kong's Chinese.
    ["ks_c_5601-1987", Buffer.from("8c63b9e6", "hex"), "똠방"],
    ["cp949", Buffer.from("8c63c65e", "hex"), "똠\ufffd^"],
    ["big5-hkscs", Buffer.from("fa40", "hex"), "𠕇"],
    ["hex", Buffer.from("6162"), "6162"],
    ["base64", Buffer.from("YWI="), "YWI="],
  ])("%s", async (charset, octets, text) => {
    const encoded = Buffer.from(octets.toString("base64"));
    const row = await read(`text/plain; charset=${charset}`, encoded, "x", "base64");
    expect([row?.status, row?.text?.trim()]).toEqual(["parsed", text]);
  });
});

describe("a label of another Japanese charset", () => {
  test.each([
    ["iso-2022-jp", "shift_jis", "明日の会議"],
    ["iso-2022-jp", "euc-jp", "契約書を送付します"],
  ])("%s for a text in %s", async (label, charset, text) => {
    expect((await read(`text/plain; charset=${label}`, encode(text, charset)))?.text).toBe(`${text}\n`);
  });
});

describe("a label that is wrong", () => {
  const latin = Buffer.from("Gr\xfc\xdfe 123456", "latin1");
  test.each([
    ["unknown", "text/plain; charset=x-nothing-like-it"],
    ["absent", "text/plain"],
    ["empty", 'text/plain; charset=""'],
    ["hostile", `text/plain; charset="${"x".repeat(500)}"`],
    ["another's", "text/plain; charset=utf-8"],
    ["a form of utf-16 that does not exist", "text/plain; charset=utf-16-middle"],
    ["a wide one", "text/plain; charset=utf-16be"],
    ["a member of every object", "text/plain; charset=constructor"],
    ["the prototype", "text/plain; charset=__proto__"],
    ["an encoding", "text/plain; charset=hex"],
    ["another encoding", "text/plain; charset=BASE-64"],
  ])("%s: the mail is still parsed", async (_name, type) => {
    const row = await read(type, latin);
    expect([row?.status, typeof row?.text]).toEqual(["parsed", "string"]);
    if (!type.includes("utf-16")) expect(row?.text).toContain("123456");
    expect(row?.text).not.toContain("\0");
  });
});

describe("text of another script whose charset nothing names, or a Western label", () => {
  test.each([
    ["shift_jis", "お荷物は水曜日の午前に届きます。"],
    ["euc-jp", "駐車場は東口をご利用ください。"],
    ["shift_jis", '"氏名","部署","内線"\n"小林 直樹","営業部","4021"\n"石井 健","総務課","4410"'],
    ["euc-jp", "品名\t数量\t金額\n茶碗\t4\t2800\n箸置\t6\t900"],
    ["gb18030", "明天的课改在二楼图书馆，请带上字典。"],
    ["gb18030", "┌──┬──┐\n│苹果│￥8 │\n├──┼──┤\n│牛奶│￥6 │\n└──┴──┘\n价格已经包括运费"],
    ["shift_jis", "①から③までの書類を駅の北口でお渡しします。ﾀｵﾙもお持ちください。"],
    ["big5", "請於週五前繳交停車費用，謝謝。"],
    ["euc-kr", "주문하신 책이 내일 도착할 예정입니다."],
    ["windows-1251", "Ключи от склада лежат у вахтёра, второй этаж."],
    ["koi8-r", "Счёт за ноябрь отправлен отдельным письмом."],
    ["windows-1253", "Το δέμα παραδόθηκε στον γείτονα το μεσημέρι."],
    ["windows-1255", "החשבונית צורפה להודעה הקודמת, תודה רבה."],
    ["windows-1256", "تم تأجيل الاجتماع إلى يوم الخميس القادم."],
    ["windows-874", "ร้านปิดวันอังคารนี้ กรุณามาใหม่วันพุธ"],
  ])("%s", async (charset, text) => {
    for (const type of ["text/plain", "text/plain; charset=iso-8859-1", "text/plain; charset=utf-8"]) {
      const row = await read(type, encode(text, charset));
      expect([type, row?.text]).toEqual([type, `${text}\n`]);
      expect(row?.reading?.notes).toContain("charset_guessed");
      await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    }
  });

  test("in a subject", async () => {
    const head = Buffer.from("From: a@b.example\r\nSubject: ");
    const subject = encode("Отчёт за октябрь готов", "windows-1251");
    await receive(inbound, {
      recipients: [address],
      raw: Buffer.concat([head, subject, Buffer.from("\r\n\r\nx\r\n")]),
    });
    const [{ id } = { id: "" }] = await stored(inbound);
    await ensureParsed(inbound.ctx, id);
    expect((await stored(inbound))[0]?.subject).toBe("Отчёт за октябрь готов");
  });

  test.each([
    "GRÖSSE ÄÖÜ, ÇA ÉTÉ DÉJÀ",
    "« À bientôt »\u00a0\u00a0\u00a0\u00a0\u00a0\u00a0ça va",
    "Preis · · · · · · · · 12 €, ±5 %, ½ l, §§§§§§§§",
    "ÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄÄ",
    "Sæby, Ærøskøbing, åååh nej, øøø",
    "ñandú, ¿qué?, ¡olé!, año, ÑÑÑ",
    "Try: áéíóú âêîôû ñç",
    "Lower case: àáâãäåæçèéêëìíîïðñòóôõöøùúûüýþ",
    "¶§¤¬¦±«¼½¾ ¡¢£¥¦§¨©ª«¬ are signs",
  ])("but Western text stays: %s", async (text) => {
    for (const type of ["text/plain", "text/plain; charset=iso-8859-1"]) {
      const row = await read(type, encode(text, "windows-1252"));
      expect([type, row?.text]).toEqual([type, `${text}\n`]);
      await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    }
  });
});
