// Every route of the router, by two organizations, with every form of id: another's thing and one that never existed are
// answered alike, byte for byte apart from the request id.
import { afterAll, describe, expect, test } from "vitest";
import { appRouter } from "#server/api/router.ts";
import { SCOPES } from "#server/base/context.ts";
import { encodeId, newId } from "#server/base/ids.ts";
import { restMetas, withoutDryRun } from "#server/procedures/meta.ts";
import { type Answer, api, inboxPath, type Page, type Sent, type Webhook } from "#test/support/api.ts";
import { paid } from "#test/support/named-inputs.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Listed = { id: string; thread_id: string; read: boolean; labels: string[] };
type Stored = { id: string; attachments: { id: string }[] };

/** What one mailbox holds: a mail with an attachment, and something sent. */
async function mailIn(key: string, inbox: { address: string }, idempotency_key?: string) {
  const attachments = [{ filename: "secret.txt", content: Buffer.from("secret") }];
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "secret subject", attachments });
  const send = { to: "x@else.example", text: "x", idempotency_key };
  const sent = (await client.post<Sent>(inboxPath(inbox.address, "/send"), send, { key })).body;
  const { data } = (await client.get<Page<Listed>>(inboxPath(inbox.address, "/messages"), { key })).body;
  const received = (await client.get<Stored>(`/v1/messages/${data[1]?.id}`, { key })).body;
  return {
    sent,
    messages: data.map(({ id }) => id),
    threads: data.map(({ thread_id }) => thread_id),
    received: received.id,
    attachments: received.attachments.map(({ id }) => id),
  };
}

async function draftIn(key: string, inbox: { address: string }): Promise<string> {
  return (
    await client.post<{ id: string }>("/v1/drafts", { inbox: inbox.address, to: "x@b.example", text: "x" }, { key })
  ).body.id;
}

/** Creates deliveries of earlier events for the webhook and returns them. */
async function owed(key: string, { id }: Webhook): Promise<string[]> {
  await client.post<object>(`/v1/webhooks/${id}/replay`, { since: new Date(Date.now() - 60_000) }, { key });
  const { data } = (await client.get<Page<{ id: string }>>(`/v1/webhooks/${id}/deliveries`, { key })).body;
  return data.map((delivery) => delivery.id);
}

/** An organization with one of everything, and a second mailbox that its restricted key may not see. */
async function furnished() {
  const organization = await service.newOrganization({ allowedDomains: ["mail.example"] });
  const { agentKey: key, enrollmentKeyId } = organization;
  const inbox = await client.createInbox(key, { client_id: "mine" });
  const barredInbox = await client.createInbox(key);
  const mail = await mailIn(key, inbox, "mine");
  const barred = { inbox: barredInbox, ...(await mailIn(key, barredInbox)) };
  const events = (await client.get<Page<{ id: string }>>("/v1/events", { key })).body.data.map(({ id }) => id);
  const hook = { url: "https://a.example", events: ["message.received"], address: inbox.address };
  const webhook = (await client.post<Webhook>("/v1/webhooks", hook, { key })).body;
  const wide = (await client.post<Webhook>("/v1/webhooks", { ...hook, address: undefined }, { key })).body;
  const [deliveries, wideDeliveries] = [await owed(key, webhook), await owed(key, wide)];
  const restricted = (await service.newAgentKey(enrollmentKeyId, { inboxes: [inbox.address] })).key;
  const purchase = await paid(service, organization);
  const issued = (await client.post<{ id: string }>("/v1/keys", { scopes: ["mailbox:read"] }, { key })).body.id;
  const wished = { domain: `${inbox.id.slice(-8)}.example` };
  const domain = (await client.post<{ id: string; domain: string }>("/v1/domains", wished, { key })).body;
  const drafts = [await draftIn(key, inbox), await draftIn(key, barredInbox)];
  const suppressed = `x@${domain.domain}`;
  await client.post("/v1/suppressions", { address: suppressed }, { key });
  await client.post("/v1/lists/send/block", { entry: suppressed }, { key });
  return {
    drafts,
    issued,
    suppressed,
    ...organization,
    restricted,
    inbox,
    barred,
    events,
    webhook,
    wide,
    deliveries,
    wideDeliveries,
    purchase,
    domain,
    ...mail,
  };
}

const [a, b] = [await furnished(), await furnished()];
const forms = (text: string) => [encodeURIComponent(text), text];

