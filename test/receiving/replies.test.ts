// The new part of mail that repeats earlier messages of its thread.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { newId } from "#server/base/ids.ts";
import { ensureParsed } from "#server/receiving/parse.ts";
import { addMailbox, emptyTables, type Inbound, mailOf, openInbound, receive } from "../support/inbound.ts";

const QUESTION = "The lamp on the second floor flickers at night.\r\nWho can come and look at it this week?\r\n";
const ANSWER = "Our electrician comes on Thursday.";

let inbound: Inbound;
let address: string;

beforeAll(async () => {
  inbound = await openInbound();
});
beforeEach(async () => {
  await emptyTables(inbound, "messages", "raw_messages", "events", "threads");
  ({ address } = await addMailbox(inbound));
});
afterAll(() => inbound.close());

type Mail = { to?: string; from: string; id: string; answers?: string; body: string; type?: string };

async function extracted({ to = address, from, id, answers, body, type = "text/plain" }: Mail): Promise<string> {
  const reply = answers === undefined ? [] : [`In-Reply-To: <${answers}>`];
  const headers = [
    `From: ${from}`,
    "Subject: Re: lamp",
    `Message-ID: <${id}>`,
    `Content-Type: ${type}; charset=utf-8`,
    ...reply,
  ];
  const outcome = await receive(inbound, { recipients: [to], raw: mailOf(headers, body) });
  const [message] = outcome.outcome === "stored" ? outcome.ids : [];
  await ensureParsed(inbound.ctx, message as string);
  const [row] = await inbound.ctx.sql`select extracted_text from messages where id = ${message as string}`;
  return row?.extracted_text;
}

describe("a reply that repeats the message it answers without any mark", () => {
  test("has only its own lines as the new part", async () => {
    await extracted({ from: "ann@shop.example", id: "q1@shop.example", body: QUESTION });
    const reply = { from: "lee@power.example", id: "a1@power.example", answers: "q1@shop.example" };
    expect(await extracted({ ...reply, body: `${ANSWER}\r\n\r\n${QUESTION}` })).toBe(ANSWER);
  });

  test("has it also if the message was sent from this mailbox as HTML alone", async () => {
    const thread = await extracted({
      from: "ann@shop.example",
      id: "q2@shop.example",
      body: "First of all: hello.\r\n",
    });
    expect(thread).toBe("First of all: hello.");
    const [row] = await inbound.ctx.sql`select * from messages`;
    const html = `<p>${QUESTION.trim().replaceAll("\r\n", "<br>")}</p>`;
    const sent = {
      id: newId(),
      direction: "outbound",
      status: "delivered",
      from_address: address,
      text: null,
      safe_text: null,
    };
    const own = { ...row, ...sent, html, rfc_message_id: "s2@mail.localhost", duplicate_key: null, search: null };
    await inbound.ctx.sql`insert into messages ${inbound.ctx.sql(own as unknown as Record<string, string>)}`;
    const reply = { from: "lee@power.example", id: "a2@power.example", answers: "s2@mail.localhost" };
    expect(await extracted({ ...reply, body: `${ANSWER}\r\n\r\n${QUESTION}` })).toBe(ANSWER);
  });

  test("keeps answers between the lines", async () => {
    await extracted({ from: "ann@shop.example", id: "q3@shop.example", body: QUESTION });
    const [first, second] = QUESTION.trim().split("\r\n");
    const reply = { from: "lee@power.example", id: "a3@power.example", answers: "q3@shop.example" };
    const body = `${first}\r\nIt is the switch.\r\n${second}\r\n${ANSWER}\r\n`;
    expect(await extracted({ ...reply, body })).toBe(`It is the switch.\n\n${ANSWER}`);
  });
});

describe("what stands in an earlier message is new", () => {
  test("if the sender of both is the same", async () => {
    await extracted({ from: "ann@shop.example", id: "q4@shop.example", body: QUESTION });
    const again = { from: "ann@shop.example", id: "r4@shop.example", answers: "q4@shop.example" };
    const text = `Second try:\n\n${QUESTION.trim().replaceAll("\r\n", "\n")}`;
    expect(await extracted({ ...again, body: text.replaceAll("\n", "\r\n") })).toBe(text);
  });

  test("if the message is in another mailbox", async () => {
    const other = await addMailbox(inbound);
    await extracted({ to: other.address, from: "ann@shop.example", id: "q5@shop.example", body: QUESTION });
    const reply = { from: "lee@power.example", id: "a5@power.example", answers: "q5@shop.example" };
    const text = `${ANSWER}\n\n${QUESTION.trim().replaceAll("\r\n", "\n")}`;
    expect(await extracted({ ...reply, body: text.replaceAll("\n", "\r\n") })).toBe(text);
  });

  test("if it is a single sentence of a longer message", async () => {
    await extracted({
      from: "ann@shop.example",
      id: "q6@shop.example",
      body: `${QUESTION}The caretaker has the key to the cellar.\r\n`,
    });
    const reply = { from: "lee@power.example", id: "a6@power.example", answers: "q6@shop.example" };
    expect(await extracted({ ...reply, body: "The caretaker has the key to the cellar.\r\nNo, I have it.\r\n" })).toBe(
      "The caretaker has the key to the cellar.\nNo, I have it.",
    );
  });
});
