// POST /v1/messages/{id}/forward: what goes along. Guard, idempotency and cap: reply-guard.test.ts.
import { afterAll, describe, expect, test } from "vitest";
import { inboxPath } from "#test/support/api.ts";
import { startReplyRig } from "./reply-rig.ts";

const MAX_BYTES = 26_214_400;
const TO = "boss@else.example";
const RULE = "---------- Forwarded message ---------";
const rig = await startReplyRig();
const { service, client, newReader, departed, messageIdOf } = rig;
afterAll(rig.stop);

type Reader = Awaited<ReturnType<typeof newReader>>;

async function forwarded(reader: Reader, mail: object, json: object = {}) {
  const { body } = await reader.forward(await reader.receive(mail), { to: TO, ...json });
  return departed(body.id);
}
const lines = (text: string) => text.replaceAll("\r\n", "\n");

describe("202", () => {
  test("the caller's words, then whose mail it is, then the mail; in its thread", async () => {
    const reader = await newReader();
    const id = await reader.receive({
      subject: "Invoice",
      date: new Date("2026-11-20T09:30:00Z"),
      cc: "copy@else.example",
      messageId: "<i@else.example>",
      text: "Please pay.\n",
    });
    const { status, body } = await reader.forward(id, {
      to: `Boss <${TO}>`,
      bcc: ["b@else.example"],
      text: "See below",
    });
    expect([status, body.thread_id]).toEqual([202, (await reader.read(id)).thread_id]);
    const mail = await departed(body.id);
    expect(mail).toMatchObject({
      to: [TO],
      cc: [],
      envelopeTo: [TO, "b@else.example"],
      subject: "Fwd: Invoice",
      html: "",
    });
    expect(mail.headers).toMatchObject({ "in-reply-to": ["<i@else.example>"], references: ["<i@else.example>"] });
    expect(lines(mail.text).trimEnd()).toBe(
      [
        "See below",
        "",
        RULE,
        "From: Writer <writer@else.example>",
        "Date: Fri, 20 Nov 2026 09:30:00 GMT",
        "Subject: Invoice",
        `To: ${reader.address}`,
        "Cc: copy@else.example",
        "",
        "Please pay.",
      ].join("\n"),
    );
  });

  test("HTML goes in the HTML part, foreign names and the caller's text as text", async () => {
    const reader = await newReader();
    const mail = { from: '"<b>Eve</b>" <eve@else.example>', subject: "a & b", text: "plain", html: "<p>rich</p>" };
    const sent = await forwarded(reader, mail, { text: "1 < 2" });
    expect(lines(sent.text)).toMatch(/^1 < 2\n\n-+ Forwarded message -+\nFrom: <b>Eve<\/b> <eve@else.example>\n/);
    expect(lines(sent.text).trimEnd()).toMatch(/\n\nplain$/);
    expect(sent.html).toContain("1 &lt; 2");
    expect(sent.html).toContain("From: &lt;b&gt;Eve&lt;/b&gt; &lt;eve@else.example&gt;<br>");
    expect(sent.html).toContain("Subject: a &amp; b<br>");
    expect(sent.html.trimEnd()).toMatch(/<p>rich<\/p>$/);
  });

  test("each part is complete, whichever the mail and the caller have", async () => {
    const reader = await newReader();
    const plain = await forwarded(reader, { text: "only <text>" }, { html: "<i>hi</i>" });
    expect(plain.html).toMatch(/^<i>hi<\/i>[\s\S]*Forwarded message[\s\S]*only &lt;text&gt;/);
    expect(lines(plain.text)).toMatch(/^-+ Forwarded[\s\S]*only <text>/);
    const rich = await forwarded(reader, { text: undefined, html: "<p>only html</p>" });
    expect([rich.text, rich.html.includes("<p>only html</p>"), rich.html.includes(RULE)]).toEqual(["", true, true]);
    const both = await forwarded(reader, { text: undefined, html: "<p>seen words</p>" }, { text: "look" });
    expect(lines(both.text)).toMatch(/^look\n\n-+ Forwarded[\s\S]*seen words/);
    expect(both.html).toMatch(/look[\s\S]*Forwarded[\s\S]*<p>seen words<\/p>/);
  });

  test("all attachments of the mail, inline ones too, before the caller's", async () => {
    const reader = await newReader();
    const bytes = Buffer.from([0, 1, 2, 255]);
    const nested = "From: a@else.example\r\nSubject: inner\r\n\r\ninner\r\n";
    const attachments = [
      { filename: "ä 1.bin", content: bytes, contentType: "application/pdf" },
      { filename: "../../logo.png", content: bytes, contentType: "image/png", cid: "logo@x" },
      { content: nested, contentType: "message/rfc822", contentDisposition: "attachment" as const },
      { content: bytes, contentType: "weird", contentDisposition: "attachment" as const, filename: false as const },
    ];
    const own = { filename: "own.txt", content_type: "text/plain", content_base64: "b3du" };
    const mail = { html: '<img src="cid:logo@x">', attachments };
    const sent = await forwarded(reader, mail, { attachments: [own] });
    const names = sent.attachments.map(({ filename }) => filename);
    expect([names.length, names.at(-1)]).toEqual([5, "own.txt"]);
    const content = (name: string) => sent.attachments.find(({ filename }) => filename === name)?.content;
    expect([content("ä 1.bin"), content("../../logo.png"), content("own.txt")?.toString()]).toEqual([
      bytes,
      bytes,
      "own",
    ]);
    expect(sent.raw).toMatch(/Content-Type: message\/rfc822[\s\S]*\r\n\r\nFrom: a@else\.example\r\nSubject: inner/);
    expect(sent.attachments.filter((file) => file.content.equals(bytes))).toHaveLength(3);
  });

  test("a picture that the HTML shows keeps its id, and another file with an id is below it", async () => {
    const reader = await newReader();
    const html = '<p>Look <img src="cid:image001.png@01DC.5A"></p>';
    const attachments = [
      { filename: "image001.png", cid: "image001.png@01DC.5A", content: Buffer.from("png"), contentType: "image/png" },
      { filename: "plan.pdf", cid: "f_plan", content: Buffer.from("pdf"), contentType: "application/pdf" },
    ];
    const { raw = "" } = await forwarded(reader, { html, attachments });
    expect(raw).toMatch(/Content-Type: image\/png[\s\S]*?Content-ID: <image001\.png@01DC\.5A>/i);
    expect(raw).toMatch(/multipart\/related/);
    expect(raw.match(/^Content-ID: /gim)).toHaveLength(1);
    expect(raw).toMatch(/Content-Disposition: attachment; filename=plan\.pdf/);
  });

  test.each([
    ["text/plain; charset=koi8-r", "a.txt"],
    ["text/calendar; charset=iso-8859-1; method=REQUEST", "i.ics"],
    ["text/csv; charset=windows-1251; header=present", "c.csv"],
  ])("a file keeps what its octets mean: %s", async (contentType, filename) => {
    const reader = await newReader();
    const content = Buffer.from([0x41, 0xc4, 0xd6, 0x0d, 0x0a]);
    const id = await reader.receive({ attachments: [{ filename, content, contentType }] });
    const { attachments } = await reader.read(id);
    expect(attachments[0]?.content_type).toBe(contentType.split(";")[0]);
    const again = { message_id: id, attachment_id: attachments[0]?.id };
    const answers = [
      await reader.forward(id, { to: TO }),
      await reader.send({ to: TO, text: "x", attachments: [again] }),
    ];
    for (const { body } of answers) {
      const { raw = "" } = await departed(body.id);
      const [, ...parameters] = contentType.replace("; header=present", "").split("; ");
      const type = /^Content-Type: text\/(?!plain; charset=utf-8)[\s\S]*?(?=\r\n\S)/m.exec(raw)?.[0] ?? "";
      for (const parameter of parameters) expect(type.replaceAll('"', "")).toContain(parameter);
      expect(raw).toContain(content.toString("base64"));
    }
  });

  test("one's own message with its attachments, and a forward of the forward", async () => {
    const reader = await newReader();
    const file = { filename: "a.txt", content_type: "text/plain", content_base64: "YQ==" };
    const sent = await reader.send({ to: "one@else.example", subject: "Plan", text: "The plan", attachments: [file] });
    const first = await reader.forward(sent.body.id, { to: TO });
    const second = await reader.forward(first.body.id, { to: TO, text: "Again" });
    const mail = await departed(second.body.id);
    expect(mail.subject).toBe("Fwd: Plan");
    expect(lines(mail.text).split(RULE)).toHaveLength(3);
    expect(mail.text).toContain(`From: ${reader.address}`);
    expect(mail.attachments).toMatchObject([{ filename: "a.txt", content: Buffer.from("a") }]);
    const ids = [await messageIdOf(sent.body.id), await messageIdOf(first.body.id)];
    expect(mail.headers.references).toEqual([ids.join(" ")]);
  });

  test("one `Fwd:`, whatever stood there before", async () => {
    const reader = await newReader();
    for (const [subject, expected] of [
      ["FW: WG: TR : RV: Enc: I: Hi", "Fwd: Hi"],
      ["转发：Hi", "Fwd: Hi"],
      ["Re: Hi", "Fwd: Re: Hi"],
      ["i: Hi", "Fwd: i: Hi"],
      ["", "Fwd:"],
    ]) {
      const { body } = await reader.forward(await reader.receive({ subject, text: subject || "none" }), { to: TO });
      expect([subject, (await reader.read(body.id)).subject]).toEqual([subject, expected]);
    }
  });

  test("a mail whose body could not be read goes along as a file", async () => {
    const reader = await newReader();
    const id = await reader.receive({ subject: "Odd", text: "cannot be read" });
    await reader.read(id);
    const { address } = reader;
    await service.system.sql`
      update messages set status = 'unparsed', headers = null, text = null, html = null, safe_text = null, attachments = '[]'
      where inbox_id = (select id from inboxes where address = ${address})`;
    const { body } = await reader.forward(id, { to: TO });
    const mail = await departed(body.id);
    expect(mail.attachments.map(({ filename, content }) => [filename, content.includes("cannot be read")])).toEqual([
      ["original.eml", true],
    ]);
    expect(mail.text).toContain("Subject: Odd");
  });
});

