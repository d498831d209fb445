// The octets of attached files: as they were sent, in the download and in a forward, and for mail that an earlier version read.
import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { afterAll, describe, expect, test } from "vitest";
import type { AppRouter } from "#server/api/router.ts";
import { decodeId } from "#server/base/ids.ts";
import { connect } from "#test/api/mcp/rig.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp,worker" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type File = { id: string; filename: string | null; content_type: string; size: number; inline: boolean };
type Message = { id: string; status: string; text: string | null; reading: object | null; attachments: File[] };

const FILES: [name: string, type: string, content: string][] = [
  ["call.ics", "text/calendar; charset=iso-8859-1; method=REQUEST", "BEGIN:VCALENDAR\nSUMMARY:\xd6l  \nEND:VCALENDAR"],
  ["prices.csv", "text/csv", "part;price \nbolt;1,20\t\n\n"],
  ["notes.txt", "text/plain; charset=windows-1252", "caf\xe9\rend of line \x80 "],
  ["page.html", "text/html; charset=utf-16", "<p>not wide"],
  ["zero.log", "text/x-log", "a\0b\0"],
];

function part([name, type, content]: (typeof FILES)[number]): string {
  const coded = Buffer.from(content, "latin1").toString("base64");
  return `--f\r\nContent-Type: ${type}; name=${name}\r\nContent-Disposition: attachment; filename=${name}\r\nContent-Transfer-Encoding: base64\r\n\r\n${coded}\r\n`;
}
const mailOf = (...parts: string[]) =>
  `From: a@else.example\r\nSubject: files\r\nContent-Type: multipart/mixed; boundary=f\r\n\r\n${parts.join("")}--f--\r\n`;

async function newest(key: string, address: string): Promise<Message> {
  const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages?limit=1"), { key })).body;
  return (await client.get<Message>(`/v1/messages/${data[0]?.id}`, { key })).body;
}
async function contentsOf(key: string, { id, attachments }: Message): Promise<[string | null, string][]> {
  const all = attachments.map(async (file): Promise<[string | null, string]> => {
    const url = `${service.url}/v1/messages/${id}/attachments/${file.id}`;
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
    return [file.filename, Buffer.from(await answer.arrayBuffer()).toString("latin1")];
  });
  return Promise.all(all);
}
const SENT = FILES.map(([name, , content]) => [name, content]);

test("files are downloaded and forwarded octet by octet", async () => {
  const { agentKey: key } = await service.newOrganization({ maxMailboxes: 2 });
  const [from, to] = [await client.createInbox(key), await client.createInbox(key)];
  const raw = mailOf("--f\r\n\r\nsee the files\r\n", ...FILES.map(part));
  await service.mail({ from: "a@else.example", to: from.address, raw: Buffer.from(raw, "latin1") });
  const received = await newest(key, from.address);
  expect(await contentsOf(key, received)).toEqual(SENT);
  await client.post(`/v1/messages/${received.id}/forward`, { to: to.address, text: "for you" }, { key });
  await eventually(async () => {
    expect(await contentsOf(key, await newest(key, to.address))).toEqual(SENT);
  });
});

describe("how a mail was read", () => {
  test("is the same for REST, tRPC and MCP", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const raw = "From: a@else.example\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGr\xfc\xdfe\r\n";
    await service.mail({ from: "a@else.example", to: address, raw: Buffer.from(raw, "latin1") });
    const { id, text, reading } = await newest(key, address);
    expect({ text, reading }).toEqual({ text: "Grüße\n", reading: { complete: true, notes: ["charset_guessed"] } });
    const link = httpBatchLink({ url: `${service.url}/trpc`, headers: { authorization: `Bearer ${key}` } });
    expect((await createTRPCClient<AppRouter>({ links: [link] }).messages.get.query({ id })).reading).toEqual(reading);
    const mcp = await connect(service, key);
    const message = await mcp.done<Message>("get_message", { id });
    await mcp.close();
    expect(message.reading).toEqual(reading);
  });

  test("is null for mail of an earlier version, whose files stay in their places", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    // Malformed media types were files, named texts were words, and signed mail was one file.
    const named = "--f\r\nContent-Type: text/plain; name=words.txt\r\nContent-Disposition: inline\r\n\r\nwords\r\n";
    const malformed = "--f\r\nContent-Type: text\r\n\r\nmalformed\r\n";
    const raw = mailOf(named, malformed, ...FILES.slice(0, 1).map(part));
    await service.mail({ from: "a@else.example", to: address, raw: Buffer.from(raw, "latin1") });
    const { id, attachments } = await newest(key, address);
    expect(attachments.map(({ filename }) => filename)).toEqual(["words.txt", "call.ics"]);
    const [row] = await service.system.sql<{ attachments: File[] }[]>`
      select attachments from messages where id = ${decodeId("msg", id) ?? null}`;
    const [first, last] = row?.attachments ?? [];
    const earlier = JSON.stringify([{ ...first, filename: null }, last]);
    await service.system.sql`
      update messages set reading = null, attachments = ${earlier}::text::jsonb where id = ${decodeId("msg", id) ?? null}`;
    const message = await newest(key, address);
    expect(message.reading).toBeNull();
    expect(await contentsOf(key, message)).toEqual([
      [null, "malformed"],
      ["call.ics", FILES[0]?.[2]],
    ]);
  });

  test("lists files in other places if a later version reads more of the mail: each is found by its size.", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    await service.mail({ from: "a@else.example", to: address, raw: Buffer.from(mailOf(...FILES.map(part)), "latin1") });
    const { id, attachments } = await newest(key, address);
    const sizes = new Set(attachments.map(({ size }) => size));
    expect(sizes.size).toBe(attachments.length);
    const own = decodeId("msg", id) ?? null;
    await service.system.sql`update messages set attachments = attachments - 0 where id = ${own}`;
    const later = await newest(key, address);
    expect(await contentsOf(key, later)).toEqual(SENT.slice(1));
  });

  test("lists files of one size in other places: each is found by its turn, and one that is not there is not replaced.", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    const twins = ["extra", "first twin", "other twin"].map((content) =>
      part([`${content.slice(0, 5)}.log`, "text/x-log", content]),
    );
    await service.mail({ from: "a@else.example", to: address, raw: Buffer.from(mailOf(...twins), "latin1") });
    const { id } = await newest(key, address);
    const own = decodeId("msg", id) ?? null;
    await service.system.sql`update messages set attachments = attachments - 0 where id = ${own}`;
    const later = await newest(key, address);
    const found = [
      ["first.log", "first twin"],
      ["other.log", "other twin"],
    ];
    expect(await contentsOf(key, later)).toEqual(found);
    await service.system
      .sql`update messages set attachments = jsonb_set(attachments, '{0,size}', '77') where id = ${own}`;
    const [[, lost] = [], kept] = await contentsOf(key, await newest(key, address));
    expect(JSON.parse(lost ?? "")).toMatchObject({ error: { code: "content_unreadable" } });
    expect(kept?.[0]).toBe("other.log");
  });
});
