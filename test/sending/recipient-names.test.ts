// Names of recipients: how they leave, where they are shown, and what a reply makes of them.
import PostalMime from "postal-mime";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startReplyRig } from "./reply-rig.ts";

const { client, service, sink, inboxFor, stop } = await startReplyRig({ RATE_LIMIT_PER_SECOND: "1000" });
const { agentKey: key } = await service.newOrganization();
const { address, receive } = await inboxFor(key);
afterAll(stop);

type Shown = { to: string[]; reply_to: string[]; recipients: { address: string; name?: string }[]; status: string };
type Mailbox = { name: string; address?: string };

const SEND = inboxPath(address, "/send");
let last = 0;
/** Sends with its own subject. @returns the id, and the mail that left */
async function sent(json: object, path = SEND) {
  last += 1;
  const mark = `Mark-${last}-end`;
  const { status, body } = await client.post<Sent & Failure>(path, { text: mark, ...json }, { key });
  expect([status, body.error?.message]).toEqual([202, undefined]);
  const raw = await eventually(() => sink.received.find((each) => each.raw.includes(mark))?.raw ?? expect.fail());
  const header = raw.toString("latin1").split("\r\n\r\n", 1)[0] ?? "";
  return { id: body.id, raw, header, mail: await PostalMime.parse(raw) };
}
const read = async (id: string) => (await client.get<Shown>(`/v1/messages/${id}`, { key })).body;
const namesOf = (list: Mailbox[] | undefined) => (list ?? []).map(({ name, address: at }) => [name, at]);

