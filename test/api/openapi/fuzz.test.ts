// Requests generated from the document: no answer is a 5xx, and every one is as the document says.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { isNightly, size } from "#test/sizes.ts";
import { type Document, inboxPath, type Page, type Sent, type Webhook } from "#test/support/api.ts";
import { PRICE, startPaying } from "../../payments/rig.ts";
import { inlined, type Known, requests } from "./requests.ts";

const RUNS = size("FUZZ_RUNS");
/** The same requests for each change; other ones each night, from a number that is printed. */
const SEED = isNightly ? Date.now() : 20_261_122;
const ROUNDS_MAX = 10;
/** Slow calls: rotating a secret answers only when it is in force in every process. */
const SLOW_RUNS = size("FUZZ_SLOW_RUNS");
const SPARE = 40;
/** Each makes an RSA key. */
const SPARE_DOMAINS = 10;
const ROOM = 1_000;
const TIMEOUT_MS = isNightly ? 900_000 : 120_000;

const paying = await startPaying({ ROLES: "web,smtp", SEND_CAP_RAMP: "100000", DATABASE_POOL_SIZE: "10" });
const { service, client } = paying;
afterAll(() => paying.stop());

const { key, enrollmentKey } = await paying.newOrganization({ maxMailboxes: 1_000_000 });
// Room for all that is created here: what has been bought is not asked for again.
const order = { resource: `mailboxes:${ROOM}`, client_id: "known" };
const purchase = (await paying.buy(key, order, await paying.sign(ROOM * Number(PRICE)))).body;
const inbox = await client.createInbox(key, { username: "fuzzed", client_id: "known" });
await service.mail({ from: "friend@else.example", to: inbox.address });
const attachment = { filename: "a.txt", content: Buffer.from("a") };
await service.mail({ from: "b@else.example", to: inbox.address, attachments: [attachment] });
type Named = { domain: string; address: string };
type Leased = { address: string; wait_url: string };
type Read = { id: string; thread_id: string; attachments: { id: string }[] };
const { data } = (await client.get<Page<Read>>(inboxPath(inbox.address, "/messages"), { key })).body;
const [first, plain] = [data[0]?.id ?? "", data[1]?.id ?? ""];
const whole = (await client.get<Read>(`/v1/messages/${first}`, { key })).body;
const file = `/v1/messages/${first}/attachments/${whole.attachments[0]?.id}`;
const link = (await client.get<{ url: string }>(`${file}/link`, { key })).body.url.split("/").at(-1) ?? "";
const [event] = (await client.get<Page<{ id: string }>>("/v1/events", { key })).body.data;
// An unused port of loopback, so that no post leaves the machine.
const url = "http://127.0.0.1:9/x";
const hook = { url, events: ["message.received"] };
const webhook = (await client.post<Webhook>("/v1/webhooks", hook, { key })).body;
await service.mail({ from: "b@else.example", to: inbox.address });
const deliveries = `/v1/webhooks/${webhook.id}/deliveries`;
const [delivery] = (await client.get<Page<{ id: string }>>(deliveries, { key })).body.data;
const send = { to: "a@b.example", text: "x" };
const sent = (await client.post<Sent>(inboxPath(inbox.address, "/send"), send, { key })).body;
type Draft = { id: string; attachments: { id: string }[] };
const files = [{ filename: "b.txt", content_base64: "Yg==" }];
const draft = (await client.post<Draft>("/v1/drafts", { inbox: inbox.address, ...send, attachments: files }, { key }))
  .body;
const domain = "fuzzed.example";
await client.post("/v1/domains", { domain }, { key });
// Only of the block list of sends: entries of an allow list would refuse the sends of the other operations.
const entries = Array.from({ length: SPARE }, (_, n) => `spare-${n}@blocked.example`);
for (const entry of entries) await client.post("/v1/lists/send/block", { entry }, { key });
const known: Known = {
  anywhere: [inbox.id, inbox.address, "known", first, sent.id, webhook.id, event?.id ?? "", enrollmentKey],
  fields: {
    token: [enrollmentKey],
    to: ["a@b.example"],
    filename: ["a.pdf"],
    text: ["x"],
    url: [url],
    revision: [1],
    address: [inbox.address],
    after: [event?.id ?? "", first, "2026-01-01T00:00:00.000Z"],
    inbox: [inbox.address],
    client_id: ["known"],
    entry: entries,
    resource: [order.resource],
    since: [new Date(Date.now() - 3_600_000).toISOString()],
    thread_id: [whole.thread_id],
    expected_last_message_id: [first],
    in_reply_to: [first],
  },
};

const spare = (one: (n: number) => Promise<string>) => Promise.all(Array.from({ length: SPARE }, (_, n) => one(n)));

/** One after the other: an organization makes few keys at the same time. */
async function spareDomains(): Promise<string[]> {
  const names: string[] = [];
  for (let n = 0; n < SPARE_DOMAINS; n += 1) {
    names.push((await client.post<Named>("/v1/domains", { domain: `spare-${n}.example` }, { key })).body.domain);
  }
  return names;
}

