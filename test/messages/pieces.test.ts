// Long bodies in pieces: `max_chars` and `offset` of messages, threads and waits.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Cut = { total_chars: number; next_offset: number | null };
type Message = {
  id: string;
  thread_id: string;
  text: string;
  html: string | null;
  safe_text: { marker: string; text: string };
  truncated?: { text?: Cut; html?: Cut; extracted_text?: Cut; safe_text?: Cut };
};

async function received(body: { text: string; html?: string }) {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  await service.mail({ from: "a@else.example", to: address, subject: "long", ...body });
  const wait = (input: object) =>
    client.post<{ message: Message }>(inboxPath(address, "/wait"), { timeout_seconds: 20, ...input }, { key });
  const { message } = (await wait({})).body;
  const read = (query: string) => client.get<Message>(`/v1/messages/${message.id}?${query}`, { key });
  const thread = (query: string) =>
    client.get<{ messages: Message[] }>(`/v1/threads/${message.thread_id}?${query}`, { key });
  return { wait, read, thread };
}

test("pieces, read one after the other, are the whole body", async () => {
  const text = `${"ä😀x\n".repeat(700)}end`;
  const { read } = await received({ text, html: `<p>${"y".repeat(500)}</p>` });
  const whole = (await read("")).body;
  expect(whole.truncated).toBeUndefined();
  let joined = "";
  let next: number | null = 0;
  while (next !== null) {
    const { body }: { body: Message } = await read(`max_chars=333&offset=${next}`);
    expect(body.text.length).toBeLessThanOrEqual(333);
    expect(body.text.isWellFormed()).toBe(true);
    expect(body.truncated?.text?.total_chars).toBe(whole.text.length);
    joined += body.text;
    next = body.truncated?.text?.next_offset ?? null;
  }
  expect(joined).toBe(whole.text);
});

test("each body says what is left out of it, and whole ones say nothing", async () => {
  const { read, thread, wait } = await received({ text: "short", html: `<p>${"long ".repeat(400)}</p>` });
  const { body } = await read("max_chars=100");
  expect(body.truncated).toMatchObject({
    html: { next_offset: 100 },
    safe_text: { total_chars: 1_999, next_offset: 100 },
  });
  expect(body.truncated?.text).toBeUndefined();
  expect(body.text.trim()).toBe("short");
  expect(body.safe_text.text.split("\n")[1]).toHaveLength(100);
  expect((await thread("max_chars=100")).body.messages[0]?.truncated).toEqual(body.truncated);
  const waited = await wait({ after: "2020-01-01T00:00:00Z", max_chars: 100 });
  expect(waited.body.message.truncated).toEqual(body.truncated);
});

test("beyond the end a body is empty", async () => {
  const { read } = await received({ text: "short" });
  const { body } = await read("offset=5000");
  expect([body.text, body.truncated?.text?.next_offset]).toEqual(["", null]);
});

test("a pair of code units is never cut, so that every call gets further", async () => {
  const { read } = await received({ text: "😀😀" });
  const { body } = await read("max_chars=1");
  expect([body.text, body.truncated?.text?.next_offset]).toEqual(["😀", 2]);
});

test("numbers out of range are refused", async () => {
  const { read } = await received({ text: "x" });
  for (const query of ["max_chars=0", "max_chars=-1", "offset=-1", "offset=x", "max_chars=10485761"]) {
    expect([query, (await read(query)).status]).toEqual([query, 400]);
  }
});
