// Hostile targets at the service's doors, with no look-up and no connection: registering them is a 400 and leaves nothing behind.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Api, api, type Inbox } from "#test/support/api.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { REFUSED_BY_TEXT } from "./hostile-targets.ts";

let service: TestService;
let client: Api;
let key: string;
beforeAll(async () => {
  service = await startTestService({ WEBHOOK_TARGETS: "public", ALLOW_INSECURE_WEBHOOKS: "false", ROLES: "web" });
  client = api(service);
  key = (await service.newOrganization()).agentKey;
});
afterAll(async () => {
  await client?.close();
  await service?.stop();
});

const PUBLIC = "https://8.8.8.8/";

/** All but the public one. */
const webhooks = () => service.system.sql`select url from webhooks where url <> ${PUBLIC}`;

describe.each(Object.entries(REFUSED_BY_TEXT))("%s", (group, urls) => {
  test("is refused by POST /v1/webhooks", async () => {
    const answers = await Promise.all(
      urls.map((url) => client.post("/v1/webhooks", { url, events: ["message.received"] }, { key })),
    );
    for (const { status, body } of answers) {
      expect(status).toBe(400);
      // Some are no text of a URL at all to the schema.
      expect(body.error.code).toMatch(group === "shapes" ? /^invalid_(webhook_url|request)$/ : /^invalid_webhook_url$/);
    }
    expect(await webhooks()).toEqual([]);
  });
});

test("and by creating a mailbox with one", async () => {
  for (const url of [
    "https://127.0.0.1/",
    "https://localhost/",
    "http://hooks.example.com/",
    "https://h.example:25/",
  ]) {
    const { status, body } = await client.post("/v1/inboxes", { inbound_webhook_url: url }, { key });
    expect([status, body.error.code]).toEqual([400, "invalid_webhook_url"]);
  }
  const { data } = (await client.get<{ data: Inbox[] }>("/v1/inboxes", { key })).body;
  expect(data).toEqual([]);
});

test("what is public passes", async () => {
  const { status } = await client.post("/v1/webhooks", { url: PUBLIC, events: ["message.received"] }, { key });
  expect(status).toBe(201);
});
