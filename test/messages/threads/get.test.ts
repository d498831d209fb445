// GET /v1/threads/{id}.
import { afterAll, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = {
  id: string;
  status: string;
  subject: string;
  text: string | null;
  safe_text: { marker: string } | null;
};
type Thread = {
  id: string;
  last_message_id: string;
  message_count: number;
  messages: Message[];
  next_cursor: string | null;
};

/** A thread of some mails, none of them read yet. */
async function conversation(mails: { text: string }[]) {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  for (const [i, { text }] of mails.entries()) {
    const ids = { messageId: `<${i}@else.example>`, ...(i > 0 && { inReplyTo: `<${i - 1}@else.example>` }) };
    await service.mail({ from: "w@else.example", to: address, subject: `mail ${i}`, text, ...ids });
  }
  const { data } = (await client.get<Page<{ id: string; thread_id: string }>>(inboxPath(address, "/messages"), { key }))
    .body;
  const id = data[0]?.thread_id ?? "";
  const read = (query = "", as = key) => client.get<Thread>(`/v1/threads/${id}?${query}`, { key: as });
  return { ...organization, key, address, id, ids: data.map((message) => message.id), read };
}
const subjects = ({ messages }: Thread) => messages.map(({ subject }) => subject);

describe("200", () => {
  test("its messages whole, oldest first, read by then", async () => {
    const { key, address, id, read } = await conversation([{ text: "one" }, { text: "two" }, { text: "three" }]);
    // A busy service shows mail that takes long to parse as it is.
    const body = await eventually(async () => {
      const answer = await read();
      expect(answer.body.messages.map((message) => message.status)).not.toContain("received");
      return answer.body;
    });
    expect(body).toMatchObject({
      id,
      inbox: address,
      subject: "mail 0",
      message_count: 3,
      unread_count: 3,
      next_cursor: null,
    });
    expect(body.messages.map(({ status: parsed, text }) => [parsed, text?.trim()])).toEqual([
      ["parsed", "one"],
      ["parsed", "two"],
      ["parsed", "three"],
    ]);
    expect(body.last_message_id).toBe(body.messages[2]?.id);
    expect(new Set(body.messages.map(({ safe_text }) => safe_text?.marker)).size).toBe(3);
    const single = (await client.get<Message>(`/v1/messages/${body.messages[0]?.id}`, { key })).body;
    expect(body.messages[0]).toEqual({ ...single, safe_text: expect.anything() });
  });

  test("the newest page first, older ones by the cursor", async () => {
    const { read } = await conversation(Array.from({ length: 5 }, () => ({ text: "x" })));
    const first = (await read("limit=2")).body;
    expect(subjects(first)).toEqual(["mail 3", "mail 4"]);
    const second = (await read(`limit=2&cursor=${first.next_cursor}`)).body;
    expect([subjects(second), second.message_count]).toEqual([["mail 1", "mail 2"], 5]);
    const third = (await read(`limit=2&cursor=${second.next_cursor}`)).body;
    expect([subjects(third), third.next_cursor]).toEqual([["mail 0"], null]);
    expect((await read(`limit=2&include_spam=true&cursor=${first.next_cursor}`)).status).toBe(400);
  });

  test("a page has fewer messages when their bodies are large, at least one, and skips none", async () => {
    const large = { text: "0123456789abcde\n".repeat(120_000) };
    const { key, ids, read } = await conversation([{ text: "x" }, large, large, large, large]);
    // What is not parsed within some seconds, as on a busy machine, is shown without its body.
    const parsed = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body.status;
    for (const id of ids) await expect.poll(() => parsed(id)).toBe("parsed");
    const seen: string[] = [];
    let cursor: string | null = "";
    let pages = 0;
    while (cursor !== null) {
      const { body, text }: { body: Thread; text: string } = await read(cursor && `cursor=${cursor}`);
      expect(text.length).toBeLessThan(24 * 1024 * 1024);
      seen.unshift(...subjects(body));
      cursor = body.next_cursor;
      pages += 1;
    }
    expect(seen).toEqual([0, 1, 2, 3, 4].map((i) => `mail ${i}`));
    expect(pages).toBeGreaterThan(1);
  });

  test("for a key restricted to its mailbox", async () => {
    const { address, enrollmentKeyId, read } = await conversation([{ text: "x" }]);
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [address], scopes: ["mailbox:read"] });
    expect((await read("", key)).status).toBe(200);
  });
});

describe("400", () => {
  test("a limit out of range, a cursor of another thread or list", async () => {
    const [mine, other] = [await conversation([{ text: "x" }, { text: "y" }]), await conversation([{ text: "x" }])];
    for (const limit of ["0", "101", "x", ""]) expect((await mine.read(`limit=${limit}`)).status).toBe(400);
    const cursor = (await mine.read("limit=1")).body.next_cursor;
    const list = inboxPath(mine.address, "/messages?limit=1");
    const foreign = (await client.get<Page<object>>(list, { key: mine.key })).body.next_cursor;
    const answers = [
      await client.get(`/v1/threads/${other.id}?cursor=${cursor}`, { key: other.key }),
      await client.get(`/v1/threads/${mine.id}?cursor=${foreign}`, { key: mine.key }),
      await client.get(`/v1/threads/${mine.id}?cursor=x`, { key: mine.key }),
    ];
    for (const { status, body } of answers) expect([status, body.error.code]).toEqual([400, "invalid_cursor"]);
  });
});

describe("404", () => {
  test("unknown, another's, of another mailbox than the key's, of a deleted one", async () => {
    const { key, enrollmentKeyId, address, id, read } = await conversation([{ text: "x" }]);
    const stranger = await conversation([{ text: "x" }]);
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    const { messages } = (await read()).body;
    for (const [name, as] of [
      [id, stranger.key],
      [id, restricted.key],
      [encodeId("thr", newId()), key],
      [messages[0]?.id, key],
      ["thr_", key],
      ["x", key],
    ]) {
      const { status, body } = await client.get(`/v1/threads/${name}`, { key: as });
      expect([name, status, body.error.code]).toEqual([name, 404, "thread_not_found"]);
    }
    await client.delete(inboxPath(address), { key });
    expect((await read()).status).toBe(404);
  });
});
