// Bodies, parsed after the mail was accepted: what is stored, and mails that try to block the parser.
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ensureParsed, parseBodies } from "#server/receiving/parse.ts";
import { eventually } from "#test/support/events.ts";
import { addMailbox, emptyTables, type Inbound, mailOf, openInbound, receive, stored } from "../support/inbound.ts";

let inbound: Inbound;
let address: string;

beforeAll(async () => {
  inbound = await openInbound();
  ({ address } = await addMailbox(inbound));
});
beforeEach(() => emptyTables(inbound, "messages", "raw_messages", "events", "threads"));
afterAll(() => inbound.close());

async function parsed(raw: string | Buffer) {
  await receive(inbound, { recipients: [address], raw });
  return read();
}

/** The oldest mail, once it is read: a slow one takes longer than one call, one that ends its thread takes two tries. */
async function read() {
  for (;;) {
    await parseBodies(inbound.ctx);
    const [row] = await stored(inbound);
    if (!row) throw new Error("nothing was stored");
    if (row.status !== "received") return row;
    await delay(20);
  }
}

const multipart = (kind: string, ...parts: string[]) =>
  mailOf(
    ["From: a@example.org", "Subject: x", `Content-Type: multipart/${kind}; boundary="b"`],
    `${parts.map((part) => `--b\r\n${part}\r\n`).join("")}--b--\r\n`,
  );
const plain = "Content-Type: text/plain; charset=utf-8\r\n\r\nplain";
const html = "Content-Type: text/html; charset=utf-8\r\n\r\n<p>html</p>";

describe("a mail with", () => {
  test("text alone has no html", async () => {
    const row = await parsed(mailOf(["From: a@example.org", "X-Odd:  two  spaces", "X-Odd: again"], "Grüße\r\n"));
    expect(row).toMatchObject({ status: "parsed", text: "Grüße\n", html: null, attachments: [] });
    expect(row.headers).toEqual([
      ["From", "a@example.org"],
      ["X-Odd", "two  spaces"],
      ["X-Odd", "again"],
    ]);
  });

  test("html alone has no text", async () => {
    expect(await parsed(multipart("alternative", html))).toMatchObject({ text: null, html: "<p>html</p>\n" });
  });

  test("both has both", async () => {
    expect(await parsed(multipart("alternative", plain, html))).toMatchObject({
      text: "plain\n",
      html: "<p>html</p>\n",
    });
  });

  test("both side by side has neither made from the other", async () => {
    expect(await parsed(multipart("mixed", plain, html))).toMatchObject({ text: "plain\n", html: "<p>html</p>\n" });
  });

  test("attachments has their names, types, sizes and content ids", async () => {
    const file =
      'Content-Type: application/pdf; name="=?utf-8?q?r=C3=A9sum=C3=A9.pdf?="\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\naGVsbG8=';
    const image =
      'Content-Type: image/png\r\nContent-Disposition: inline; filename="a.png"\r\nContent-ID: <i>\r\nContent-Transfer-Encoding: base64\r\n\r\nAAEC';
    const nested = "Content-Type: message/rfc822\r\n\r\nFrom: n@example.org\r\nSubject: inner\r\n\r\ninner text";
    const row = await parsed(multipart("mixed", plain, file, image, nested));
    expect(row.text).toBe("plain\n");
    expect(row.attachments).toEqual([
      { id: expect.any(String), filename: "résumé.pdf", content_type: "application/pdf", size: 5, inline: false },
      { id: expect.any(String), filename: "a.png", content_type: "image/png", size: 3, inline: true, content_id: "i" },
      {
        id: expect.any(String),
        filename: null,
        content_type: "message/rfc822",
        size: expect.any(Number),
        inline: false,
      },
    ]);
  });

  test("a long list of recipients has all of them", async () => {
    const to = Array.from({ length: 600 }, (_, i) => `user${i}@example.org`);
    expect((await parsed(mailOf([`To: ${to.join(",\r\n ")}`]))).to_addresses).toEqual(to);
  });

  test("what PostgreSQL cannot hold is kept without it", async () => {
    const encoded = Buffer.from("a\0b").toString("base64");
    const raw = mailOf(
      ["X: a\0b", "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64"],
      encoded,
    );
    expect(await parsed(raw)).toMatchObject({ status: "parsed", text: "ab" });
  });

  test("nothing in it is parsed", async () => {
    expect(await parsed(Buffer.alloc(0))).toMatchObject({ status: "parsed", text: "", html: null, headers: [] });
  });

  test("garbage for a body is parsed or kept unparsed, and its bytes are unchanged", async () => {
    const raw = Buffer.concat([
      Buffer.from('Content-Type: multipart/mixed; boundary="\xff"\r\n\r\n', "latin1"),
      Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7_919) % 256)),
    ]);
    const row = await parsed(raw);
    expect(["parsed", "unparsed"]).toContain(row.status);
    expect(row.bytes.equals(raw)).toBe(true);
  });
});

