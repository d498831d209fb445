// /llms.txt is true: its requests lead from an enrollment key to a code, and what it names exists.
import { afterAll, describe, expect, test } from "vitest";
import { version } from "#server/base/version.ts";
import { TOOLS } from "#server/procedures/tools.ts";
import { api } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import entry from "../../../server.json" with { type: "json" };

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));
const { text, status, headers } = await client.exchange("GET", "/llms.txt", {});
const requests = [...text.matchAll(/^\d\. `(POST) (\S+)` with `(\{.*?\})` returns/gm)];

async function follow(index: number, values: Record<string, string>, key?: string) {
  const [, method = "", url = "", body = ""] = requests[index] ?? [];
  const path = url
    .replace("http://mailberth.example", "")
    .replace("{address}", encodeURIComponent(values.address ?? ""));
  return (await client.call<Record<string, string>>(method, path, { key, json: { ...JSON.parse(body), ...values } }))
    .body;
}

describe("GET /llms.txt", () => {
  test("is text without a key", () => {
    expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
  });

  test("its requests lead to a code", async () => {
    const { enrollmentKey } = await service.newOrganization();
    expect(requests).toHaveLength(3);
    const { agent_key: key = "" } = await follow(0, { token: enrollmentKey });
    const { address = "" } = await follow(1, {}, key);
    const after = new Date(Date.now() - 60_000).toISOString();
    await service.mail({ from: "a@shop.example", to: address, subject: "Your code", text: "Your code is 482915" });
    const [, method = "", , body = ""] = requests[2] ?? [];
    const json = { ...JSON.parse(body), after };
    const path = `/v1/inboxes/${encodeURIComponent(address)}/wait`;
    expect(requests[2]?.[2]).toBe("http://mailberth.example/v1/inboxes/{address}/wait");
    const answer = await client.call<{ extracted: { otp: string } }>(method, path, { key, json });
    expect(answer.body.extracted.otp).toBe("482915");
  });

  test("names paths and tools that exist", async () => {
    const document = await client.document();
    const { paths } = document;
    const known = Object.keys(paths).map((path) => path.replaceAll(/\{\w+\}/g, "{}"));
    const named = [...text.matchAll(/http:\/\/mailberth\.example(\/v1\/[^\s`)?]+)/g)].map(([, path = ""]) => path);
    const unknown = named.filter((path) => !known.includes(path.replaceAll(/\{\w+\}/g, "{}")));
    expect(new Set(unknown)).toEqual(new Set(["/v1/openapi.json"]));
    const tools = [...text.matchAll(/`([a-z]+(?:_[a-z]+){1,2})`/g)].map(([, name = ""]) => name);
    const fields = [
      "agent_key",
      "client_id",
      "inbox_access",
      "timed_out",
      "safe_text",
      "wait_url",
      "add_labels",
      "without_label",
      "upload_id",
      "send_at",
      "expires_at",
      "in_reply_to",
      "attachment_id",
    ];
    expect(tools.filter((name) => !(name in TOOLS) && !fields.includes(name))).toEqual([]);
    const described = JSON.stringify(document);
    expect(fields.filter((name) => !described.includes(`"${name}"`))).toEqual([]);
  });

  test("HEAD has no body; other methods are refused", async () => {
    const head = await client.exchange("HEAD", "/llms.txt", {});
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", headers["content-length"]]);
    const posted = await client.exchange("POST", "/llms.txt", { json: {} });
    expect([posted.status, posted.headers.allow]).toEqual([405, "GET, HEAD"]);
  });
});

test("server.json, the entry of the MCP registry, has this version and the door's path", () => {
  const REGISTRY_CHARS = 100;
  expect(entry.version).toBe(version);
  expect(entry.description.length).toBeLessThanOrEqual(REGISTRY_CHARS);
  expect(entry.remotes.map(({ type, url }) => [type, url])).toEqual([["streamable-http", "https://{host}/mcp"]]);
});
