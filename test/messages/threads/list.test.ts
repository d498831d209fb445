// GET /v1/inboxes/{addr}/threads.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { describePages } from "../../api/pages.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Thread = { id: string; subject: string; message_count: number; last_message: { id: string; subject: string } };

const list = async (key: string, address: string, query = "") =>
  (await client.get<Page<Thread>>(`${inboxPath(address, "/threads")}?${query}`, { key })).body;

describe("200", () => {
  test("the one with the newest message first, with its counts and that message", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    expect(await list(key, address)).toEqual({ data: [], next_cursor: null });
    const from = "w@else.example";
    const mail = (more: object) => service.mail({ from, to: address, ...more });
    await mail({ subject: "Plan", messageId: "<one@else.example>" });
    const json = { to: from, subject: "Other", text: "x" };
    const sent = (await client.post<Sent>(inboxPath(address, "/send"), json, { key })).body;
    expect((await list(key, address)).data.map(({ subject }) => subject)).toEqual(["Other", "Plan"]);
    await mail({ subject: "Re: Plan", inReplyTo: "<one@else.example>" });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
    await client.patch(`/v1/messages/${data[0]?.id}`, { read: true, labels: ["l"] }, { key });
    const summaries = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body.data;
    const moment = expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/);
    const common = { id: expect.stringMatching(/^thr_/), inbox: address, created_at: moment };
    expect((await list(key, address)).data).toEqual([
      {
        ...common,
        subject: "Plan",
        message_count: 2,
        unread_count: 1,
        last_message_id: data[0]?.id,
        last_message: summaries[0],
        last_sender: { from: "w@else.example", from_name: null },
      },
      {
        ...common,
        id: sent.thread_id,
        subject: "Other",
        message_count: 1,
        unread_count: 0,
        last_message_id: sent.id,
        last_message: summaries[1],
        last_sender: null,
      },
    ]);
  });

  test("one mailbox's threads alone", async () => {
    const { agentKey: key } = await service.newOrganization();
    const [a, b] = [await client.createInbox(key), await client.createInbox(key)];
    await service.mail({ from: "w@else.example", to: [a.address, b.address], subject: "both" });
    await service.mail({ from: "w@else.example", to: a.address, subject: "a" });
    expect((await list(key, a.address)).data.map(({ subject }) => subject)).toEqual(["a", "both"]);
    expect((await list(key, b.address)).data.map(({ subject }) => subject)).toEqual(["both"]);
  });
});

describe("404", () => {
  test("unknown, deleted, another's", async () => {
    const { agentKey: key } = await service.newOrganization();
    const stranger = await service.newOrganization();
    const foreign = await client.createInbox(stranger.agentKey);
    const gone = await client.createInbox(key);
    await client.delete(inboxPath(gone.address), { key });
    for (const address of [foreign.address, foreign.id, gone.address, gone.id, "nobody@mail.example"]) {
      const { status, body } = await client.get(inboxPath(address, "/threads"), { key });
      expect([address, status, body.error.code]).toEqual([address, 404, "inbox_not_found"]);
    }
  });
});

describePages(service, client, {
  pathFor: async (key) => inboxPath((await client.createInbox(key)).address, "/threads"),
  add: async (key, path) => {
    const json = { to: "a@else.example", text: "x" };
    return (await client.post<Sent>(path.replace("/threads", "/send"), json, { key })).body.thread_id;
  },
  remove: async (key, id) => {
    await client.delete(`/v1/threads/${id}`, { key });
  },
  otherList: "/v1/inboxes",
});
