// Requests generated from the document: no answer is a 5xx, and every one is as the document says.
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { api, type Document, inboxPath, type Page, type Sent, type Webhook } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { type Known, requests } from "./requests.ts";

const RUNS = 300;
const SPARE = 40;
const TIMEOUT_MS = 120_000;

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "100000", DATABASE_POOL_SIZE: "10" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const { agentKey: key, enrollmentKey } = await service.newOrganization({ maxMailboxes: 1_000_000 });
const inbox = await client.createInbox(key, { username: "fuzzed", client_id: "known" });
await service.mail({ from: "friend@else.example", to: inbox.address });
const { data } = (await client.get<Page<{ id: string }>>(inboxPath(inbox.address, "/messages"), { key })).body;
const hook = { url: "https://agent.example", events: ["message.received"] };
const webhook = (await client.post<Webhook>("/v1/webhooks", hook, { key })).body;
const sent = await client.post<Sent>(inboxPath(inbox.address, "/send"), { to: "a@b.example", text: "x" }, { key });
const known: Known = {
  anywhere: [inbox.id, inbox.address, "known", data[0]?.id ?? "", sent.body.id, webhook.id, enrollmentKey],
  fields: { token: [enrollmentKey], to: ["a@b.example"], url: ["https://agent.example/x"], address: [inbox.address] },
};

/** What can stand in the path. Only spare things may be deleted: everything else must live on. */
async function namesFor(method: string, path: string): Promise<string[]> {
  const webhooks = path.includes("webhooks");
  if (method !== "DELETE") {
    if (webhooks) return [webhook.id];
    return path.includes("messages/") ? [data[0]?.id ?? "", sent.body.id] : [inbox.id, inbox.address];
  }
  const one = async () =>
    webhooks
      ? (await client.post<Webhook>("/v1/webhooks", hook, { key })).body.id
      : (await client.createInbox(key)).address;
  return Promise.all(Array.from({ length: SPARE }, one));
}

const document = (await client.document()) as Document;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

describe.concurrent("no 5xx, every answer valid", () => {
  test.each(operations)("$method $path", { timeout: TIMEOUT_MS }, async ({ method, path, operation }) => {
    const names = await namesFor(method, path);
    const statuses: number[] = [];
    await fc.assert(
      fc.asyncProperty(
        requests(path, operation, { names, known: method === "DELETE" ? { anywhere: names, fields: {} } : known }),
        async (generated) => {
          const target = generated.query ? `${generated.path}?${generated.query}` : generated.path;
          const { status, text } = await client.call(method, target, { key, json: generated.json });
          statuses.push(status);
          if (status >= 500) throw new Error(`${status} ${text}`);
        },
      ),
      { numRuns: RUNS },
    );
    const success = Number(Object.keys(operation.responses)[0]);
    expect(statuses).toContain(success);
  });
});
