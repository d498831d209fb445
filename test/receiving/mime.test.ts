// Mail whose form is not what it says: its words are shown, its files are listed, and a note says how it was read.
import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readMail } from "#server/mime/read.ts";
import { ensureParsed } from "#server/receiving/parse.ts";
import { eventually } from "../support/events.ts";
import { addMailbox, emptyTables, type Inbound, openInbound, receive, stored } from "../support/inbound.ts";

let inbound: Inbound;
let address: string;

beforeAll(async () => {
  inbound = await openInbound();
  ({ address } = await addMailbox(inbound));
});
beforeEach(() => emptyTables(inbound, "messages", "raw_messages", "events", "threads"));
afterAll(() => inbound.close());

type Row = Awaited<ReturnType<typeof stored>>[number];

/** @param lines joined by CRLF; each character is an octet */
async function read(...lines: string[]) {
  await receive(inbound, { recipients: [address], raw: Buffer.from(lines.join("\r\n"), "latin1") });
  const [{ id } = { id: "" }] = await stored(inbound);
  // The first mail starts the threads that read mail, which takes a busy machine longer than one call waits.
  const row = await eventually(async () => {
    await ensureParsed(inbound.ctx, id);
    const [found] = await inbound.ctx.sql<Row[]>`select * from messages`;
    expect(found?.status).not.toBe("received");
    return found;
  });
  return { ...row, names: row?.attachments.map((file: { filename: string | null }) => file.filename) };
}

const utf8 = (text: string) => Buffer.from(text).toString("latin1");
const base64 = (text: string | Buffer) => Buffer.from(text as string).toString("base64");
const FROM = "From: mia@letters.example";

describe("format=flowed", () => {
  const flowed = (...body: string[]) => read(FROM, "Content-Type: text/plain; format=flowed", "", ...body);

  test("lines of another quote depth are not joined", async () => {
    const { text } = await flowed("> Is the hall ", "> free at nine? ", "It is, and ", "it has chairs.");
    expect(text).toBe("> Is the hall free at nine?\nIt is, and it has chairs.\n");
  });
  test("the line of a signature is kept, and an own word that starts with > is no quote", async () => {
    expect((await flowed(" > is larger ", "than", "-- ", "Mia")).text).toBe(" > is larger than\n-- \nMia\n");
  });
});

