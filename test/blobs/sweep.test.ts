// The sweep removes objects that no row refers to, and never one that a row refers to or is about to refer to.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { type InS3, startInS3, untilAccepted } from "./rig.ts";

const HOUR_MS = 3_600_000;
const clock = adjustableClock();
let rig: InS3;
let s3: InS3["s3"];
let service: InS3["service"];
let organization: string;
let address: string;
beforeAll(async () => {
  rig = await startInS3({ ROLES: "web,smtp" }, { now: clock.now });
  ({ s3, service, address } = rig);
  organization = decodeId("org", rig.organizationId) ?? "";
});
afterEach(async () => {
  s3.break(undefined);
  await erase();
  await service.system.sql`delete from blob_orphans`;
  await sweep("--grace", "none");
});
afterAll(() => rig?.stop());

type Swept = { objects: number; unreferenced: number; removed: number; waiting: number };

async function sweep(...options: string[]): Promise<Swept> {
  const { code, stdout, stderr } = await rig.admin(["blobs", "sweep", ...options]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
}

/** Mails, and names the object. */
async function mailed(text: string, to = address): Promise<string> {
  await untilAccepted(service, { from: "a@far.example", to, subject: text, text });
  const [row] = await service.system.sql<{ organization_id: string; blob: string }[]>`
    select r.organization_id, blob from raw_messages r order by message_id desc limit 1`;
  return `${row?.organization_id}/${row?.blob}`;
}

const erase = async (to = address) => {
  const { data } = (await rig.client.get<Page<{ id: string }>>(inboxPath(to, "/messages"), { key: rig.key })).body;
  for (const { id } of data)
    expect((await rig.client.call("DELETE", `/v1/messages/${id}?permanent=true`, { key: rig.key })).status).toBe(200);
};

it("removes what no row refers to, when the grace period is over", async () => {
  const gone = await mailed("deleted");
  await erase();
  const stays = await mailed("stays");
  const foreign = `${randomUUID()}/${"ab".repeat(32)}`;
  const other = `${organization}/notes.txt`;
  await Promise.all([s3.put(foreign), s3.put(other)]);
  expect(await sweep()).toEqual({ objects: 2, unreferenced: 1, removed: 0, waiting: 1 });
  expect(await sweep("--grace", "1h")).toMatchObject({ removed: 0, waiting: 1 });
  expect(await s3.objects()).toContain(gone);
  await service.system.sql`update blob_orphans set found_at = found_at - interval '25 hours'`;
  expect(await sweep()).toEqual({ objects: 2, unreferenced: 1, removed: 1, waiting: 0 });
  expect((await s3.objects()).toSorted()).toEqual([foreign, other, stays].toSorted());
  await s3.lose(other);
});

it("keeps an object whose content comes again before it is removed", async () => {
  const object = await mailed("twice");
  await erase();
  expect(await sweep()).toMatchObject({ unreferenced: 1, removed: 0 });
  const second = (await rig.client.createInbox(rig.key)).address;
  // The same bytes for another mailbox of the organization.
  const raw = "From: a@far.example\r\nSubject: same\r\n\r\nsame\r\n";
  await untilAccepted(service, { from: "a@far.example", to: second, raw });
  const [first] = await service.system
    .sql`select organization_id, blob from raw_messages order by message_id desc limit 1`;
  await erase(second);
  await sweep();
  await untilAccepted(service, { from: "a@far.example", to: second, raw });
  expect(await service.system.sql`select 1 from blob_orphans where blob = ${first?.blob}`).toEqual([]);
  expect(await sweep("--grace", "none")).toMatchObject({ removed: 1 });
  expect(await s3.objects()).toContain(`${first?.organization_id}/${first?.blob}`);
  expect(await s3.objects()).not.toContain(object);
});

it("makes a writer of the same content wait until it has removed the object", async () => {
  const raw = "From: a@far.example\r\nSubject: raced\r\n\r\nraced\r\n";
  await untilAccepted(service, { from: "a@far.example", to: address, raw });
  const [row] = await service.system.sql<{ blob: string }[]>`
    select blob from raw_messages order by message_id desc limit 1`;
  const object = `${organization}/${row?.blob}`;
  await erase();
  // As a sweep of another process that has begun the removal.
  await service.system.sql`
    insert into blob_orphans (organization_id, blob, found_at, removing_at) values (${organization}, ${row?.blob ?? ""}, now(), now())`;
  const puts = () => s3.requests.filter((request) => request === `PUT /mails/${object}`).length;
  const before = puts();
  const mail = { from: "a@far.example", to: address, raw };
  // The removal would remove what is written now.
  await expect(service.mail(mail)).rejects.toMatchObject({ responseCode: 451 });
  expect(puts()).toBe(before);
  const writing = eventually(() => service.mail(mail));
  await s3.lose(object);
  await service.system.sql`delete from blob_orphans`;
  await writing;
  expect(await s3.objects()).toContain(object);
  expect(await sweep("--grace", "none")).toMatchObject({ removed: 0, waiting: 0 });
  expect(await s3.objects()).toContain(object);
});

it("goes on after S3 failed, and repeats a removal without a result only when it cannot arrive late", async () => {
  const object = await mailed("fails");
  await erase();
  s3.break((req) => (req.method === "DELETE" ? { status: 500, code: "InternalError" } : undefined));
  const failed = await sweep("--grace", "none");
  expect(failed).toMatchObject({ removed: 0, waiting: failed.unreferenced });
  s3.break(undefined);
  expect(await sweep("--grace", "none")).toMatchObject({ removed: 0 });
  await service.system.sql`update blob_orphans set removing_at = removing_at - interval '16 minutes'`;
  expect(await sweep("--grace", "none")).toMatchObject({ removed: failed.unreferenced, waiting: 0 });
  expect(await s3.objects()).not.toContain(object);
});

it("runs in the worker", async () => {
  const object = await mailed("in the worker");
  await erase();
  const worker = await startTestService(
    { ROLES: "worker", ...s3.settings },
    { database: service.database, now: clock.now },
  );
  try {
    await eventually(async () => {
      expect(await service.system.sql`select 1 from blob_orphans`).toHaveLength(1);
    });
    expect(await s3.objects()).toContain(object);
  } finally {
    await worker.stop();
  }
  clock.advance(25 * HOUR_MS);
  const later = await startTestService(
    { ROLES: "worker", ...s3.settings },
    { database: service.database, now: clock.now },
  );
  try {
    await eventually(async () => expect(await s3.objects()).not.toContain(object));
  } finally {
    await later.stop();
  }
});

it("says what it needs", async () => {
  expect(await rig.admin(["blobs", "sweep", "--grace", "soon"])).toMatchObject({
    code: 1,
    stderr: "grace: hours such as 24h, or none\n",
  });
  const none = await rig.admin(["blobs", "sweep"], { BLOBS: "", S3_ENDPOINT: "" });
  expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("S3_ENDPOINT is not set") });
  s3.break("down");
  expect(await rig.admin(["blobs", "sweep"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("does not answer"),
  });
});
