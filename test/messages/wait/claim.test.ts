// POST /v1/inboxes/{addr}/wait with `claim`: a caller that does not receive the answer does not keep the claim.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { callAlone, mailboxThatWaits, untilOpen } from "./waiter.ts";

/** Claims that are held up keep their connections. */
const service = await startTestService({ DATABASE_POOL_SIZE: "6" });
const client = api(service);
afterAll(() => client.close().then(service.stop));
const withInbox = () => mailboxThatWaits(service, client);
const { sql } = service.system;

/** How many waits are in the midst of claiming, held up. */
async function claiming(): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'update "messages" set "claimed_at"%'`;
  return row?.n ?? 0;
}

/** A mail that is there, read, and whose claims are held up until `release`. */
async function heldMail(inbox: Awaited<ReturnType<typeof withInbox>>) {
  const { cursor } = await inbox.wait({ timeout_seconds: 0 });
  await inbox.mail("one");
  const { message } = await inbox.wait({ after: cursor });
  const id = decodeId("msg", message?.id ?? "") ?? "";
  const held = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const lock = sql.begin(async (tx) => {
    await tx`select 1 from messages where id = ${id} for update`;
    locked.resolve();
    await held.promise;
  });
  await locked.promise;
  onTestFinished(() => held.resolve());
  return {
    cursor,
    async release() {
      held.resolve();
      await lock;
    },
  };
}

describe("200", () => {
  test("of two waiters, the one that hangs up while it claims never keeps the mail: the other has it", async () => {
    const own = await withInbox();
    const { cursor, release } = await heldMail(own);
    const json = { claim: true, after: cursor };
    const gone = callAlone(service, inboxPath(own.inbox.address, "/wait"), { key: own.key, json });
    await eventually(async () => expect(await claiming()).toBe(1));
    const waiting = own.wait({ claim: true, after: cursor, timeout_seconds: 30 });
    await eventually(async () => expect(await claiming()).toBe(2));
    await gone.hangUp();
    await release();
    const { message, timed_out, cursor: next } = await waiting;
    expect([message?.subject, timed_out]).toEqual(["one", false]);
    expect((await own.wait({ claim: true, after: next, timeout_seconds: 0 })).timed_out).toBe(true);
    expect((await own.wait({ claim: true, after: cursor, timeout_seconds: 0 })).timed_out).toBe(true);
  });

  test("with no other waiter it is there for the next", async () => {
    const own = await withInbox();
    const { cursor, release } = await heldMail(own);
    const json = { addr: own.inbox.address, claim: true, after: cursor };
    const gone = callAlone(service, "/trpc/messages.wait", { key: own.key, json });
    await eventually(async () => expect(await claiming()).toBe(1));
    await gone.hangUp();
    await release();
    await eventually(async () => {
      const { message } = await own.wait({ claim: true, after: cursor, timeout_seconds: 0 });
      expect(message?.subject).toBe("one");
    });
  });
});

describe("401", () => {
  test("a key that is revoked while it waits has claimed nothing", async () => {
    const { inbox, enrollmentKeyId, mail, wait } = await withInbox();
    const { cursor } = await wait({ timeout_seconds: 0 });
    const other = await service.newAgentKey(enrollmentKeyId);
    const waiting = client.post(inboxPath(inbox.address, "/wait"), { claim: true }, { key: other.key });
    await untilOpen(service, 1);
    await revokeAgentKey(service.system, other.id);
    await eventually(async () => expect((await client.get("/v1/auth/me", { key: other.key })).status).toBe(401));
    await mail("one");
    expect((await waiting).status).toBe(401);
    expect((await wait({ claim: true, after: cursor })).message?.subject).toBe("one");
  });
});
