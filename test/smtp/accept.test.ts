// Mail handed over by real clients: who is accepted, what is refused and how, and that what was accepted is there.
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import {
  addMailbox,
  emptyTables,
  type Inbound,
  mailer,
  mailOf,
  openInbound,
  speak,
  speakUpToData,
  stored,
} from "../support/inbound.ts";

const run = promisify(execFile);
const MAX_BYTES = 20_000;
/** Why swaks, a client in Perl that many servers are tested with, cannot run here. */
function whyNoSwaks(): string | undefined {
  const { error, stdout } = spawnSync("swaks", ["--support"], { encoding: "utf8" });
  if (error) return "swaks is not installed";
  return stdout.includes("TLS supported") ? undefined : "this swaks has no TLS";
}
const noSwaks = whyNoSwaks();

let inbound: Inbound;
let port: number;
let address: string;

beforeAll(async () => {
  inbound = await openInbound({ settings: { SMTP_MAX_BYTES: String(MAX_BYTES), SMTP_HOSTNAME: "mx.mail.localhost" } });
  ({ port } = await inbound.listen());
  ({ address } = await addMailbox(inbound));
});
beforeEach(() => emptyTables(inbound, "messages", "raw_messages", "events", "deliveries", "threads"));
afterAll(() => inbound.close());

async function hand(raw: string | Buffer, recipient = address) {
  const client = await speakUpToData(port, recipient);
  await client.ask("DATA");
  client.write(raw);
  const answer = await client.ask("\r\n.");
  client.socket.destroy();
  return answer;
}

describe("250", () => {
  test("nodemailer's mail is stored byte by byte, and the answer names it", async () => {
    const info = await mailer(port).sendMail({
      from: "Someone <someone@example.org>",
      to: address.replace("@", "+tag@"),
      subject: "Grüße",
      text: ".\r\n..\r\n.a line with a dot\r\n",
      attachments: [{ filename: "a.bin", content: Buffer.from([0, 1, 2, 255]) }],
    });
    const [row] = await stored(inbound);
    const [, id = ""] = /^250 2\.6\.0 Queued as (msg_\w+)$/.exec(info.response) ?? [];
    expect(decodeId("msg", id)).toBe(row?.id);
    expect(row).toMatchObject({ from_address: "someone@example.org", subject: "Grüße", remote_ip: "127.0.0.1" });
    expect(row?.bytes.toString()).toContain("Message-ID: <");
    expect(row?.bytes.toString()).toMatch(/^Content-Type: |^From: /);
  });

  test.skipIf(noSwaks)(`swaks' mail too${noSwaks ? ` (${noSwaks})` : ""}`, async () => {
    const to = address.replace("@", "+swaks@");
    const args = ["--server", `127.0.0.1:${port}`, "--to", to, "--from", "s@example.org", "--attach", "hello", "--tls"];
    const { stdout } = await run("swaks", args);
    expect(stdout).toContain("250 2.6.0 Queued as");
  });

  test("the null sender is accepted, and never answered", async () => {
    const client = await speak(port);
    await client.read();
    await client.ask("EHLO x");
    expect(await client.ask("MAIL FROM:<>")).toMatch(/^250/);
    expect(await client.ask(`RCPT TO:<${address}>`)).toMatch(/^250/);
    await client.ask("DATA");
    expect(await client.ask("Subject: bounce\r\n\r\n.")).toMatch(/^250/);
    expect(await stored(inbound)).toMatchObject([{ envelope_from: "", from_address: "" }]);
    client.socket.destroy();
  });

  test("several mails in one session, pipelined or not, each in full", async () => {
    const client = await speak(port);
    await client.read();
    await client.ask("EHLO x");
    const one = (i: number) =>
      `MAIL FROM:<a@example.org>\r\nRCPT TO:<${address}>\r\nDATA\r\nSubject: ${i}\r\n\r\n..dot ${i}\r\n.\r\n`;
    client.write(`${[0, 1, 2].map(one).join("")}QUIT\r\n`);
    const answers = (await client.rest()).split("\r\n").map((line) => line.slice(0, 3));
    expect(answers.filter((code) => code === "354")).toHaveLength(3);
    expect((await stored(inbound)).map((row) => row.bytes.toString())).toEqual(
      [0, 1, 2].map((i) => `Subject: ${i}\r\n\r\n.dot ${i}\r\n`),
    );
  });

  test("many recipients are all or nothing, a hundred at most", async () => {
    const other = await addMailbox(inbound);
    const client = await speakUpToData(port, address);
    expect(await client.ask(`RCPT TO:<${other.address}>`)).toMatch(/^250/);
    for (let i = 2; i < 100; i += 1)
      expect(await client.ask(`RCPT TO:<${address.replace("@", `+${i}@`)}>`)).toMatch(/^250/);
    expect(await client.ask(`RCPT TO:<${address.replace("@", "+101@")}>`)).toMatch(/^452 4\.5\.3 /);
    await client.ask("DATA");
    expect(await client.ask("Subject: many\r\n\r\n.")).toMatch(/^250 2\.6\.0 Queued as msg_\w+ msg_\w+$/);
    expect(await stored(inbound)).toHaveLength(2);
    client.socket.destroy();
  });

  test.each([
    ["no headers", "just text\r\n"],
    ["no From", "Subject: x\r\n\r\ntext\r\n"],
    ["broken MIME", 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n--b\r\nContent-Type: text/\r\n--b-\r\n'],
    [
      "8-bit garbage",
      Buffer.concat([
        Buffer.from(Array.from(Array(256).keys()).filter((octet) => octet !== 10 && octet !== 13)),
        Buffer.from("\r\n"),
      ]),
    ],
    ["nothing", ""],
  ])("%s", async (_name, raw) => {
    expect(await hand(raw)).toMatch(/^250 /);
    const [row] = await stored(inbound);
    expect(row?.bytes.equals(Buffer.concat([Buffer.from(raw), Buffer.from("\r\n")]))).toBe(true);
  });

  test("odd octets in the sender", async () => {
    for (const sender of [
      "user.@example.org",
      "a..b@example.org",
      "ünïcode@exämple.org",
      '"q"@example.org',
      "a@[192.0.2.1]",
    ]) {
      const client = await speak(port);
      await client.read();
      await client.ask("EHLO x");
      client.write(Buffer.from(`MAIL FROM:<${sender}>\r\n`));
      expect([sender, await client.read()]).toEqual([sender, expect.stringMatching(/^250/)]);
      await client.ask(`RCPT TO:<${address}>`);
      await client.ask("DATA");
      expect(await client.ask("Subject: x\r\n\r\n.")).toMatch(/^250/);
      client.socket.destroy();
    }
    expect(await stored(inbound)).toHaveLength(5);
  });

  test("200 mails over 16 sessions are all there, in few transactions", async () => {
    const boxes = await Promise.all(Array.from({ length: 8 }, () => addMailbox(inbound)));
    const transport = mailer(port, { pool: true, maxConnections: 16, maxMessages: 1_000 });
    const sent = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        transport.sendMail({
          from: "a@example.org",
          to: boxes[i % 8]?.address,
          subject: `mail ${i}`,
          text: `text ${i}`,
        }),
      ),
    );
    transport.close();
    const rows = await stored(inbound);
    expect(rows.map((row) => row.subject).sort()).toEqual(sent.map((_, i) => `mail ${i}`).sort());
    const [{ transactions } = { transactions: 0 }] = await inbound.ctx.sql<{ transactions: number }[]>`
      select count(distinct xmin::text)::int as transactions from messages`;
    expect(transactions).toBeLessThan(200);
  });
});