describe("a structure that cannot be used", () => {
  test("a multipart is read by the boundary that its lines use", async () => {
    const row = await read(
      FROM,
      "Content-Type: multipart/alternative; boundary=never",
      "",
      "--used",
      "Content-Type: text/plain",
      "",
      "eins",
      "--used",
      "Content-Type: text/html",
      "",
      "<b>eins</b>",
      "--used--",
    );
    expect(row).toMatchObject({
      text: "eins\n",
      html: "<b>eins</b>\n",
      reading: { complete: true, notes: ["structure_repaired"] },
    });
  });
  test("a multipart without any boundary line is text", async () => {
    expect((await read(FROM, "Content-Type: multipart/related", "", "only words")).text).toBe("only words\n");
  });
  test("a multipart that is encoded in whole has its parts", async () => {
    const part = ["--door", "Content-Disposition: attachment; filename=keys.csv", "", "a;b", "--door--", ""];
    const inner = ["--door", "", "The keys are below.", ...part].join("\r\n");
    const type = ["Content-Type: multipart/mixed; boundary=door", "Content-Transfer-Encoding: base64"];
    const whole = await read(FROM, ...type, "", base64(inner));
    expect(whole).toMatchObject({ text: "The keys are below.\n", names: ["keys.csv"] });
    await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    const outer = ["Content-Type: multipart/related; boundary=hall", "", "--hall"];
    const amid = await read(FROM, ...outer, ...type, "", base64(inner), "--hall--");
    expect(amid).toMatchObject({ text: "The keys are below.\n", names: ["keys.csv"] });
  });
  const quoted = (text: string, also = /[=\u0080-\u00ff]/g) =>
    text.replace(also, (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
  const twoForms = (boundary: string) =>
    [
      `--${boundary}`,
      "Content-Type: text/plain; charset=utf-8",
      "",
      utf8("Die Brücke ist zu, 2 + 2 = 4."),
      `--${boundary}`,
      "Content-Type: text/html; charset=utf-8",
      "",
      utf8('<p class="x">Die Brücke ist zu.</p>'),
      `--${boundary}--`,
      "",
    ].join("\r\n");
  test.each([
    ["an equals sign", "=_span", /[=\u0080-\u00ff]/g],
    ["an underscore", "s_pan", /[=_\u0080-\u00ff]/g],
  ])(
    "a multipart that is quoted-printable in whole has its parts, where %s of the boundary is encoded",
    async (_, boundary, also) => {
      const type = [
        `Content-Type: multipart/alternative; boundary="${boundary}"`,
        "Content-Transfer-Encoding: quoted-printable",
      ];
      const body = quoted(twoForms(boundary), also).replace("zu,", "zu=\r\n,");
      const row = {
        text: "Die Brücke ist zu, 2 + 2 = 4.\n",
        html: '<p class="x">Die Brücke ist zu.</p>\n',
      };
      expect(await read(FROM, ...type, "", body)).toMatchObject({ ...row, reading: { notes: ["structure_repaired"] } });
      await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
      const outer = ["Content-Type: multipart/mixed; boundary=hall", "", "--hall"];
      expect(await read(FROM, ...outer, ...type, "", body, "--hall--")).toMatchObject(row);
    },
  );
  test("parts without a type, of a multipart that is quoted-printable in whole, are decoded", async () => {
    const type = ['Content-Type: multipart/mixed; boundary="o=r"', "Content-Transfer-Encoding: Quoted-Printable"];
    expect(await read(FROM, ...type, "", "--o=3Dr", "", "Caf=C3=A9 with a =", "view", "--o=3Dr--")).toMatchObject({
      text: "Café with a view\n",
    });
  });
  test.each([
    ["no encoding", "oar", []],
    ["7bit", "oar", ["Content-Transfer-Encoding: 7bit"]],
    ["no encoding, in a part whose boundary has an equals sign", "o=r", []],
  ])(
    "a link in a multipart that only says it is quoted-printable keeps its address: %s",
    async (_, boundary, fields) => {
      const type = [
        `Content-Type: multipart/alternative; boundary="${boundary}"`,
        "Content-Transfer-Encoding: quoted-printable",
      ];
      const words = "Open https://quay.example/pier?token=48AB12&d=C3A9=\r\nor call.";
      const part = [`--${boundary}`, "Content-Type: text/plain", ...fields, "", words, `--${boundary}--`];
      expect((await read(FROM, ...type, "", ...part)).text).toContain(
        "https://quay.example/pier?token=48AB12&d=C3A9=\n",
      );
    },
  );
  test("a boundary that only the decoding shows is none where an equals sign is no escape", async () => {
    const type = ['Content-Type: multipart/mixed; boundary="o=r"', "Content-Transfer-Encoding: quoted-printable"];
    const body = ["--o=3Dr", "", "Open https://quay.example/pier?token=48AB12&u=x", "--o=3Dr--"];
    expect((await read(FROM, ...type, "", ...body)).text).toContain("token=48AB12&u=x");
  });
  test.each([
    ["quoted-printable", "Sum: 2 =3D 2 =3D3D"],
    ["7bit", "Sum: 2 = 2 =3D"],
  ])("a multipart that only says it is quoted-printable is read by its parts: %s", async (encoding, words) => {
    const type = ["Content-Type: multipart/mixed; boundary=oar", "Content-Transfer-Encoding: quoted-printable"];
    const part = [
      "--oar",
      "Content-Type: text/plain; charset=utf-8",
      `Content-Transfer-Encoding: ${encoding}`,
      "",
      words,
    ];
    expect(await read(FROM, ...type, "", ...part, "--oar--")).toMatchObject({
      text: "Sum: 2 = 2 =3D\n",
      reading: { notes: [] },
    });
  });
  test("plain words that are said to be a multipart in base64 have their note", async () => {
    const type = ["Content-Type: multipart/mixed; boundary=door", "Content-Transfer-Encoding: base64"];
    expect(await read(FROM, ...type, "", "The boat leaves at six, not at seven.")).toMatchObject({
      text: "The boat leaves at six, not at seven.\n",
      reading: { notes: ["structure_repaired", "encoding_ignored"] },
    });
  });
  test.each([
    ["a message", "message/rfc822"],
    ["the only part of a message", "message/partial; id=x; number=1; total=1"],
  ])("a mail that is %s in whole has its words", async (_, type) => {
    const inner = ["Subject: Coal", "Content-Type: text/html", "", "<p>Four sacks came.</p>"];
    const row = await read(FROM, "Subject: Fw: Coal", `Content-Type: ${type}`, "", ...inner);
    expect(row).toMatchObject({ subject: "Fw: Coal", text: null, html: "<p>Four sacks came.</p>\n" });
    expect(row.names).toHaveLength(1);
  });
  test("the first of two parts of a message is a file", async () => {
    const row = await read(FROM, "Content-Type: message/partial; id=x; number=1; total=2", "", "Subject: a", "", "b");
    expect(row).toMatchObject({ text: null, html: null });
    expect(row.names).toHaveLength(1);
  });
  test.each(["", "plain", "text", "text plain; charset=utf-8", ";;"])("Content-Type: %j is text", async (type) => {
    expect(await read(FROM, `Content-Type: ${type}`, "", "the words")).toMatchObject({
      text: "the words\n",
      attachments: [],
    });
  });
  test.each([
    ["txt/plain", "text"],
    ["htm/text", "text"],
    ["utf-8/text", "text"],
    ["content/plain; charset=utf-8", "text"],
    ["html/text", "html"],
    ["mime/html", "html"],
  ])("Content-Type: %s is read as the %s that is meant", async (type, kind) => {
    expect(await read(FROM, `Content-Type: ${type}`, "", "<i>Tea</i> at four")).toMatchObject({
      [kind]: "<i>Tea</i> at four\n",
      attachments: [],
      reading: { notes: ["structure_repaired"] },
    });
  });
  test("types of parts that are written the wrong way round are turned", async () => {
    const row = await read(
      FROM,
      "Content-Type: mixed/multipart; boundary=t",
      "",
      "--t",
      "Content-Type: plain/text",
      "",
      "the plan is attached",
      "--t",
      "Content-Type: png/image; name=plan.png",
      "",
      "\x89PNG",
      "--t--",
    );
    expect(row).toMatchObject({
      text: "the plan is attached\n",
      attachments: [{ filename: "plan.png", content_type: "image/png", size: 4 }],
    });
  });
  test.each([
    ["(made by hand) quoted-printable", "Caf=E9 at four", "Café at four"],
    ["(a) (b)\r\n\tbase64 (c)", Buffer.from("Café at five\n", "latin1").toString("base64"), "Café at five"],
  ])("comments in the encoding are left out: %s", async (encoding, body, text) => {
    const type = "Content-Type: text/plain; charset=iso-8859-1";
    const row = await read(FROM, type, `Content-Transfer-Encoding: ${encoding}`, "", body);
    expect(row).toMatchObject({ text: `${text}\n`, reading: { complete: true, notes: [] } });
  });
  test.each(["application/x-text", "application/pgp; x-action=sign"])(
    "words under the type %s alone are shown",
    async (type) => {
      expect(await read(FROM, `Content-Type: ${type}`, "", "The key is in the shed.")).toMatchObject({
        text: "The key is in the shed.\n",
        attachments: [],
      });
    },
  );
  test("words under a type that says nothing are shown, and stay a file", async () => {
    expect(await read(FROM, "Content-Type: application/octet-stream", "", "Pump 2 is dry.")).toMatchObject({
      text: "Pump 2 is dry.\n",
      attachments: [{ size: 14 }],
    });
  });
  test.each([
    ["application/octet-stream; name=pump.log", "Pump 2 is dry."],
    ["application/octet-stream", "Pump\0\x02"],
    ["application/json", '{"pump":2}'],
  ])("data under the type %s is a file alone", async (type, body) => {
    expect(await read(FROM, `Content-Type: ${type}`, "", body)).toMatchObject({
      text: null,
      attachments: [{ size: body.length }],
    });
  });
  test("a footer behind the old form of PGP hides no words", async () => {
    const row = await read(
      FROM,
      "Content-Type: multipart/mixed; boundary=o",
      "",
      "--o",
      "Content-Type: application/pgp; format=text; x-action=sign",
      "Content-Disposition: inline",
      "",
      "The vote is on Monday.",
      "--o",
      "",
      "list footer",
      "--o--",
    );
    expect(row).toMatchObject({ text: "The vote is on Monday.\n\nlist footer\n", attachments: [] });
  });
  test("a header without an empty line behind it ends at the boundary", async () => {
    expect((await read(FROM, 'Content-Type: multipart/mixed; boundary="q"', "--q", "", "inside", "--q--")).text).toBe(
      "inside\n",
    );
  });
  test("a part without an empty line behind its header has its words", async () => {
    const row = await read(
      FROM,
      "Content-Type: multipart/mixed; boundary=k",
      "",
      "--k",
      "Content-Type: text/plain",
      "The first line",
      "Note: the second",
      "",
      "the third",
      "--k",
      "Content-Type: multipart/alternative; boundary=inner",
      "--inner",
      "",
      "the fourth",
      "--inner--",
      "--k--",
    );
    expect(row).toMatchObject({
      text: "The first line\nNote: the second\n\nthe third\n\nthe fourth\n",
      reading: { notes: ["structure_repaired"] },
    });
  });
  test("a part without header and empty line has all its words", async () => {
    const row = await read(
      FROM,
      "Content-Type: multipart/mixed; boundary=n",
      "",
      "--n",
      "Der Zähler steht auf 20811",
      "und läuft.",
      "",
      "Gruß",
      "--n",
      "\tMit Einzug: auch das",
      "--n--",
    );
    expect(row.text).toBe("Der Zähler steht auf 20811\nund läuft.\n\nGruß\n\n\tMit Einzug: auch das\n");
  });
  test("a line in the header that is no field does not end it", async () => {
    expect(await read(FROM, ">From mia Sat", "Subject: kept", "", "words")).toMatchObject({
      subject: "kept",
      text: "words\n",
    });
  });
  test.each([[["Lunch is at 12:15 today", "Bring cutlery: forks only"]], [["Lift 3 stands still", "", "Level: two"]]])(
    "a mail without a header is text from its first line on: %j",
    async (lines) => {
      expect((await read(...lines)).text?.trim()).toBe(lines.join("\n"));
    },
  );

  test("the line that an mbox file puts before the header is passed over", async () => {
    const row = await read("From mia Sun Nov 29 10:00:00 2026", FROM, "Subject: Kept", "", "eins");
    expect([row.subject, row.text?.trim()]).toEqual(["Kept", "eins"]);
  });

  test("a byte order mark before the header is passed over", async () => {
    expect(await read(`${utf8("\ufeff")}${FROM}`, "Subject: marked", "", "words")).toMatchObject({
      subject: "marked",
      from_address: "mia@letters.example",
      text: "words\n",
    });
  });
  test("empty lines before the header are passed over", async () => {
    expect(await read("", "", FROM, "Subject: late", "", "words")).toMatchObject({
      subject: "late",
      from_address: "mia@letters.example",
      text: "words\n",
    });
  });
});

describe("transfer encodings", () => {
  test("base64 that is none stays as it is, with a note", async () => {
    const row = await read(FROM, "Content-Transfer-Encoding: base64", "", "Dear all, the bus leaves at 7:30!");
    expect(row).toMatchObject({
      text: "Dear all, the bus leaves at 7:30!\n",
      reading: { notes: ["encoding_ignored"] },
    });
  });
  test("a plain footer behind base64 stays readable", async () => {
    const row = await read(
      FROM,
      "Content-Transfer-Encoding: base64",
      "",
      base64("Hello list!\n"),
      "-- ",
      "To leave: write to leave@list.example",
    );
    expect(row.text).toContain("Hello list!");
    expect(row.text).toContain("leave@list.example");
  });
  test("a footer behind base64 in another charset than UTF-8 stays readable too", async () => {
    const row = await read(
      FROM,
      "Content-Type: text/plain; charset=koi8-r",
      "Content-Transfer-Encoding: base64",
      "",
      base64(Buffer.from("\xf0\xcf\xc5\xda\xc4 at nine, platform 17 and 18", "latin1")),
      "-- ",
      "List of trains",
    );
    expect(row.text).toBe("Поезд at nine, platform 17 and 18\n-- \nList of trains");
  });
  test("a short word in another charset than UTF-8 is read before a footer", async () => {
    const type = "Content-Type: text/plain; charset=koi8-r";
    const word = base64(Buffer.from("\xf0\xcf\xc5\xda\xc4", "latin1"));
    const row = await read(FROM, type, "Content-Transfer-Encoding: base64", "", word, "-- ", "List of trains");
    expect(row.text).toBe("Поезд\n-- \nList of trains");
  });
  const LETTER = "The kiln is free on Thursday from 14:00. Bring your own glazes, and tell Mia if you are late.\n";
  const says = (encoding: string, type = "text/plain; charset=utf-8") => [
    FROM,
    `Content-Type: ${type}`,
    `Content-Transfer-Encoding: ${encoding}`,
    "",
  ];
  const wrapped = (text: string | Buffer) => base64(text).replace(/.{76}/g, "$&\r\n");
  test.each([
    [
      "before it",
      ["[Outside mail] Take care with links!", "", wrapped(LETTER)],
      `[Outside mail] Take care with links!\n\n${LETTER}`,
    ],
    ["before it, in letters", ["OUTSIDE", "", wrapped(LETTER)], `OUTSIDE\n\n${LETTER}`],
    ["before a short one", ["Checked by the gateway.", "", base64("See you!")], "Checked by the gateway.\n\nSee you!"],
    [
      "on both sides",
      ["-- outside --", wrapped(LETTER), "", "Checked: no virus found."],
      `-- outside --\n${LETTER}\nChecked: no virus found.`,
    ],
    [
      "between two pieces",
      [base64("Minutes, part one: the roof?"), "", "(sent on by the list)", base64("Minutes, part two: the boiler!")],
      "Minutes, part one: the roof?\n(sent on by the list)\nMinutes, part two: the boiler!",
    ],
  ])("a plain line %s leaves base64 readable", async (_where, lines, words) => {
    const row = await read(...says("base64"), ...lines);
    expect(row).toMatchObject({ text: words, reading: { complete: true, notes: ["encoding_ignored"] } });
  });
  test("HTML before base64 leaves it readable", async () => {
    const html = "<html><p>The kiln is free on <b>Thursday</b>.</p></html>";
    const row = await read(...says("base64", "text/html"), "<div class='out'>Outside mail</div>", wrapped(html));
    expect(row.html).toBe(`<div class='out'>Outside mail</div>\n${html}`);
  });
  test.each([
    ["The sum is", "9e107d9d372bb6826bd81d3542a419d6", "please compare it."],
    ["max_connections_of_the_database_server_in_the_cellar_and_of_its_copy"],
    ["Dear members,", "", "Misunderstandings", "", "Regards"],
  ])("words that only look like base64 stay: %s", async (...lines) => {
    expect((await read(...says("base64"), ...lines)).text).toBe(`${lines.join("\n")}\n`);
  });
  test("a plain line before a file in base64 is not part of it", async () => {
    const octets = Buffer.from(Array.from({ length: 240 }, (_, n) => (n * 11) % 256));
    const lines = ["This file was scanned, and it is clean.", "", wrapped(octets)];
    const row = await read(...says("base64", "application/zip; name=a.zip"), ...lines);
    expect(row).toMatchObject({ names: ["a.zip"], attachments: [{ size: 240 }] });
  });
  const fileIn = (...coded: string[]) => {
    const raw = [...says("base64", "application/zip; name=a.zip"), ...coded].join("\r\n");
    return readMail(Buffer.from(raw)).files[0]?.octets;
  };
  test.each(["-", "_", "--"])("a stray line %s in a file in base64 shifts no octets", (stray) => {
    const octets = Buffer.alloc(300, "plain");
    const [first = "", ...others] = wrapped(octets).split("\r\n");
    expect(fileIn(first, stray, ...others)).toEqual(octets);
    expect(fileIn(first, ...others, stray)).toEqual(octets);
  });
  test("a file in even lines of the alphabet of URLs is decoded", () => {
    const octets = Buffer.alloc(301, 0xfb);
    const coded = wrapped(octets).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    expect(fileIn(coded)).toEqual(octets);
  });
  test.each([
    ["the first line", 0, []],
    ["a line amid the file", 3, []],
    ["a line before a footer", 3, ["", "You get this because you are a member of the club."]],
  ])("blanks inside %s of a file in base64 end nothing", (_where, place, footer) => {
    const octets = Buffer.from(Array.from({ length: 400 }, (_, n) => (n * 7) % 256));
    const damaged = (line: string) => `${line.slice(0, 12)} ${line.slice(12, 30)} ${line.slice(30)}`;
    const lines = wrapped(octets).split("\r\n");
    expect(fileIn(...lines.map((line, n) => (n === place ? damaged(line) : line)), ...footer)).toEqual(octets);
  });
  test("base64 in the alphabet of URLs is decoded, and lists of ids are none", async () => {
    const words = "Ist es so? Größe >>> ÿþý, ~~~";
    const url = Buffer.from(words).toString("base64url");
    expect(url).toMatch(/[-_]/);
    expect((await read(...says("base64"), url)).text).toBe(words);
    await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    const ids = "a3b8f042-11d4-4c2e-9f00-5d1c7e88b6aa\r\na3b8f042-11d4-4c2e-9f00-5d1c7e88b6ab";
    expect(await read(...says("base64", "text/csv; name=ids.csv"), ids)).toMatchObject({
      attachments: [{ size: ids.length }],
    });
  });
  test("base64 that is called quoted-printable is decoded, and one word of it is none", async () => {
    expect((await read(...says("quoted-printable"), wrapped(LETTER))).text).toBe(LETTER);
    await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    const key = base64("a key of letters and digits 7").replace(/=+$/, "");
    expect((await read(...says("quoted-printable"), key)).text).toBe(`${key}\n`);
  });
  test("a uuencoded file that is cut has no octets that are not there", async () => {
    const whole = "M5&AE(&9I<G-T(&QI;F4@;V8@9F]R='DM9FEV92!O8W1E=',L('=I=&@@;6]R";
    const row = await read(FROM, "", "begin 644 a.bin", whole, whole.slice(0, 9));
    expect(row).toMatchObject({ attachments: [{ size: 51 }], reading: { notes: ["part_unreadable"] } });
  });
  test("base64 with a damaged character is still decoded", async () => {
    const words = base64("The kettle is in the kitchen, and the lamp is there too.");
    const row = await read(
      FROM,
      "Content-Transfer-Encoding: base64 (8bit)",
      "",
      words.slice(0, 36),
      `${words.slice(36, 50)}!${words.slice(50)}`,
    );
    expect(row.text).toBe("The kettle is in the kitchen, and the lamp is there too.");
  });
  test("an equals sign that encodes nothing in quoted-printable is kept, with a note", async () => {
    const row = await read(FROM, "Content-Transfer-Encoding: quoted-printable", "", "x=y and =41=");
    expect(row).toMatchObject({ text: "x=y and A\n", reading: { notes: ["encoding_ignored"] } });
  });
  test("the octets of a calendar are unchanged", async () => {
    const file = Buffer.from("BEGIN:VCALENDAR\r\nSUMMARY:\xc4rger\r\nEND:VCALENDAR", "latin1");
    const row = await read(
      FROM,
      "Content-Type: text/calendar; charset=iso-8859-1; name=a.ics",
      "Content-Transfer-Encoding: base64",
      "",
      base64(file),
    );
    expect(row.attachments).toMatchObject([{ filename: "a.ics", size: file.length }]);
  });
  test("uuencoded blocks are files, and leave the text", async () => {
    const row = await read(FROM, "", "before", "begin 644 hi.txt", "#:&D*", "`", "end", "after");
    expect(row).toMatchObject({ text: "before\nafter\n", names: ["hi.txt"] });
    expect(row.attachments).toMatchObject([{ size: 3 }]);
  });
  test("a block of uuencode -m is a file, and without its end text", async () => {
    const block = ["begin-base64 600 r\xe9sum\xe9.txt", base64(Buffer.from("first\r\nsecond\r\n")).trim()];
    const row = await read(FROM, "", "before", ...block, "====", "after", ...block, "the end is missing");
    expect(row).toMatchObject({ names: ["r\u00e9sum\u00e9.txt"], attachments: [{ size: 15 }] });
    expect(row.text).toMatch(/^before\nafter\nbegin-base64 600 /);
  });
  test("a yEnc block is a file, also if its octets were taken for characters on the way", async () => {
    const content = Buffer.from("plan\xe9\x01", "latin1");
    const coded = Buffer.from(content.map((octet) => (octet + 42) & 255)).toString("latin1");
    const block = (lines: string) => ["=ybegin line=128 size=6 name=plan.bin", lines, "=yend size=6"];
    const row = await read(FROM, "", "before", ...block(coded), "between", ...block(utf8(coded)), "after");
    expect(row).toMatchObject({ text: "before\nbetween\nafter\n", names: ["plan.bin", "plan.bin"] });
    expect(row).toMatchObject({ attachments: [{ size: 6 }, { size: 6 }], reading: { complete: true, notes: [] } });
  });
  test("a named text in the mail is a file", async () => {
    const row = await read(
      FROM,
      "Content-Type: multipart/mixed; boundary=m",
      "",
      "--m",
      "",
      "see below",
      "--m",
      "Content-Type: text/plain",
      "Content-Disposition: inline; filename=run.log",
      "",
      "line",
      "--m--",
    );
    expect(row).toMatchObject({ text: "see below\n", names: ["run.log"] });
  });
});

describe("charsets and headers", () => {
  test.each([
    ["cp437", "Gr\x81\xe1e", "Grüße"],
    ["utf-7", "Gr+APwA3w-e", "Grüße"],
    ["hz", "~{VPND~}", "中文"],
    ["iso-2022-kr", "\x1b$)C\x0eGQ1[\x0f", "한글"],
    ["big5", utf8("價格已更新"), "價格已更新"],
  ])("a body in %s", async (charset, body, words) => {
    expect((await read(FROM, `Content-Type: text/plain; charset=${charset}`, "", body)).text).toBe(`${words}\n`);
  });
  test("octets of a subject are read by the charset of the body", async () => {
    expect(
      (await read(FROM, "Subject: \xcf\xf0\xe8\xe2\xe5\xf2", "Content-Type: text/plain; charset=windows-1251", "", "x"))
        .subject,
    ).toBe("Привет");
  });
  test("octets without a charset are not read by that of a part in UTF-16", async () => {
    const row = await read(
      FROM,
      "Subject: \xdcbung!",
      "Content-Type: multipart/mixed; boundary=w",
      "",
      "--w",
      "Content-Type: text/plain; charset=utf-16le",
      "Content-Transfer-Encoding: base64",
      "",
      base64(Buffer.from("wide", "utf16le")),
      "--w",
      "",
      "Gr\xfc\xdfe.",
      "--w--",
    );
    expect(row).toMatchObject({ subject: "Übung!", text: "wide\nGrüße.\n" });
  });
  test.each([
    [
      "charset=utf-8",
      `${utf8("Die Tür fällt zu, möglichst leise,")} sch\xf6n`,
      "Die Tür fällt zu, möglichst leise, schön\n",
    ],
    ["charset=iso-8859-1", `${utf8("Crème à l’été")}, na\xefve too`, "Crème à l’été, naïve too\n"],
    ["format=fixed", `caf\xe9 ${utf8("à côté de l’église")}`, "café à côté de l’église\n"],
  ])("single letters of another charset amid UTF-8 (%s)", async (parameter, body, words) => {
    const row = await read(FROM, `Content-Type: text/plain; ${parameter}`, "", body);
    expect(row).toMatchObject({ text: words, reading: { notes: ["charset_guessed"] } });
  });
  const cut = (text: string, octets: number) => utf8(text).slice(0, -octets);
  test.each([
    ["at its end", cut("Züge, Köln", 3), "Züge, K"],
    ["in a character of three octets", cut("予約の確認です", 2), "予約の確認で"],
    ["in its only picture", cut("Harvest 🌽", 2), "Harvest"],
    ["at its start", utf8("évent à Éze").slice(1), "vent à Éze"],
    ["before dots", `${cut("Отчёт готов, счёт", 3)}...`, "Отчёт готов, сч..."],
    ["inside an encoded word", "=?utf-8?Q?Z=C3=BCge,_K=C3?=", "Züge, K"],
    ["with the end of an encoded word", "=?utf-8?Q?Z=C3=BCge,_K=C3=B6ln=C", "Züge, Köln"],
    [
      "with the end of the second encoded word",
      `=?utf-8?B?${base64("Züge")}?= =?utf-8?B?${base64(", Köln")}?`,
      "Züge, Köln",
    ],
    ["never, in ISO-8859-1", "BAH\xc3", "BAHÃ"],
    ["never, in quotes of ISO-8859-1", "\xabL\xe0\xbb", "«Là»"],
    ["never, about encoded words", "What is =?utf-8?Q?", "What is =?utf-8?Q?"],
  ])("a subject cut %s keeps its words", async (_where, subject, words) => {
    expect((await read(FROM, `Subject: ${subject}`, "", "x")).subject).toBe(words);
  });
  test("a subject that is cut is UTF-8 beside a body in another charset", async () => {
    const row = await read(
      FROM,
      `Subject: ${cut("Заявка принята", 1)}`,
      "Content-Type: text/plain; charset=koi8-r",
      "",
      "\xcb\xcf\xd4",
    );
    expect(row).toMatchObject({ subject: "Заявка принят", text: "кот\n" });
  });
  test.each([
    ["=utf-8", "", cut("Même à l’été", 1)],
    ["=iso-8859-1", "", cut("Même à l’été", 1)],
    ["=", "\r\n", cut("Même à l’été", 1)],
  ])("a text cut inside its last character under charset%s keeps its words", async (charset, end, body) => {
    expect((await read(FROM, `Content-Type: text/plain; charset${charset}`, "", `${body}${end}`)).text).toBe(
      "Même à l’ét\n",
    );
  });
  test.each([
    ["an ellipsis", utf8("…")],
    ["a line end", "\r\nmore"],
  ])("a character cut before %s is no other charset", async (_where, behind) => {
    const body = `${cut("Même à l’été", 1)}${behind}`;
    const { text } = await read(FROM, "Content-Type: text/plain; charset=utf-8", "", body);
    expect(text).toMatch(/^Même à l’ét(?:…|\nmore)\n$/);
  });
  test("file names cut inside a character keep their words", async () => {
    const disposition = "Content-Disposition: attachment; filename";
    const row = await read(
      FROM,
      "Content-Type: multipart/mixed; boundary=n",
      "",
      "--n",
      `${disposition}="${cut("Prévisions été, côté", 1)}.ods"`,
      "",
      "x",
      "--n",
      `${disposition}*=utf-8''Pr%C3%A9vision%20%C3`,
      "",
      "x",
      "--n--",
    );
    expect(row.names).toEqual(["Prévisions été, côt.ods", "Prévision "]);
  });
  test("a character cut between two encoded words is whole", async () => {
    const octets = Buffer.from("Größe");
    const words = [octets.subarray(0, 3), octets.subarray(3)].map((part) => `=?utf-8?B?${base64(part)}?=`);
    expect((await read(FROM, `Subject: ${words.join("\r\n ")}`, "", "x")).subject).toBe("Größe");
  });
  test.each([
    ["at any place", [10, 27]],
    ["between octets of one character", [6]],
  ])("base64 cut between encoded words %s is joined", async (_where, cuts) => {
    const whole = base64("Pružná lišta č. 7 ještě není");
    const pieces = [0, ...cuts].map((from, n) => whole.slice(from, cuts[n]));
    const words = pieces.map((piece) => `=?utf-8?b?${piece}?=`);
    expect((await read(FROM, `Subject: ${words.join("\r\n ")}`, "", "x")).subject).toBe("Pružná lišta č. 7 ještě není");
  });
  test("encoded words in base64 without padding are read one by one", async () => {
    const words = ["Žlu", "tý"].map((text) => `=?utf-8?B?${base64(text).replace(/=+$/, "")}?=`);
    expect((await read(FROM, `Subject: ${words.join(" ")}`, "", "x")).subject).toBe("Žlutý");
  });
  test("ids are read through encoded words and folds", async () => {
    const row = await read(
      FROM,
      "Message-ID:\r\n <own@a.example>",
      "References: =?us-ascii?Q?=3Cone=40a=2Eexample=3E_=3Ctwo=40a=2Eexample=3E?=",
      "In-Reply-To: <long-\r\n id@a.example>",
      "",
      "x",
    );
    expect(row).toMatchObject({
      rfc_message_id: "own@a.example",
      references_ids: ["one@a.example", "two@a.example"],
      in_reply_to: "long-id@a.example",
    });
  });
  test("an address that is written in octets of no charset is no address", async () => {
    expect((await read("From: M\xfcller <m\xfcller@letters.example>", "", "x")).from_address).not.toContain("ü");
  });
});

describe("containers", () => {
  const der = (tag: number, ...parts: Buffer[]) => {
    const content = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag, 0x82, content.length >> 8, content.length & 255]), content]);
  };
  const oid = (last: number) => Buffer.from([6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, last]);
  const smime = (type: number, inner: Buffer) =>
    read(
      FROM,
      "Content-Type: application/pkcs7-mime; name=smime.p7m",
      "Content-Transfer-Encoding: base64",
      "",
      base64(der(0x30, oid(type), der(0xa0, inner))),
    );

  test("signed mail shows its words", async () => {
    const mail = "Content-Type: text/plain\r\n\r\nsigned words\r\n";
    expect(await smime(2, signedMail(mail))).toMatchObject({
      text: "signed words\n",
      attachments: [],
      reading: { complete: true },
    });
  });
  test("encrypted mail is listed, and said to be unreadable", async () => {
    expect(await smime(3, der(0x30))).toMatchObject({
      names: ["smime.p7m"],
      reading: { complete: false, notes: ["part_unreadable"] },
    });
  });
  const signedMail = (mail: string) =>
    der(0x30, Buffer.from([2, 1, 1, 0x31, 0]), der(0x30, oid(1), der(0xa0, der(4, Buffer.from(mail)))));
  test("signed mail that is cut shows the words that are there, and can be fetched", async () => {
    const whole = der(0x30, oid(2), der(0xa0, signedMail(`\r\n${"The lift is out of order. ".repeat(20)}`)));
    const part = whole.subarray(0, 400);
    const row = await read(
      FROM,
      "Content-Type: application/pkcs7-mime; smime-type=signed-data; name=smime.p7m",
      "Content-Transfer-Encoding: base64",
      "",
      base64(part),
    );
    expect(row).toMatchObject({
      names: ["smime.p7m"],
      attachments: [{ size: 400 }],
      reading: { complete: false, notes: ["part_unreadable"] },
    });
    expect(row.text).toMatch(/^The lift is out of order\. The lift/);
  });
  const ARMOUR = [
    "-----BEGIN PGP MESSAGE-----",
    "Comment: https://keys.example/verify?code=552817",
    "",
    "hQIMA3pRZs0vTq9lAQ/+Nn0bXc5Yx2oF8wJk1dLmUuGv7Hq4TzPaSe6RfKyIiBcD",
    "552817",
    "=8841",
    "-----END PGP MESSAGE-----",
  ];
  const UNREADABLE = { complete: false, notes: ["part_unreadable"] };
  test.each(["encrypted; protocol=application/pgp-encrypted", "mixed"])(
    "PGP/MIME in multipart/%s is listed, and said to be unreadable",
    async (type) => {
      const row = await read(
        FROM,
        `Content-Type: multipart/${type}; boundary=e`,
        "",
        "--e",
        "Content-Type: application/pgp-encrypted",
        "",
        "Version: 1",
        "--e",
        "Content-Type: application/octet-stream; name=msg.asc",
        "",
        ...ARMOUR,
        "--e--",
      );
      expect(row).toMatchObject({ text: null, names: [null, "msg.asc"], reading: UNREADABLE });
    },
  );
  test("a PGP message in the text is said to be unreadable, and gives no code and no link", async () => {
    const row = await read(FROM, "Subject: Your sign-in code", "", "Your code:", ...ARMOUR, "Liv");
    expect(row).toMatchObject({ reading: UNREADABLE, extraction: { otp: null, link: null } });
    expect(row.text).toBe(["Your code:", ...ARMOUR, "Liv", ""].join("\n"));
  });
  test("a signature of PGP gives no link, and the code of its words counts", async () => {
    const signature = ARMOUR.map((line) => line.replace("MESSAGE", "SIGNATURE"));
    const words = ["-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA256", "", "Your sign-in code is 730164."];
    expect(await read(FROM, "Subject: Your sign-in code", "", ...words, ...signature)).toMatchObject({
      reading: { complete: true },
      extraction: { otp: "730164", link: null },
    });
  });
  const BEGIN_SIGNATURE = "-----BEGIN PGP SIGNATURE-----";
  test.each([
    ["alone", [BEGIN_SIGNATURE]],
    ["with data", [BEGIN_SIGNATURE, "", ...ARMOUR.slice(3, -1)]],
  ])("words behind the beginning of armour %s that has no end are read", async (_what, lines) => {
    const words = ["", "Regards", "", "Code: 730164", ""];
    expect(await read(FROM, "Subject: Your sign-in code", "", ...lines, ...words)).toMatchObject({
      extraction: { otp: "730164" },
    });
  });
  test("a quote above which an answer has nothing gives no code and no link", async () => {
    const quote = [
      "On 3 May 2026 at 09:10, Harbour <no-reply@harbour.example> wrote:",
      "",
      "> Your sign-in code is 730164.",
    ];
    for (const words of [["Sent from my iPhone", ""], []])
      for (const lines of [quote, quote.map((line) => line.replace(/^> /, ""))]) {
        await inbound.ctx.sql`delete from messages`;
        const row = await read(FROM, "In-Reply-To: <k@harbour.example>", "Subject: Re: Code", "", ...words, ...lines);
        expect(row).toMatchObject({ extraction: { otp: null, link: null } });
      }
  });
  test("armour in an answer gives no code and no link", async () => {
    const answer = ["In-Reply-To: <k@letters.example>", "Subject: Your sign-in code", "", "Your code:"];
    expect(await read(FROM, ...answer, ...ARMOUR)).toMatchObject({ extraction: { otp: null, link: null } });
  });
  test.each([
    ["a quoted message", ["I have no key for this:", ...ARMOUR.map((line) => `> ${line}`)]],
    ["words about messages", ["It starts with", "-----BEGIN PGP MESSAGE-----", "and ends with a sum."]],
    ["a public key", ARMOUR.map((line) => line.replace("MESSAGE", "PUBLIC KEY BLOCK"))],
  ])("%s in the text can be read", async (_what, lines) => {
    expect(await read(FROM, "", ...lines)).toMatchObject({
      text: `${lines.join("\n")}\n`,
      reading: { complete: true },
    });
  });
  const number = (value: number, bytes: number) => {
    const octets = Buffer.alloc(bytes);
    octets.writeUIntLE(value, 0, bytes);
    return octets;
  };
  const attribute = (id: number, data: Buffer) =>
    Buffer.concat([Buffer.from([1]), number(id, 4), number(data.length, 4), data, number(0, 2)]);
  const winmailFile = (file: Buffer) =>
    read(
      FROM,
      "Content-Type: application/ms-tnef; name=winmail.dat",
      "Content-Transfer-Encoding: base64",
      "",
      base64(file),
    );
  const tnef = (...attributes: Buffer[]) => Buffer.concat([number(0x223e9f78, 4), number(1, 2), ...attributes]);
  const winmail = (...attributes: Buffer[]) => winmailFile(tnef(...attributes));
  /** The body as RTF that is stored without compression. */
  const richBody = (rtf: string) => {
    const octets = Buffer.from(rtf, "latin1");
    const stored = [number(octets.length + 12, 4), number(octets.length, 4), Buffer.from("MELA"), number(0, 4), octets];
    const value = Buffer.concat(stored);
    const property = [number(1, 4), number(0x0102, 2), number(0x1009, 2), number(1, 4), number(value.length, 4), value];
    return attribute(0x69003, Buffer.concat([...property, Buffer.alloc(-value.length & 3)]));
  };

  test("winmail.dat shows its body and lists its files", async () => {
    const row = await winmail(
      attribute(0x2800c, Buffer.from("from Outlook\0")),
      attribute(0x69002, Buffer.alloc(14)),
      attribute(0x18010, Buffer.from("plan.txt\0")),
      attribute(0x6800f, Buffer.from("plan")),
    );
    expect(row).toMatchObject({ text: "from Outlook", names: ["plan.txt"] });
  });
  test("the RTF of winmail.dat is read as a person sees it", async () => {
    const fonts = "{\\fonttbl{\\f0\\fcharset0 Arial;}{\\f1\\fcharset204 Arial;}}";
    const rtf = `{\\rtf1\\ansi\\ansicpg1252${fonts}{\\*\\htmltag64 <p>}\\f0 \\'fc\\'e4 \\f1\\'ef\\'ee\\'e5\\'e7\\'e4{\\v hidden}\\constructor\\par}`;
    expect((await winmail(richBody(rtf))).text).toBe("üä поезд\n");
  });
  test("winmail.dat without words and files is a file itself", async () => {
    expect(await winmail(attribute(0x2800c, Buffer.from(" \0")))).toMatchObject({ names: ["winmail.dat"] });
  });
  test("winmail.dat that is cut has its whole files, and can be fetched", async () => {
    const file = (name: string, octets: Buffer) => [
      attribute(0x69002, Buffer.alloc(14)),
      attribute(0x18010, Buffer.from(`${name}\0`)),
      attribute(0x6800f, octets),
    ];
    const body = attribute(0x2800c, Buffer.from("from Outlook\0"));
    const whole = tnef(body, ...file("one.txt", Buffer.from("one")), ...file("two.bin", Buffer.alloc(900)));
    expect(await winmailFile(whole.subarray(0, whole.length - 500))).toMatchObject({
      text: "from Outlook",
      names: ["one.txt", "winmail.dat"],
      attachments: [{ size: 3 }, { size: whole.length - 500 }],
      reading: UNREADABLE,
    });
  });
  test("winmail.dat in winmail.dat is opened as deep as other containers", async () => {
    const file = (octets: Buffer) => [attribute(0x69002, Buffer.alloc(14)), attribute(0x6800f, octets)];
    const nested = (deep: number) => {
      let octets = Buffer.from("innermost");
      for (let n = 0; n < deep; n += 1) octets = tnef(...file(octets));
      return octets;
    };
    expect(await winmailFile(nested(4))).toMatchObject({ attachments: [{ size: 9 }], reading: { complete: true } });
    await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    const body = attribute(0x2800c, Buffer.from("from Outlook\0"));
    const row = await winmailFile(tnef(body, ...file(nested(4_000))));
    expect(row).toMatchObject({ status: "parsed", text: "from Outlook", reading: UNREADABLE });
    expect(row.attachments).toHaveLength(1);
  });
  test("the octets of winmail.dat in winmail.dat are bounded", () => {
    let octets = Buffer.alloc(12 * 1024 * 1024);
    for (let n = 0; n < 4; n += 1) octets = tnef(attribute(0x69002, Buffer.alloc(14)), attribute(0x6800f, octets));
    const header = `${FROM}\r\nContent-Type: application/ms-tnef\r\nContent-Transfer-Encoding: binary\r\n\r\n`;
    const { files, notes } = readMail(Buffer.concat([Buffer.from(header), octets]));
    expect(files).toHaveLength(1);
    expect(files[0]?.octets.readUInt32LE(0)).toBe(0x223e9f78);
    expect(notes).toEqual(["part_unreadable"]);
  });
  test("winmail.dat that is cut before its content is a file, and said to be unreadable", async () => {
    const whole = tnef(attribute(0x69002, Buffer.alloc(14)), attribute(0x6800f, Buffer.alloc(900)));
    expect(await winmailFile(whole.subarray(0, 60))).toMatchObject({ names: ["winmail.dat"], reading: UNREADABLE });
  });
  test("RTF that is cut shows what is there, with a note", async () => {
    expect(await winmail(richBody("{\\rtf1 the first \\b words"))).toMatchObject({
      text: "the first words",
      reading: { notes: ["part_unreadable"] },
    });
  });
});