/** Spare things to delete: everything else must live on. */
function spareFor(path: string): Promise<string[]> {
  if (path.includes("webhooks")) {
    const other = () => ({ ...hook, url: `${url}?${randomUUID()}` });
    return spare(async () => (await client.post<Webhook>("/v1/webhooks", other(), { key })).body.id);
  }
  if (path.startsWith("/v1/domains")) {
    return spareDomains();
  }
  if (path.startsWith("/v1/suppressions")) {
    return spare(async (n) => {
      return (await client.post<Named>("/v1/suppressions", { address: `spare-${n}@b.example` }, { key })).body.address;
    });
  }
  if (path.startsWith("/v1/keys")) {
    const narrower = { scopes: ["mailbox:read"] };
    return spare(async () => (await client.post<{ id: string }>("/v1/keys", narrower, { key })).body.id);
  }
  if (path.startsWith("/v1/inboxes")) return spare(async () => (await client.createInbox(key)).address);
  return spare(async () => {
    const { id, thread_id } = (await client.post<Sent>(inboxPath(inbox.address, "/send"), send, { key })).body;
    return path.includes("threads") ? thread_id : id;
  });
}

/** Deletes or pauses objects, or disables a webhook, which would break calls that need them. */
const needsSpares = (method: string, path: string) =>
  method === "DELETE" || path.endsWith("/pause") || (method === "PATCH" && path.includes("webhooks"));

/** Each has its code, so that no wait blocks. */
function verifications(): Promise<string[]> {
  return spare(async () => {
    const { address, wait_url } = (await client.post<Leased>("/v1/verifications", {}, { key })).body;
    await service.mail({ from: "b@else.example", to: address, text: "Your verification code is 482913." });
    return wait_url.split("/").at(-1) ?? "";
  });
}

function drafts(): Promise<string[]> {
  return spare(async () => (await client.post<Sent>("/v1/drafts", { inbox: inbox.address, ...send }, { key })).body.id);
}

async function trashed(): Promise<string[]> {
  const ids = await spareFor("/v1/messages/{id}");
  for (const id of ids) await client.delete(`/v1/messages/${id}`, { key });
  return ids;
}

/** What can stand in the path. */
async function namesFor(method: string, path: string): Promise<string[]> {
  if (path.startsWith("/v1/lists")) return ["send"];
  if (path.startsWith("/v1/verifications")) return verifications();
  if (path.startsWith("/v1/drafts/{id}/attachments")) return [draft.id];
  if (path.startsWith("/v1/drafts/")) return drafts();
  if (path.endsWith("/restore")) return trashed();
  if (path === "/v1/attachments/{link}") return [link];
  if (needsSpares(method, path)) return spareFor(path);
  if (path.startsWith("/v1/keys")) return spareFor(path);
  if (path.includes("webhooks")) return [webhook.id];
  if (path.startsWith("/v1/domains")) return [domain];
  if (path.includes("purchase")) return [purchase.id];
  if (path.includes("threads/")) return [whole.thread_id];
  // Replies need a mail whose thread does not end by them.
  return path.includes("messages/")
    ? [first, plain, ...(path.endsWith("/raw") ? [] : [sent.id])]
    : [inbox.id, inbox.address];
}

/** Waits with a short timeout, and endpoints without a server. */
function harmless(path: string, json: unknown): unknown {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const { timeout_seconds: timeout = 30, ...rest } = json as { timeout_seconds?: unknown; url?: unknown };
  if (path.endsWith("/wait") && Number(timeout) > 0) return { ...rest, timeout_seconds: 0 };
  const { url: given } = rest;
  return typeof given === "string" && URL.canParse(given) ? { ...json, url } : json;
}

const document = (await client.document()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation: inlined(document, operation),
  })),
);

console.log(`fuzz: seed ${SEED}, ${RUNS} requests of each operation`);

describe.concurrent("no 5xx, every answer valid", () => {
  test.each(operations)("$method $path", { timeout: TIMEOUT_MS }, async ({ method, path, operation }) => {
    const names = await namesFor(method, path);
    const inner = {
      list: ["block"],
      attachment_id: [(path.startsWith("/v1/drafts") ? draft : whole).attachments[0]?.id ?? ""],
      delivery_id: [delivery?.id ?? ""],
    };
    const statuses: number[] = [];
    // A dry run answers 200 before the 202 of a send.
    const success = Number(Object.keys(operation.responses).findLast((status) => status.startsWith("2")));
    // Few generated sends are valid: an operation without a success gets more requests.
    for (let round = 0; round < ROUNDS_MAX && !statuses.includes(success); round += 1) {
      await fc.assert(
        fc.asyncProperty(
          requests(path, operation, {
            names,
            inner,
            known: needsSpares(method, path) ? { ...known, anywhere: names } : known,
          }),
          async (generated) => {
            const target = generated.query ? `${generated.path}?${generated.query}` : generated.path;
            // A stream has no end: its headers are enough.
            const by = path === "/v1/events/stream" ? "HEAD" : method;
            const { status, text } = await client.call(by, target, {
              key,
              json: harmless(path, generated.json),
              body: generated.body,
            });
            statuses.push(status);
            if (status >= 500) throw new Error(`${status} ${text}`);
          },
        ),
        { numRuns: path.endsWith("/rotate-secret") ? SLOW_RUNS : RUNS, seed: SEED + round },
      );
    }
    expect(statuses).toContain(success);
  });
});