describe("550", () => {
  test("5.1.1 for addresses without a live mailbox, here or elsewhere", async () => {
    const deleted = await addMailbox(inbound);
    await inbound.ctx.sql`update inboxes set status = 'deleted' where id = ${deleted.id}`;
    const client = await speakUpToData(port, address);
    for (const to of [
      "nobody@mail.localhost",
      deleted.address,
      "someone@example.org",
      `x${address}`,
      `${address.replace("@", "%")}@example.org`,
    ]) {
      expect([to, await client.ask(`RCPT TO:<${to}>`)]).toEqual([to, "550 5.1.1 No such mailbox here"]);
    }
    client.socket.destroy();
  });

  test("5.1.1 after DATA when the mailbox was deleted in between; nothing is stored for the others", async () => {
    const deleted = await addMailbox(inbound);
    const client = await speakUpToData(port, address);
    expect(await client.ask(`RCPT TO:<${deleted.address}>`)).toMatch(/^250/);
    await client.ask("DATA");
    await inbound.ctx.sql`update inboxes set status = 'deleted' where id = ${deleted.id}`;
    expect(await client.ask("Subject: late\r\n\r\n.")).toBe("550 5.1.1 No such mailbox here");
    expect(await client.ask("NOOP")).toMatch(/^250/);
    expect(await stored(inbound)).toEqual([]);
    client.socket.destroy();
  });
});

describe("552", () => {
  test("5.3.4 for a declared size over the limit", async () => {
    const client = await speak(port);
    await client.read();
    expect(await client.ask("EHLO x")).toContain(`SIZE ${MAX_BYTES}`);
    expect(await client.ask(`MAIL FROM:<a@example.org> SIZE=${MAX_BYTES + 1}`)).toMatch(/^552 5\.3\.4 /);
    expect(await client.ask(`MAIL FROM:<a@example.org> SIZE=${MAX_BYTES}`)).toMatch(/^250 /);
    client.socket.destroy();
  });

  test("5.3.4 for a mail over the limit, however long it goes on; the session lives on", async () => {
    const line = `${"x".repeat(78)}\r\n`;
    expect(await hand(line.repeat(MAX_BYTES / 80 - 1) + "y".repeat(78))).toMatch(/^250 /);
    const client = await speakUpToData(port, address);
    await client.ask("DATA");
    for (let i = 0; i < 50; i += 1) client.write(line.repeat(1_000));
    expect(await client.ask("\r\n.")).toMatch(/^552 5\.3\.4 /);
    expect(await client.ask("NOOP")).toMatch(/^250/);
    expect(await stored(inbound)).toHaveLength(1);
    client.socket.destroy();
  });
});

describe("554", () => {
  test("5.4.6 for a mail that goes round in circles", async () => {
    const received = Array.from({ length: 51 }, (_, i) => `Received: from hop${i} by hop${i + 1}`);
    expect(await hand(mailOf(received))).toMatch(/^554 5\.4\.6 /);
    expect(await stored(inbound)).toEqual([]);
  });
});

describe("what is not offered", () => {
  test("AUTH and the jokes of old", async () => {
    const client = await speak(port);
    expect(await client.read()).toBe("220 mx.mail.localhost ESMTP");
    const features = await client.ask("EHLO x");
    expect(features).not.toContain("AUTH");
    for (const feature of ["PIPELINING", "8BITMIME", "SMTPUTF8", "ENHANCEDSTATUSCODES", "STARTTLS"])
      expect(features).toContain(feature);
    for (const command of ["AUTH PLAIN AGEAYg==", "XCLIENT ADDR=1.2.3.4", "WIZ x", "SHELL"]) {
      expect([command, await client.ask(command)]).toEqual([command, expect.stringMatching(/^500 /)]);
    }
    client.socket.destroy();
  });
});
