// Limits of approvals: how many messages of a mailbox wait. Those of emails are in test/security/emails-gate.test.ts.
import { afterAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { inboxPath } from "#test/support/api.ts";
import { ADA, startReviews } from "./reviews-rig.ts";

const HELD_MAX = 200;
const LEFT = 4;

const { service, client, reviewed, stop } = await startReviews();
afterAll(stop);

test("too_many_held: 200 messages of a mailbox wait, exactly; a decision makes room", async () => {
  const { address, key, send, trpc, seen } = await reviewed();
  const first = await send();
  await service.system.sql`
    insert into reviews (message_id, organization_id, inbox_id, status, revision, hash, expires_at, created_at)
    select gen_random_uuid(), organization_id, inbox_id, status, revision, hash, expires_at, created_at
    from reviews, generate_series(1, ${HELD_MAX - LEFT - 1}) where message_id = ${decodeId("msg", first.id) ?? ""}`;
  const answers = () =>
    Promise.all(
      Array.from({ length: 8 }, () => client.post(inboxPath(address, "/send"), { to: ADA, text: "x" }, { key })),
    );
  const codes = (await answers()).map(({ status, body }) => body.error?.code ?? status).sort();
  expect(codes).toEqual([...Array(LEFT).fill(202), ...Array(8 - LEFT).fill("too_many_held")]);
  const other = await client.createInbox(key);
  expect((await send({}, other.address)).status).toBe("held");
  await trpc.reviews.reject.mutate((await seen(first.id)).named);
  expect((await answers()).filter(({ status }) => status === 202)).toHaveLength(1);
});
