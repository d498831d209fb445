// PATCH /v1/webhooks/{id}.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { decodeId } from "#server/base/ids.ts";
import type { Failure } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { startTestService } from "#test/support/service.ts";
import { hang, status } from "#test/webhooks/delivery/receiver.ts";
import { type StoredWebhook, startRig, UNKNOWN_WEBHOOK, verify } from "./rig.ts";

const rig = await startRig();
const { service, client, furnished, endpoint } = rig;
const idle = await startRig("web,smtp");
afterAll(() => Promise.all([rig.close(), idle.close()]));

const uuidOf = (id: string) => decodeId("whk", id) ?? "";
const NEW_URL = "https://elsewhere.example/hook";

describe("200", () => {
  test("the url: what comes goes there", async () => {
    const { patch, read, mail, receiver, webhook } = await furnished();
    const next = await endpoint();
    const before = await read();
    const { status: code, body } = await patch({ url: next.url, active: null });
    expect([code, body]).toEqual([200, { ...before, url: next.url }]);
    expect(await read()).toEqual(body);
    await mail();
    await expect.poll(() => next.received.length).toBe(1);
    expect(() => verify(next.received[0] as never, webhook.secret)).not.toThrow();
    expect(receiver.received).toEqual([]);
  });

  test("nothing asked for, nothing changed; `active: true` of an active one needs no test", async () => {
    const { patch, read, receiver } = await furnished(status(500));
    const before = await read();
    for (const json of [{}, { active: true }, { url: before.url, active: true }]) {
      expect((await patch(json)).body).toEqual(before);
    }
    expect(receiver.received).toEqual([]);
  });

  test("the name: given at registration, replaced, removed by an empty one, at most 100 characters", async () => {
    const { patch, read, webhook, agentKey } = await furnished();
    expect((await read()).name).toBeNull();
    expect((await patch({ name: " Orders " })).body).toEqual({ ...(await read()), name: "Orders" });
    expect((await patch({ url: NEW_URL })).body).toMatchObject({ name: "Orders", url: NEW_URL });
    expect((await patch({ name: "" })).body).toMatchObject({ name: null });
    expect((await patch({ name: "x".repeat(101) })).status).toBe(400);
    const wish = { url: NEW_URL, name: "Sales", events: ["message.received"] };
    const made = await client.post<{ id: string }>("/v1/webhooks", wish, { key: agentKey });
    expect(Object.keys(made.body)).toEqual(["id", "url", "events", "secret"]);
    const { body } = await client.get<{ data: { id: string; name: string }[] }>("/v1/webhooks", { key: agentKey });
    expect(body.data.map(({ id, name }) => [id, name])).toEqual([
      [made.body.id, "Sales"],
      [webhook.id, null],
    ]);
  });

  test("another url resets the health, the same url does not", async () => {
    const { patch, read, mail, receiver } = await furnished(status(500));
    await mail();
    await expect.poll(async () => (await read()).failing_since).toMatch(/Z$/);
    expect((await patch({ url: receiver.url })).body.failing_since).not.toBeNull();
    expect((await patch({ url: NEW_URL })).body.failing_since).toBeNull();
  });

  test("disabled by hand: what is owed fails with the reason, new mail owes nothing", async () => {
    const { patch, read, mail, deliveries } = await idle.furnished();
    await mail();
    await mail();
    const { status: code, body } = await patch({ active: false, url: NEW_URL });
    expect([code, body]).toEqual([
      200,
      {
        ...(await read()),
        url: NEW_URL,
        active: false,
        disabled_reason: "Disabled by request.",
        disabled_at: expect.stringMatching(/Z$/),
      },
    ]);
    await mail();
    const failed = { status: "failed", last_error: "Disabled by request.", next_attempt_at: null };
    const rows = await deliveries();
    expect(rows).toMatchObject([failed, failed]);
    for (const row of rows) expect(row.completed_at).toBe(body.disabled_at);
    expect((await patch({ active: false })).body).toEqual(body);
  });

  test("of several webhooks, only the one", async () => {
    const { patch, register, mail, deliveries } = await idle.furnished();
    const other = await register(undefined);
    await mail();
    await patch({ active: false });
    await mail();
    expect((await deliveries("", `/v1/webhooks/${other.id}`)).map((row) => row.status)).toEqual(["pending", "pending"]);
  });

  test("enabled again once a signed test has passed: health is clean, and mail is delivered again", async () => {
    const { patch, read, mail, receiver, webhook, called } = await furnished();
    await patch({ active: false });
    await mail("missed");
    const { status: code, body } = await patch({ active: true });
    expect([code, body]).toEqual([
      200,
      { ...(await read()), active: true, disabled_reason: null, disabled_at: null, failing_since: null },
    ]);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers["x-service-test"]).toBe("true");
    expect(() => verify(receiver.received[0] as never, webhook.secret)).not.toThrow();
    await mail("after");
    await called(2);
    expect(JSON.parse(receiver.received[1]?.body ?? "").message.subject).toBe("after");
    expect(receiver.received[1]?.headers["x-service-test"]).toBeUndefined();
  });

  test("enabled at a new url, which is the one that is tested", async () => {
    const { patch, read, receiver } = await furnished(status(500));
    const next = await endpoint();
    await patch({ active: false });
    expect((await patch({ active: true, url: next.url })).body).toMatchObject({ active: true, url: next.url });
    expect([next.received.length, receiver.received.length]).toEqual([1, 0]);
    expect((await read()).url).toBe(next.url);
  });
});

