// createClient and serviceError against a running service: what a caller gets, and how a call fails.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createClient, serviceError } from "#client/index.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

const UNREACHABLE = "http://127.0.0.1:9";

let service: TestService;
let key: string;

beforeAll(async () => {
  service = await startTestService();
  key = (await service.newOrganization({ maxMailboxes: 2 })).agentKey;
});
afterAll(() => service.stop());

async function refusal(call: Promise<unknown>) {
  return call.then(
    () => {
      throw new Error("the call was not refused");
    },
    (error: unknown) => serviceError(error),
  );
}

describe("createClient", () => {
  test("calls queries and mutations with its key", async () => {
    const client = createClient({ url: service.url, key });
    const inbox = await client.inboxes.create.mutate({ display_name: "Ada" });
    expect(inbox).toMatchObject({ display_name: "Ada", status: "live" });
    const page = await client.inboxes.list.query({});
    expect(page.data.map(({ address }) => address)).toContain(inbox.address);
    expect(await client.auth.me.query()).toMatchObject({ quota: { max_mailboxes: 2 } });
  });

  test("takes a url with slashes at its end", async () => {
    expect(await createClient({ url: `${service.url}//`, key }).auth.me.query()).toHaveProperty("agent_id");
  });

  test("sends through the fetch it is given, one request a call", async () => {
    const asked: string[] = [];
    const client = createClient({
      url: service.url,
      key,
      fetch(input, init) {
        asked.push(new URL(String(input)).pathname);
        return fetch(input, init);
      },
    });
    await Promise.all([client.auth.me.query(), client.webhooks.list.query({})]);
    expect(asked.sort()).toEqual(["/trpc/auth.me", "/trpc/webhooks.list"]);
  });
});

describe("serviceError", () => {
  test("gives code, message and what to do", async () => {
    expect(await refusal(createClient({ url: service.url }).auth.me.query())).toEqual({
      code: "unauthorized",
      message: expect.any(String),
      fix: expect.stringContaining("/v1/enroll"),
      request_id: expect.stringMatching(/^req_/),
    });
  });

  test("gives the issues of bad input", async () => {
    const told = await refusal(
      createClient({ url: service.url, key }).inboxes.create.mutate({ username: "no spaces" }),
    );
    expect(told).toMatchObject({ code: "invalid_request", issues: [{ path: "username" }] });
  });

  test.each([
    ["the service is not reached", UNREACHABLE],
    ["something else answers", "data:text/plain,no"],
  ])("is undefined when %s", async (_, url) => {
    expect(await refusal(createClient({ url, key }).auth.me.query())).toBeUndefined();
  });

  test.each([undefined, null, "text", new Error("another")])("is undefined for %s", (error) => {
    expect(serviceError(error)).toBeUndefined();
  });
});
