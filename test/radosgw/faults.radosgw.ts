// What only a real store can show: its own quota, lists of more than one page, a gateway that is killed, and disks that stand still.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { ATTACHMENT, startInS3 } from "#test/blobs/rig.ts";
import { inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { limitObjects, startRadosgw } from "#test/support/s3/radosgw.ts";

/** Radosgw lists 1,000 in a page. */
const OBJECTS = 1_100;
const PUTS_AT_ONCE = 10;
const RESTARTS = 3;
const MAILERS = 4;
/** Accepted before each kill. */
const MAILS = 20;
const READ = { metadata: 200, raw: 200 };

let ceph: Awaited<ReturnType<typeof startRadosgw>>;
let rig: Awaited<ReturnType<typeof startInS3>>;
beforeAll(async () => {
  ceph = await startRadosgw();
  rig = await startInS3({}, {}, ceph.radosgw);
});
afterAll(async () => {
  await rig?.stop();
  await ceph?.stop();
});

const mail = (subject: string) => rig.service.mail({ from: "a@far.example", to: rig.address, subject });

async function download(subject: string) {
  const path = inboxPath(rig.address, "/messages?limit=100");
  const { body } = await rig.client.get<Page<{ id: string; subject: string }>>(path, { key: rig.key });
  const message = `/v1/messages/${body.data.find((each) => each.subject === subject)?.id}`;
  const read = (what: string) => rig.client.get(what, { key: rig.key }).then(({ status }) => status);
  return { metadata: await read(message), raw: await read(`${message}/raw`) };
}

test("a quota of the account defers mail with 452 and sends with 503, and downloads work", async () => {
  await mail("before");
  const account = rig.s3.settings.S3_ACCESS_KEY_ID;
  await limitObjects(ceph.radosgw, account, 1);
  try {
    // Radosgw counts what was just stored a little later.
    await eventually(() => expect(mail("over")).rejects.toMatchObject({ responseCode: 452 }));
    const message = { to: "b@far.example", subject: "over", text: "see", attachments: [ATTACHMENT] };
    const sent = await rig.client.post(inboxPath(rig.address, "/send"), message, { key: rig.key });
    expect(sent).toMatchObject({ status: 503, body: { error: { message: expect.stringContaining("is full") } } });
    expect(await download("before")).toEqual(READ);
  } finally {
    await limitObjects(ceph.radosgw, account);
  }
  await eventually(() => mail("after"));
});

test(`${OBJECTS} objects without a row are listed page by page and removed`, async () => {
  const folder = decodeId("org", rig.organizationId) ?? "";
  const name = () => randomUUID().replaceAll("-", "").repeat(2);
  for (let n = 0; n < OBJECTS; n += PUTS_AT_ONCE) {
    await Promise.all(Array.from({ length: PUTS_AT_ONCE }, () => rig.s3.put(`${folder}/${name()}`)));
  }
  const kept = await rig.s3.objects().then((keys) => keys.length - OBJECTS);
  const { code, stdout } = await rig.admin(["blobs", "sweep", "--grace", "none"]);
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { objects: kept + OBJECTS, removed: OBJECTS, waiting: 0 }]);
  expect(await rig.s3.objects()).toHaveLength(kept);
});

test(`${RESTARTS} kills of radosgw lose no acknowledged mail`, async () => {
  const accepted: string[] = [];
  const state = { over: false };
  const mailing = Array.from({ length: MAILERS }, async (_, mailer) => {
    for (let n = 0; !state.over; n += 1) {
      const subject = `mailer ${mailer} mail ${n}`;
      // A mail that is refused because radosgw is down was not acknowledged, and does not count.
      await mail(subject).then(
        () => accepted.push(subject),
        () => {},
      );
    }
  });
  for (let n = 0; n < RESTARTS; n += 1) {
    const before = accepted.length;
    await eventually(() => expect(accepted.length).toBeGreaterThan(before + MAILS));
    await ceph.restart();
  }
  state.over = true;
  await Promise.all(mailing);
  const stored = (await rig.contents()).join();
  expect(accepted.filter((subject) => !stored.includes(`Subject: ${subject}\r\n`))).toEqual([]);
});

test("disks that stand still defer mail with 451, downloads with 503, and nothing else", async () => {
  await mail("at rest");
  expect(await download("at rest")).toEqual(READ);
  ceph.freeze(true);
  try {
    const deferred = expect(mail("frozen")).rejects.toMatchObject({ responseCode: 451 });
    expect(await download("at rest")).toEqual({ metadata: 200, raw: 503 });
    await deferred;
  } finally {
    ceph.freeze(false);
  }
  await eventually(() => mail("frozen"));
  expect(await download("frozen")).toEqual(READ);
});
