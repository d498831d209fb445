// `extracted_text` of mail that came by SMTP, as the API returns it: what is quoted, and that no other thread or mailbox has a part in it.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const WAIT_SECONDS = 30;
const QUESTION =
  "The pump in the cellar has been leaking since Sunday night.\nWho can bring a new seal before the weekend?";
const ANSWER = "A seal is on its way and arrives on Thursday.";

type Box = { address: string; key: string };
type Mail = { from?: string; id?: string; answers?: string; subject?: string; type?: string; body: string };
type Found = { id: string; thread_id: string; extracted_text: string };

async function newBox(key?: string): Promise<Box> {
  const owner = key ?? (await service.newOrganization()).agentKey;
  return { address: (await client.createInbox(owner)).address, key: owner };
}

let made = 0;

/** Sends a mail by SMTP, and reads it by the API once it is parsed. */
async function read({ address, key }: Box, mail: Mail): Promise<Found> {
  made += 1;
  const subject = `${mail.subject ?? "Re: pump"} (${made})`;
  const headers = [
    `From: ${mail.from ?? "lee@pumps.example"}`,
    `To: ${address}`,
    `Subject: ${subject}`,
    `Message-ID: <${mail.id ?? `m${made}@pumps.example`}>`,
    ...(mail.answers === undefined ? [] : [`In-Reply-To: <${mail.answers}>`]),
    "MIME-Version: 1.0",
    `Content-Type: ${mail.type ?? "text/plain"}; charset=utf-8`,
    "Content-Transfer-Encoding: 8bit",
  ];
  const raw = `${[...headers, "", ...mail.body.split("\n")].join("\r\n")}\r\n`;
  await service.mail({ from: "sender@pumps.example", to: address, raw });
  const search = { subject, after: "2020-01-01T00:00:00Z", timeout_seconds: WAIT_SECONDS };
  const wait = await client.post<{ message: { id: string } }>(inboxPath(address, "/wait"), search, { key });
  const message = await client.get<Found>(`/v1/messages/${wait.body.message.id}`, { key });
  return message.body;
}

const extracted = async (box: Box, mail: Mail) => (await read(box, mail)).extracted_text;

describe("a mail that answers nothing", () => {
  const first = { subject: "A song" };

  test("keeps verses that are marked with >", async () => {
    const body =
      "Dear Ida,\n\n> The ferry leaves the sleeping town\n> and takes the lantern light along\n\nDo you know it?";
    expect(await extracted(await newBox(), { ...first, body })).toBe(body);
  });

  test.each([
    ["marked by a composer", "<blockquote type='cite'>"],
    ["escaped", ""],
  ])("keeps them in HTML, %s", async (_, element) => {
    const verse =
      element === "" ? "&gt; The ferry leaves<br>&gt; the sleeping town" : `${element}The ferry leaves</blockquote>`;
    const body = `<p>Dear Ida,</p><div>${verse}</div><p>Do you know it?</p>`;
    expect(await extracted(await newBox(), { ...first, type: "text/html", body })).toContain("The ferry leaves");
  });

  const HEADERS =
    "Date: Fri, 20 Nov 2026 07:30:00 +0000\nFrom: Vale Ops <ops@vale.example>\nTo: kit@pumps.example\nSubject: Water off";
  const NOTICE = "No water in Mill Lane on Tuesday from six to nine.";

  test.each([
    [
      "mutt",
      `----- Forwarded message from Vale Ops <ops@vale.example> -----\n\n${HEADERS}`,
      "----- End forwarded message -----",
    ],
    [
      "mutt in German",
      `----- Weitergeleitete Nachricht von Vale Ops <ops@vale.example> -----\n\n${HEADERS}`,
      "----- Ende -----",
    ],
    [
      "mutt in Irish, which no list has",
      `----- Teachtaireacht curtha ar aghaidh ó ops@vale.example -----\n\n${HEADERS}`,
      "----- Deireadh -----",
    ],
    [
      "Gnus",
      `-------------------- Start of forwarded message --------------------\n${HEADERS}`,
      "-------------------- End of forwarded message --------------------",
    ],
    ["Pegasus", `------- Forwarded message follows -------\n${HEADERS}`, "------- End of forwarded message -------"],
    [
      "KMail",
      `----------  Forwarded Message  ----------\n\n${HEADERS}`,
      "-------------------------------------------------------",
    ],
    ["Notes", `----- Forwarded by Kit Rowe/Pumps on 11/20/2026 08:02 AM -----\n\n${HEADERS}`, ""],
    ["The Bat", `This is a forwarded message\n${HEADERS}`, "===8<===========End of original message text==========="],
  ])("keeps what %s forwarded", async (_, above, below) => {
    const body = `Please fill the tanks on Monday.\n\n${above}\n\n${NOTICE}\n\n${below}`;
    for (const answers of [undefined, "water@vale.example"]) {
      const found = await extracted(await newBox(), { subject: "Water off", body, ...(answers && { answers }) });
      expect(found).toContain("Please fill the tanks");
      expect(found).toContain(NOTICE);
    }
  });

  test("keeps what a mail with [Fwd: …] as its subject has below header lines", async () => {
    const body = `Please fill the tanks on Monday.\n\n${HEADERS}\n\n${NOTICE}`;
    expect(await extracted(await newBox(), { subject: "[Fwd: Water off]", body })).toContain(NOTICE);
    expect(await extracted(await newBox(), { subject: "Water off", body })).not.toContain(NOTICE);
  });

  test("has a quote where a mail client's attribution introduces it", async () => {
    const body = `${ANSWER}\n\nOn Thu, 26 Nov 2026 at 16:11, Ann <ann@pumps.example> wrote:\n\n> Who comes?\n>\n> And when?`;
    expect(await extracted(await newBox(), { subject: "Seal", body })).toBe(ANSWER);
    const inside = `${ANSWER}\n\n> On Thu, 26 Nov 2026 at 16:11, Ann <ann@pumps.example> wrote:\n> \n> Who comes?`;
    expect(await extracted(await newBox(), { subject: "Seal", body: inside })).toBe(ANSWER);
  });

  test("has a quote where words of a client introduce it", async () => {
    const body = `Ann wrote:\n> Who comes?\n> And when?\n\n${ANSWER}`;
    expect(await extracted(await newBox(), { subject: "Seal", body })).toBe(ANSWER);
  });

  test("keeps what a book says, whose year is given", async () => {
    const body =
      "On 3 May 1954 at 4:10 the keeper of the light noted:\n\n> Fog until noon, no ship seen.\n\nLovely, is it not?";
    expect(await extracted(await newBox(), { ...first, body })).toBe(body);
  });
});

