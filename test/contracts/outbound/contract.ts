// What every Outbound does, whichever way mail leaves: one suite, run over all three adapters by the tests beside it.
import PostalMime from "postal-mime";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Outbound, OutboundMail } from "#server/base/ports/outbound.ts";

/** A message as the other side got it. */
export type Taken = {
  envelopeTo: string[];
  /** Lower-case names; every value there is, in order. */
  headers: Record<string, string[]>;
  from: { address: string; name: string };
  to: string[];
  cc: string[];
  replyTo: string[];
  /** The names in To, Cc and Reply-To, in order. */
  names: string[];
  subject: string;
  text: string;
  html: string;
  attachments: { filename: string; contentType: string; content: Buffer }[];
  /** The exact bytes, where the other side takes a message and not its parts. */
  raw?: string;
};

export type Rig = {
  outbound: Outbound;
  taken(): Promise<Taken[]>;
  /** From now on: refuses for good, fails for now, takes the message and never says so. */
  fail(how: "refuse" | "busy" | "silent"): void;
  recover(): void;
  close(): Promise<void>;
};

export function mailOf(change: Partial<OutboundMail> = {}): OutboundMail {
  return {
    id: "msg_01h455vb4pex5vsknk084sn02q",
    from: { address: "support@mail.example.com", name: "Support" },
    to: ["ada@elsewhere.example"],
    cc: [],
    bcc: [],
    replyTo: [],
    subject: "Hello",
    text: "A line.\nAnother.",
    html: null,
    messageId: "first@mail.example.com",
    inReplyTo: null,
    references: [],
    date: new Date("2026-11-20T09:30:00.000Z"),
    attachments: [],
    ...change,
  };
}

/** Reads a raw message into the form the suite compares. */
export async function readTaken(envelopeTo: string[], raw: Buffer): Promise<Taken> {
  const mail = await PostalMime.parse(raw, { attachmentEncoding: "arraybuffer" });
  const headers: Record<string, string[]> = {};
  for (const { key, value } of mail.headers) headers[key] = [...(headers[key] ?? []), value];
  const addresses = (list: { address?: string | undefined }[] | undefined) =>
    (list ?? []).map((one) => one.address ?? "");
  return {
    envelopeTo,
    headers,
    from: { address: mail.from?.address ?? "", name: mail.from?.name ?? "" },
    to: addresses(mail.to),
    cc: addresses(mail.cc),
    replyTo: addresses(mail.replyTo),
    names: [mail.to, mail.cc, mail.replyTo].flatMap((list) => (list ?? []).map(({ name }) => name)),
    subject: mail.subject ?? "",
    text: mail.text ?? "",
    html: mail.html ?? "",
    attachments: mail.attachments.map((attachment) => ({
      filename: attachment.filename ?? "",
      contentType: attachment.mimeType,
      content: Buffer.from(attachment.content as ArrayBuffer),
    })),
    raw: raw.toString("latin1"),
  };
}

/** Text that is or resembles an encoded word (RFC 2047), and gaps that headers may lose. */
const ODD_WORDS = [
  "=?utf-8?Q?x?=",
  "=?UTF-8?B?eA==?= =?UTF-8?B?eQ==?=",
  "Decode =?iso-8859-1?Q?=E4?= please",
  "=?utf-8?Q?a b?=",
  "=?",
  "two  spaces",
  'a "quoted" =?utf-8?q?word?=',
  "Grüße =?utf-8?Q?x?=",
];

/** More than what is composed in memory. */
const LARGE_TEXT = "A line of a large message.\n".repeat(8_000);

const LONG_LINES: [string, Partial<OutboundMail>][] = [
  ["a subject of 998 letters", { subject: "x".repeat(998) }],
  ["a subject of 998 letters that are not ASCII", { subject: "é".repeat(998) }],
  ["a long gap in the subject", { subject: `a${" ".repeat(300)}b` }],
  ["a long word after others", { subject: `some words ${"y".repeat(987)}` }],
  ["long ids", { inReplyTo: `${"i".repeat(880)}@x.example`, references: ["a", "b"].map((id) => id.repeat(880)) }],
  [
    "a long file name",
    { attachments: [{ filename: "f".repeat(255), contentType: "text/plain", content: Buffer.from("x") }] },
  ],
  ["long addresses", { cc: [1, 2].map((n) => `${"l".repeat(60)}${n}@${"d".repeat(60)}.${"e".repeat(60)}.example`) }],
];

