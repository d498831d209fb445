// POST /v1/inboxes/{addr}/wait without `after`: mail that came shortly before, each once for a key, and what a time-out says.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { callAlone, mailboxThatWaits, untilHeldUp, untilOpen, type Waited } from "./waiter.ts";

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

  /** A mailbox whose key got the mail "one", and "two" for a caller that disconnects while the position is written. */
  async function hungUp() {
    const box = await withInbox();
    await box.mail("one");
    expect((await box.now()).message?.subject).toBe("one");
    await box.mail("two");
    const holder = await service.system.sql.reserve();
    await holder`begin`;
    await holder`select from wait_ends for update`;
    const waiter = callAlone(service, inboxPath(box.inbox.address, "/wait"), { key: box.key, json: {} });
    await untilHeldUp(service, 1);
    await waiter.hangUp();
    const release = async () => {
      await holder`commit`;
      holder.release();
      await untilOpen(service, 0);
    };
    return { ...box, release, holder };
  }

  test("and none that an earlier wait returned", async () => {
    const { now, release } = await hungUp();
    await release();
    const next = await eventually(async () => {
      const { message } = await now();
      expect(message).not.toBeNull();
      return message;
    });
    expect(next?.subject).toBe("two");
    expect((await now()).timed_out).toBe(true);
  });

  test("nor does it take back what another wait of the key noted", async () => {
    const { now, mail, release, holder } = await hungUp();
    await mail("three");
    // As a wait in another process that returned "three".
    await holder`update wait_ends set position = position + 2`;
    await release();
    expect((await now()).timed_out).toBe(true);
  });

  test("a position that cannot be written does not take the answer away", async () => {
    const { now, mail, inbox } = await withInbox();
    await sql.unsafe(`create function refuse_end() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
      create trigger refuse_end before insert on wait_ends for each row
      when (new.inbox_id = '${decodeId("inb", inbox.id)}') execute function refuse_end()`);
    await mail("claimed");
    expect((await now({ claim: true })).message?.subject).toBe("claimed");
    await sql.unsafe("drop trigger refuse_end on wait_ends");
  });
});
