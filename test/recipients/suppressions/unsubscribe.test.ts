// One-click unsubscription: the headers of a message, its signature, and the link.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";

const ADA = "Ada@elsewhere.example";
const sink = await startSmtpSink();
const service = await startTestService({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
  await sink.close();
});

/** A mailbox, and the link in a message of it. */
async function subscribed() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const taken = sink.received.length;
  const send = (json: object = {}, from = address) =>
    client.post(inboxPath(from, "/send"), { to: ADA, text: "x", list_unsubscribe: true, ...json }, { key });
  expect((await send()).status).toBe(202);
  await eventually(() => expect(sink.received.length).toBeGreaterThan(taken));
  const raw = sink.received[taken]?.raw ?? Buffer.alloc(0);
  const [, link = ""] = /^List-Unsubscribe: <([^>]+)>/m.exec(raw.toString().replace(/\r\n(?=[ \t])/g, "")) ?? [];
  // The service listens on another port than the one in PUBLIC_URL.
  const url = new URL(new URL(link).pathname, service.url).href;
  const list = async () => (await client.get<Page<object>>("/v1/suppressions", { key })).body.data;
  return { key, address, raw, url, send, list };
}

// test/contracts/outbound/smtp.test.ts checks that DKIM covers them.
test("the headers of RFC 8058 are there, and only on request", async () => {
  const { raw, send } = await subscribed();
  expect(raw.toString()).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
  const taken = sink.received.length;
  await send({ list_unsubscribe: false });
  await eventually(() => expect(sink.received.length).toBeGreaterThan(taken));
  expect(sink.received[taken]?.raw.toString()).not.toContain("List-Unsubscribe");
});

describe("the link", () => {
  test("opened by a scanner, changes nothing", async () => {
    const { url, list } = await subscribed();
    for (const method of ["GET", "HEAD"]) expect((await fetch(url, { method })).status).toBe(200);
    expect(await (await fetch(url)).text()).toContain('<form method="post">');
    expect(await list()).toEqual([]);
  });

  test("by POST, suppresses the recipient for this mailbox, once", async () => {
    const { key, address, url, send, list } = await subscribed();
    const other = await client.createInbox(key);
    for (let i = 0; i < 2; i += 1) {
      const body = new URLSearchParams({ "List-Unsubscribe": "One-Click" });
      expect((await fetch(url, { method: "POST", body })).status).toBe(200);
    }
    expect(await list()).toMatchObject([{ address: ADA.toLowerCase(), reason: "unsubscribed", inbox: address }]);
    expect((await send()).status).toBe(422);
    expect((await send({}, other.address)).status).toBe(202);
  });

  test("by POST, stays until a member ends it: an agent cannot", async () => {
    const { key, url, send } = await subscribed();
    await fetch(url, { method: "POST", body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }) });
    const path = `/v1/suppressions/${encodeURIComponent(ADA)}`;
    const { status, body } = await client.delete<{ error: { code: string; fix: string } }>(path, { key });
    expect([status, body.error.code]).toEqual([403, "insufficient_scope"]);
    expect(body.error.fix).toContain("member");
    expect((await send()).status).toBe(422);
  });

  test("changed by a digit, or of another mailbox, is not found", async () => {
    const [one, other] = [await subscribed(), await subscribed()];
    const end = one.url.at(-1) === "0" ? "1" : "0";
    const [mixed, tail] = [other.url.split(".").slice(0, -1), one.url.split(".").at(-1)];
    for (const forged of [
      one.url.slice(0, -1) + end,
      [...mixed, tail].join("."),
      `${one.url}0`,
      one.url.slice(0, -1),
    ]) {
      expect((await fetch(forged, { method: "POST" })).status).toBe(404);
    }
    expect([await one.list(), await other.list()]).toEqual([[], []]);
  });

  test("with another method: 405", async () => {
    const { url } = await subscribed();
    const answer = await fetch(url, { method: "DELETE" });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});

test("400: more than one recipient", async () => {
  const { send } = await subscribed();
  for (const json of [
    { to: [ADA, "bob@elsewhere.example"] },
    { cc: ["bob@elsewhere.example"] },
    { bcc: ["bob@elsewhere.example"] },
  ]) {
    expect((await send(json)).status).toBe(400);
  }
});
