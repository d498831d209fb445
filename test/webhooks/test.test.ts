// POST /v1/webhooks/{id}/test.
import { afterAll, describe, expect, test } from "vitest";
import type { Page } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { hang, status } from "#test/webhooks/delivery/receiver.ts";
import { events, signatures, startRig, UNKNOWN_WEBHOOK, verify } from "./rig.ts";

const rig = await startRig();
const { service, client, furnished } = rig;
const named = await startRig("web", {}, { SERVICE_NAME: "Acme", MAX_WAITS_PER_KEY: "2" });
afterAll(() => Promise.all([rig.close(), named.close()]));

type Result = {
  delivered: boolean;
  status: number | null;
  duration_ms: number;
  error: string | null;
  response_body: string | null;
};
const took = expect.any(Number);

describe("200", () => {
  test("a signed event with invented ids, marked, and nothing of it is stored", async () => {
    const { post, receiver, webhook, inbox, deliveries, key, read } = await furnished(status(201, {}, "Grüße"));
    const before = await read();
    const { status: code, body } = await post<Result>("/test");
    expect([code, body]).toEqual([
      200,
      { delivered: true, status: 201, duration_ms: took, error: null, response_body: "Grüße" },
    ]);
    const [received] = receiver.received as [(typeof receiver.received)[number]];
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      "x-service-event": "message.received",
      "x-service-test": "true",
      "x-service-delivery": expect.stringMatching(/^dlv_/),
      "x-service-event-id": expect.stringMatching(/^evt_/),
      "user-agent": expect.stringMatching(/^Mailberth\//),
    });
    expect(signatures(received)).toHaveLength(1);
    expect(verify(received, webhook.secret)).toEqual(JSON.parse(received.body));
    expect(JSON.parse(received.body)).toEqual({
      event: "message.received",
      inbox: inbox.address,
      message: {
        id: expect.stringMatching(/^msg_/),
        thread_id: expect.stringMatching(/^thr_/),
        from: expect.stringContaining("@"),
        subject: expect.any(String),
        received_at: expect.stringMatching(/\.\d{3}Z$/),
      },
    });
    expect(await deliveries()).toEqual([]);
    expect(reportedOf((await client.get<Page<{ event: string }>>("/v1/events", { key })).body.data)).toEqual([]);
    expect(await read()).toEqual(before);
  });

  test("for all mailboxes, with a sample address; by the operator's name of the service; of an inactive one", async () => {
    const { agentKey: key } = await named.service.newOrganization();
    const receiver = await named.endpoint();
    const json = { url: receiver.url, events };
    const { id } = (await named.client.post<{ id: string }>("/v1/webhooks", json, { key })).body;
    await named.client.patch(`/v1/webhooks/${id}`, { active: false }, { key });
    const { body } = await named.client.post<Result>(`/v1/webhooks/${id}/test`, undefined, { key });
    expect(body).toMatchObject({ delivered: true, status: 200 });
    expect(receiver.received[0]?.headers).toMatchObject({ "x-acme-test": "true", "x-acme-event": "message.received" });
    expect(JSON.parse(receiver.received[0]?.body ?? "").inbox).toBe("test@mail.example");
    const stored = await named.client.get<{ active: boolean }>(`/v1/webhooks/${id}`, { key });
    expect(stored.body.active).toBe(false);
  });

  test("an endpoint that refuses: its status and the beginning of its answer; 410 disables nothing", async () => {
    const { post, receiver, read } = await furnished();
    const canary = await rig.endpoint();
    for (const code of [302, 400, 410, 500]) {
      receiver.answer = status(code, { location: canary.url }, "no ".repeat(1_000));
      const { body } = await post<Result>("/test");
      expect(body).toMatchObject({ delivered: false, status: code, error: null });
      expect(body.response_body).toBe("no ".repeat(1_000).slice(0, 1_024));
    }
    expect((await read()).active).toBe(true);
    expect(canary.connections).toBe(0);
  });

  test("an endpoint that does not answer: why", async () => {
    const { post, receiver, patch } = await furnished((response) => void response.socket?.resetAndDestroy());
    const none = { delivered: false, status: null, duration_ms: took, error: expect.any(String), response_body: null };
    expect((await post<Result>("/test")).body).toEqual(none);
    expect(receiver.received).toHaveLength(1);
    const gone = await rig.endpoint();
    await gone.close();
    await patch({ url: gone.url });
    const { body } = await post<Result>("/test");
    expect(body).toEqual({ ...none, error: expect.stringContaining("ECONNREFUSED") });
  });
});

describe("404", () => {
  test("unknown, another organization's, or outside a restricted key: no endpoint is called", async () => {
    const { key, post, enrollmentKeyId, receiver } = await furnished();
    const stranger = await furnished();
    for (const id of [UNKNOWN_WEBHOOK, stranger.webhook.id, "x", "%"]) {
      const { status: code, body } = await client.post(`/v1/webhooks/${id}/test`, undefined, { key });
      expect([id, code, body.error.code]).toEqual([id, 404, "webhook_not_found"]);
    }
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    expect((await post("/test", undefined, restricted.key)).status).toBe(404);
    expect([receiver.connections, stranger.receiver.connections]).toEqual([0, 0]);
  });
});

describe("429", () => {
  test("a key with too many calls open that take their time", async () => {
    const { post, receiver, called } = await named.furnished(hang);
    const open = [post<Result>("/test"), post<Result>("/test")];
    await called(2);
    const { status: code, body, headers } = await post<{ error: { code: string } }>("/test");
    expect([code, body.error.code, headers["retry-after"]]).toEqual([429, "rate_limited", "1"]);
    await receiver.close();
    for (const { body: result } of await Promise.all(open)) expect(result.delivered).toBe(false);
    expect((await post("/test")).status).toBe(200);
  });
});