describe("hostile mail is bounded, and shows what can be read", () => {
  const parts = (boundary: string, inner: string[]) => [
    `Content-Type: multipart/mixed; boundary=${boundary}`,
    "",
    ...inner.flatMap((part) => [`--${boundary}`, part]),
    `--${boundary}--`,
  ];
  const CUT = { complete: false, notes: ["part_unreadable"] };

  test("200 multiparts inside each other", async () => {
    let inner = "\r\nthe innermost words";
    for (let n = 0; n < 200; n += 1) inner = parts(`n${n}`, [inner]).join("\r\n");
    const row = await read(FROM, ...inner.split("\r\n"));
    expect(row).toMatchObject({ status: "parsed", reading: CUT });
    expect(row.text).toContain("the innermost words");
  });
  test("50,000 messages and encoded multiparts inside each other", async () => {
    const messages = "Content-Type: message/rfc822\r\n\r\n".repeat(50_000);
    const row = await read(FROM, ...`${messages}Subject: last\r\n\r\nwords`.split("\r\n"));
    expect(row.status).toBe("parsed");
    await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
    let inner = "--e\r\n\r\nthe words\r\n--e--\r\n";
    const type = "Content-Type: multipart/mixed; boundary=e\r\nContent-Transfer-Encoding: base64";
    for (let n = 0; n < 12; n += 1) inner = `--e\r\n${type}\r\n\r\n${base64(inner)}\r\n--e--\r\n`;
    expect(await read(FROM, type, "", base64(inner))).toMatchObject({ status: "parsed" });
  });
  test("40 encoded multiparts of 1,990 parts", async () => {
    const inner = base64(`${"--i\r\n\r\nw\r\n".repeat(1_990)}--i--\r\n`);
    const part = `Content-Type: multipart/mixed; boundary=i\r\nContent-Transfer-Encoding: base64\r\n\r\n${inner}`;
    const row = await read(
      FROM,
      ...parts(
        "o",
        Array.from({ length: 40 }, () => part),
      ),
    );
    expect(row).toMatchObject({ status: "parsed", reading: { complete: false } });
  });
  test("25 MB of UTF-8 with letters of another charset", async () => {
    const unit = Buffer.from([0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xc3, 0xa9, 0xe9, 0x0a]).toString("latin1");
    const row = await read(FROM, "Content-Type: text/plain; charset=windows-1252", "", unit.repeat(2_400_000));
    expect(row).toMatchObject({ status: "parsed" });
    expect(row.text?.slice(0, 12)).toBe("ééééé\nééééé\n");
  });
  test("10,000 parts", async () => {
    const words = Array.from({ length: 10_000 }, (_, n) => `\r\nword ${n}`);
    const row = await read(FROM, ...parts("p", words));
    expect(row).toMatchObject({ status: "parsed", reading: CUT });
    expect(row.text).toContain("word 1999\n");
  });
  test("1,001 files", async () => {
    const files = Array.from({ length: 1_001 }, (_, n) => `Content-Disposition: attachment; filename=${n}\r\n\r\nx`);
    const row = await read(FROM, ...parts("f", files));
    expect(row).toMatchObject({ status: "parsed", reading: CUT });
    expect(row.names).toHaveLength(1_000);
  });
  test("100,000 lines in the header of the mail and of a part", async () => {
    const many = Array.from({ length: 100_000 }, () => "X-Any: more");
    const row = await read(FROM, ...many, ...parts("h", [`${many.join("\r\n")}\r\n\r\nthe words`]));
    expect(row.status).toBe("parsed");
    expect(row.text).toContain("the words");
  });
  test("a signed container that inflates to more than its limit is a file", async () => {
    const der = (tag: number, ...pieces: Buffer[]) => {
      const content = Buffer.concat(pieces);
      const size = Buffer.alloc(4);
      size.writeUInt32BE(content.length);
      return Buffer.concat([Buffer.from([tag, 0x84]), size, content]);
    };
    const oid = (hex: string) => der(6, Buffer.from(hex, "hex"));
    const packed = der(0x30, oid("2a864886f70d010701"), der(0xa0, der(4, deflateSync(Buffer.alloc(64 * 1024 * 1024)))));
    const data = der(0x30, Buffer.from([2, 1, 0]), der(0x30, oid("2a864886f70d0109100308")), packed);
    const bomb = base64(der(0x30, oid("2a864886f70d0109100109"), der(0xa0, data)));
    const header = ["Content-Type: application/pkcs7-mime; name=b.p7m", "Content-Transfer-Encoding: base64"];
    const row = await read(FROM, ...parts("c", [[...header, "", bomb].join("\r\n"), "\r\nbeside it"]));
    expect(row).toMatchObject({ text: "beside it\n", names: ["b.p7m"], reading: CUT });
  });
});
