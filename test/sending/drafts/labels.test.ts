// Labels of drafts: kept with the draft, and given to the message that it becomes.
import { afterAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { newOwner } from "#test/support/team.ts";
import { startDraftsRig } from "./drafts-rig.ts";

const rig = await startDraftsRig();
const { client, service, writer } = rig;
afterAll(rig.stop);

type Labelled = { labels: string[]; status: string };
const TO = "ann@else.example";

async function labeller() {
  const own = await writer();
  const message = async (id: string) => (await client.get<Labelled>(`/v1/messages/${id}`, { key: own.key })).body;
  return { ...own, message };
}

test("A draft has the labels that it was given, alone and in lists, until others replace them.", async () => {
  const { create, get, patch, drafts } = await labeller();
  const { status, body } = await create({ labels: ["refund", "vip", "refund", " vip "] });
  expect([status, body]).toMatchObject([201, { labels: ["refund", "vip"] }]);
  expect((await get(body.id)).body).toEqual(body);
  expect((await drafts()).data).toMatchObject([{ id: body.id, labels: ["refund", "vip"] }]);
  expect((await patch(body.id, { revision: 1, subject: "Kept" })).body).toMatchObject({ labels: ["refund", "vip"] });
  expect((await patch(body.id, { revision: 2, labels: ["other"] })).body).toMatchObject({ labels: ["other"] });
  expect((await patch(body.id, { revision: 3, labels: [] })).body).toMatchObject({ subject: "Kept", labels: [] });
});

test("The message has them, with those of the call that sends it.", async () => {
  const { create, sendDraft, message } = await labeller();
  const { id } = (await create({ to: TO, text: "x", labels: ["refund", "vip"] })).body;
  const sent = await sendDraft(id, { revision: 1, labels: ["vip", "reviewed"] });
  expect(sent.status).toBe(202);
  expect((await message(sent.body.id)).labels).toEqual(["refund", "vip", "reviewed"]);
  const plain = (await create({ to: TO, text: "x", labels: ["refund"] })).body;
  expect((await message((await sendDraft(plain.id, { revision: 1 })).body.id)).labels).toEqual(["refund"]);
});

test("A scheduled message has them, and one that is held.", async () => {
  const { create, sendDraft, message } = await labeller();
  const draft = { to: TO, text: "x", labels: ["refund"] };
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await sendDraft((await create(draft)).body.id, { revision: 1, send_at: later });
  expect(await message(scheduled.body.id)).toMatchObject({ status: "scheduled", labels: ["refund"] });
  const { organizationId, agentKey } = await service.newOrganization();
  const owner = await newOwner(service, organizationId);
  await owner.trpc.reviews.setPolicy.mutate({ review: "all" });
  const as = { key: agentKey };
  const { address } = await client.createInbox(agentKey);
  const { id } = (await client.post<{ id: string }>("/v1/drafts", { inbox: address, ...draft }, as)).body;
  const held = (await client.post<{ id: string }>(`/v1/drafts/${id}/send`, { revision: 1 }, as)).body;
  expect((await client.get(`/v1/messages/${held.id}`, as)).body).toMatchObject({ status: "held", labels: ["refund"] });
});

test("A draft of an earlier version has none, and gets some.", async () => {
  const { create, get, patch, sendDraft, message } = await labeller();
  const ids = [(await create({ to: TO, text: "x" })).body.id, (await create({ to: TO, text: "x" })).body.id];
  const uuids = ids.map((id) => decodeId("drf", id) ?? "");
  await service.system.sql`update drafts set fields = fields - 'labels' where id = any(${uuids}::uuid[])`;
  const [sent = "", changed = ""] = ids;
  expect((await get(sent)).body).toMatchObject({ labels: [] });
  expect((await message((await sendDraft(sent, { revision: 1 })).body.id)).labels).toEqual([]);
  expect((await patch(changed, { revision: 1, labels: ["new"] })).body).toMatchObject({ labels: ["new"] });
});

test("Wrong labels, and more than 50 in all, are refused: the draft stays.", async () => {
  const { create, patch, sendDraft, get } = await labeller();
  const some = (count: number, name: string) => Array.from({ length: count }, (_, n) => `${name}${n}`);
  for (const labels of [some(51, "a"), [""], ["a\nb"], ["x".repeat(101)], [1], { a: 1 }])
    expect([labels, (await create({ labels })).status]).toEqual([labels, 400]);
  const { id } = (await create({ to: TO, text: "x", labels: some(50, "a") })).body;
  expect((await patch(id, { revision: 1, labels: some(51, "a") })).status).toBe(400);
  const refused = await sendDraft(id, { revision: 1, labels: ["one-more"] });
  expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringMatching(/at most 50/)]);
  expect((await get(id)).status).toBe(200);
  expect((await sendDraft(id, { revision: 1, labels: ["a0"] })).status).toBe(202);
});
