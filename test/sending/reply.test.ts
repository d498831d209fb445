// POST /v1/messages/{id}/reply: what goes out, and in which thread. Beside it: messages-reply-{recipients,refused,guard}.test.ts.
import { afterAll, describe, expect, test } from "vitest";
import { inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startReplyRig } from "./reply-rig.ts";

const rig = await startReplyRig();
const { service, client, newReader, departed, messageIdOf } = rig;
afterAll(rig.stop);

describe("202", () => {
  test("the thread, the headers and the subject as a mail program expects them", async () => {
    const reader = await newReader();
    const id = await reader.receive({ subject: "Order", messageId: "<first@else.example>" });
    const { status, body } = await reader.reply(id, { text: "Thanks\n" });
    const asked = await reader.read(id);
    expect([status, body]).toEqual([
      202,
      { id: expect.stringMatching(/^msg_/), status: "queued", thread_id: asked.thread_id },
    ]);
    const mail = await departed(body.id);
    expect(mail.headers["in-reply-to"]).toEqual(["<first@else.example>"]);
    expect(mail.headers.references).toEqual(["<first@else.example>"]);
    expect(mail).toMatchObject({
      envelopeTo: ["writer@else.example"],
      to: ["writer@else.example"],
      cc: [],
      subject: "Re: Order",
      text: "Thanks\n",
      html: "",
      attachments: [],
    });
    expect(await reader.read(body.id)).toMatchObject({ direction: "outbound", subject: "Re: Order", html: null });
  });

  test("References grow by one id per reply, in one thread, for all authors", async () => {
    const reader = await newReader();
    const first = await reader.receive({ messageId: "<a@else.example>" });
    const second = await reader.reply(first);
    const own = await messageIdOf(second.body.id);
    const third = await reader.receive({
      messageId: "<c@else.example>",
      inReplyTo: own,
      references: `<a@else.example> ${own}`,
    });
    const fourth = await reader.reply(third);
    const mail = await departed(fourth.body.id);
    expect(mail.headers.references).toEqual([`<a@else.example> ${own} <c@else.example>`]);
    expect(mail.headers["in-reply-to"]).toEqual(["<c@else.example>"]);
    const threads = new Set((await reader.list()).map((message) => message.thread_id));
    expect([threads.size, (await reader.list()).length]).toEqual([1, 4]);
    const rows = await service.system.sql`
      select t.last_message_id = (select max(m.id::text)::uuid from messages m where m.thread_id = t.id) as newest
      from threads t join inboxes i on i.id = t.inbox_id where i.address = ${reader.address}`;
    expect(rows).toEqual([{ newest: true }]);
  });

  test("an answer to one's own message continues the conversation", async () => {
    const reader = await newReader();
    const sent = await reader.send({
      to: ["one@else.example", "two@else.example"],
      cc: ["three@else.example"],
      bcc: ["four@else.example"],
      subject: "Offer",
    });
    const { body } = await reader.reply(sent.body.id, { text: "One more thing", reply_all: true });
    expect(body.thread_id).toBe(sent.body.thread_id);
    const mail = await departed(body.id);
    expect(mail).toMatchObject({
      envelopeTo: ["one@else.example", "two@else.example", "three@else.example"],
      to: ["one@else.example", "two@else.example"],
      cc: ["three@else.example"],
      subject: "Re: Offer",
    });
    expect(mail.headers["in-reply-to"]).toEqual([await messageIdOf(sent.body.id)]);
  });

  test("In-Reply-To stands in for References when it is one id; many ids keep the first and the last", async () => {
    const reader = await newReader();
    const referencesTo = async (headers: object) => {
      const { body } = await reader.reply(await reader.receive({ messageId: "<p@else.example>", ...headers }));
      return (await departed(body.id)).headers.references?.[0]?.split(/\s+/);
    };
    expect(await referencesTo({ inReplyTo: "<o@else.example>" })).toEqual(["<o@else.example>", "<p@else.example>"]);
    expect(await referencesTo({ text: "2", inReplyTo: "<n@else.example> <o@else.example>" })).toEqual([
      "<p@else.example>",
    ]);
    const many = Array.from({ length: 60 }, (_, i) => `<${i}@else.example>`);
    const kept = await referencesTo({ text: "3", references: many.join(" ") });
    expect([kept?.length, kept?.[0], kept?.[1], kept?.at(-1)]).toEqual([
      21,
      "<0@else.example>",
      "<41@else.example>",
      "<p@else.example>",
    ]);
    const long = Array.from({ length: 30 }, (_, i) => `<${i}${"x".repeat(700)}@else.example>`);
    const bounded = await referencesTo({ text: "4", references: long.join(" ") });
    expect([bounded?.[0], bounded?.at(-1)]).toEqual([long[0], "<p@else.example>"]);
    expect(bounded?.join(" ").length).toBeLessThan(4_200);
  });

  test("no header line is longer than 998 octets, whatever id was sent", async () => {
    const reader = await newReader();
    const huge = `<${"y".repeat(950)}@else.example>`;
    const { body } = await reader.reply(
      await reader.receive({ messageId: huge, references: `${huge} <ok@else.example>` }),
    );
    const mail = await departed(body.id);
    expect(Math.max(...(mail.raw ?? "").split("\r\n").map((line) => line.length))).toBeLessThanOrEqual(998);
    expect(mail.headers.references).toEqual(["<ok@else.example>"]);
  });

  test("one `Re:`, whatever stood there before", async () => {
    const reader = await newReader();
    for (const [n, [subject, expected]] of (
      [
        ["RE: Re[2]: AW: Antw: SV: VS: RES: Odp: Ynt: Hi", "Re: Hi"],
        ["回复: 回覆：答复: Hi", "Re: Hi"],
        ["Re : Hi", "Re: Hi"],
        ["WG: AW: Hi", "Re: WG: AW: Hi"],
        ["R: Hi", "Re: Hi"],
        ["r: a language", "Re: r: a language"],
        ["Res ipsa: Hi", "Re: Res ipsa: Hi"],
        ["", "Re:"],
        ["re:", "Re:"],
        [`${"Re: ".repeat(40)}Grüße 👋`, "Re: Grüße 👋"],
      ] as const
    ).entries()) {
      const { body } = await reader.reply(await reader.receive({ subject, text: `${n}` }));
      expect([subject, (await reader.read(body.id)).subject]).toEqual([subject, expected]);
    }
  });

  test("a reply may be HTML alone or have attachments, and quotes nothing", async () => {
    const reader = await newReader();
    const id = await reader.receive({ text: "The question", html: "<p>The question</p>" });
    const file = { filename: "a.bin", content_type: "application/pdf", content_base64: "AAH/" };
    const { body } = await reader.reply(id, { html: "<p>Yes</p>", attachments: [file] });
    const mail = await departed(body.id);
    expect(mail.raw).not.toContain("The question");
    expect(mail.html.trim()).toBe("<p>Yes</p>");
    expect(mail.attachments).toMatchObject([{ filename: "a.bin", content: Buffer.from([0, 1, 255]) }]);
  });

  test("for a key restricted to its mailbox, by the scope of sending alone", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const [mine, other] = [await rig.inboxFor(agentKey), await rig.inboxFor(agentKey)];
    const ids = [await mine.receive(), await other.receive()];
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [mine.address], scopes: ["mailbox:send"] });
    const reply = (id: string | undefined) => client.post<Sent>(`/v1/messages/${id}/reply`, { text: "x" }, { key });
    expect((await reply(ids[0])).status).toBe(202);
    expect((await reply(ids[1])).status).toBe(404);
  });
});

