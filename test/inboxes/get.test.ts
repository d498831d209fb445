// GET /v1/inboxes/{addr}: and with it every way to name a mailbox in a path.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Inbox, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

const NOT_FOUND = {
  error: {
    code: "inbox_not_found",
    message: "The inbox does not exist.",
    fix: expect.any(String),
    request_id: expect.stringMatching(/^req_/),
  },
};

describe("200", () => {
  test("returns the mailbox as its create did", async () => {
    const { agentKey: key } = await service.newOrganization();
    const inbox = await client.createInbox(key, { display_name: "Box" });
    const { status, body } = await client.get<Inbox>(inboxPath(inbox.address), { key });
    expect([status, body]).toEqual([200, inbox]);
  });

  test("by address in any case, encoded or not, and by id", async () => {
    const { agentKey: key } = await service.newOrganization();
    const inbox = await client.createInbox(key, { username: "some.one_else-1" });
    const names = [
      inbox.id,
      "some.one_else-1@mail.example",
      "some.one_else-1%40mail.example",
      "SOME.one_else-1%40Mail.Example",
      "%73ome%2Eone_else-1%40mail.example",
    ];
    for (const name of names) {
      expect([name, (await client.get<Inbox>(`/v1/inboxes/${name}`, { key })).body.id]).toEqual([name, inbox.id]);
    }
  });

  test("at an international domain, in its ASCII form", async () => {
    const { agentKey: key } = await service.newOrganization({ allowedDomains: ["bücher.example"] });
    const inbox = await client.createInbox(key, { username: "leser", domain: "bücher.example" });
    expect((await client.get<Inbox>(inboxPath("leser@xn--bcher-kva.example"), { key })).body.id).toBe(inbox.id);
  });
});

describe("404", () => {
  test("the same for what never existed, was deleted, is another's, or is no name at all", async () => {
    const { agentKey: key } = await service.newOrganization();
    const stranger = await service.newOrganization();
    const foreign = await client.createInbox(stranger.agentKey);
    const gone = await client.createInbox(key);
    await client.delete(inboxPath(gone.address), { key });
    const junk = [
      "%",
      "%zz",
      "%00",
      "%0d%0a",
      "%2e%2e",
      "..",
      ".",
      "%C3%28",
      "a%2Fb",
      "%F0%9F%93%AC%40x.example",
      "a%20b",
      "~",
      "%25",
    ];
    const names = [gone.id, gone.address, foreign.id, foreign.address, "nobody@mail.example", "inb_", "inb_x", "null"];
    const kinds = [gone.id.replace("inb_", ""), gone.id.toUpperCase(), "a@b@c", "@", "a@"];
    for (const name of [
      ...names,
      ...kinds,
      ...junk,
      "x".repeat(300),
      "inb_7zzzzzzzzzzzzzzzzzzzzzzzzz",
      "inb_zzzzzzzzzzzzzzzzzzzzzzzzzz",
    ]) {
      const { status, body } = await client.get(`/v1/inboxes/${name}`, { key });
      expect([name, status, body]).toEqual([name, 404, NOT_FOUND]);
    }
  });

  test("an id of another kind, and what it is the id of, whether there is such a thing or not", async () => {
    const { agentKey: key } = await service.newOrganization();
    const gone = await client.createInbox(key);
    const { status, body } = await client.get(`/v1/inboxes/${gone.id.replace("inb_", "msg_")}`, { key });
    const message = "The inbox does not exist: `addr` is the id of a message.";
    expect([status, body]).toMatchObject([404, { error: { code: "inbox_not_found", message } }]);
  });

  test("for a mailbox that the key is not restricted to", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const [mine, other] = [await client.createInbox(agentKey), await client.createInbox(agentKey)];
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [mine.address] });
    expect((await client.get<Inbox>(inboxPath(mine.address), { key })).status).toBe(200);
    expect((await client.get(inboxPath(other.address), { key })).body).toEqual(NOT_FOUND);
  });
});
