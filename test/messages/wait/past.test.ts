// POST /v1/inboxes/{addr}/wait with `after`: how much of the past one call looks at, and that the next goes on from there.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually, follow } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { callAlone, mailboxThatWaits, untilHeldUp, untilOpen } from "./waiter.ts";

/** Longer than one call searches the past at the least. */
const SPENT_MS = 10_100;
/** Longer than a claim is held up in these tests. */
const HELD_UP_SECONDS = 40;

// Without a worker, mail is parsed only when a caller waits for it.
const service = await startTestService({
  ROLES: "web,smtp",
  MAX_WAITS_PER_KEY: "1",
  DATABASE_TIMEOUT_SECONDS: String(HELD_UP_SECONDS),
});
const client = api(service);
afterAll(() => client.close().then(service.stop));
const { sql } = service.system;

async function withInbox() {
  const own = await mailboxThatWaits(service, client);
  const { address } = own.inbox;
  const list = async () =>
    (await client.get<Page<{ id: string; subject: string; status: string }>>(inboxPath(address, "/messages"), own)).body
      .data;
  return {
    ...own,
    /** Status by subject. */
    statuses: async () => Object.fromEntries((await list()).map(({ subject, status }) => [subject, status])),
    /** Blocks access to a mail until `release`, and then another caller has claimed it. */
    async hold(subject: string) {
      const id = (await list()).find((mail) => mail.subject === subject)?.id ?? "";
      const held = Promise.withResolvers<void>();
      const locked = Promise.withResolvers<void>();
      const claimed = sql.begin(async (tx) => {
        await tx`update messages set claimed_at = now() where id = ${decodeId("msg", id) ?? ""}`;
        locked.resolve();
        await held.promise;
      });
      await locked.promise;
      onTestFinished(() => held.resolve());
      return {
        async release() {
          held.resolve();
          await claimed;
        },
      };
    },
    /** Events after the newest, by another sender and without their mail: thousands by SMTP would take minutes. */
    async log(count: number, { secondsApart = 0 } = {}) {
      await sql`
        with newest as (
          select e.* from events e join inboxes i on i.id = e.inbox_id where i.address = ${address}
          order by position desc limit 1),
        counted as (
          update event_positions p set last = last + ${count}::int from newest
          where p.organization_id = newest.organization_id)
        insert into events (id, organization_id, position, inbox_id, message_id, kind, body, created_at)
        select gen_random_uuid(), organization_id, position + n, inbox_id, gen_random_uuid(), kind,
          replace(body, 'a@else.example', 'other@far.example'), created_at + n * ${secondsApart}::int * interval '1 second'
        from newest, generate_series(1, ${count}::int) n`;
    },
    /** Moves the events there are into the past. */
    age: (seconds: number) => sql`
      update events set created_at = created_at - ${seconds}::int * interval '1 second'
      where inbox_id = (select id from inboxes where address = ${address})`,
  };
}
const ago = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();

describe("200", () => {
  test("after a time in a long log: the later mail, wherever it is", async () => {
    const { mail, wait, log, age } = await withInbox();
    await mail("old");
    await age(40_000);
    await log(4_900, { secondsApart: 8 });
    await mail("new");
    const first = async (after: string) =>
      (await wait({ after, from: "else.example", timeout_seconds: 0 })).message?.subject;
    expect(await first(ago(41_000))).toBe("old");
    expect(await first(ago(39_000))).toBe("new");
    expect(await first(ago(600))).toBe("new");
    expect(await first(ago(600).replace("Z", "+00:00"))).toBe("new");
    expect(await first("0000-01-01T00:00:00Z")).toBe("old");
    expect(await first(ago(-60))).toBe(undefined);
  });

  test("a waiter that is held up misses no message when more arrive than are kept for it", async () => {
    const { mail, wait, hold, log, enrollmentKeyId } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    await mail("first");
    await wait({ after: cursor, timeout_seconds: 0 });
    const { release } = await hold("first");
    const waiting = wait({ after: cursor, claim: true, from: "a@else.example", timeout_seconds: 60 });
    await untilHeldUp(service, 1);
    const onlooker = await follow(service, { key: (await service.newAgentKey(enrollmentKeyId)).key });
    await log(2_500);
    await mail("last");
    // The waiter and the onlooker get each event at the same time.
    await eventually(() => expect(onlooker.events.at(-1)?.message.subject).toBe("last"));
    await onlooker.close();
    await release();
    const { message, cursor: next } = await waiting;
    expect(message?.subject).toBe("last");
    expect((await wait({ after: next, timeout_seconds: 0 })).timed_out).toBe(true);
  });

  test("a search that takes too long ends with the cursor it has come to", async () => {
    const { mail, wait, hold } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    await mail("first");
    await mail("second");
    await wait({ after: cursor, timeout_seconds: 0 });
    const { release } = await hold("first");
    const waiting = wait({ after: cursor, claim: true, timeout_seconds: 0 });
    await untilHeldUp(service, 1);
    const since = performance.now();
    await expect.poll(() => performance.now() - since, { timeout: 2 * SPENT_MS }).toBeGreaterThan(SPENT_MS);
    await release();
    const { message, timed_out, cursor: next } = await waiting;
    expect([message, timed_out]).toEqual([null, true]);
    expect((await wait({ after: next, claim: true, timeout_seconds: 0 })).message?.subject).toBe("second");
  });
});

describe("the caller hangs up", () => {
  test("the search ends with the mail it is at, and frees its slot", async () => {
    const { mail, wait, hold, statuses, key, inbox } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    for (const subject of ["1", "2", "3", "4"]) await mail(subject);
    const { release } = await hold("1");
    const json = { after: cursor, match: "not there" };
    const gone = callAlone(service, inboxPath(inbox.address, "/wait"), { key, json });
    await untilOpen(service, 1);
    await gone.hangUp();
    await release();
    const later = new Date(Date.now() + 60_000).toISOString();
    await eventually(async () => expect((await wait({ timeout_seconds: 0, after: later })).timed_out).toBe(true));
    expect(await statuses()).toEqual({ "1": "parsed", "2": "received", "3": "received", "4": "received" });
  });
});
