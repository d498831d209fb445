// The examples of requests in the OpenAPI document are valid as they stand: sent to the service, none is refused as a request.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath, type Page, resolved } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp,worker" });
afterAll(service.stop);
const client = api(service);
const { agentKey: key, enrollmentKey } = await service.newOrganization({ inboxAccess: "organization" });
const document = await client.document();

type Example = { name: string; method: string; path: string; body: object; parameters: Record<string, string> };
type Parameter = { name: string; in: string; required?: boolean; example?: unknown };

/** Every operation with a JSON body, in the order of the document. */
const examples: Example[] = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) => {
    const { parameters = [], requestBody } = operation as { parameters?: object[]; requestBody?: object };
    const content = requestBody && resolved<{ content: Record<string, { example?: object }> }>(document, requestBody);
    const body = content?.content["application/json"]?.example;
    if (!body) return [];
    const named = parameters.map((each) => resolved<Parameter>(document, each)).filter((each) => each.in === "path");
    return {
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path,
      body,
      parameters: Object.fromEntries(named.map(({ name, example }) => [name, String(example)])),
    };
  }),
);

const bodyOf = (name: string) => examples.find((each) => each.name === name)?.body as Record<string, string>;

// What the examples name exists: the mailbox of createInbox, and a mail, a draft, a webhook, a key and a domain of it.
const inbox = await client.createInbox(key, bodyOf("POST /v1/inboxes"));
await service.mail({ from: "friend@shop.example", to: inbox.address, text: "Your code is 482913." });
const made = async (path: string, body: object) => (await client.post<{ id: string }>(path, body, { key })).body.id;
const message = (await client.get<Page<{ id: string }>>(inboxPath(inbox.address, "/messages"), { key })).body.data[0]
  ?.id;
const ids: [RegExp, string | undefined][] = [
  [/^\/v1\/messages/, message],
  [/^\/v1\/drafts/, await made("/v1/drafts", { inbox: inbox.address, text: "Hello" })],
  [/^\/v1\/webhooks/, await made("/v1/webhooks", { url: "https://agent.example/hooks", events: ["message.received"] })],
  [/^\/v1\/keys/, await made("/v1/keys", { name: "worker", scopes: ["mailbox:read"] })],
];

function filled({ path, parameters }: Example): string {
  const id = ids.find(([of]) => of.test(path))?.[1];
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === "addr" ? inbox.address : name === "id" && id ? id : parameters[name];
    return encodeURIComponent(value ?? "");
  });
}

test("the example of a message has what a message needs, and is answered with 202", async () => {
  const send = examples.find(({ name }) => name === "POST /v1/inboxes/{addr}/send") as Example;
  expect(Object.keys(send.body)).toEqual(["to", "subject", "text"]);
  const answer = await client.post(inboxPath(inbox.address, "/send"), send.body, { key });
  expect(answer).toMatchObject({ status: 202, body: { status: "queued" } });
});

test.each(examples)("$name takes its example", async (example) => {
  const body = {
    ...example.body,
    ...("token" in example.body && { token: enrollmentKey }),
    ...("timeout_seconds" in example.body && { timeout_seconds: 0 }),
  };
  const answer = await client.call(example.method, filled(example), { key, json: body });
  // Another state may refuse it; the request itself is correct.
  expect([400, 413, 415, 422], JSON.stringify(answer.body)).not.toContain(answer.status);
});
