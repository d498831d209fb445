// `reply_by`: the event message.unanswered when no person replied to a message in time.
import { afterAll, describe, expect, test } from "vitest";
import { reportUnanswered } from "#server/sending/expected-replies.ts";
import { api, type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const ANN = "ann@else.example";

const clock = adjustableClock();
const service = await startTestService({}, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Event = { event: string; message?: { id: string; reply_by?: string } };
type Message = { thread_id: string; reply_by: string | null; rfc_message_id: string; status: string };

const later = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();

async function sender() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const read = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  return {
    key,
    address,
    read,
    async send(more: object = {}) {
      const json = { to: ANN, subject: "When?", text: "When?", reply_by: later(HOUR_MS), ...more };
      return (await client.post<{ id: string } & Failure>(inboxPath(address, "/send"), json, { key })).body;
    },
    async answer(id: string, headers: Record<string, string> = {}) {
      const about = await read(id);
      const inReplyTo = `<${about.rfc_message_id}>`;
      await service.mail({
        from: ANN,
        to: address,
        subject: "Re: When?",
        headers: { "In-Reply-To": inReplyTo, ...headers },
      });
    },
    async unanswered() {
      const { data } = (await client.get<Page<Event>>("/v1/events?events=message.unanswered", { key })).body;
      return data.map(({ message }) => message);
    },
  };
}

const look = () => Promise.all(Array.from({ length: 5 }, () => reportUnanswered(service.system)));

describe("a message without a reply", () => {
  test("is in the event log once however many workers look", async () => {
    const { send, unanswered, read } = await sender();
    const reply_by = later(HOUR_MS);
    const ids: string[] = [];
    for (let i = 0; i < 5; i += 1) ids.push((await send({ reply_by })).id);
    expect((await read(ids[0] ?? "")).reply_by).toBe(reply_by);
    await look();
    expect(await unanswered()).toEqual([]);
    clock.advance(2 * HOUR_MS);
    await look();
    await look();
    await eventually(async () => expect(await unanswered()).toHaveLength(ids.length));
    expect((await unanswered()).map((each) => each?.id).sort()).toEqual(ids.sort());
    expect((await unanswered())[0]).toMatchObject({ reply_by });
  });

  test("but with an automatic answer is unanswered", async () => {
    const { send, unanswered, answer } = await sender();
    const { id } = await send();
    await answer(id, { "Auto-Submitted": "auto-replied" });
    clock.advance(2 * HOUR_MS);
    await look();
    await eventually(async () => expect(await unanswered()).toMatchObject([{ id }]));
  });

  test("as a reply, and as a sent draft", async () => {
    const { send, answer, unanswered, key, address } = await sender();
    await answer((await send({ reply_by: undefined })).id);
    const [mail] = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages?direction=inbound"), { key }))
      .body.data;
    clock.advance(1_000);
    const json = { text: "And?", reply_by: later(HOUR_MS) };
    const replied = (await client.post<{ id: string }>(`/v1/messages/${mail?.id}/reply`, json, { key })).body;
    const fields = { inbox: address, to: ANN, text: "Draft" };
    const draft = (await client.post<{ id: string; revision: number }>("/v1/drafts", fields, { key })).body;
    const { revision } = draft;
    const sent = await client.post<{ id: string }>(
      `/v1/drafts/${draft.id}/send`,
      { revision, reply_by: later(HOUR_MS) },
      { key },
    );
    clock.advance(2 * HOUR_MS);
    expect([replied.id, sent.status]).toEqual([expect.any(String), 202]);
    await look();
    await eventually(async () => expect(await unanswered()).toHaveLength(2));
    expect((await unanswered()).map((each) => each?.id).sort()).toEqual([replied.id, sent.body.id].sort());
  });
});

test("a reply, a deletion or a cancellation ends it", async () => {
  const { send, answer, unanswered, key, read } = await sender();
  const [answered, erased, deleted, cancelled] = [
    await send(),
    await send(),
    await send(),
    await send({ send_at: later(HOUR_MS / 2) }),
  ];
  await answer(answered.id);
  await answer(erased.id);
  const { thread_id } = await read(erased.id);
  const thread = (
    await client.get<{ messages: { id: string; direction: string }[] }>(`/v1/threads/${thread_id}`, { key })
  ).body;
  const reply = thread.messages.find(({ direction }) => direction === "inbound");
  expect((await client.delete(`/v1/messages/${reply?.id}`, { key })).status).toBe(200);
  await client.delete(`/v1/messages/${deleted.id}`, { key });
  await client.post(`/v1/messages/${deleted.id}/restore`, {}, { key });
  expect((await read(deleted.id)).reply_by).toBe(null);
  await client.post(`/v1/messages/${cancelled.id}/cancel`, {}, { key });
  clock.advance(2 * HOUR_MS);
  await look();
  expect(await unanswered()).toEqual([]);
});

test("400: a time that is past, too far ahead, before send_at, or no time", async () => {
  const { send } = await sender();
  const bad = [later(-1000), later(91 * DAY_MS), later(730 * DAY_MS), "tomorrow", ""];
  for (const reply_by of bad) expect((await send({ reply_by })).error).toMatchObject({ code: "invalid_request" });
  const early = await send({ send_at: later(2 * HOUR_MS), reply_by: later(HOUR_MS) });
  expect(early.error.code).toBe("invalid_request");
});
