// GET /v1/events/stream: the log as server-sent events.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api, type Failure } from "#test/support/api.ts";
import { eventually, follow } from "#test/support/events.ts";
import { mailer } from "#test/support/inbound.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ MAX_WAITS_PER_KEY: "3" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** More than one reading of the log. */
const MAILS = 450;
const SENDERS = 8;

async function withInbox() {
  const organization = await service.newOrganization();
  const inbox = await client.createInbox(organization.agentKey);
  const mail = (...subjects: string[]) =>
    subjects.reduce<Promise<void>>(
      (before, subject) => before.then(() => service.mail({ from: "a@else.example", to: inbox.address, subject })),
      Promise.resolve(),
    );
  return { ...organization, key: organization.agentKey, inbox, mail };
}
const subjectsOf = (stream: Awaited<ReturnType<typeof follow>>) => stream.events.map(({ message }) => message.subject);

describe("200", () => {
  test("what comes from now on, with headers that keep proxies from holding it back", async () => {
    const { key, mail } = await withInbox();
    await mail("before");
    const stream = await follow(service, { key });
    expect(stream.status).toBe(200);
    expect(Object.fromEntries(stream.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    });
    await mail("one", "two");
    await eventually(() => expect(subjectsOf(stream)).toEqual(["one", "two"]));
    expect(stream.comments).toEqual([expect.stringMatching(/^retry: 1000\nid: \S+$/)]);
    await stream.close();
  });

  test("after Last-Event-ID, or `after`: what was missed, then what comes, each once", async () => {
    const { key, mail } = await withInbox();
    await mail(...Array.from({ length: 5 }, (_, i) => `${i}`));
    const seen = (await client.get<{ data: { id: string }[] }>("/v1/events?limit=2", { key })).body.data[1]?.id;
    const byHeader = await follow(service, { key, lastEventId: seen });
    const byQuery = await follow(service, { key, query: `?after=${seen}` });
    await mail("5", "6");
    for (const stream of [byHeader, byQuery]) {
      await eventually(() => expect(subjectsOf(stream)).toEqual(["2", "3", "4", "5", "6"]));
      await stream.close();
    }
  });

  test("a replay of more than one reading, while more comes", async () => {
    const { key, inbox, mail } = await withInbox();
    await mail("first");
    const [first] = (await client.get<{ data: { id: string }[] }>("/v1/events", { key })).body.data;
    const many = Array.from({ length: MAILS }, (_, i) => `mail ${i}`);
    const outgoing = mailer(service.smtpPort, {
      pool: true,
      maxConnections: SENDERS,
      maxMessages: MAILS,
      ignoreTLS: true,
    });
    onTestFinished(() => outgoing.close());
    const all = Promise.all(
      many.map((subject) => outgoing.sendMail({ from: "a@b.example", to: inbox.address, subject, text: "x" })),
    );
    const early = await follow(service, { key, lastEventId: first?.id });
    await all;
    const late = await follow(service, { key, lastEventId: first?.id });
    for (const stream of [early, late]) {
      await eventually(() => expect(stream.events.length).toBe(many.length));
      expect(subjectsOf(stream).sort()).toEqual([...many].sort());
      await stream.close();
    }
    expect(subjectsOf(early)).toEqual(subjectsOf(late));
  });

  test("of one mailbox, and of what a restricted key may see", async () => {
    const { key, inbox, enrollmentKeyId } = await withInbox();
    const other = await client.createInbox(key);
    const one = await follow(service, { key, query: `?inbox=${other.id}` });
    const restricted = await service.newAgentKey(enrollmentKeyId, { inboxes: [inbox.address] });
    const mine = await follow(service, { key: restricted.key });
    await service.mail({ from: "a@b.example", to: inbox.address, subject: "inbox" });
    await service.mail({ from: "a@b.example", to: other.address, subject: "other" });
    await service.mail({ from: "a@b.example", to: inbox.address, subject: "last" });
    await eventually(() => expect(subjectsOf(mine)).toEqual(["inbox", "last"]));
    expect(subjectsOf(one)).toEqual(["other"]);
    await Promise.all([one.close(), mine.close()]);
  });

  test("HEAD has the headers and holds nothing open", async () => {
    const { key } = await withInbox();
    for (let i = 0; i < 5; i += 1) {
      const { status, headers, text } = await client.exchange("HEAD", "/v1/events/stream", { key });
      expect([status, headers["content-type"], text]).toEqual([200, "text/event-stream", ""]);
    }
  });
});

describe("it ends", () => {
  test("when the key is revoked: no event of later is seen", async () => {
    const { key, enrollmentKeyId, mail } = await withInbox();
    const other = await service.newAgentKey(enrollmentKeyId);
    const stream = await follow(service, { key: other.key });
    await mail("seen");
    await eventually(() => expect(subjectsOf(stream)).toEqual(["seen"]));
    await revokeAgentKey(service.system, other.id);
    await eventually(async () => expect((await client.get("/v1/auth/me", { key: other.key })).status).toBe(401));
    await mail("unseen");
    expect(await stream.ended).not.toBe("AbortError");
    expect(subjectsOf(stream)).toEqual(["seen"]);
    expect((await client.get("/v1/events", { key })).status).toBe(200);
  });

  test("when the service stops, whole to the last byte", async () => {
    const own = await startTestService({}, { database: service.database });
    const { key } = await withInbox();
    const stream = await follow(own, { key });
    await own.stop();
    expect(await stream.ended).toBe("");
  });

  test("when the client hangs up: its slot is free again", async () => {
    const { key } = await withInbox();
    for (let i = 0; i < 8; i += 1) {
      await eventually(async () => {
        const stream = await follow(service, { key });
        await stream.close();
        expect(stream.status).toBe(200);
      });
    }
  });
});

describe("429", () => {
  test("more than MAX_WAITS_PER_KEY open, by one key", async () => {
    const { key, enrollmentKeyId } = await withInbox();
    const streams = await Promise.all([1, 2, 3].map(() => follow(service, { key })));
    const { status, text, headers } = await client.exchange("GET", "/v1/events/stream", { key });
    expect([status, (JSON.parse(text) as Failure).error.code]).toEqual([429, "rate_limited"]);
    expect(headers["retry-after"]).toBe("1");
    const another = await follow(service, { key: (await service.newAgentKey(enrollmentKeyId)).key });
    expect(another.status).toBe(200);
    await Promise.all([...streams, another].map((stream) => stream.close()));
  });
});

describe("400 and 404", () => {
  test("an unknown position and an unknown mailbox are refused", async () => {
    const { key } = await withInbox();
    for (const [query, status, code] of [
      [`?after=${encodeId("evt", newId())}`, 400, "invalid_cursor"],
      ["?after=x", 400, "invalid_cursor"],
      ["?inbox=nobody%40mail.example", 404, "inbox_not_found"],
    ] as const) {
      const answer = await client.get(`/v1/events/stream${query}`, { key });
      expect([query, answer.status, answer.body.error.code]).toEqual([query, status, code]);
    }
  });
});