describe("a name before the address of a recipient", () => {
  test.each([
    ["words", "Ann Lee <ann@shop.example>", "Ann Lee"],
    ["a comma in quotes", '"Lee, Ann" <ann@shop.example>', "Lee, Ann"],
    ["quotes in quotes", String.raw`"Ann \"Boss\" Lee" <ann@shop.example>`, 'Ann "Boss" Lee'],
    ["a full stop", "Dr. A. Lee <ann@shop.example>", "Dr. A. Lee"],
    ["letters outside ASCII", "Zoë Grün <ann@shop.example>", "Zoë Grün"],
    ["another script", "山田 花子 <ann@shop.example>", "山田 花子"],
    ["a long one", `${"Привет ".repeat(20).trim()} <ann@shop.example>`, "Привет ".repeat(20).trim()],
    ["several blanks", '"Ann  Lee" <ann@shop.example>', "Ann  Lee"],
    ["what looks like an encoded word", "=?utf-8?q?Ann?= <ann@shop.example>", "=?utf-8?q?Ann?="],
    ["an address of another", '"ceo@bank.example" <ann@shop.example>', "ceo@bank.example"],
    ["parentheses", '"Ann (Sales)" <ann@shop.example>', "Ann (Sales)"],
    ["its own address", "ANN@shop.example <ann@shop.example>", ""],
    ["nothing but quotes", '"" <ann@shop.example>', ""],
  ])("%s: it is in To, in ASCII, in lines that fit", async (_what, to, name) => {
    const { id, header, mail } = await sent({ to });
    expect(namesOf(mail.to as Mailbox[])).toEqual([[name, "ann@shop.example"]]);
    expect(header).toMatch(/^\p{ASCII}*$/u);
    for (const line of header.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
    const { to: shown, recipients } = await read(id);
    expect(shown).toEqual(["ann@shop.example"]);
    expect(recipients.map((each) => each.name)).toEqual([name || undefined]);
  });

  test("Cc and Reply-To have theirs, and a name in Bcc is nowhere.", async () => {
    const { id, raw, mail } = await sent({
      to: "Ann Lee <ann@shop.example>, Bob <bob@shop.example>",
      cc: ["Zoë <zoe@shop.example>"],
      bcc: ["Secret Person <secret@shop.example>"],
      reply_to: "Help, please <help@shop.example>",
    });
    expect(namesOf(mail.to as Mailbox[])).toEqual([
      ["Ann Lee", "ann@shop.example"],
      ["Bob", "bob@shop.example"],
    ]);
    expect(namesOf(mail.cc as Mailbox[])).toEqual([["Zoë", "zoe@shop.example"]]);
    expect(namesOf(mail.replyTo as Mailbox[])).toEqual([["Help, please", "help@shop.example"]]);
    expect(raw.toString()).not.toMatch(/secret/i);
    const { recipients } = await read(id);
    expect(recipients.map((each) => each.name)).toEqual(["Ann Lee", "Bob", "Zoë", undefined]);
  });

  test("Reply-To may have several addresses, each with its name.", async () => {
    const reply_to = ["Help, please <help@shop.example>", "desk@shop.example"];
    const { id, mail } = await sent({ to: "ann@shop.example", reply_to });
    expect(namesOf(mail.replyTo as Mailbox[])).toEqual([
      ["Help, please", "help@shop.example"],
      ["", "desk@shop.example"],
    ]);
    expect((await read(id)).reply_to).toEqual(["help@shop.example", "desk@shop.example"]);
    const wrong = { to: "ann@shop.example", text: "x", reply_to: ["desk@shop.example", "desk"] };
    const { status, body } = await client.post<Failure>(SEND, wrong, { key });
    expect([status, body.error.issues?.[0]?.path]).toEqual([400, "reply_to.1"]);
  });

  test("A name in Bcc is nowhere even if its address is in To or Reply-To.", async () => {
    const { raw, mail } = await sent({
      to: "ann@shop.example",
      bcc: ["Do not tell <ann@shop.example>", "Secret desk <help@shop.example>"],
      reply_to: "help@shop.example",
    });
    expect(namesOf(mail.to as Mailbox[])).toEqual([["", "ann@shop.example"]]);
    expect(raw.toString()).not.toMatch(/secret|tell/i);
  });

  test("A character that turns the direction of a line is left out.", async () => {
    const { mail } = await sent({ to: "Ann\u202e eel <ann@shop.example>", reply_to: "H\u2067elp <h@shop.example>" });
    expect(namesOf([...(mail.to ?? []), ...(mail.replyTo ?? [])] as Mailbox[])).toEqual([
      ["Ann  eel", "ann@shop.example"],
      ["H elp", "h@shop.example"],
    ]);
  });

  test("A name that is too long in quotes is refused, so that every stored one can be written again.", async () => {
    const to = `${"\\".repeat(250)}x <ann@shop.example>`;
    const { status, body } = await client.post<Failure>(SEND, { to, text: "x" }, { key });
    expect([status, body.error.issues?.[0]?.path]).toEqual([400, "to.0"]);
  });

  test("Of a recipient that is named twice, the first name counts.", async () => {
    const { mail } = await sent({
      to: ["First <ann@shop.example>", "Second <ann@shop.example>"],
      cc: "ann@shop.example",
    });
    expect(namesOf(mail.to as Mailbox[])).toEqual([["First", "ann@shop.example"]]);
    expect(mail.cc ?? []).toEqual([]);
  });

  test("The same bytes are in GET raw, and mail is found by the name.", async () => {
    const { id, header } = await sent({ to: '"Quixote, Ann" <ann@shop.example>' });
    const { text } = await client.exchange("GET", `/v1/messages/${id}/raw`, { key });
    expect(text).toContain(/^To: .*$/m.exec(header)?.[0] ?? "no To");
    const { body } = await client.get<Page<{ id: string }>>(inboxPath(address, "/messages?q=quixote"), { key });
    expect(body.data.map((each) => each.id)).toEqual([id]);
  });

  test("A draft leaves with its names.", async () => {
    const to = ["Ann Lee <ann@shop.example>"];
    const fields = { inbox: address, to, subject: "D", text: "x" };
    const draft = await client.post<{ id: string }>("/v1/drafts", fields, { key });
    expect(draft.status).toBe(201);
    const answer = await client.post<Sent>(`/v1/drafts/${draft.body.id}/send`, { revision: 1 }, { key });
    expect(answer.status).toBe(202);
    expect((await read(answer.body.id)).recipients.map((each) => each.name)).toEqual(["Ann Lee"]);
  });
});

describe("a reply", () => {
  test("has the names that the mail has.", async () => {
    const asked = await receive({
      from: "Zoë Grün <zoe@shop.example>",
      to: [address, '"Lee, Carl" <carl@shop.example>', "Zoë Weiß <weiss@shop.example>"],
      envelope: { from: "zoe@shop.example", to: address },
    });
    const { mail } = await sent({ reply_all: true }, `/v1/messages/${asked}/reply`);
    expect(namesOf(mail.to as Mailbox[])).toEqual([["Zoë Grün", "zoe@shop.example"]]);
    expect(namesOf(mail.cc as Mailbox[])).toEqual([
      ["Lee, Carl", "carl@shop.example"],
      ["Zoë Weiß", "weiss@shop.example"],
    ]);
  });

  test.each([
    ["before the @", "zoë@shop.example", "zoë@shop.example"],
    ["behind it", "zoe@grün.example", "zoe@xn--grn-ioa.example"],
    ["on both sides", "zoë@grün.example", "zoë@grün.example"],
  ])("has the name where the address of the sender has letters outside ASCII %s.", async (_where, from, written) => {
    const head = [`From: Zoë Weiß <${from}>`, `To: ${address}`, `Subject: ${from}`].join("\r\n");
    const asked = await receive({
      raw: `${head}\r\n\r\nWhen?\r\n`,
      envelope: { from: "desk@shop.example", to: address },
    });
    const { raw } = await sent({}, `/v1/messages/${asked}/reply`);
    const { to } = await PostalMime.parse(raw);
    expect(namesOf(to as Mailbox[])).toEqual([["Zoë Weiß", written]]);
  });

  test("keeps no name of people whom it does not go to.", async () => {
    const asked = await receive({
      from: "Zoë Grün <zoe@shop.example>",
      to: [address, '"Lee, Carl" <carl@shop.example>'],
      envelope: { from: "zoe@shop.example", to: address },
    });
    const { id } = await sent({}, `/v1/messages/${asked}/reply`);
    const [row] = await service.system.sql`
      select recipient_names from messages where id = ${decodeId("msg", id) as string}`;
    expect(row?.recipient_names).toEqual([["zoe@shop.example", "Zoë Grün"]]);
  });

  test("to own mail has the names that were given.", async () => {
    const first = await sent({ to: "Ann Lee <ann@shop.example>", cc: "Bob <bob@shop.example>" });
    const { mail } = await sent({ reply_all: true, cc: ["Dan <dan@shop.example>"] }, `/v1/messages/${first.id}/reply`);
    expect(namesOf(mail.to as Mailbox[])).toEqual([["Ann Lee", "ann@shop.example"]]);
    expect(namesOf(mail.cc as Mailbox[])).toEqual([
      ["Bob", "bob@shop.example"],
      ["Dan", "dan@shop.example"],
    ]);
  });
});
