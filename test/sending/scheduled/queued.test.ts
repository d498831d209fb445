// The queued messages that the dashboard lists: those of one organization, with the agent's words and why they wait.
import { afterAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

async function sender() {
  const { organizationId, agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  const { trpc } = await newOwner(service, organizationId);
  const send = async (json: object) =>
    (
      await client.post<{ id: string }>(
        inboxPath(address, "/send"),
        { to: "ann@else.example", text: "x", ...json },
        { key },
      )
    ).body.id;
  return { address, key, trpc, send };
}

test("what is tried next comes first, with the last answer; what left or waits for its time is not listed", async () => {
  const { address, trpc, send, key } = await sender();
  const [delayed, first] = [await send({ subject: "Delayed" }), await send({ subject: "First" })];
  const refused = await send({ subject: "Refused for now" });
  await send({ subject: "Scheduled", send_at: new Date(Date.now() + 86_400_000).toISOString() });
  const gone = await send({ subject: "Gone" });
  const id = (wire: string) => decodeId("msg", wire) ?? "";
  await service.system.sql`update messages set status = 'sent', next_attempt_at = null where id = ${id(gone)}`;
  await service.system
    .sql`update messages set next_attempt_at = now() + interval '10 minutes' where id = ${id(delayed)}`;
  await service.system
    .sql`update message_recipients set reason = 'delayed: 450 4.2.0 try again later' where message_id = ${id(delayed)}`;
  // A relay that defers a message answers for all of its recipients.
  await service.system
    .sql`update messages set error = '451 4.7.1 Try again later', next_attempt_at = now() + interval '1 hour'
    where id = ${id(refused)}`;
  const { data } = await trpc.messages.listQueued.query({});
  expect(data.map((row) => [row.id, row.subject, row.inbox, row.to, row.reason])).toEqual([
    [first, "First", address, ["ann@else.example"], null],
    [delayed, "Delayed", address, ["ann@else.example"], "delayed: 450 4.2.0 try again later"],
    [refused, "Refused for now", address, ["ann@else.example"], "451 4.7.1 Try again later"],
  ]);
  const stranger = await sender();
  expect((await stranger.trpc.messages.listQueued.query({})).data).toEqual([]);
  await client.delete(inboxPath(address), { key });
  expect((await trpc.messages.listQueued.query({})).data).toEqual([]);
});

test("mail that has not left lists its recipients with the names that it has", async () => {
  const { trpc, send } = await sender();
  const named = { to: ["Ann Lee <ann@else.example>", "ben@else.example"], cc: '"Doe, Jane" <jane@else.example>' };
  await send(named);
  await send({ ...named, send_at: new Date(Date.now() + 86_400_000).toISOString() });
  await trpc.reviews.setPolicy.mutate({ review: "all" });
  await send(named);
  const to = ["Ann Lee <ann@else.example>", "ben@else.example"];
  expect((await trpc.messages.listQueued.query({})).data).toMatchObject([{ to }]);
  expect((await trpc.messages.listScheduled.query({})).data).toMatchObject([{ to }]);
  const recipients = [...to, '"Doe, Jane" <jane@else.example>'];
  expect((await trpc.reviews.list.query({})).data).toMatchObject([{ recipients }]);
});