const INJECTIONS: [string, Partial<OutboundMail>][] = [
  ["the subject", { subject: "Hi\r\nBcc: eve@evil.example" }],
  ["the display name", { from: { address: "support@mail.example.com", name: "Bob\nX-Evil: 1" } }],
  ["the sender", { from: { address: "support@mail.example.com\r\nX-Evil: 1", name: "" } }],
  ["a recipient", { to: ["ada@elsewhere.example>\r\nRCPT TO:<eve@evil.example"] }],
  ["a recipient that is two", { to: ["ada@elsewhere.example, eve@evil.example"] }],
  ["a blind copy", { bcc: ["eve@evil.example\nX-Evil: 1"] }],
  ["the reply address", { replyTo: ["a@b.example\rX-Evil: 1"] }],
  ["the Message-ID", { messageId: "a@b.example>\r\nX-Evil: 1" }],
  [
    "a file name",
    { attachments: [{ filename: 'a"\r\nX-Evil: 1', contentType: "text/plain", content: Buffer.from("x") }] },
  ],
  [
    "a content type",
    { attachments: [{ filename: "a", contentType: "text/plain\r\nX-Evil: 1", content: Buffer.from("x") }] },
  ],
  [
    "a parameter of a content type",
    {
      attachments: [
        { filename: "a", contentType: 'text/calendar; method="x\r\nX-Evil: 1"', content: Buffer.from("x") },
      ],
    },
  ],
  ["the name of a recipient", { names: [["ada@elsewhere.example", "Ada\r\nBcc: eve@evil.example"]] }],
  ["the name of a header", { headers: [["X-A: 1\r\nBcc", "eve@evil.example"]] }],
  ["the value of a header", { headers: [["X-A", "1\r\nBcc: eve@evil.example"]] }],
  ["a header that the service writes", { headers: [["Bcc", "eve@evil.example"]] }],
  ["NUL in the subject", { subject: "a\0b" }],
];