/** A's, what B's restricted key may not see, what never was, and what B has. */
type Names = { foreign: string[]; barred: string[]; unknown: string[]; own: string };

/** For each parameter of a path. */
const NAMES: Record<string, (path: string) => Names> = {
  addr: () => ({
    foreign: [...forms(a.inbox.address), a.inbox.address.toUpperCase(), a.inbox.id],
    barred: [...forms(b.barred.inbox.address), b.barred.inbox.id],
    unknown: [...forms("nobody-here@mail.example"), "nobody@elsewhere.example", encodeId("inb", newId())],
    own: b.inbox.id,
  }),
  id: (path) => {
    if (path.includes("/webhooks/")) {
      const unknown = [encodeId("whk", newId()), a.inbox.id];
      return { foreign: [a.webhook.id], barred: [b.wide.id], unknown, own: b.webhook.id };
    }
    if (path.includes("/drafts/")) {
      const unknown = [encodeId("drf", newId()), a.inbox.id];
      return { foreign: a.drafts, barred: b.drafts.slice(1), unknown, own: b.drafts[0] ?? "" };
    }
    if (path.includes("/purchase/")) {
      return { foreign: [a.purchase], barred: [], unknown: [encodeId("pay", newId()), a.inbox.id], own: b.purchase };
    }
    if (path.includes("/keys/")) {
      return { foreign: [a.issued], barred: [b.issued], unknown: [encodeId("akey", newId())], own: b.issued };
    }
    if (path.includes("/threads/")) {
      const unknown = [encodeId("thr", newId()), a.sent.id];
      return { foreign: a.threads, barred: b.barred.threads, unknown, own: b.threads[1] ?? "" };
    }
    const unknown = [encodeId("msg", newId()), a.sent.thread_id];
    return { foreign: a.messages, barred: b.barred.messages, unknown, own: b.received };
  },
  domain: () => ({
    foreign: [a.domain.domain, `${a.domain.domain}.`, a.domain.domain.toUpperCase(), a.domain.id],
    barred: [],
    unknown: ["unknown-domain.example", encodeId("dom", newId())],
    own: b.domain.id,
  }),
  address: () => ({
    foreign: forms(a.suppressed),
    barred: [],
    unknown: [...forms("unknown-person@people.example"), "nothing"],
    own: b.suppressed,
  }),
  delivery_id: () => ({
    foreign: a.deliveries,
    barred: b.wideDeliveries,
    unknown: [encodeId("dlv", newId()), a.webhook.id],
    own: b.deliveries[0] ?? "",
  }),
  attachment_id: () => ({
    foreign: a.attachments,
    barred: b.barred.attachments,
    unknown: [encodeId("att", newId()), a.received],
    own: b.attachments[0] ?? "",
  }),
};
const BODIES: Record<string, object> = {
  "PATCH /v1/inboxes/{addr}": { display_name: "taken over" },
  "POST /v1/inboxes/{addr}/send": { to: "x@else.example", text: "x" },
  "POST /v1/inboxes/{addr}/wait": { timeout_seconds: 0, after: "2000-01-01T00:00:00Z" },
  "PATCH /v1/drafts/{id}": { revision: 1, subject: "taken over" },
  "POST /v1/drafts/{id}/send": { revision: 1 },
  "PATCH /v1/webhooks/{id}": { active: false },
  "POST /v1/webhooks/{id}/replay": { since: new Date(Date.now() - 60_000).toISOString() },
  "PATCH /v1/messages/{id}": { read: true, labels: ["taken over"] },
  "POST /v1/messages/{id}/reply": { text: "x" },
  "POST /v1/messages/{id}/forward": { to: "x@else.example" },
};
/** An answer that goes on until its reader leaves; test/events/stream has its tenants. */
const ENDLESS = "/v1/events/stream";

