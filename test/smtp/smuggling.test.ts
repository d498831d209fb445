// Two servers that see the end of a mail in different places let a third put words into its mouth: whatever could be read in
// two ways is refused, however it is cut into packets.
import { once } from "node:events";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  addMailbox,
  emptyTables,
  type Inbound,
  openInbound,
  speak,
  speakUpToData,
  stored,
} from "../support/inbound.ts";

let inbound: Inbound;
let port: number;
let address: string;

beforeAll(async () => {
  inbound = await openInbound();
  ({ port } = await inbound.listen());
  ({ address } = await addMailbox(inbound));
});
beforeEach(() => emptyTables(inbound, "messages", "raw_messages", "events", "threads"));
afterAll(() => inbound.close());

const smuggled = () =>
  `MAIL FROM:<evil@example.org>\r\nRCPT TO:<${address}>\r\nDATA\r\nSubject: smuggled\r\n\r\nsmuggled\r\n.\r\n`;

/** Ends of data that some server takes for one, and RFC 5321 does not. */
const ENDS: [string, string][] = [
  ["LF . LF", "\n.\n"],
  ["LF . CRLF", "\n.\r\n"],
  ["CRLF . LF", "\r\n.\n"],
  ["CR . CR", "\r.\r"],
  ["CR . CRLF", "\r.\r\n"],
  ["CRLF . CR", "\r\n.\r"],
  ["CRLF . CR CRLF", "\r\n.\r\r\n"],
  ["CR LF LF . CRLF", "\r\n\n.\r\n"],
  ["LF .. LF", "\n..\n"],
  ["CRLF .. LF", "\r\n..\n"],
  ["CRLF NUL . CRLF and a bare LF", "\r\n\0.\r\n\n"],
  ["a bare LF", "\n"],
  ["a bare CR", "\r"],
];
/** How the octets are cut into writes. */
const CUTS: [string, (text: string) => string[]][] = [
  ["in one write", (text) => [text]],
  ["octet by octet", (text) => [...text]],
  ["cut at each dot", (text) => text.split(/(?=\.)/)],
  ["cut after each dot", (text) => text.split(/(?<=\.)/)],
  ["cut after each CR", (text) => text.split(/(?<=\r)/)],
];

const pause = () => new Promise((resolve) => setTimeout(resolve, 1));

describe.each(ENDS)("%s", (_name, end) => {
  test.each(CUTS)("%s stores nothing", async (_cut, cut) => {
    const client = await speakUpToData(port, address);
    await client.ask("DATA");
    for (const piece of cut(`Subject: first\r\n\r\nfirst${end}${smuggled()}`)) {
      client.write(piece);
      if (cut.length !== 0) await pause();
    }
    expect(await client.read()).toMatch(/^550 5\.6\.11 /);
    expect(await client.ask("NOOP")).toMatch(/^250/);
    expect(await stored(inbound)).toEqual([]);
    client.socket.destroy();
  });
});

describe("valid mail", () => {
  test("comes out as it went in, however it is cut", async () => {
    const line = fc
      .array(fc.constantFrom("a", ".", "..", " ", "\0", "\xff"), { maxLength: 5 })
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(line, { maxLength: 12 }),
        fc.array(fc.nat(40), { maxLength: 6 }),
        async (lines, cuts) => {
          await emptyTables(inbound, "messages", "raw_messages");
          const text = lines.map((each) => `${each}\r\n`).join("");
          const stuffed = `${text.replace(/^\./gm, "..")}.\r\nNOOP\r\n`;
          const client = await speakUpToData(port, address);
          await client.ask("DATA");
          let at = 0;
          for (const cut of cuts) {
            client.write(Buffer.from(stuffed.slice(at, at + cut), "latin1"));
            at += cut;
            await pause();
          }
          client.write(Buffer.from(stuffed.slice(at), "latin1"));
          expect(await client.read()).toMatch(/^250 2\.6\.0/);
          expect(await client.read()).toMatch(/^250/);
          const rows = await stored(inbound);
          expect(rows.map((row) => row.bytes.toString("latin1"))).toEqual([text]);
          client.socket.destroy();
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("STARTTLS", () => {
  async function upgrade(client: Awaited<ReturnType<typeof speak>>) {
    const secure = connectTls({ socket: client.socket, rejectUnauthorized: false });
    let text = "";
    secure.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    await once(secure, "secureConnect");
    return {
      secure,
      async ask(line: string) {
        text = "";
        secure.write(`${line}\r\n`);
        while (!/^\d{3} .*\r\n$/m.test(text)) await once(secure, "data");
        return text;
      },
    };
  }

  test("forgets what was said before it", async () => {
    const client = await speakUpToData(port, address);
    expect(await client.ask("STARTTLS")).toMatch(/^220/);
    client.socket.removeAllListeners("data");
    const { secure, ask } = await upgrade(client);
    expect(await ask("DATA")).toMatch(/^503/);
    expect(await ask("EHLO x")).not.toContain("STARTTLS");
    expect(await ask(`RCPT TO:<${address}>`)).toMatch(/^503/);
    secure.destroy();
  });

  test.each([1, 150])("discards what was pipelined after it in plain text (%i times)", async (times) => {
    const client = await speak(port);
    await client.read();
    await client.ask("EHLO x");
    client.write(`STARTTLS\r\n${`EHLO injected\r\n${smuggled()}`.repeat(times)}`);
    expect(await client.read()).toMatch(/^220/);
    client.socket.removeAllListeners("data");
    const { secure, ask } = await upgrade(client);
    expect(await ask("NOOP")).toBe("250 2.0.0 OK\r\n");
    expect(await stored(inbound)).toEqual([]);
    secure.destroy();
  });

  test("is answered with our own certificate, kept for the next start and readable by us alone", async () => {
    const { readFile, stat } = await import("node:fs/promises");
    const { X509Certificate } = await import("node:crypto");
    const client = await speak(port);
    await client.read();
    await client.ask("EHLO x");
    await client.ask("STARTTLS");
    client.socket.removeAllListeners("data");
    const { secure } = await upgrade(client);
    const shown = secure.getPeerX509Certificate()?.toString();
    const kept = await readFile(`${inbound.dataDir}/smtp-cert.pem`, "utf8");
    expect(new X509Certificate(kept).toString()).toBe(shown);
    expect(new X509Certificate(kept).subject).toBe("CN=mail.localhost");
    expect((await stat(`${inbound.dataDir}/smtp-key.pem`)).mode & 0o777).toBe(0o600);
    await inbound.listen();
    expect(await readFile(`${inbound.dataDir}/smtp-cert.pem`, "utf8")).toBe(kept);
    secure.destroy();
  });
});
