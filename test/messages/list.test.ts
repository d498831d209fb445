// GET /v1/inboxes/{addr}/messages.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { describePages } from "../api/pages.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Summary = { id: string; direction: string; [field: string]: unknown };

const list = (key: string, address: string) => client.get<Page<Summary>>(inboxPath(address, "/messages"), { key });

describe("200", () => {
  test("both directions, newest first", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    expect((await list(key, address)).body).toEqual({ data: [], next_cursor: null });
    const headers = { Cc: "Copy <copy@else.example>" };
    await service.mail({ from: "Writer <writer@else.example>", to: address, subject: "Grüße", headers });
    const json = { to: ["writer@else.example"], subject: "Re: Grüße", text: "x" };
    const sent = await client.post<Sent>(inboxPath(address, "/send"), json, { key });
    const moment = expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/);
    const { body } = await list(key, address);
    expect(body.data).toEqual([
      {
        id: sent.body.id,
        thread_id: expect.stringMatching(/^thr_/),
        inbox: address,
        direction: "outbound",
        status: "queued",
        from: address,
        from_name: null,
        to: ["writer@else.example"],
        cc: [],
        subject: "Re: Grüße",
        read: true,
        labels: [],
        created_at: moment,
        recipients: [
          {
            address: "writer@else.example",
            status: "queued",
            smtp_code: null,
            enhanced_code: null,
            reason: null,
            at: null,
          },
        ],
        send_at: null,
        size: 1,
        attachment_count: 0,
        attachments: [],
        preview: "x",
      },
      {
        id: expect.stringMatching(/^msg_/),
        thread_id: expect.stringMatching(/^thr_/),
        inbox: address,
        direction: "inbound",
        status: expect.stringMatching(/^(received|parsed)$/),
        from: "writer@else.example",
        from_name: "Writer",
        delivered_to: address,
        kind: "person",
        to: [address],
        cc: ["copy@else.example"],
        subject: "Grüße",
        read: false,
        labels: [],
        received_at: moment,
        size: expect.any(Number),
        preview: expect.any(String),
        attachment_count: 0,
        attachments: [],
        spam_verdict: expect.toBeOneOf([null, "ham"]),
        quarantined: false,
        warning: null,
      },
    ]);
  });

  test("one mailbox's mail alone, plus-tags included", async () => {
    const { agentKey: key } = await service.newOrganization();
    const [a, b] = [await client.createInbox(key), await client.createInbox(key)];
    await service.mail({ from: "w@else.example", to: a.address.replace("@", "+tag@"), subject: "to a" });
    await service.mail({ from: "w@else.example", to: [a.address, b.address], subject: "to both" });
    const subjects = async (address: string) => (await list(key, address)).body.data.map(({ subject }) => subject);
    expect(await subjects(a.address)).toEqual(["to both", "to a"]);
    expect(await subjects(b.address)).toEqual(["to both"]);
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
      const { status, body } = await client.get(inboxPath(address, "/messages?limit=1"), { key });
      expect([address, status, body.error.code]).toEqual([address, 404, "inbox_not_found"]);
    }
  });
});

describePages(service, client, {
  pathFor: async (key) => inboxPath((await client.createInbox(key)).address, "/messages"),
  add: async (key, path) => {
    const json = { to: "a@else.example", text: "x" };
    return (await client.post<Sent>(path.replace("/messages", "/send"), json, { key })).body.id;
  },
  otherList: "/v1/inboxes",
});