/** Paths that are signed in place of a key name what they may read; test/messages/verifications has their tenants. */
const keyed = [...restMetas(appRouter).values()].filter(({ openapi }) => openapi.protect !== false);
const routes = keyed.map(({ openapi }) => ({
  method: openapi.method,
  path: withoutDryRun(openapi.path) ? `${withoutDryRun(openapi.path)}?dry_run=true` : openapi.path,
}));
/** Parameters that choose among a few words. */
const CHOICES: Record<string, string> = { direction: "send", list: "block" };
const parametersOf = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "").filter((name) => !(name in CHOICES));
const named = routes.flatMap(({ method, path }) => parametersOf(path).map((name) => ({ method, path, name })));
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
  for (const { name } of named) expect(Object.keys(NAMES)).toContain(name);
  for (const { foreign, barred, unknown } of [NAMES.addr, NAMES.id, NAMES.attachment_id, NAMES.delivery_id].map(
    (of) => of?.("") as Names,
  )) {
    expect([foreign, barred, unknown].map((names) => names.length > 0)).toEqual([true, true, true]);
  }
});

describe.each(named)("$method $path by $name", ({ method, path, name }) => {
  const json = BODIES[`${method} ${path.split("?")[0]}`];
  const names = NAMES[name]?.(path) as Names;
  /** The other parameters name what B has. */
  const call = (value: string, key: string) =>
    client.call(
      method,
      path.replaceAll(/\{(\w+)\}/g, (_, other: string) => (other === name ? value : (NAMES[other]?.(path).own ?? ""))),
      { key, json },
    );

  test("another organization's is as unknown, for a full key, a restricted one, and each scope alone", async () => {
    const single = await Promise.all(
      SCOPES.map(async (scope) => (await service.newAgentKey(b.enrollmentKeyId, { scopes: [scope] })).key),
    );
    for (const key of [b.agentKey, b.restricted, ...single]) {
      const [reference, ...others] = await Promise.all(names.unknown.map((value) => call(value, key)));
      expect([403, 404]).toContain(reference?.status);
      for (const answer of [...others, ...(await Promise.all(names.foreign.map((value) => call(value, key))))]) {
        expect(bytes(answer)).toEqual(bytes(reference as Answer<unknown>));
      }
    }
  });

  test("what a restricted key may not see is as unknown to it", async () => {
    const [reference, ...others] = await Promise.all(
      [...names.unknown, ...names.barred].map((value) => call(value, b.restricted)),
    );
    // Payments and suppressions are the organization's, and so are changes of domains: a key for some mailboxes may do neither.
    const isBarred =
      path.includes("/purchase/") ||
      path.includes("/suppressions/") ||
      (path.includes("/domains/") && method !== "GET");
    expect(reference?.status).toBe(isBarred ? 403 : 404);
    for (const answer of others) expect(bytes(answer)).toEqual(bytes(reference as Answer<unknown>));
  });
});

describe("lists, bodies and keys", () => {
  test("no list of B's names anything of A's", async () => {
    const theirs = [a.inbox.id, a.suppressed, a.inbox.address, a.webhook.id, a.organizationId, a.domain.domain];
    theirs.push(...a.drafts, ...a.messages, ...a.threads, ...a.events);
    const lists = routes.filter(
      ({ method, path: all }) => method === "GET" && !/\{(id|domain)\}/.test(all) && all !== ENDLESS,
    );
    for (const { path } of lists) {
      const own = { ...CHOICES, addr: encodeURIComponent(b.inbox.address) } as Record<string, string>;
      const { text, status } = await client.get(
        path.replaceAll(/\{(\w+)\}/g, (_, name: string) => own[name] ?? ""),
        { key: b.agentKey },
      );
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

  test("filters and positions that are another's are as unknown", async () => {
    const get = async (path: string) => bytes(await client.get(path, { key: b.agentKey }));
    const list = inboxPath(b.inbox.address, "/messages");
    for (const [path, theirs, unknown] of [
      ["/v1/events?inbox=", a.inbox.id, encodeId("inb", newId())],
      [`${ENDLESS}?inbox=`, a.inbox.id, encodeId("inb", newId())],
      ["/v1/events?after=", a.events[0], encodeId("evt", newId())],
      [`${ENDLESS}?after=`, a.events[0], encodeId("evt", newId())],
      [`${list}?thread_id=`, a.threads[0], encodeId("thr", newId())],
    ]) {
      expect(await get(`${path}${theirs}`)).toEqual(await get(`${path}${unknown}`));
    }
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
    const { data } = (await client.get<Page<Listed>>(inboxPath(inbox.address, "/messages"), { key })).body;
    expect(data.map(({ id }) => id)).toEqual(a.messages);
    expect(data.map(({ read, labels }) => [read, labels])).toEqual([
      [true, []],
      [false, []],
    ]);
  });
});
