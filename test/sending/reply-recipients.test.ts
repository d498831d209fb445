// POST /v1/messages/{id}/reply: whom an answer goes to, read from what the relay got.
import { afterAll, describe, expect, test } from "vitest";
import { startReplyRig } from "./reply-rig.ts";

const rig = await startReplyRig();
const { newReader, departed } = rig;
afterAll(rig.stop);

type Reader = Awaited<ReturnType<typeof newReader>>;

async function answer(reader: Reader, mail: object, json: object = {}) {
  const { status, body } = await reader.reply(await reader.receive(mail), { text: "x", ...json });
  if (status !== 202) return { status, code: body.error.code, message: body.error.message };
  const { to, cc, envelopeTo } = await departed(body.id);
  expect(envelopeTo).toEqual([...to, ...cc]);
  return { status, to, cc };
}

/** The mailbox as others may write it. */
const forms = ({ address }: Reader) => [address, address.toUpperCase(), address.replace("@", "+tag@")];

describe("202", () => {
  test("Reply-To, all of it, before From", async () => {
    const reader = await newReader();
    const replyTo = ["Desk <desk@else.example>", "second@else.example"];
    expect(await answer(reader, { replyTo })).toMatchObject({
      to: ["desk@else.example", "second@else.example"],
      cc: [],
    });
    expect(await answer(reader, { text: "2" })).toMatchObject({ to: ["writer@else.example"], cc: [] });
  });

  test("reply_all adds To and Cc, each address once, and never our own", async () => {
    const reader = await newReader();
    const mail = {
      to: [...forms(reader), "One <one@else.example>", "ONE@else.example"],
      cc: ["two@else.example", "writer@else.example", ...forms(reader)],
    };
    const all = { status: 202, to: ["writer@else.example"], cc: ["one@else.example", "two@else.example"] };
    expect(await answer(reader, mail, { reply_all: true })).toEqual(all);
    expect(await answer(reader, { ...mail, text: "2" }, { reply_all: false })).toEqual({ ...all, cc: [] });
  });

  test("a Reply-To that is our own address falls back to From", async () => {
    const reader = await newReader();
    for (const replyTo of forms(reader)) {
      expect(await answer(reader, { replyTo, text: replyTo })).toMatchObject({ to: ["writer@else.example"] });
    }
  });

  const long = `tickets+${"ab12-".repeat(18)}@in.else.example`;
  test.each([
    ["more than 64 octets before @", long, long],
    ["a host with a low line", "odd@else_where.example", "odd@else_where.example"],
    ["the link of an address", "<mailto:desk@else.example>", "desk@else.example"],
    ["the dot of the root", "desk@else.example.", "desk@else.example"],
  ])("a Reply-To with %s", async (_name, replyTo, address) => {
    const reader = await newReader();
    const raw = [
      "From: writer@else.example",
      `To: ${reader.address}`,
      `Reply-To: ${replyTo}`,
      "Subject: x",
      "",
      "Hello",
    ].join("\r\n");
    const mail = { raw, envelope: { from: "writer@else.example", to: reader.address } };
    expect(await answer(reader, mail)).toMatchObject({ status: 202, to: [address] });
  });

  test("mail that came from our own address goes to those it was for", async () => {
    const reader = await newReader();
    const mail = { from: reader.address, to: [reader.address, "one@else.example"], cc: "two@else.example" };
    expect(await answer(reader, mail)).toMatchObject({ to: ["one@else.example"], cc: [] });
  });

  test("`cc` and `bcc` add others, each once, and no one reads who got a blind copy", async () => {
    const reader = await newReader();
    const mail = { to: [reader.address, "one@else.example"] };
    const json = {
      text: "x",
      reply_all: true,
      cc: "ONE@else.example, Two <two@else.example>",
      bcc: ["three@else.example"],
    };
    const { status, body } = await reader.reply(await reader.receive(mail), json);
    expect(status).toBe(202);
    const { to, cc, envelopeTo } = await departed(body.id);
    expect({ to, cc }).toEqual({ to: ["writer@else.example"], cc: ["one@else.example", "two@else.example"] });
    expect(envelopeTo).toEqual([...to, ...cc, "three@else.example"]);
  });

  test("50 recipients in all", async () => {
    const reader = await newReader();
    const cc = Array.from({ length: 49 }, (_, i) => `a${i}@else.example`);
    expect(await answer(reader, { cc }, { reply_all: true })).toMatchObject({ status: 202 });
  });
});

describe("422", () => {
  const unreadable = { status: 422, code: "reply_refused", message: expect.stringContaining("cannot be sent to") };

  test.each(["ann@[192.0.2.7]", '"case 7@else.example" <case7>', "desk@else.example, a b@@else.example"])(
    "Reply-To: %s",
    async (value) => {
      const reader = await newReader();
      expect(await answer(reader, { headers: [{ key: "Reply-To", value }] })).toEqual(unreadable);
    },
  );

  test("reply_all to a Cc that mail cannot be sent to; a reply to the sender leaves", async () => {
    const reader = await newReader();
    const mail = { headers: [{ key: "Cc", value: "Ops <ops@[192.0.2.7]>" }] };
    expect(await answer(reader, mail, { reply_all: true })).toEqual(unreadable);
    expect(await answer(reader, { ...mail, text: "2" })).toMatchObject({ to: ["writer@else.example"] });
  });

  test("the mailbox itself is the only recipient; reply_all may add others", async () => {
    const reader = await newReader();
    const mail = { from: reader.address, to: forms(reader) };
    const refused = { status: 422, code: "reply_refused", message: expect.stringContaining("only recipient") };
    expect(await answer(reader, mail)).toEqual(refused);
    expect(await answer(reader, { ...mail, text: "2" }, { reply_all: true })).toEqual(refused);
    const withCopy = { ...mail, text: "3", cc: "one@else.example" };
    expect(await answer(reader, withCopy)).toEqual({ ...refused, message: expect.stringContaining("reply_all") });
    expect(await answer(reader, { ...withCopy, text: "4" }, { reply_all: true })).toMatchObject({
      to: ["one@else.example"],
      cc: [],
    });
  });

  test("more than 50 recipients", async () => {
    const reader = await newReader();
    const cc = Array.from({ length: 50 }, (_, i) => `a${i}@else.example`);
    const refused = { status: 422, code: "reply_refused", message: expect.stringContaining("50") };
    expect(await answer(reader, { cc }, { reply_all: true })).toEqual(refused);
    expect(await answer(reader, { text: "2", replyTo: [...cc, "b@else.example"] })).toEqual(refused);
    expect(await answer(reader, { text: "3" }, { bcc: cc })).toMatchObject({ status: 400, code: "invalid_request" });
  });
});