describe("what the sender made of addresses and dates is kept", () => {
  const answers = "unknown@pumps.example";
  test.each([
    [
      "an invitation",
      { answers },
      "Come!\n\nWhen: 3 May 2026 19:00\nWhere: Pier 2\nHost: kim@pumps.example\nGuests: lee@pumps.example\n\nPlease answer.",
    ],
    [
      "a record whose words are partly those of header lines",
      { answers },
      "Booked:\n\nOrganizer: kim@pumps.example\nGuest: lee@pumps.example\nDate: 3 May 2026 19:00\n\nPlease answer.",
    ],
    [
      "what another wrote, in a mail that answers nothing",
      { subject: "The rent" },
      "Hello,\n\nOn 26 Nov 2026 at 16:11 Ute Berg <ute@rent.example> wrote:\n\nI pay on Monday.\n\nShe did not. What now?",
    ],
    ["a letter of a day", { answers }, "In our letter of 3 May 2026 we noted:\n> No.\n> Never.\n\nIt stays so."],
  ])("%s", async (_, mail, body) => {
    const text = await extracted(await newBox(), { ...mail, body });
    expect(text).toBe(body.replace(/^> .*\n/gm, ""));
  });
});

describe("a line of the sender that begins with > is kept", () => {
  test.each([
    ["more than a number", "Do not open the valve if the pressure is\n> 6 bar at the gauge.\nCall us then."],
    [
      "more than a number, without a space",
      "We counted again:\n\n>40 % of the seals are cracked.\n\nPlease send more.",
    ],
    ["at least a number", "Keep it open while the level is\n>= 3 m in the shaft.\nThen close it."],
    ["a path of menus", "On the panel open Service\n> Pumps > Seals and press reset.\nDone."],
    ["what mailbox files escape", "Hello,\n\n>From Tuesday on the shop is closed.\n\nRegards"],
    ["a headline", "The sign says\n\n>>> NO ENTRY <<<\n\nso we waited."],
    ["a smile", "It rained in again.\n>:( Third time.\nWe need a roof."],
    ["a difference of files", "Please change this:\n\n7c7\n< seal = old\n---\n> seal = new\n\nThen restart."],
  ])("%s", async (_, body) => {
    expect(await extracted(await newBox(), { answers: "unknown@pumps.example", body })).toBe(body);
  });

  test("also in flowed text, where the sender's line is stuffed", async () => {
    const body = " >50 bar is too much.\nThe seal breaks then.\n\n> How much can it take?\n\nNo more than 20.";
    const type = "text/plain; format=flowed";
    const text = await extracted(await newBox(), { answers: "unknown@pumps.example", type, body });
    expect(text).toContain(">50 bar is too much.");
    expect(text).not.toContain("How much");
  });
});

