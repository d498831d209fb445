// Every route of the router, by two organizations, with every form of id: another's thing and one that never existed are
// answered alike, byte for byte apart from the request id.
import { afterAll, describe, expect, test } from "vitest";
import { appRouter } from "#server/api/router.ts";
import { restMetas } from "#server/api/routes.ts";
import { SCOPES } from "#server/context.ts";
import { encodeId, newId } from "#server/ids.ts";
import { type Answer, api, inboxPath, type Page, type Sent, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** An organization with one of everything. */
async function furnished() {
  const organization = await service.newOrganization({ allowedDomains: ["mail.example"] });
  const { agentKey: key, enrollmentKeyId } = organization;
  const inbox = await client.createInbox(key, { client_id: "mine", metadata: {} });
  await client.createInbox(key);
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "secret subject" });
  const send = { to: "x@else.example", text: "x", idempotency_key: "mine" };
  const sent = (await client.post<Sent>(inboxPath(inbox.address, "/send"), send, { key })).body;
  const { data } = (await client.get<Page<{ id: string }>>(inboxPath(inbox.address, "/messages"), { key })).body;
  const hook = { url: "https://a.example", events: ["message.received"], address: inbox.address };
  const webhook = (await client.post<Webhook>("/v1/webhooks", hook, { key })).body;
  await client.post<Webhook>("/v1/webhooks", { ...hook, address: undefined }, { key });
  const restricted = (await service.newAgentKey(enrollmentKeyId, { inboxes: [inbox.address] })).key;
  return { ...organization, restricted, inbox, sent, webhook, messages: data.map(({ id }) => id) };
}

const [a, b] = [await furnished(), await furnished()];
const forms = (text: string) => [encodeURIComponent(text), text];

/** For each parameter of a path: names of A's things, and names of nothing. */
const NAMES: Record<string, (path: string) => { foreign: string[]; unknown: string[] }> = {
  addr: () => ({
    foreign: [...forms(a.inbox.address), a.inbox.address.toUpperCase(), a.inbox.id],
    unknown: [...forms("nobody-here@mail.example"), "nobody@elsewhere.example", encodeId("inb", newId())],
  }),
  id: (path) =>
    path.includes("/webhooks/")
      ? { foreign: [a.webhook.id], unknown: [encodeId("whk", newId()), a.inbox.id] }
      : { foreign: [...a.messages, a.sent.id], unknown: [encodeId("msg", newId()), a.sent.thread_id] },
};
const BODIES: Record<string, object> = {
  "PATCH /v1/inboxes/{addr}": { display_name: "taken over" },
  "POST /v1/inboxes/{addr}/send": { to: "x@else.example", text: "x" },
};

const routes = [...restMetas(appRouter).values()].map(({ openapi }) => ({
  method: openapi.method,
  path: openapi.path,
}));
const named = routes.filter(({ path }) => path.includes("{"));
const bytes = ({ status, headers, text }: Answer<unknown>) => {
  const {
    date: _date,
    "x-request-id": _id,
    "ratelimit-remaining": _left,
    "ratelimit-reset": _reset,
    ...rest
  } = headers;
  return { status, headers: rest, text };
};

test("every parameter in the router is covered here", () => {
  expect(routes.length).toBeGreaterThan(10);
  for (const { path } of named) {
    for (const [, name] of path.matchAll(/\{(\w+)\}/g)) expect(Object.keys(NAMES)).toContain(name);
  }
});

describe.each(named)("$method $path", ({ method, path }) => {
  const [, parameter = ""] = /\{(\w+)\}/.exec(path) ?? [];
  const json = BODIES[`${method} ${path}`];
  const call = (name: string, key: string) => client.call(method, path.replace(/\{\w+\}/, name), { key, json });

  test("another organization's is as unknown, for a full key, a restricted one, and each scope alone", async () => {
    const { foreign, unknown } = (NAMES[parameter] ?? (() => ({ foreign: [], unknown: [] })))(path);
    const single = await Promise.all(
      SCOPES.map(async (scope) => (await service.newAgentKey(b.enrollmentKeyId, { scopes: [scope] })).key),
    );
    for (const key of [b.agentKey, b.restricted, ...single]) {
      const [reference, ...others] = await Promise.all(unknown.map((name) => call(name, key)));
      expect([403, 404]).toContain(reference?.status);
      for (const answer of [...others, ...(await Promise.all(foreign.map((name) => call(name, key))))]) {
        expect(bytes(answer)).toEqual(bytes(reference as Answer<unknown>));
      }
    }
  });
});

describe("lists, bodies and keys", () => {
  test("no list of B's names anything of A's", async () => {
    const theirs = [a.inbox.id, a.inbox.address, a.webhook.id, a.sent.id, a.organizationId, ...a.messages];
    for (const { path } of routes.filter(({ method, path: all }) => method === "GET" && !all.includes("{id}"))) {
      const { text, status } = await client.get(path.replace("{addr}", encodeURIComponent(b.inbox.address)), {
        key: b.agentKey,
      });
      expect(status).toBe(200);
      for (const id of theirs) expect(text).not.toContain(id);
    }
  });

  test("a webhook for another's address is one for an unknown address", async () => {
    const register = (address: string) =>
      client.post(
        "/v1/webhooks",
        { url: "https://a.example", events: ["message.received"], address },
        { key: b.agentKey },
      );
    const reference = bytes(await register("nobody-here@mail.example"));
    expect(reference.status).toBe(404);
    for (const address of [a.inbox.address, a.inbox.id]) expect(bytes(await register(address))).toEqual(reference);
  });

  test("client ids and idempotency keys of A mean nothing to B", async () => {
    const again = await client.post<{ id: string }>("/v1/inboxes", { client_id: "mine" }, { key: b.agentKey });
    expect([again.body.id, again.headers["idempotent-replayed"]]).toEqual([b.inbox.id, "true"]);
    const send = { to: "x@else.example", text: "x", idempotency_key: "mine" };
    const sent = await client.post<Sent>(inboxPath(b.inbox.address, "/send"), send, { key: b.agentKey });
    expect(sent.body.id).toBe(b.sent.id);
  });

  test("at the end everything of A's is as it was", async () => {
    const { key, inbox } = { key: a.agentKey, inbox: a.inbox };
    expect((await client.get<object>(inboxPath(inbox.address), { key })).body).toEqual(inbox);
    expect((await client.get<object>(`/v1/webhooks/${a.webhook.id}`, { key })).status).toBe(200);
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(inbox.address, "/messages"), { key })).body;
    expect(data.map(({ id }) => id)).toEqual(a.messages);
  });
});