describe("an outbound message", () => {
  test("counts as read and is found by its words, in text or HTML", async () => {
    const reader = await newReader();
    const id = await reader.receive();
    const answers = [
      await reader.reply(id, { text: "a zebra" }),
      await reader.reply(id, { html: "<p>a <b>zebra</b></p>" }),
    ];
    const sent = await reader.send({ to: "zebra@else.example" });
    for (const filter of ["q=zebra", "direction=outbound"]) {
      const found = await client.get<Page<{ id: string; read: boolean }>>(
        inboxPath(reader.address, `/messages?${filter}`),
        { key: reader.key },
      );
      const expected = [sent, ...answers.toReversed()].map(({ body }) => ({ id: body.id, read: true }));
      expect(found.body.data.map((message) => ({ id: message.id, read: message.read }))).toEqual(expected);
    }
  });
});

describe("400", () => {
  test("neither text nor html; fields of another type; `reply_all` is true or false and nothing like it", async () => {
    const reader = await newReader();
    const id = await reader.receive();
    const bad = [{}, { text: "" }, { text: 5 }, { html: null }, { text: "x", attachments: "x" }, { text: "x\0" }];
    const all = ["no", "yes", 0, 1, []].map((reply_all) => ({ text: "x", reply_all }));
    const last = ["", "x", 5, "msg_", reader.id].map((expected_last_message_id) => {
      return { text: "x", expected_last_message_id };
    });
    for (const json of [...bad, ...all, ...last]) {
      const { status, body } = await reader.reply(id, json);
      expect([json, status, body.error?.code]).toEqual([json, 400, "invalid_request"]);
    }
    expect(await reader.list()).toHaveLength(1);
  });
});

describe("404", () => {
  test("an unknown message, another organization's, and one of a deleted mailbox are not found", async () => {
    const [reader, stranger] = [await newReader(), await newReader()];
    const [id, theirs] = [await reader.receive(), await stranger.receive()];
    await client.delete(inboxPath(reader.address), { key: reader.key });
    const unknown = "msg_01jd3m9v5sf0b8j3mgz7qk2x4c";
    const bodies = [];
    for (const name of [unknown, id, theirs, "x", "%00", `${id}x`]) {
      const { status, body } = await reader.reply(name);
      expect([name, status]).toEqual([name, 404]);
      bodies.push(body);
    }
    const words = bodies.map(({ error: { request_id: _, ...error } }) => JSON.stringify(error));
    expect(new Set(words).size).toBe(1);
    expect(bodies[0]?.error.code).toBe("message_not_found");
    expect(await stranger.list()).toHaveLength(1);
  });
});