describe("bodies of many mails", () => {
  test("are read sixty at a time, and each once", async () => {
    await Promise.all(
      Array.from({ length: 150 }, (_, i) =>
        receive(inbound, { recipients: [address], raw: mailOf([`Subject: ${i}`]) }),
      ),
    );
    for (let left = 150; left > 0; ) {
      const count = await parseBodies(inbound.ctx);
      expect(count).toBeLessThanOrEqual(60);
      left -= count;
      if (count === 0) await delay(20);
    }
    await eventually(async () => expect((await stored(inbound)).every(({ status }) => status === "parsed")).toBe(true));
    const rows = await inbound.ctx.sql`select status, attempts, next_attempt_at from messages group by 1, 2, 3`;
    expect(rows).toEqual([{ status: "parsed", attempts: 1, next_attempt_at: null }]);
  });
});

describe("a reader of a mail that is not read yet", () => {
  test("waits for that one alone", async () => {
    await Promise.all(
      ["1", "2"].map((subject) => receive(inbound, { recipients: [address], raw: mailOf([`Subject: ${subject}`]) })),
    );
    const [first, second] = await stored(inbound);
    await ensureParsed(inbound.ctx, second?.id as string);
    expect((await stored(inbound)).map((row) => row.status)).toEqual(["received", "parsed"]);
    await Promise.all([ensureParsed(inbound.ctx, first?.id as string), ensureParsed(inbound.ctx, first?.id as string)]);
    expect((await stored(inbound)).map((row) => row.text)).toEqual(["Hello\n", "Hello\n"]);
  });

  test("waits for the process that is parsing it", async () => {
    await receive(inbound, { recipients: [address], raw: mailOf(["Subject: x"]) });
    const [row] = await stored(inbound);
    const background = parseBodies(inbound.ctx);
    await ensureParsed(inbound.ctx, row?.id as string);
    expect((await stored(inbound))[0]?.status).toBe("parsed");
    await background;
  });
});

describe("a mail that was tried in vain many times", () => {
  test("is still parsed if nothing in it ends the parser", async () => {
    await receive(inbound, { recipients: [address], raw: mailOf(["Subject: x"]) });
    await inbound.ctx.sql`update messages set attempts = 50`;
    expect((await read()).status).toBe("parsed");
  });
});

describe("a mail whose raw bytes are gone", () => {
  const SIZES = [10, 2_000_000];

  test.for(SIZES)("ends unparsed at a body of %i octets, and is not leased again", async (size) => {
    const { sql } = inbound.ctx;
    await receive(inbound, { recipients: [address], raw: mailOf(["Subject: lost"], "a".repeat(size)) });
    await sql`delete from raw_messages`;
    expect(await parseBodies(inbound.ctx)).toBe(1);
    const rows = await eventually(async () => {
      const found =
        await sql`select status, subject, error, authentication is not null as judged, next_attempt_at from messages`;
      expect(found[0]?.status).not.toBe("received");
      return found;
    });
    const error = "the raw mail is gone";
    expect(rows).toEqual([{ status: "unparsed", subject: "lost", error, judged: true, next_attempt_at: null }]);
    expect(await parseBodies(inbound.ctx)).toBe(0);
  });

  test("keeps what was read before, if it waited for the verdict on its sender", async () => {
    const { sql } = inbound.ctx;
    await parsed(mailOf(["From: a@example.org", "Subject: x"]));
    await sql`update messages set status = 'received', authentication = null, next_attempt_at = now()`;
    await sql`delete from raw_messages`;
    expect(await parseBodies(inbound.ctx)).toBe(1);
    await eventually(async () => {
      const rows = await sql`select status, text, error from messages`;
      expect(rows).toEqual([{ status: "parsed", text: "Hello\n", error: null }]);
    });
  });
});