describe("400", () => {
  test("recipients and attachments as with send; `text` and `html` may be missing, but not be something else", async () => {
    const reader = await newReader();
    const id = await reader.receive();
    const many = Array.from({ length: 51 }, (_, i) => `a${i}@else.example`);
    const bad = [{}, { to: [] }, { to: "x" }, { to: many }, { to: TO, cc: many.slice(1) }, { to: TO, bcc: "x" }];
    const worse = [{ to: TO, text: 5 }, { to: TO, attachments: [{}] }, { to: `${TO}\r\nBcc: x@else.example` }];
    for (const json of [...bad, ...worse]) {
      const { status, body } = await reader.forward(id, json);
      expect([json, status, body.error?.code]).toEqual([json, 400, "invalid_request"]);
    }
    expect(await reader.list()).toHaveLength(1);
  });
});

describe("404", () => {
  test("unknown, another's, of a deleted mailbox, or no id at all", async () => {
    const [reader, stranger] = [await newReader(), await newReader()];
    const [id, theirs] = [await reader.receive(), await stranger.receive()];
    await client.delete(inboxPath(reader.address), { key: reader.key });
    for (const name of ["msg_01jd3m9v5sf0b8j3mgz7qk2x4c", id, theirs, "x", reader.id]) {
      const { status, body } = await reader.forward(name, { to: TO });
      expect([name, status, body.error.code]).toEqual([name, 404, "message_not_found"]);
    }
    expect(await stranger.list()).toHaveLength(1);
  });
});

describe("413", () => {
  test("a forward above 25 MiB with the mail's attachments is refused, and nothing is queued", async () => {
    const reader = await newReader();
    const id = await reader.receive({ attachments: [{ filename: "big", content: Buffer.alloc(14_000_000, 1) }] });
    const big = { filename: "big", content_type: "a/b", content_base64: Buffer.alloc(14_000_000).toString("base64") };
    const { status, body } = await reader.forward(id, { to: TO, attachments: [big] });
    expect([status, body.error.code]).toEqual([413, "payload_too_large"]);
    expect(body.error.message).toContain(String(MAX_BYTES));
    expect(await reader.list()).toHaveLength(1);
    const mail = await departed((await reader.forward(id, { to: TO })).body.id);
    expect(mail.attachments[0]?.content.length).toBe(14_000_000);
  });
});