describe("one change", () => {
  test("enabling tests the request that is stored: with the new headers and `include`", async () => {
    const { patch, receiver, mail, called } = await furnished((response, { headers }) => {
      response.writeHead(headers.authorization === "Bearer new" ? 200 : 401).end();
    });
    const next = await endpoint(receiver.answer);
    await patch({ active: false });
    const headers = { Authorization: "Bearer new" };
    const enabled = await patch({ active: true, headers, include: ["message"] });
    expect([enabled.status, enabled.body.active]).toEqual([200, true]);
    expect(JSON.parse(receiver.received[0]?.body ?? "")).toHaveProperty("data.message.omitted");
    await mail();
    await called(2);
    expect(receiver.received[1]?.headers.authorization).toBe("Bearer new");
    await patch({ active: false });
    // The headers before, which were for another server, are not what is tested there.
    expect((await patch({ active: true, url: next.url, headers: { Authorization: "old" } })).status).toBe(409);
    const moved = await patch({ active: true, url: next.url, headers });
    expect([moved.status, moved.body.url]).toEqual([200, next.url]);
    expect(next.received.map((each) => each.headers.authorization)).toEqual(["old", "Bearer new"]);
  });

  test("all fields are written in one transaction, as one entry of the activity", async () => {
    const { patch, webhook } = await furnished();
    await patch({ url: NEW_URL, name: "Orders", active: false });
    const { sql } = service.system;
    const rows = await sql`
      select c->'after' as after from activity, jsonb_array_elements(changes) c
      where c->>'id' = ${uuidOf(webhook.id)} order by activity.id`;
    const changed = { url: NEW_URL, name: "Orders", active: false };
    expect(rows.map(({ after }) => after)).toMatchObject([{ url: webhook.url }, changed]);
  });

  test("two at the same time never store together what is refused together", async () => {
    const { webhook, patch, read } = await furnished();
    const sql = connect(service.database.url, { max: 2 });
    onTestFinished(() => sql.end());
    await patch({ events: ["message.sent"] });
    const changes = await sql.begin(async (tx) => {
      await tx`select from webhooks where id = ${uuidOf(webhook.id)} for update`;
      const both = [patch({ filter: { label: "orders" } }), patch({ events: ["message.received"] })];
      await eventually(async () => expect(await waitingForLocks(sql)).toBeGreaterThanOrEqual(2));
      return { both };
    });
    const answers = await Promise.all(changes.both);
    expect(answers.map(({ status: code }) => code).sort()).toEqual([200, 400]);
    expect(await read()).toMatchObject(answers.find(({ status: code }) => code === 200)?.body as StoredWebhook);
  });
});

