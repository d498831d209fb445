// POST /v1/inboxes/{addr}/wait: one message for one of many, and every way in which a wait ends without one.
import { afterAll, describe, expect, test } from "vitest";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { callAlone, mailboxThatWaits, untilOpen } from "./waiter.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));
const withInbox = () => mailboxThatWaits(service, client);

describe("claim", () => {
  test("each of many waiters gets a different message", async () => {
    const { wait, mail } = await withInbox();
    const waiting = Array.from({ length: 10 }, () => wait({ claim: true, timeout_seconds: 60 }));
    await untilOpen(service, 10);
    for (let i = 0; i < 10; i += 1) await mail(`${i}`);
    const got = (await Promise.all(waiting)).map(({ message }) => message?.subject);
    expect(got.sort()).toEqual(Array.from({ length: 10 }, (_, i) => `${i}`));
  });

  test("one message for many: one has it, the others go on; without claim it is still seen", async () => {
    const { wait, mail } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    const waiting = Array.from({ length: 8 }, () => wait({ claim: true, after: cursor, timeout_seconds: 2 }));
    const onlooker = wait({ after: cursor });
    await untilOpen(service, 9);
    await mail("one");
    const got = await Promise.all(waiting);
    expect(got.filter(({ message }) => message?.subject === "one").length).toBe(1);
    expect(got.filter(({ timed_out }) => timed_out).length).toBe(7);
    expect((await onlooker).message?.subject).toBe("one");
  });

  test("a waiter that hung up before has no part in it", async () => {
    const { wait, mail, key, inbox } = await withInbox();
    const gone = callAlone(service, inboxPath(inbox.address, "/wait"), { key, json: { claim: true } });
    await untilOpen(service, 1);
    await gone.hangUp();
    await untilOpen(service, 0);
    const waiting = wait({ claim: true });
    await untilOpen(service, 1);
    await mail("one");
    expect((await waiting).message?.subject).toBe("one");
  });
});

describe("404", () => {
  test("a mailbox that is unknown, deleted, another's, or out of a restricted key's reach", async () => {
    const { key, inbox, enrollmentKeyId } = await withInbox();
    const other = await client.createInbox(key);
    const restricted = (await service.newAgentKey(enrollmentKeyId, { inboxes: [other.address] })).key;
    const stranger = await withInbox();
    const call = (address: string, by: string) =>
      client.post(inboxPath(address, "/wait"), { timeout_seconds: 0 }, { key: by });
    expect((await call("nobody@mail.example", key)).body.error.code).toBe("inbox_not_found");
    expect((await call(inbox.address, stranger.key)).status).toBe(404);
    expect((await call(inbox.address, restricted)).status).toBe(404);
    await client.delete(inboxPath(inbox.address), { key });
    expect((await call(inbox.address, key)).status).toBe(404);
  });
});

describe("429", () => {
  test("more waits than MAX_WAITS_PER_KEY; disconnected ones free their slots", async () => {
    const own = await startTestService({ MAX_WAITS_PER_KEY: "5" }, { database: service.database });
    const { key, inbox } = await withInbox();
    const path = `${own.url}${inboxPath(inbox.address, "/wait")}`;
    const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
    const open = () => {
      const gone = new AbortController();
      const answer = fetch(path, { method: "POST", headers, body: "{}", signal: gone.signal }).catch(() => undefined);
      return { answer, gone };
    };
    for (let round = 0; round < 3; round += 1) {
      const waits = Array.from({ length: 5 }, open);
      await untilOpen(own, 5);
      const refused = await fetch(path, { method: "POST", headers, body: '{"timeout_seconds":0}' });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
      for (const { gone } of waits) gone.abort();
      await Promise.all(waits.map(({ answer }) => answer));
      await untilOpen(own, 0);
    }
    await own.stop();
  });
});

describe("503", () => {
  test("the service stops: the caller hears of it, and the same `after` goes on elsewhere", async () => {
    const own = await startTestService({}, { database: service.database });
    const { key, inbox, wait, mail } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    const waiting = api(own).post(inboxPath(inbox.address, "/wait"), { after: cursor }, { key });
    await untilOpen(own, 1);
    await own.stop();
    const { status, body, headers } = await waiting;
    expect([status, body.error.code, headers["retry-after"]]).toEqual([503, "unavailable", "1"]);
    await mail("later");
    expect((await wait({ after: cursor })).message?.subject).toBe("later");
  });
});

describe("401 for a key that is revoked while it waits", () => {
  test("nothing is handed over", async () => {
    const { inbox, enrollmentKeyId, mail } = await withInbox();
    const other = await service.newAgentKey(enrollmentKeyId);
    const waiting = client.post(inboxPath(inbox.address, "/wait"), {}, { key: other.key });
    await untilOpen(service, 1);
    await revokeAgentKey(service.system, other.id);
    await eventually(async () => expect((await client.get("/v1/auth/me", { key: other.key })).status).toBe(401));
    await mail("secret");
    const { status, text } = await waiting;
    expect(status).toBe(401);
    expect(text).not.toContain("secret");
  });
});