describe("a quote that only some clients write so is left out", () => {
  const lines = ["Ona: Ann <ann@pumps.example>", "Lusuku: 26 Nov 2026 16:11", "Ku: Lee <lee@pumps.example>"];
  test.each([
    ["below header lines in a language of no list", "text/plain", `${ANSWER}\n\n${lines.join("\n")}\n\nWho comes?`],
    [
      "below header lines in another order",
      "text/plain",
      `${ANSWER}\n\n${lines.toReversed().join("\n")}\n\nWho comes?`,
    ],
    [
      "in a frame that holds its attribution",
      "text/html",
      `<p>${ANSWER}</p><blockquote style="border-left:1px solid">26.11.2026, 16:11, Ann &lt;ann@pumps.example&gt;:<br><p>Who comes?</p></blockquote>`,
    ],
    [
      "below header lines in a table",
      "text/plain",
      `${ANSWER}\n\n| Ona | Ann<ann@pumps.example> |\n| Lusuku | 26 Nov 2026 16:11 |\n| Ku | lee@pumps.example |\nWho comes?`,
    ],
    [
      "in a frame whose header lines have a title",
      "text/html",
      `<p>${ANSWER}</p><blockquote><p>Viesti 26/11/26 16:11<br>Ona: Ann &lt;ann@pumps.example&gt;<br>Ku: lee@pumps.example<br>Lusuku: 26/11/26</p><p>Who comes?</p></blockquote>`,
    ],
    [
      "with bars",
      "text/plain",
      `On 26 Nov 2026 at 16:11 Ann <ann@pumps.example> wrote:\n\n| Who comes?\n\n${ANSWER}\n\n| And when?`,
    ],
    [
      "with initials",
      "text/plain",
      `On 26 Nov 2026 at 16:11 Ann <ann@pumps.example> wrote:\n\nAL> Who comes?\n\n${ANSWER}\n\nAL> And when?`,
    ],
  ])("%s", async (_, type, body) => {
    expect(await extracted(await newBox(), { answers: "unknown@pumps.example", type, body })).toBe(ANSWER);
  });
});

/** A mailbox that got the question, and what a reply to it says. */
async function asked(question: Mail = { body: QUESTION }): Promise<Box & { answers: string }> {
  const box = await newBox();
  const id = `asked${made}@pumps.example`;
  await read(box, { ...question, id, from: "ann@pumps.example" });
  return { ...box, answers: id };
}

describe("a quote that is known from the thread alone is left out", () => {
  const reply = async (body: string, type = "text/plain") => {
    const box = await asked();
    return extracted(box, { answers: box.answers, type, body });
  };

  test("without any form", async () => {
    expect(await reply(`${ANSWER}\n\n${QUESTION}`)).toBe(ANSWER);
  });

  test("with its lines wrapped anew", async () => {
    const words = QUESTION.split(/\s+/);
    const lines = Array.from({ length: Math.ceil(words.length / 4) }, (_, n) =>
      words.slice(4 * n, 4 * n + 4).join(" "),
    );
    expect(await reply(`${ANSWER}\n\n${lines.join("\n")}`)).toBe(ANSWER);
  });

  test("in HTML, and below header lines in a language of no list", async () => {
    const [first, second] = QUESTION.split("\n");
    const header =
      "Ona: Ann &lt;ann@pumps.example&gt;<br>Lusuku: 26 Nov 2026 16:11<br>Ku: Lee &lt;lee@pumps.example&gt;<br>";
    expect(await reply(`<p>${ANSWER}</p><p>${header}</p><p>${first}</p><p>${second}</p>`, "text/html")).toBe(ANSWER);
  });

  test("50 times", async () => {
    expect(await reply(`${ANSWER}\n\n${`${QUESTION}\n\n`.repeat(50)}`)).toBe(ANSWER);
  });

  test("in a mail of 200 kB", async () => {
    const long = Array.from({ length: 2_500 }, (_, n) => `Line ${n} of the record says that the pump ran.`).join("\n");
    const box = await asked({ body: long.slice(0, 30_000) });
    const text = await extracted(box, { answers: box.answers, body: `${ANSWER}\n\n${long}` });
    expect(text.startsWith(ANSWER)).toBe(true);
    expect(text).not.toContain("Line 17 of");
    expect(text).toContain("Line 2499 of");
  });
});