describe("400", () => {
  test("fields of another type", async () => {
    const { path, key } = await furnished();
    const bad: object[] = [{ active: "yes" }, { active: 1 }, { active: [] }];
    bad.push({ url: 5 }, { url: `https://a.example/${"x".repeat(2048)}` });
    for (const json of bad) {
      const { status: code, body } = await client.patch(path, json, { key });
      expect([json, code, body.error.code]).toEqual([json, 400, "invalid_request"]);
    }
  });

  test("an invalid url answers invalid_webhook_url, and no other field changes", async () => {
    const { path, key, read } = await furnished();
    const before = await read();
    for (const url of ["", "x", "ftp://a.example", "https://u:p@a.example", "https://a\\b.example"]) {
      const { status: code, body } = await client.patch(path, { url, active: false }, { key });
      expect([url, code, body.error.code]).toEqual([url, 400, "invalid_webhook_url"]);
    }
    expect(await read()).toEqual(before);
  });

  test("where targets must be public, the url and the test too", async () => {
    const { key, path, receiver, patch } = await furnished();
    await patch({ active: false });
    const options = { database: service.database };
    const strict = await startTestService(
      { ROLES: "web", WEBHOOK_TARGETS: "public", ALLOW_INSECURE_WEBHOOKS: "true" },
      options,
    );
    const call = async (json: object) => {
      const answer = await fetch(`${strict.url}${path}`, {
        method: "PATCH",
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        body: JSON.stringify(json),
      });
      return [answer.status, ((await answer.json()) as Failure).error.code];
    };
    expect(await call({ url: "http://10.0.0.1/" })).toEqual([400, "invalid_webhook_url"]);
    expect(await call({ active: true })).toEqual([409, "webhook_test_failed"]);
    await strict.stop();
    expect(receiver.connections).toBe(0);
  });
});

describe("404", () => {
  test("unknown, another's, deleted, out of a restricted key's bounds, or no id at all", async () => {
    const { key, path, enrollmentKeyId, webhook, register, read } = await furnished();
    const stranger = await furnished();
    const gone = await register();
    await client.delete(`/v1/webhooks/${gone.id}`, { key });
    for (const id of [UNKNOWN_WEBHOOK, stranger.webhook.id, gone.id, "x", "%", webhook.id.slice(4)]) {
      const { status: code, body } = await client.patch(`/v1/webhooks/${id}`, { active: false }, { key });
      expect([id, code, body.error.code]).toEqual([id, 404, "webhook_not_found"]);
    }
    const other = await client.createInbox(key);
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] });
    expect((await client.patch(path, { active: false }, { key: restricted.key })).status).toBe(404);
    expect([(await read()).active, (await stranger.read()).active]).toEqual([true, true]);
  });
});

describe("409", () => {
  test("a failed test answers webhook_test_failed with the endpoint's answer, and no field changes", async () => {
    const { key, path, patch, read, receiver } = await furnished();
    await patch({ active: false });
    const before = await read();
    const canary = await endpoint();
    const answers = [
      [status(500), "500"],
      [status(410), "410"],
      [status(302, { location: canary.url }), "302"],
      [(response) => void response.socket?.resetAndDestroy(), "failed: "],
    ] as const satisfies [typeof hang, string][];
    for (const [answer, what] of answers) {
      receiver.answer = answer;
      const { status: code, body } = await client.patch(path, { active: true }, { key });
      expect([code, body.error.code]).toEqual([409, "webhook_test_failed"]);
      expect(body.error.message).toContain(what);
    }
    receiver.answer = hang;
    const { body } = await client.patch(path, { active: true, url: "http://127.0.0.1:1/" }, { key });
    expect(body.error.message).toMatch(/failed: .*refused/i);
    expect(await read()).toEqual(before);
    expect(canary.connections).toBe(0);
  });

  test("webhook_test_failed when it was changed while it was tested", async () => {
    const { key, path, patch, read, receiver, called } = await furnished();
    await patch({ active: false });
    let answerNow = () => {};
    receiver.answer = (response) => {
      answerNow = () => void response.writeHead(200).end();
    };
    const enabling = client.patch(path, { active: true }, { key });
    await called(1);
    await patch({ url: NEW_URL });
    answerNow();
    const { status: code, body } = await enabling;
    expect([code, body.error.code]).toEqual([409, "webhook_test_failed"]);
    expect(await read()).toMatchObject({ active: false, url: NEW_URL });
  });
});