describe("a mail whose process ended before the verdict on its sender", () => {
  test("can be read, and is judged when its lease ends", async () => {
    const { sql } = inbound.ctx;
    await parsed(mailOf(["From: a@example.org", "Subject: x"]));
    await sql`update messages set status = 'received', authentication = null, next_attempt_at = now() + interval '1 hour'`;
    const [before] = await stored(inbound);
    await ensureParsed(inbound.ctx, before?.id as string);
    expect((await stored(inbound))[0]?.status).toBe("received");
    await sql`update messages set next_attempt_at = now()`;
    await read();
    const rows = await sql`select status, text, authentication is not null as judged from messages`;
    expect(rows).toEqual([{ status: "parsed", text: "Hello\n", judged: true }]);
  });
});

describe("hostile shapes", () => {
  const nest = (depth: number) =>
    Array.from({ length: depth }, (_, i) => `Content-Type: multipart/mixed; boundary="b${i}"\r\n\r\n--b${i}\r\n`).join(
      "",
    );
  const shapes: [string, string][] = [
    ["200k folded header lines", `Subject: x\r\n${" y\r\n".repeat(200_000)}\r\nbody`],
    ["100k empty parts", mailOf(['Content-Type: multipart/mixed; boundary="b"'], "--b\r\n\r\n".repeat(100_000))],
    ["2,000 nested multiparts", nest(2_000)],
    ["2,000 nested messages", "Content-Type: message/rfc822\r\n\r\n".repeat(2_000)],
    ["100k links", mailOf(["Content-Type: text/html"], '<a href="http://x.example/">x</a>'.repeat(100_000))],
    [
      "a flowed paragraph of 300k lines",
      mailOf(["Content-Type: text/plain; format=flowed"], "word \r\n".repeat(300_000)),
    ],
    ["200 boundaries over 300k dashed lines", `${nest(200)}\r\n${"--bx\r\n".repeat(300_000)}`],
    ["a header of two megabytes", `X: ${"(".repeat(2_000_000)}\r\n\r\n`],
    ["100k addresses", mailOf([`To: ${"a@b.example,".repeat(100_000)}`])],
  ];

  test.each(shapes)("%s: kept, and the next mail is read", async (_name, raw) => {
    const row = await parsed(raw);
    expect(["parsed", "unparsed"]).toContain(row.status);
    expect(row.bytes.length).toBe(Buffer.byteLength(raw));
    expect(await parsedNext()).toBe("parsed");
  });

  /** The thread that was ended is there again for the next mail. */
  async function parsedNext() {
    await emptyTables(inbound, "messages", "raw_messages");
    return (await parsed(mailOf(["Subject: next"]))).status;
  }
});

describe("a mail with many boundaries inside each other", () => {
  test("is read as far as the limit, and followed by the next", async () => {
    // Each dashed line could end any of the open multiparts.
    const boundary = "x".repeat(60);
    const open = Array.from({ length: 250 }, (_, i) => boundary + String(i).padStart(3, "0"));
    const parts = open.map((each) => `Content-Type: multipart/mixed; boundary="${each}"\r\n\r\n--${each}\r\n`);
    const raw = `${parts.join("")}\r\n${`--${boundary}zzz\r\n`.repeat(250_000)}`;
    const { status, text, reading, bytes } = await parsed(raw);
    expect({ status, reading, size: bytes.length }).toEqual({
      status: "parsed",
      reading: { complete: false, notes: ["part_unreadable"] },
      size: raw.length,
    });
    expect(text).toContain(`--${boundary}zzz\n`);
    await emptyTables(inbound, "messages", "raw_messages");
    expect((await parsed(mailOf(["Subject: next"]))).status).toBe("parsed");
  });
});