describe("a second mail of the same sender", () => {
  const own = "A seal is on its way.";
  const more = "And I bring a spanner.";
  const body = `${more}\n\n${own}\n\n${QUESTION}`;

  test("quotes the first, where it answers that", async () => {
    const box = await asked();
    const id = `own${made}@pumps.example`;
    await read(box, { answers: box.answers, id, body: own });
    const type = "text/html";
    const html = body.replaceAll("\n", "<br>").replaceAll("'", "&amp;#39;");
    expect(await extracted(box, { answers: id, type, body: html })).toBe(more);
  });

  test("says the same again, where it answers the other", async () => {
    const box = await asked();
    await read(box, { answers: box.answers, body: own });
    expect(await extracted(box, { answers: box.answers, body })).toBe(`${more}\n\n${own}`);
  });
});

describe("an answer that was written into the quote is kept", () => {
  const [first, second] = QUESTION.split("\n");

  test.each([
    [
      "below the header lines of Outlook",
      "text/html",
      `<p>See below.</p><hr><div id="divRplyFwdMsg"><b>From:</b> Ann<br><b>Sent:</b> Thursday, 26 November 2026 16:11<br><b>To:</b> Lee<br><b>Subject:</b> pump</div><p>${first}</p><p style="color:red">Closed off by now.</p><p>${second}</p>`,
    ],
    [
      "in a quoted frame",
      "text/html",
      `<p>See below.</p><blockquote type="cite"><p>${first}</p><p>Closed off by now.</p><p>${second}</p></blockquote>`,
    ],
    ["behind quote marks", "text/plain", `See below.\n\n> ${first}\n> Closed off by now.\n> ${second}`],
    ["below its end", "text/plain", `See below.\n\n> ${first}\n> ${second}\n> Closed off by now.`],
  ])("%s", async (_, type, body) => {
    const box = await asked();
    expect(await extracted(box, { answers: box.answers, type, body })).toBe("See below.\n\nClosed off by now.");
  });
});

test("marks around words that no message of the thread has are the sender's", async () => {
  const box = await asked();
  const body = "The contract says:\n\n> Repairs are paid by the owner of the house.\n\nSo send us the bill.";
  expect(await extracted(box, { answers: box.answers, body })).toBe(body);
  const introduced = `${ANSWER}\n\nOn 26 Nov 2026 at 16:11 Zoe wrote:\n> Repairs are paid by the owner of the house.`;
  expect(await extracted(box, { answers: box.answers, body: introduced })).toBe(ANSWER);
});

test("what a mailing list adds below a quoted message is left out", async () => {
  const box = await asked();
  const quoted = `${QUESTION}\n_______________________\nlist of the house`.replace(/^/gm, "> ");
  expect(await extracted(box, { answers: box.answers, body: `${ANSWER}\n\n${quoted}` })).toBe(ANSWER);
});

describe("a line of the sender that resembles the quote is kept", () => {
  const list = `Which of these days suits you best for the visit?
Wednesday afternoon at half past three
Thursday morning at a quarter to eleven
The second one costs 450 euros more than the first.`;

  test.each([
    ["the same as a line of it, above", `Wednesday afternoon at half past three\n\n${list}`],
    ["the same as a line of it, below", `${list}\n\nWednesday afternoon at half past three`],
  ])("%s", async (_, body) => {
    const box = await asked({ body: list });
    const text = await extracted(box, { answers: box.answers, body });
    expect(text).toBe("Wednesday afternoon at half past three");
  });

  test.each([
    ["changed, above", (own: string) => `${own}\n\n${list}`],
    ["changed, below", (own: string) => `${list}\n\n${own}`],
    ["changed, within quote marks", (own: string) => list.replace(/$/, `\n${own}`).replace(/^/gm, "> ")],
  ])("%s", async (_, make) => {
    const box = await asked({ body: list });
    const own = "The second one costs 460 euros more than the first.";
    expect(await extracted(box, { answers: box.answers, body: `Hello Ann,\n\n${make(own)}` })).toContain(own);
  });
});

describe("what stands elsewhere has no part in the answer", () => {
  const text = `${ANSWER}\n\n${QUESTION}`;
  const reply = { answers: "asked@pumps.example", body: text };

  test("in another thread of the mailbox", async () => {
    const box = await asked();
    const other = await read(box, { id: "other@pumps.example", subject: "Roof", body: "Another matter." });
    const answer = await read(box, { answers: "other@pumps.example", body: text });
    expect(answer.thread_id).toBe(other.thread_id);
    expect(answer.extracted_text).toBe(text);
  });

  test("in another mailbox, also of the same key, and also if the mail names its message", async () => {
    const box = await asked();
    for (const key of [box.key, undefined]) {
      const other = await newBox(key);
      expect(await extracted(other, { ...reply, answers: box.answers })).toBe(text);
      await read(other, { id: "seen@pumps.example", body: "Another matter." });
      const both = { from: `lee@pumps.example\r\nReferences: <${box.answers}> <seen@pumps.example>`, body: text };
      expect(await extracted(other, both)).toBe(text);
    }
  });
});