export function outboundContract(name: string, start: () => Promise<Rig>): void {
  let rig: Rig;
  beforeEach(async () => {
    rig = await start();
  });
  afterEach(async () => {
    await rig.outbound.close();
    await rig.close();
  });
  const only = async () => {
    const taken = await rig.taken();
    expect(taken).toHaveLength(1);
    return taken[0] as Taken;
  };

  describe(`${name}: a message`, () => {
    test("is handed over once, with everything on it", async () => {
      const outcome = await rig.outbound.send(
        mailOf({ cc: ["cc@elsewhere.example"], replyTo: ["desk@mail.example.com"], html: "<p>A line.</p>" }),
      );
      expect(outcome).toMatchObject({ outcome: "sent" });
      const mail = await only();
      expect(mail).toMatchObject({
        from: { address: "support@mail.example.com", name: "Support" },
        to: ["ada@elsewhere.example"],
        cc: ["cc@elsewhere.example"],
        replyTo: ["desk@mail.example.com"],
        subject: "Hello",
      });
      expect(mail.envelopeTo.toSorted()).toEqual(["ada@elsewhere.example", "cc@elsewhere.example"]);
      expect(mail.text.trim()).toBe("A line.\nAnother.");
      expect(mail.html.trim()).toBe("<p>A line.</p>");
      expect(mail.headers["message-id"]).toEqual(["<first@mail.example.com>"]);
      expect(mail.headers["auto-submitted"]).toBeUndefined();
    });

    test("has the names of recipients before their addresses", async () => {
      const names = ["Lee, Ann", "Zoë Grün", "Help  desk", "=?utf-8?Q?x?="];
      const [to = "", more = "", cc = "", answers = ""] = ["to", "more", "cc", "answers"].map(
        (name) => `${name}@elsewhere.example`,
      );
      const lists = { to: [to, more], cc: [cc], replyTo: [answers] };
      const named = [to, more, cc, answers].map((address, i): [string, string] => [address, names[i] ?? ""]);
      await rig.outbound.send(mailOf({ ...lists, names: named }));
      const taken = await only();
      expect(taken).toMatchObject(lists);
      expect(taken.names).toEqual(names);
    });

    test("has the headers that its author added, in ASCII", async () => {
      await rig.outbound.send(
        mailOf({
          headers: [
            ["X-Json", '{"a":"b"}'],
            ["List-Id", "Grüße <list.shop.example>"],
          ],
        }),
      );
      const { headers } = await only();
      expect(headers["x-json"]).toEqual(['{"a":"b"}']);
      expect(headers["list-id"]).toEqual(["=?UTF-8?Q?Gr=C3=BC=C3=9Fe?= <list.shop.example>"]);
    });

    test("says of itself that no person wrote it, when none did", async () => {
      await rig.outbound.send(mailOf({ automatic: true }));
      expect((await only()).headers["auto-submitted"]).toEqual(["auto-generated"]);
    });

    test("says what became of each recipient, each once", async () => {
      const outcome = await rig.outbound.send(mailOf({ cc: ["ada@elsewhere.example", "bob@elsewhere.example"] }));
      expect(outcome).toMatchObject({ outcome: "sent" });
      const { recipients = [] } = outcome;
      expect(recipients.map(({ address }) => address)).toEqual(["ada@elsewhere.example", "bob@elsewhere.example"]);
      for (const { outcome: result } of recipients) expect(["delivered", "accepted"]).toContain(result);
    });

    test("keeps its letters: names, subject, body, file names in any script", async () => {
      const words = 'Grüße, 日本語 🐟 — "quoted\\" <angle>';
      await rig.outbound.send(
        mailOf({
          from: { address: "support@mail.example.com", name: words },
          subject: words.repeat(8),
          text: words.repeat(200),
          attachments: [{ filename: "отчёт 📎.txt", contentType: "text/plain", content: Buffer.from(words) }],
        }),
      );
      const mail = await only();
      expect(mail.from.name).toBe(words);
      expect(mail.subject).toBe(words.repeat(8));
      expect(mail.text.trim()).toBe(words.repeat(200));
      expect(mail.attachments[0]?.filename).toBe("отчёт 📎.txt");
      expect(mail.attachments[0]?.content.toString()).toBe(words);
    });

    test.each(ODD_WORDS)("keeps the subject and the name of the sender %j", async (words) => {
      await rig.outbound.send(mailOf({ from: { address: "support@mail.example.com", name: words }, subject: words }));
      const mail = await only();
      expect({ subject: mail.subject, name: mail.from.name }).toEqual({ subject: words, name: words });
    });

    test("keeps the name of the sender of a large message", async () => {
      const name = "=?utf-8?Q?a?= and  b";
      await rig.outbound.send(mailOf({ from: { address: "support@mail.example.com", name }, text: LARGE_TEXT }));
      expect((await only()).from).toEqual({ address: "support@mail.example.com", name });
    });

    test.each(LONG_LINES)(
      "has no line over 998 octets and no blank line in its headers, with %s",
      async (_what, change) => {
        await rig.outbound.send(mailOf(change));
        const mail = await only();
        const lines = (mail.raw ?? "").split("\r\n");
        expect(lines.filter((line) => line.length > 998)).toEqual([]);
        expect(lines.slice(0, lines.indexOf("")).filter((line) => line.trim() === "")).toEqual([]);
        expect(mail.subject).toBe(change.subject ?? "Hello");
      },
    );

    test("keeps attachments byte for byte, whatever they call themselves", async () => {
      const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, i) => (i * 7) % 256));
      const types = ["application/pdf", "multipart/mixed", "message/rfc822", "not a type", "text/html; charset=utf-8"];
      await rig.outbound.send(
        mailOf({
          attachments: types.map((contentType, i) => ({ filename: `f${i}.bin`, contentType, content: bytes })),
        }),
      );
      const mail = await only();
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(types.map((_, i) => `f${i}.bin`));
      for (const { content } of mail.attachments) expect(content.equals(bytes)).toBe(true);
    });

    test("shows blind copies to no recipient", async () => {
      await rig.outbound.send(mailOf({ bcc: ["secret@elsewhere.example"] }));
      const mail = await only();
      expect(mail.envelopeTo).toContain("secret@elsewhere.example");
      expect(mail.headers.bcc).toBeUndefined();
      expect(mail.raw ?? "").not.toContain("secret@");
    });

    test("carries its thread", async () => {
      await rig.outbound.send(mailOf({ inReplyTo: "b@x.example", references: ["a@x.example", "b@x.example"] }));
      const { headers } = await only();
      expect(headers["in-reply-to"]).toEqual(["<b@x.example>"]);
      expect(headers.references?.map((value) => value.split(/\s+/))).toEqual([["<a@x.example>", "<b@x.example>"]]);
    });

    test.each([
      ["short", 40, 3, "A line."],
      ["long", 300, 2, "A line."],
      ["long, in a large message", 300, 2, LARGE_TEXT],
    ])("has its ids on the line of their names: %s", async (_what, length, count, text) => {
      const ids = Array.from({ length: count }, (_, n) => `${"i".repeat(length)}${n}@thread.example`);
      const messageId = `${"m".repeat(length)}@mail.example.com`;
      await rig.outbound.send(mailOf({ text, messageId, inReplyTo: ids.at(-1) ?? null, references: ids }));
      const { raw, headers } = await only();
      expect(headers.references).toEqual([ids.map((id) => `<${id}>`).join(" ")]);
      if (raw === undefined) return;
      const lines = raw.slice(0, raw.indexOf("\r\n\r\n")).split("\r\n");
      expect(lines).toContain(`Message-ID: <${messageId}>`);
      expect(lines).toContain(`In-Reply-To: <${ids.at(-1)}>`);
      expect(lines).toContain(`References: ${ids.map((id) => `<${id}>`).join(" ")}`);
    });

    test("folds ids that do not fit on one line between them, the first on the line of the name", async () => {
      const ids = Array.from({ length: 40 }, (_, n) => `${"r".repeat(90)}${n}@thread.example`);
      await rig.outbound.send(mailOf({ references: ids }));
      const { raw, headers } = await only();
      expect(headers.references?.[0]?.split(/\s+/)).toEqual(ids.map((id) => `<${id}>`));
      if (raw !== undefined) expect(raw).toContain(`\r\nReferences: <${ids[0]}> <${ids[1]}>`);
    });

    test("has no header that begins with a fold", async () => {
      const unsubscribeUrl = `https://mail.example.com/unsubscribe/${"u".repeat(120)}`;
      await rig.outbound.send(mailOf({ subject: "w".repeat(200), unsubscribeUrl }));
      const { raw, headers } = await only();
      expect(headers["list-unsubscribe"]).toEqual([`<${unsubscribeUrl}>`]);
      if (raw !== undefined) expect(raw.slice(0, raw.indexOf("\r\n\r\n"))).not.toMatch(/:[ \t]*\r\n[ \t]/);
    });

    test("keeps the parameters of a content type", async () => {
      const content = Buffer.from("Gr\u00fc\u00dfe", "latin1");
      const contentType = 'text/plain; charset=iso-8859-1; format="a b"';
      await rig.outbound.send(mailOf({ attachments: [{ filename: "a.txt", contentType, content }] }));
      const { raw, attachments } = await only();
      expect(attachments[0]?.content).toEqual(content);
      const lines = (raw ?? "").replace(/\r\n[ \t]+/g, " ").split("\r\n");
      const sent = raw === undefined ? contentType : lines.find((line) => line.includes("iso-8859-1"));
      expect(sent).toMatch(/text\/plain; charset=iso-8859-1; format="a b"/);
    });

    test.each([
      ["text", null],
      ["text and HTML", "<p>Come.</p>"],
    ])("shows an invitation beside a body of %s, and other files as files", async (_what, html) => {
      const content = Buffer.from("BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nSUMMARY:K\u00f6ln\r\nEND:VCALENDAR\r\n");
      const contentType = "text/calendar; method=REQUEST; charset=utf-8";
      const files = [
        { filename: "plan.ics", contentType: "text/calendar", content },
        { filename: "invite.ics", contentType, content },
        { filename: "second.ics", contentType: "text/calendar; method=CANCEL", content },
      ];
      await rig.outbound.send(mailOf({ html, attachments: files }));
      const { raw } = await only();
      if (raw === undefined) return;
      const [, head = ""] = raw.match(/multipart\/alternative;[\s\S]*?boundary="([^"]+)"/) ?? [];
      const parts = raw.split(`--${head}`).slice(1, -1);
      expect(parts).toHaveLength(html === null ? 2 : 3);
      const shown = (parts.at(-1) ?? "").replace(/\r\n[ \t]+/g, " ");
      expect(shown).toMatch(/Content-Type: text\/calendar; method=REQUEST; charset=utf-8; name=invite\.ics\r\n/);
      expect(shown).toMatch(/Content-Disposition: inline; filename=invite\.ics\r\n/);
      const body = shown.split("\r\n\r\n")[1] ?? "";
      expect(Buffer.from(body, "base64")).toEqual(content);
      expect(raw.match(/Content-Disposition: attachment/g)).toHaveLength(2);
    });

    test("leaves out thread ids that could end a header", async () => {
      const evil = "a@x.example>\r\nX-Evil: 1";
      await rig.outbound.send(mailOf({ inReplyTo: evil, references: [evil, "b@x.example"] }));
      const { headers } = await only();
      expect(headers["x-evil"]).toBeUndefined();
      expect(headers["in-reply-to"]).toBeUndefined();
      expect(headers.references).toEqual(["<b@x.example>"]);
    });

    test.each(INJECTIONS)("is refused with a line break or a second address in %s", async (_where, change) => {
      expect(await rig.outbound.send(mailOf(change))).toMatchObject({ outcome: "refused", error: expect.any(String) });
      expect(await rig.taken()).toEqual([]);
    });
  });

  describe(`${name}: a failure`, () => {
    test("that is final is `refused`, with the other side's words for each recipient", async () => {
      rig.fail("refuse");
      const outcome = await rig.outbound.send(mailOf());
      expect(outcome).toMatchObject({
        outcome: "refused",
        recipients: [{ address: "ada@elsewhere.example", outcome: expect.stringMatching(/^(refused|rejected)$/) }],
      });
      expect(outcome.recipients?.[0]?.detail).toMatch(/^[45]\d\d /);
      expect(await rig.taken()).toEqual([]);
    });

    test("that is temporary is `retry`, and the repeat arrives", async () => {
      rig.fail("busy");
      expect(await rig.outbound.send(mailOf())).toMatchObject({ outcome: "retry", error: expect.stringMatching(/./) });
      expect(await rig.taken()).toEqual([]);
      rig.recover();
      expect(await rig.outbound.send(mailOf())).toMatchObject({ outcome: "sent" });
      await only();
    });

    test("without an answer is `retry`; the retry is the same message, so that a second copy can be detected", async () => {
      rig.fail("silent");
      expect(await rig.outbound.send(mailOf())).toMatchObject({ outcome: "retry" });
      rig.recover();
      expect(await rig.outbound.send(mailOf())).toMatchObject({ outcome: "sent" });
      const taken = await rig.taken();
      expect(new Set(taken.map(({ headers }) => headers["message-id"]?.[0])).size).toBe(1);
      if (rig.outbound.recognisesRepeats) expect(taken).toHaveLength(1);
    });

    test("hits no other message", async () => {
      const ids = Array.from({ length: 40 }, (_, i) => `m${i}@mail.example.com`);
      const all = ids.map((messageId, i) =>
        rig.outbound.send(mailOf({ id: `msg_${i}`, messageId, ...(i % 4 === 0 && { subject: "a\nb" }) })),
      );
      const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(ids.map((_, i) => (i % 4 === 0 ? "refused" : "sent")));
      expect(await rig.taken()).toHaveLength(30);
    });
  });

  describe(`${name}: a repeat`, () => {
    test("of a message that was taken is the same message", async () => {
      const attachments = [{ filename: "a.txt", contentType: "text/plain", content: Buffer.from("a") }];
      const mail = mailOf({ html: "<p>A line.</p>", attachments });
      const first = await rig.outbound.send(mail);
      const second = await rig.outbound.send(mail);
      expect(second).toEqual(first);
      const taken = await rig.taken();
      expect(new Set(taken.map(({ raw }) => raw)).size).toBe(1);
      expect(new Set(taken.map(({ headers }) => headers["message-id"]?.[0])).size).toBe(1);
      if (rig.outbound.recognisesRepeats) expect(taken).toHaveLength(1);
    });
  });

  describe(`${name}: close`, () => {
    test("can be called twice, and after hand-overs", async () => {
      expect(await rig.outbound.send(mailOf())).toMatchObject({ outcome: "sent" });
      await rig.outbound.close();
      await expect(rig.outbound.close()).resolves.toBeUndefined();
    });
  });
}

/** The Message-ID of a raw message, in angle brackets. A long one stands on a line after its name. */
export function messageIdIn(raw: Buffer | string): string | undefined {
  return /^Message-ID:\s+(<.*>)/im.exec(raw.toString())?.[1];
}
