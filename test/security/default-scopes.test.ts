// What a new enrollment key permits unless its scopes are chosen.
import { afterAll, expect, test } from "vitest";
import { issueEnrollmentKey } from "#server/keys/issue-enrollment-key.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const DEFAULT = ["mailbox:create", "mailbox:read", "mailbox:send", "mailbox:delete", "webhook:write"];
const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const enroll = async (token: string) =>
  (await client.post<{ scopes: string[]; agent_key: string }>("/v1/enroll", { token, agent_handle: "bot" })).body;

test("agents of a new key of an operator or a member work in mailboxes, and change no lists, domains, keys or payments", async () => {
  const { organizationId } = await service.newOrganization();
  const { trpc } = await newOwner(service, organizationId);
  const keys = [
    await issueEnrollmentKey(service.system, { organization: organizationId, max_mailboxes: 2 }),
    await trpc.keys.issue.mutate({ name: "for agents", max_mailboxes: 2 }),
  ];
  for (const { key } of keys) {
    const { scopes, agent_key } = await enroll(key);
    expect(scopes).toEqual(DEFAULT);
    await client.createInbox(agent_key);
    const entry = await client.post("/v1/lists/send/block", { entry: "a@b.example" }, { key: agent_key });
    expect([entry.status, entry.body.error.code]).toEqual([403, "insufficient_scope"]);
  }
});

test("a call that needs another scope says which, and how to get a key that has it", async () => {
  const { organizationId } = await service.newOrganization();
  const { key } = await issueEnrollmentKey(service.system, { organization: organizationId, max_mailboxes: 1 });
  const { agent_key } = await enroll(key);
  const calls = [
    ["domain:manage", "/v1/domains", { domain: "acme.example" }],
    ["list:manage", "/v1/lists/send/block", { entry: "a@b.example" }],
    ["key:issue", "/v1/keys", { scopes: ["mailbox:read"] }],
    ["payment:write", "/v1/purchase", { resource: "mailboxes:1" }],
  ] as const;
  for (const [scope, path, json] of calls) {
    const { status, body } = await client.post(path, json, { key: agent_key });
    expect([status, body.error.code, body.error.message]).toEqual([
      403,
      "insufficient_scope",
      expect.stringContaining(scope),
    ]);
    for (const way of [`--scopes`, `under Keys in the dashboard`, scope]) expect(body.error.fix).toContain(way);
  }
});

test("a member chooses the scopes of a key", async () => {
  const { organizationId } = await service.newOrganization();
  const { trpc } = await newOwner(service, organizationId);
  const scopes = ["mailbox:read", "list:manage"] as const;
  const { key } = await trpc.keys.issue.mutate({ name: "lists", max_mailboxes: 1, scopes: [...scopes] });
  expect((await enroll(key)).scopes).toEqual(scopes);
  const none = trpc.keys.issue.mutate({ name: "none", max_mailboxes: 1, scopes: [] });
  await expect(none).rejects.toMatchObject({ data: { code: "BAD_REQUEST" } });
});
