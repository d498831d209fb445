// Everything that may be done to one webhook, at the same time, while it delivers: no call fails, and nothing is left half-done.
import { afterAll, expect, test } from "vitest";
import type { Page } from "#test/support/api.ts";
import { status } from "#test/webhooks/delivery/receiver.ts";
import { type Delivery, startRig } from "./rig.ts";

const MAILS = 30;
const POLL = { interval: 50 };
const rig = await startRig();
const { client, furnished } = rig;
afterAll(() => rig.close());

const since = () => new Date(Date.now() - 60_000).toISOString();

async function busy() {
  const it = await furnished();
  await Promise.all(Array.from({ length: MAILS }, (_, i) => it.mail(`${i}`)));
  const rows = await it.deliveries();
  const one = (row: Delivery | undefined) => `/deliveries/${row?.id}/redeliver`;
  const everything = () => [
    ...[1, 2, 3].map(() => it.post("/replay", { since: since() })),
    ...[1, 2].map(() => it.post("/replay", { since: since(), only_failed: true })),
    ...rows.slice(0, 10).map((row) => it.post(one(row))),
    ...[1, 2, 3].map(() => it.post("/rotate-secret")),
    it.post("/test"),
    it.patch({ url: `${it.receiver.url}?moved` }),
    client.get(`${it.path}/deliveries?status=pending`, { key: it.key }),
  ];
  return { ...it, everything };
}

test("with disabling and enabling: each event ends delivered or failed, with one delivery", async () => {
  const { everything, patch, deliveries, path, key, post } = await busy();
  const answers = await Promise.all([
    ...everything(),
    patch({ active: false }),
    ...everything(),
    patch({ active: true }),
    ...everything(),
  ]);
  for (const { status: code } of answers) expect([200, 202, 409]).toContain(code);
  await expect.poll(async () => (await patch({ active: true })).status, POLL).toBe(200);
  await expect.poll(() => deliveries("?status=pending"), POLL).toEqual([]);
  await post("/replay", { since: since(), only_failed: true });
  const all = async () => (await client.get<Page<Delivery>>(`${path}/deliveries?limit=100`, { key })).body.data;
  await expect.poll(async () => (await all()).every((row) => row.status === "succeeded"), POLL).toBe(true);
  expect(new Set((await all()).map(({ event_id }) => event_id)).size).toBe(MAILS);
  expect(await all()).toHaveLength(MAILS);
});

test.each(["webhook", "mailbox"])(
  "with deleting the %s: it is gone, and nothing is delivered any more",
  async (what) => {
    const { everything, path, inbox, key, receiver } = await busy();
    receiver.answer = status(200);
    const gone = what === "webhook" ? path : `/v1/inboxes/${inbox.address}`;
    const answers = await Promise.all([...everything(), client.delete(gone, { key }), ...everything()]);
    for (const { status: code } of answers) expect([200, 202, 404, 409]).toContain(code);
    expect((await client.get(path, { key })).status).toBe(404);
    const owed = async () => {
      const [row] = await rig.service.system.sql`
      select count(*)::int as n from deliveries d
      where status = 'pending' and not exists (select from webhooks w where w.id = d.webhook_id)`;
      return row?.n;
    };
    await expect.poll(owed, POLL).toBe(0);
  },
);
