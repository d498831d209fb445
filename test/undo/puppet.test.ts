// A key does random things, and is undone: the export of its organization is as before, except for the listed mail, with kills of the
// process at random points.
import { afterAll, expect, test } from "vitest";
import { randomOf } from "#test/campaign/random.ts";
import { size } from "#test/sizes.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startProcess } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";
import { play } from "./puppet.ts";
import { exportOf, newRig, type Undone } from "./rig.ts";

const RUNS = size("UNDONE_PUPPETS");
const OPERATIONS = 500;
const MAILS = 20;
const HOUR_MS = 3_600_000;
const KILL_AFTER_MS = 400;
const TEST_TIMEOUT_MS = 3_600_000;
const SEED = Number(process.env.UNDO_SEED ?? 1);

const UNLIMITED = "1000000";
const service = await startTestService({
  ROLES: "web,smtp",
  SEND_CAP_RAMP: UNLIMITED,
  RATE_LIMIT_PER_SECOND: UNLIMITED,
  RATE_LIMIT_BURST: UNLIMITED,
});
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** The same database in a process that can be killed. */
function startOther() {
  const { PORT: _, SMTP_PORT: __, METRICS_PORT: ___, ...environment } = service.environment as Record<string, string>;
  return startProcess({ ...environment, ROLES: "web", DATABASE_URL: service.database.url });
}

async function prepared() {
  const rig = await newRig(service, client, MAILS);
  const { parent: key, address } = rig;
  const post = async (path: string, json: object) => (await client.post<{ id: string }>(path, json, { key })).body.id;
  const file = { filename: "b.txt", content_type: "text/plain", content_base64: btoa("before") };
  const soon = new Date(Date.now() + HOUR_MS).toISOString();
  const scheduled = [await post(inboxPath(address, "/send"), { to: "x@else.example", text: "x", send_at: soon })];
  const drafts = [await post("/v1/drafts", { inbox: address, to: "d@else.example", text: "x", attachments: [file] })];
  const webhooks = [await post("/v1/webhooks", { url: "https://w.example/before", events: ["message.received"] })];
  for (const n of [0, 1, 2]) {
    await post("/v1/lists/receive/block", { entry: `w${n}.example` });
    await post("/v1/suppressions", { address: `w${n}@gone.example` });
  }
  const received = await client.get<Page<{ id: string; thread_id: string }>>(
    inboxPath(address, "/messages?direction=inbound&limit=100"),
    { key },
  );
  const messages = received.body.data.map(({ id }) => id);
  await client.delete(`/v1/messages/${messages[0]}`, { key });
  const threads = received.body.data.map(({ thread_id }) => thread_id).slice(0, 5);
  return { ...rig, stage: { address, key: rig.key, messages, threads, scheduled, drafts, webhooks } };
}

test.each(Array.from({ length: RUNS }, (_, n) => SEED + n))(
  `run %i: after ${OPERATIONS} operations and an undo, everything is as before`,
  async (seed) => {
    const random = randomOf(seed, "puppet");
    const { stage, organizationId, keyId, parent } = await prepared();
    const was = await exportOf(service, organizationId, keyId);
    const since = new Date().toISOString();
    const killAt = random.between(0, OPERATIONS - 1);
    const isPlaying = seed % 2 === 0;
    let other = await startOther();
    const urlAt = (n: number) => {
      if (!isPlaying || n > killAt + 20) return service.url;
      if (n === killAt) void other.end("SIGKILL");
      return other.url;
    };
    expect(await play(urlAt, stage, { count: OPERATIONS, random })).toEqual([]);
    expect(await exportOf(service, organizationId, keyId)).not.toEqual(was);
    if (isPlaying) {
      await other.end("SIGKILL");
      other = await startOther();
    }
    const body = JSON.stringify({ since });
    const headers = { Authorization: `Bearer ${parent}`, "Content-Type": "application/json" };
    const cut = fetch(`${other.url}/v1/keys/${keyId}/undo`, { method: "POST", headers, body }).catch(() => undefined);
    const over = Date.now() + random.next() * KILL_AFTER_MS;
    await expect.poll(() => Date.now() >= over, { interval: 1 }).toBe(true);
    await other.end("SIGKILL");
    await cut;
    const undone = await client.post<Undone>(`/v1/keys/${keyId}/undo`, { since }, { key: parent });
    expect(undone.status).toBe(200);
    expect(await exportOf(service, organizationId, keyId)).toEqual(was);
    const unexpected = undone.body.not_undone.filter(({ kind }) => kind !== "send" && kind !== "inbox");
    expect(unexpected).toEqual([]);
    const calls = undone.body.operations.reduce((sum, { count }) => sum + count, 0);
    expect(calls).toBeGreaterThan(OPERATIONS / 4);
    const again = await client.post<Undone>(`/v1/keys/${keyId}/undo`, { since }, { key: parent });
    expect(again.body).toEqual(undone.body);
  },
  TEST_TIMEOUT_MS,
);
