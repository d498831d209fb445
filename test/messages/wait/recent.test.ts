// POST /v1/inboxes/{addr}/wait without `after`: mail that came shortly before, each once for a key, and what a time-out says.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { callAlone, mailboxThatWaits, untilOpen, type Waited } from "./waiter.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const other = await startTestService({ ROLES: "web" }, { database: service.database });
const client = api(service);
afterAll(() => client.close().then(other.stop).then(service.stop));
const { sql } = service.system;

type Answer = Waited & { earlier: { count: number; newest_id: string; received_at: string } | null };

async function withInbox() {
  const own = await mailboxThatWaits(service, client);
  const waitOf = async (key: string, json: object = {}, { url } = service) => {
    const response = await fetch(url + inboxPath(own.inbox.address, "/wait"), {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ timeout_seconds: 0, ...json }),
    });
    return (await response.json()) as Answer;
  };
  return {
    ...own,
    waitOf,
    now: (json: object = {}) => own.wait({ timeout_seconds: 0, ...json }) as Promise<Answer>,
    /** Moves the mail there is into the past. */
    age: (seconds: number) => sql`
      update events set created_at = created_at - ${seconds}::int * interval '1 second'
      where inbox_id = (select id from inboxes where address = ${own.inbox.address})`,
  };
}

describe("without `after`", () => {
  test("mail that came before the call is found, oldest first, and each once", async () => {
    const { now, mail } = await withInbox();
    await mail("first");
    await mail("second");
    expect((await now()).message?.subject).toBe("first");
    expect((await now()).message?.subject).toBe("second");
    expect(await now()).toMatchObject({ timed_out: true, earlier: null });
    await mail("third");
    expect((await now()).message?.subject).toBe("third");
  });

  test("a wait that passed mail over leaves it to the next", async () => {
    const { now, mail } = await withInbox();
    await mail("wanted later", { from: "a@shop.example" });
    expect((await now({ from: "bank.example" })).timed_out).toBe(true);
    expect((await now({ from: "shop.example" })).message?.subject).toBe("wanted later");
  });

  test("it is remembered for the key, in all processes, also after a wait with `after`", async () => {
    const { waitOf, mail, key, enrollmentKeyId } = await withInbox();
    await mail("one");
    await mail("two");
    expect((await waitOf(key, { after: "2026-01-01T00:00:00Z" })).message?.subject).toBe("one");
    expect((await waitOf(key, {}, other)).message?.subject).toBe("two");
    expect((await waitOf(key, { after: "2026-01-01T00:00:00Z" })).message?.subject).toBe("one");
    expect((await waitOf(key)).timed_out).toBe(true);
    const { key: sibling } = await service.newAgentKey(enrollmentKeyId, {});
    expect((await waitOf(sibling)).message?.subject).toBe("one");
  });

  test("mail older than two minutes is not found, and the time-out names it", async () => {
    const { now, mail, age } = await withInbox();
    await mail("old", { from: "a@shop.example" });
    await mail("older than recent", { from: "b@bank.example" });
    await age(200);
    const answer = await now();
    expect(answer).toMatchObject({ timed_out: true, earlier: { count: 2 } });
    const newest = await now({ after: "2026-01-01T00:00:00Z", subject: "older" });
    expect(answer.earlier?.newest_id).toBe(newest.message?.id);
    expect(await now({ subject: "OLD", from: "shop.example" })).toMatchObject({ earlier: { count: 1 } });
    expect((await now({ from: "else.example" })).earlier).toBe(null);
    expect((await now({ after: newest.cursor, from: "shop.example" })).earlier).toMatchObject({ count: 1 });
  });

  test("a caller that disconnects finds the mail again", async () => {
    const { now, mail, inbox, key } = await withInbox();
    const waiter = callAlone(service, inboxPath(inbox.address, "/wait"), { key, json: {} });
    await untilOpen(service, 1);
    await waiter.hangUp();
    await untilOpen(service, 0);
    await mail("for the next");
    expect((await now()).message?.subject).toBe("for the next");
  });
});
