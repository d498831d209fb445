// GET /v1/inboxes/{addr}/messages?q=: full-text search.
import { afterAll, describe, expect, test } from "vitest";
import { type Answer, api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Mail = { subject: string; from?: string; text?: string; html?: string };

/** A mailbox that these mails came to, all of them read. */
async function mailbox(key: string, mails: Mail[]) {
  const { address } = await client.createInbox(key);
  for (const mail of mails) await service.mail({ from: "writer@else.example", to: address, ...mail });
  const path = inboxPath(address, "/messages");
  const { data } = (await client.get<Page<{ id: string }>>(path, { key })).body;
  // A body is searchable once its mail is parsed. A busy parser may take longer than one call waits for it.
  for (const { id } of data) {
    const status = async () => (await client.get<{ status: string }>(`/v1/messages/${id}`, { key })).body.status;
    await eventually(async () => expect(await status()).toBe("parsed"));
  }
  const ask = (q: string) =>
    client.get<Page<{ subject: string }>>(`${path}?q=${encodeURIComponent(q.toWellFormed())}`, { key });
  const find = async (q: string) => {
    const { status, body } = await ask(q);
    expect([q, status]).toEqual([q, 200]);
    return body.data.map(({ subject }) => subject).sort();
  };
  const refused = async (query: string) => {
    const { status, body } = (await client.get(`${path}?${query}`, { key })) as Answer<Failure>;
    return [status, body.error?.code, body.error?.issues?.[0]?.path];
  };
  return { address, find, refused };
}

const { agentKey: key } = await service.newOrganization();
const plain = await mailbox(key, [
  {
    subject: "Invoice",
    from: '"Zoë Writer" <billing@shop.example>',
    text: "Your invoice 4711 of the café is due. Don't wait 😀",
  },
  { subject: "Greeting", text: "Hello there, the shop is open. Straße, ΟΔΟΣ, naïve. secret-key a@b.example" },
  {
    subject: "Newsletter",
    text: "",
    html: "<p>Every <b>single</b> shop<br>near you</p><style>p{color:red}</style><a href='https://x.example/hidden'>buy</a>",
  },
]);
const [invoice, greeting, newsletter] = [["Invoice"], ["Greeting"], ["Newsletter"]];

/** Chinese characters of which hardly any two stand together twice. */
const pairs = (i: number) => String.fromCharCode(0x4e00 + (((i * i * 31) % 1_000_003) % 20_011));

describe("200", () => {
  test("words of subject, sender, recipient and body, in any case and width, accents or not", async () => {
    for (const q of [
      "invoice",
      "INVOICE",
      "4711",
      "café",
      "CAFE",
      "cafe\u0301",
      "zoe",
      "Writer invoice",
      "billing@shop.example",
      "ｉｎｖｏｉｃｅ",
    ]) {
      expect([q, await plain.find(q)]).toEqual([q, invoice]);
    }
    for (const q of ["hello", "strasse", "STRASSE", "straße", "οδος", "οδοσ", "naive", "secret-key", "a@b.example"]) {
      expect([q, await plain.find(q)]).toEqual([q, greeting]);
    }
    expect(await plain.find(plain.address)).toHaveLength(3);
    expect(await plain.find("shop")).toHaveLength(3);
    expect(await plain.find("writer@else.example")).toEqual(["Greeting", "Newsletter"]);
    expect(await plain.find("sho")).toEqual([]);
  });

  test("words that begin with a word of four letters or more, unless it is quoted or excluded", async () => {
    for (const q of ["invo", "INVÓ", "invoic", "4711 writ", "billing@shop.exam", "shop.exam invo"]) {
      expect([q, await plain.find(q)]).toEqual([q, invoice]);
    }
    expect(await plain.find("hell")).toEqual(greeting);
    expect(await plain.find("secret-keys")).toEqual([]);
    expect(await plain.find("shop naiv")).toEqual(greeting);
    expect(await plain.find("singl or greeti")).toEqual(["Greeting", "Newsletter"]);
    for (const q of ["inv", "nvoice", '"invo"', '"shop is ope"', "invoices", "invo hell"]) {
      expect([q, await plain.find(q)]).toEqual([q, []]);
    }
    expect(await plain.find("shop -invo")).toHaveLength(3);
  });

  test("the body of HTML-only mail as it is seen, without markup, styles and addresses of links", async () => {
    for (const q of ["single", "near you", "buy", "every single shop"]) {
      expect([q, await plain.find(q)]).toEqual([q, newsletter]);
    }
    for (const q of ["color", "style", "href", "hidden"]) expect([q, await plain.find(q)]).toEqual([q, []]);
  });

  test("all words, phrases, alternatives, what must not be there", async () => {
    expect(await plain.find("shop open")).toEqual(greeting);
    expect(await plain.find('"shop is open"')).toEqual(greeting);
    expect(await plain.find('"open shop"')).toEqual([]);
    expect(await plain.find("“the shop”")).toEqual(greeting);
    expect(await plain.find("invoice or hello")).toEqual(["Greeting", "Invoice"]);
    expect(await plain.find("shop hello OR single")).toEqual(["Greeting", "Newsletter"]);
    expect(await plain.find("shop -invoice")).toEqual(["Greeting", "Newsletter"]);
    expect(await plain.find('shop -"the shop" -4711')).toEqual(newsletter);
    expect(await plain.find("-shop")).toEqual([]);
    expect(await plain.find("-invoice")).toEqual(["Greeting", "Newsletter"]);
    expect(await plain.find('"greeting hello"')).toEqual([]);
  });

  test("operators, unbalanced quotes and other signs only part words", async () => {
    for (const q of [
      '"invoice',
      'invoice"',
      "invoice & !",
      "(invoice",
      "invoice:*",
      "invoice | ",
      "'invoice'",
      "\\invoice",
      "or invoice or",
      "invoice -",
      '"" invoice',
      "- - invoice",
      "invoice:4711",
      "<invoice>",
      "in\u00advoice",
      "invoice%_",
    ]) {
      expect([q, await plain.find(q)]).toEqual([q, invoice]);
    }
    expect(await plain.find("don't")).toEqual(invoice);
    expect(await plain.find("don wait")).toEqual(invoice);
    expect(await plain.find("'; drop table messages; --")).toEqual([]);
    for (const q of ["inbox", "@inbox", "^invo", "@org"])
      expect([q, await plain.find(q)]).toEqual([q, q === "^invo" ? invoice : []]);
    expect(await plain.find("😀")).toEqual(invoice);
    expect(await plain.find("😀 hello")).toEqual([]);
  });

  test("any part of text that is written without spaces", async () => {
    const { find } = await mailbox(key, [
      { subject: "zh", text: "尊敬的用户，您的验证码是835201，请勿泄露给他人。" },
      { subject: "ja", text: "お客様の認証コードは１２３４５６です。東京タワーへようこそ。" },
      { subject: "ko", text: "회원님의 인증번호는 998877입니다." },
      { subject: "th", text: "รหัสยืนยันของคุณคือ 445566" },
    ]);
    const cases: [string, string][] = [
      ["zh", "验证码"],
      ["zh", "您的验证码是835201"],
      ["zh", "码"],
      ["zh", "泄露给"],
      ["ja", "認証コード"],
      ["ja", "京タワー"],
      ["ja", "123456"],
      ["ko", "인증번호"],
      ["ko", "998877"],
      ["th", "ยืนยัน"],
      ["th", "รหัสยืนยันของคุณ"],
    ];
    for (const [subject, q] of cases) expect([q, await find(q)]).toEqual([q, [subject]]);
    expect(await find("证验")).toEqual([]);
    expect(await find("验证码 -泄露")).toEqual([]);
    expect(await find("验证码 or 인증번호")).toEqual(["ko", "zh"]);
  });

  test("never another mailbox, of the same organization or another", async () => {
    const word = "unmistakable";
    const mine = await mailbox(key, [{ subject: "mine", text: word }]);
    const stranger = await service.newOrganization();
    const theirs = await mailbox(stranger.agentKey, [{ subject: "theirs", text: word }]);
    expect(await mine.find(word)).toEqual(["mine"]);
    expect(await theirs.find(word)).toEqual(["theirs"]);
    expect(await plain.find(word)).toEqual([]);
    expect(await plain.find(`-${word}`)).toHaveLength(3);
  });

  test("sent messages, immediately", async () => {
    const { address, find } = await mailbox(key, []);
    const json = { to: "carol@far.example", subject: "Outward", text: "the parcel left" };
    await client.post<Sent>(inboxPath(address, "/send"), json, { key });
    for (const q of ["outward", "carol@far.example", '"parcel left"'])
      expect([q, await find(q)]).toEqual([q, ["Outward"]]);
  });

  test("of a mail that is nothing but odd bytes and words without end", async () => {
    const { find } = await mailbox(key, [
      {
        subject: "odd",
        text: `${"x".repeat(300)} ${"y".repeat(255)} ' \\ : & | \u{e0001} ${"\u0301\u0327".repeat(30_000)} ${"\u0301\uff9e".repeat(60_000)} end`,
      },
      { subject: "many", text: Array.from({ length: 40_000 }, (_, i) => `w${i.toString(36)}`).join(" ") },
      { subject: "pairs", text: Array.from({ length: 190_000 }, (_, i) => pairs(i)).join("") },
    ]);
    expect(await find("end")).toEqual(["odd"]);
    expect(await find("y".repeat(255))).toEqual(["odd"]);
    expect(await find("x".repeat(300))).toEqual([]);
    for (const odd of ["\ufdfa", "\u3300"]) expect(await find(odd.repeat(250))).toEqual([]);
    for (const long of ["x".repeat(300), "\u0958".repeat(500), "\u{2f80d}".repeat(250)]) {
      expect([long, await find(long)]).toEqual([long, []]);
      expect(await find(`"end ${long.slice(0, 490)}"`)).toEqual([]);
      expect(await find(`end -${long.slice(0, 490)}`)).toEqual(["odd"]);
      expect(await find(`end or ${long.slice(0, 490)}`)).toEqual(["odd"]);
    }
    expect(await find("w1")).toEqual(["many"]);
    expect(await find(`${pairs(0)}${pairs(1)}`)).toEqual(["pairs"]);
  });
});

describe("400", () => {
  test("no word, more than 500 characters, NUL and other control characters", async () => {
    for (const q of [
      "",
      " ",
      "!&|():*",
      '""',
      "-",
      "or",
      "or OR",
      "\0",
      "invoice\0",
      "a\nb",
      "x".repeat(501),
      "x ".repeat(5_000),
    ]) {
      expect([q, ...(await plain.refused(`q=${encodeURIComponent(q)}`))]).toEqual([q, 400, "invalid_request", "q"]);
    }
    expect(await plain.refused("q=a&q=b")).toEqual([400, "invalid_request", "q"]);
  });

  test("bytes that are not UTF-8 never cause an internal error", async () => {
    for (const query of ["q=%ED%A0%80", "q=%FF%FE", "q=%C0%80", "q=%", "q=%u0041"]) {
      expect([200, 400]).toContain((await plain.refused(query))[0]);
    }
  });
});
