// `blobs move` takes content to S3 and back while the service runs; both places are read in the meantime.
import { afterAll, beforeAll, expect, it } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { ATTACHMENT, FILE, type InS3, startInS3, untilAccepted } from "./rig.ts";

const MAILS = 9;
const UNLIMITED = "1000000";
let rig: InS3;
beforeAll(async () => {
  rig = await startInS3({ BLOBS: "postgres", SEND_CAP_RAMP: UNLIMITED });
  await rig.fill(MAILS);
});
afterAll(() => rig?.stop());

const move = (to: string) => rig.admin(["blobs", "move", "--to", to], { BLOBS: "postgres" });

it("moves all content to S3 and back, and every byte is the same", async () => {
  const before = await rig.contents();
  expect(before).toContain(FILE);
  expect(await rig.places()).toEqual({ rows: MAILS + 1, objects: 0 });
  const there = await move("s3");
  expect([there.code, JSON.parse(there.stdout)]).toEqual([0, { moved: MAILS + 1, unreadable: 0 }]);
  expect(there.stderr).toContain(`raw_messages: ${MAILS} contents moved in all`);
  expect(await rig.places()).toEqual({ rows: 0, objects: MAILS + 1 });
  expect(await rig.contents()).toEqual(before);
  expect(JSON.parse((await move("s3")).stdout)).toEqual({ moved: 0, unreadable: 0 });
  const back = await move("postgres");
  expect(JSON.parse(back.stdout)).toEqual({ moved: MAILS + 1, unreadable: 0 });
  expect(await rig.places()).toEqual({ rows: MAILS + 1, objects: 0 });
  expect(await rig.contents()).toEqual(before);
});

it("leaves the rest where it is when S3 fails, and moves it when it is called again", async () => {
  const before = await rig.contents();
  let puts = 0;
  rig.s3.break((req) => (req.method === "PUT" && ++puts > 4 ? "down" : undefined));
  const failed = await move("s3");
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining("does not answer") });
  expect(await rig.contents()).toEqual(before);
  rig.s3.break(undefined);
  expect((await move("s3")).code).toBe(0);
  expect(await rig.places()).toEqual({ rows: 0, objects: MAILS + 1 });
  expect(await rig.contents()).toEqual(before);
});

it("counts what is lost, and moves the others", async () => {
  const [lost = ""] = await rig.s3.objects();
  const whole = await rig.s3.read(lost);
  await rig.s3.lose(lost);
  const { code, stdout } = await move("postgres");
  expect([code, JSON.parse(stdout)]).toEqual([0, { moved: MAILS, unreadable: 1 }]);
  expect(await rig.places()).toEqual({ rows: MAILS, objects: 1 });
  await rig.s3.write(lost, whole);
  expect(JSON.parse((await move("postgres")).stdout)).toEqual({ moved: 1, unreadable: 0 });
});

it("says what it needs", async () => {
  for (const place of ["disk", "", "constructor"])
    expect(await move(place)).toMatchObject({ code: 1, stderr: "to: postgres or s3\n" });
});

/** Mails and sends through a process without a pause, until `over`. */
function busy({ service, client }: { service: TestService; client: ReturnType<typeof api> }, name: string) {
  const state = { over: false, count: 0 };
  const { address, key } = rig;
  const work = async () => {
    while (!state.over) {
      const subject = `${name} ${state.count}`;
      const mail = { from: "a@far.example", to: address, subject, text: `the text of ${subject}` };
      const message = { to: "b@far.example", subject, text: "see", attachments: [ATTACHMENT] };
      // S3 is slow on a busy machine: then nothing is stored, and the caller repeats.
      await untilAccepted(service, mail);
      await eventually(async () => {
        expect((await client.post(inboxPath(address, "/send"), message, { key })).status).toBe(202);
      });
      state.count += 1;
    }
  };
  const done = work();
  // Its error is thrown by `more` or `end`.
  done.catch(() => undefined);
  return {
    /** Resolves after some more of both. */
    async more() {
      const from = state.count;
      await Promise.race([done, eventually(() => expect(state.count).toBeGreaterThan(from))]);
    },
    async end() {
      state.over = true;
      await done;
      return state.count;
    },
  };
}

it("goes both ways while a process with BLOBS=postgres and one with BLOBS=s3 take mail and sends", async () => {
  const before = (await rig.contents()).length;
  const second = await startTestService(
    { ROLES: "web,smtp,worker", SEND_CAP_RAMP: UNLIMITED, ...rig.s3.settings },
    { database: rig.service.database },
  );
  const theirs = api(second);
  const both = [busy(rig, "rows"), busy({ service: second, client: theirs }, "objects")];
  const more = () => Promise.all(both.map((each) => each.more()));
  await more();
  expect(await rig.places()).toEqual({ rows: expect.any(Number), objects: expect.any(Number) });
  for (const to of ["s3", "postgres"]) {
    const moved = await eventually(async () => {
      const { code, stdout, stderr } = await move(to);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining("does not answer")]);
      return JSON.parse(stdout);
    });
    expect(moved).toMatchObject({ unreadable: 0 });
    await more();
  }
  const [inRows = 0, inObjects = 0] = await Promise.all(both.map((each) => each.end()));
  const all = await rig.contents();
  expect(all).toHaveLength(before + 2 * (inRows + inObjects));
  expect(all.filter((text) => text === FILE)).toHaveLength(1 + inRows + inObjects);
  for (let n = 0; n < inRows; n += 1) expect(all.join()).toContain(`the text of rows ${n}\r\n`);
  for (let n = 0; n < inObjects; n += 1) expect(all.join()).toContain(`the text of objects ${n}\r\n`);
  expect(await rig.contents(theirs)).toEqual(all);
  // Nothing is in both places or in neither.
  await eventually(async () => expect((await move("s3")).code).toBe(0));
  expect(await rig.places()).toEqual({ rows: 0, objects: all.length });
  const swept = await rig.admin(["blobs", "sweep", "--grace", "none"]);
  expect(JSON.parse(swept.stdout)).toMatchObject({ waiting: 0 });
  expect(await rig.contents()).toEqual(all);
  await theirs.close();
  await second.stop();
});
