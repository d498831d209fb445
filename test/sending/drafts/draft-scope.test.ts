// The scope `mailbox:draft`: a key writes drafts and sends nothing. `mailbox:send` includes it.
import { afterAll, describe, expect, test } from "vitest";
import { connect } from "#test/api/mcp/rig.ts";
import type { Failure } from "#test/support/api.ts";
import { startDraftsRig } from "./drafts-rig.ts";

const rig = await startDraftsRig();
const { client, service, writer } = rig;
afterAll(rig.stop);

const organization = await service.newOrganization();

/** A mailbox with a key that sends, and a key of the same enrollment key with other scopes. */
async function drafter(scopes: string[]) {
  const inbox = await client.createInbox(organization.agentKey);
  const { key } = await service.newAgentKey(organization.enrollmentKeyId, { scopes });
  const { body } = await client.post<{ id: string } & Failure>(
    "/v1/drafts",
    { inbox: inbox.address, to: "a@else.example", text: "Hello" },
    { key },
  );
  return { inbox, key, id: body.id };
}
const codeOf = ({ status, body }: { status: number; body: Failure }) => [status, body.error?.code];
const REFUSED = [403, "insufficient_scope"];

describe("a key that only drafts", () => {
  test("creates, changes and deletes a draft, and uploads a file", async () => {
    const { key, id } = await drafter(["mailbox:draft"]);
    const changed = await client.patch(`/v1/drafts/${id}`, { revision: 1, subject: "Two" }, { key });
    expect([changed.status, changed.body]).toMatchObject([200, { revision: 2, subject: "Two" }]);
    const uploaded = await client.call("POST", "/v1/uploads?filename=a.txt", { key, body: "x" });
    expect(uploaded.status).toBe(201);
    expect((await client.delete(`/v1/drafts/${id}`, { key })).status).toBe(200);
  });

  test("sends, schedules, moves and cancels nothing", async () => {
    const { inbox, key, id } = await drafter(["mailbox:draft", "mailbox:read"]);
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    const mail = { to: "a@else.example", text: "x" };
    const waiting = await client.post<{ id: string }>(
      `/v1/inboxes/${inbox.id}/send`,
      { ...mail, send_at },
      { key: organization.agentKey },
    );
    const message = `/v1/messages/${waiting.body.id}`;
    const calls = await Promise.all([
      client.post<Failure>(`/v1/drafts/${id}/send`, { revision: 1 }, { key }),
      client.post<Failure>(`/v1/drafts/${id}/send`, { revision: 1, send_at }, { key }),
      client.post<Failure>(`/v1/inboxes/${inbox.id}/send`, mail, { key }),
      client.post<Failure>(`${message}/reply`, { text: "x" }, { key }),
      client.post<Failure>(`${message}/forward`, { to: "a@else.example" }, { key }),
      client.post<Failure>(`${message}/cancel`, {}, { key }),
      client.patch<Failure>(message, { send_at }, { key }),
    ]);
    expect(calls.map(codeOf)).toEqual(calls.map(() => REFUSED));
  });

  test("sees the tool of drafts, and none that sends", async () => {
    const { key } = await drafter(["mailbox:draft"]);
    const { client: mcp, close } = await connect(service, key);
    const names = (await mcp.listTools()).tools.map(({ name }) => name);
    await close();
    expect(names).toContain("create_draft");
    for (const name of ["send_draft", "send_email", "reply_to_email", "cancel_message"])
      expect(names).not.toContain(name);
  });

  test("issues no key that sends", async () => {
    const { key } = await drafter(["mailbox:draft", "key:issue"]);
    expect(codeOf(await client.post<Failure>("/v1/keys", { scopes: ["mailbox:send"] }, { key }))).toEqual(REFUSED);
    expect((await client.post("/v1/keys", { scopes: ["mailbox:draft"] }, { key })).status).toBe(201);
  });
});

test("a key that sends also drafts, and issues keys that only draft", async () => {
  const { key, id } = await drafter(["mailbox:send", "key:issue"]);
  expect(id).toMatch(/^drf_/);
  expect((await client.post("/v1/keys", { scopes: ["mailbox:draft"] }, { key })).status).toBe(201);
});

test("a key that only reads does not draft", async () => {
  const { key, address } = await writer();
  expect(key).not.toBe("");
  const reader = await service.newAgentKey(organization.enrollmentKeyId, { scopes: ["mailbox:read"] });
  expect(codeOf(await client.post<Failure>("/v1/drafts", { inbox: address }, { key: reader.key }))).toEqual(REFUSED);
});
