// Codes in languages that no rule was written for: the counts of the held-back mails, and each language without its own words.
import { describe, expect, it } from "vitest";
import { extract } from "#server/extraction/extract.ts";
import { readHtml } from "#server/extraction/html/html.ts";
import { size } from "../sizes.ts";
import { LANGUAGES, leaveOneOut } from "./fit/leave-one-out.ts";
import { type Count, countMade, countWithoutCode, countWritten } from "./held-back/count.ts";

const PRECISION = 0.995;
const RECALL = 0.87;
const RECALL_WRITTEN = 0.8;
const RECALL_LEFT_OUT = 0.7;
const PRECISION_LEFT_OUT = 0.97;

/** Of mails without a code, the share in which one is found. */
const WRONG_MAX = 0.02;

const inText = (text: string, subject = "Account", from = "no-reply@nimbus.example") =>
  extract({ from, subject, text, html: null }).otp;
const inHtml = (html: string, subject = "Account") =>
  extract({ from: "no-reply@nimbus.example", subject, text: null, html: readHtml(html, subject) }).otp;

describe("mails that nothing was fitted to", () => {
  const check = (what: string, count: Count, recall: number) => {
    console.log(
      `${what}: ${count.right} right of ${count.found} found and ${count.expected} expected, ${count.mails} mails`,
    );
    expect(count.right / count.found).toBeGreaterThanOrEqual(PRECISION);
    expect(count.right / count.expected).toBeGreaterThanOrEqual(recall);
  };

  it("are read right when a generator with other sentences and layouts makes them", () => {
    check("made", countMade(), RECALL);
  });

  it("are read right when they were written by hand", () => {
    check("written", countWritten(), RECALL_WRITTEN);
  });

  it("have no code where there is none", () => {
    const { mails, found } = countWithoutCode();
    console.log(`without a code: ${found} found in ${mails} mails`);
    expect(found / mails).toBeLessThanOrEqual(WRONG_MAX);
  });

  it(`are read right in ${size("LEFT_OUT_LANGUAGES")} languages without the words and the mails of each`, () => {
    const step = Math.floor(LANGUAGES.length / size("LEFT_OUT_LANGUAGES"));
    const counts = leaveOneOut(LANGUAGES.filter((_, at) => at % step === 0).slice(0, size("LEFT_OUT_LANGUAGES")));
    const sum = (key: "expected" | "found" | "right") => counts.reduce((all, count) => all + count[key], 0);
    console.log(`left out: ${sum("right")} right of ${sum("found")} found and ${sum("expected")} expected`);
    expect(sum("right") / sum("found")).toBeGreaterThanOrEqual(PRECISION_LEFT_OUT);
    expect(sum("right") / sum("expected")).toBeGreaterThanOrEqual(RECALL_LEFT_OUT);
  });
});

describe("a code is found by its form and place", () => {
  it.each([
    [
      "a language without any words, alone and with a duration",
      "Tikan zorel mada:\n\n  530 884  \n\nTikan valo 10 minte.",
      "530884",
    ],
    ["a full stop after spaced digits", "Your security code is 8 4 0 2 7 5.", "840275"],
    ["digits between dots", "Your verification code: 7.4.0.2.8.1", "740281"],
    ["digits of Khmer", "លេខកូដផ្ទៀងផ្ទាត់របស់អ្នកគឺ ៤០២៩១៧", "402917"],
    ["digits of Devanagari with Hindi", "आपका लॉगिन कोड ८३०२७४ है।", "830274"],
    [
      "three words by hyphens",
      "Your sign-in code is below.\n\nlemon-harbor-quilt\n\nIt works for 10 minutes.",
      "lemon-harbor-quilt",
    ],
    ["a suffix of the number's language", "Az ellenőrző kód: 730 118-as. Érvényes 5 percig.", "730118"],
    ["a word of Greek in its genitive", "Πληκτρολογήστε 48103 ως κωδικό σύνδεσης στην εφαρμογή.", "48103"],
    ["Slovene in one line", "Vaša koda za potrditev plačila je 60 31 84. Velja 5 minut.", "603184"],
    ["Swahili after its verb", "Weka namba 7316 ili kuthibitisha akaunti yako.", "7316"],
    ["Russian in Latin letters", "Vash kod podtverzhdeniya 60 42 17, ne soobshchayte ego.", "604217"],
    ["after amounts and dates", "Ihre TAN für die Zahlung vom 14.06.2026 über 2.310,50 EUR: 640 318", "640318"],
    ["Chinese directly behind an address", "您的邮箱 wa***@mail.example,动态密码735208,5分钟内输入有效。", "735208"],
    ["Chinese before an address", "动态密码735208已发送至wang@mail.example,请勿转发。", "735208"],
    ["Japanese directly behind a link", "https://login.example/で認証コード「604817」を入力してください。", "604817"],
    [
      "Japanese beside the number of the post",
      "認証コード：60481\n〒530-0001 大阪府大阪市北区梅田1-1\nTEL 06-1234-5678",
      "60481",
    ],
    ["Vietnamese without marks", "Ma xac thuc giao dich cua quy khach: 903-118 (hieu luc 2 phut)", "903118"],
  ])("%s", (_, text, code) => {
    expect(inText(text)).toBe(code);
  });

  it.each([
    [
      "the end of a phone's number, by SMS",
      "Wysłaliśmy kod SMS-em na numer kończący się na 5120. Kod jest ważny 3 minuty.",
    ],
    ["a number that is not shown", "Der Code ging an ••• ••• 7702 und gilt 10 Minuten."],
    ["the number of the post, with its country", "Ihr Code für den Rabatt gilt in D-80331 München."],
    ["the code of a share", "股票代码：600519\n收盘价：1,702.50 元"],
    ["the code of a product", "상품코드: 204817\n수량: 3개"],
  ])("%s is none", (_, text) => {
    expect(inText(text)).toBeNull();
  });

  it("one letter or digit in each cell", () => {
    const cells = [..."K7Q2M9"].map((each) => `<td style="border:1px solid #999">${each}</td>`).join("");
    expect(inHtml(`<p>Unesite kod za prijavu:</p><table><tr>${cells}</tr></table>`)).toBe("K7Q2M9");
  });

  it("in a large box of a language without any words", () => {
    const box = `<div style="border:1px solid #999;font-size:30px">703 118</div>`;
    expect(inHtml(`<p>Zorel tikan mada:</p>${box}<p>Tikan valo 15 minte.</p>`)).toBe("703118");
  });
});

describe("a number is not a code", () => {
  it.each([
    ["two of equal strength", "Your code: 482913\nYour code: 730118"],
    ["a short date", "Your password was changed on 17-08-26."],
    ["a request number in a language without any words", "Zorel tikan 482913 mada valo."],
    ["Greek order", "Η παραγγελία σας με αριθμό 482913 στάλθηκε. Σύνολο 24,50 €."],
    ["Hebrew parcel", "חבילה מספר 482913 נמסרה לשליח. לבירורים 1-700-555-010."],
    ["Thai receipt", "เลขที่ใบเสร็จ 482913 ยอดรวม 1,290.00 บาท"],
    ["Swahili receipt", "Risiti namba 482913, jumla TSh 45,000."],
    [
      "the number of a meeting",
      "Join: https://meet.example/j/82345678901\nMeeting ID: 823 4567 8901\nPasscode: 482913",
    ],
  ])("%s", (_, text) => {
    expect(inText(text, "Message", "info@nimbus.example")).toBeNull();
  });
});
