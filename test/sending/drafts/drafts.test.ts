// Drafts: create, list, get, change by revision, delete, and send once.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { recountStorage } from "#server/inboxes/storage/recount.ts";
import { pruneDraftVersions } from "#server/sending/drafts/versions.ts";
import { inboxPath, type Page } from "#test/support/api.ts";
import { type Draft, file, startDraftsRig } from "./drafts-rig.ts";

const SENDS = 20;
const LATER_MS = 31 * 86_400_000;
const rig = await startDraftsRig({ STORAGE_QUOTA_PER_INBOX: "200000" });
const { client, service, writer } = rig;
afterAll(rig.stop);

/** As the worker does when what the key did can no longer be undone. */
const eraseVersions = () => pruneDraftVersions({ ...service.system, now: () => new Date(Date.now() + LATER_MS) });

describe("a draft", () => {
  test("may have nothing but its mailbox", async () => {
    const { create, get, drafts, address } = await writer();
    const { status, body } = await create();
    expect([status, body]).toMatchObject([201, { revision: 1, inbox: address, to: [], subject: null, text: null }]);
    expect((await get(body.id)).body).toEqual(body);
    expect((await drafts()).data).toMatchObject([{ id: body.id, attachment_count: 0 }]);
  });

  test("is changed field by field; each change raises the revision, and an old one is refused", async () => {
    const { create, patch, get } = await writer();
    const { id } = (await create({ to: "Ann <ann@else.example>", subject: "One", attachments: [file("abc")] })).body;
    const changed = await patch(id, { revision: 1, text: "Hello" });
    expect(changed.body).toMatchObject({
      revision: 2,
      to: ["Ann <ann@else.example>"],
      subject: "One",
      text: "Hello",
      attachments: [{ filename: "a.txt", size: 3 }],
    });
    const old = await patch(id, { revision: 1, subject: "Lost" });
    expect([old.status, old.body.error.code]).toEqual([409, "draft_changed"]);
    expect(old.body.error.message).toContain("revision is 2");
    expect((await get(id)).body).toEqual(changed.body);
    expect((await patch(id, { revision: 2, attachments: [], to: ["b@else.example"] })).body).toMatchObject({
      revision: 3,
      to: ["b@else.example"],
      attachments: [],
    });
  });

  test("two concurrent changes of one revision: one is made", async () => {
    const { create, patch, get } = await writer();
    const { id } = (await create()).body;
    const answers = await Promise.all(["a", "b", "c"].map((subject) => patch(id, { revision: 1, subject })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const won = answers.find(({ status }) => status === 200);
    expect((await get(id)).body).toEqual(won?.body);
  });

  test("is listed by pages and by mailbox, newest first", async () => {
    const { create, drafts, key, address } = await writer();
    const ids = [(await create()).body.id, (await create()).body.id];
    const other = await client.createInbox(key);
    const third = (await client.post<Draft>("/v1/drafts", { inbox: other.address }, { key })).body.id;
    expect((await drafts()).data.map(({ id }) => id)).toEqual([third, ...ids.toReversed()]);
    const of = `?inbox=${encodeURIComponent(address)}&limit=1`;
    const first = await drafts(of);
    expect(first.data.map(({ id }) => id)).toEqual([ids[1]]);
    expect((await drafts(`${of}&cursor=${first.next_cursor}`)).data.map(({ id }) => id)).toEqual([ids[0]]);
    expect((await client.get(`/v1/drafts?cursor=${first.next_cursor}`, { key })).status).toBe(400);
  });

  test("counts against the storage until it is deleted, sent, or its mailbox is deleted", async () => {
    const { create, patch, remove, stored, sendDraft, key, address, id: inboxId } = await writer();
    const big = "x".repeat(50_000);
    const { id } = (await create({ text: big, attachments: [file(big)] })).body;
    expect(await stored()).toBe(100_000);
    const version = 100_000;
    await patch(id, { revision: 1, attachments: [] });
    expect(await stored()).toBe(50_000 + version);
    await recountStorage(service.system);
    expect(await stored()).toBe(50_000 + version);
    expect((await remove(id)).status).toBe(200);
    expect(await stored()).toBe(50_000 + version);
    await eraseVersions();
    expect(await stored()).toBe(0);
    const sent = (await create({ to: "a@else.example", text: big })).body;
    expect((await sendDraft(sent.id, { revision: 1 })).status).toBe(202);
    expect(await stored()).toBe(100_000);
    await eraseVersions();
    expect(await stored()).toBe(50_000);
    expect((await create({ text: "x".repeat(160_000) })).body.error.code).toBe("storage_quota_exceeded");
    await create({ text: big, attachments: [file("x")] });
    await client.delete(inboxPath(address), { key });
    const left = () => service.system.sql`
      select id from drafts where inbox_id = ${decodeId("inb", inboxId) ?? ""}
      union all select inbox_id from storage_usage where inbox_id = ${decodeId("inb", inboxId) ?? ""}`;
    await expect.poll(left).toHaveLength(0);
  });
});

describe("sending", () => {
  test("sends it with its attachments, and it is gone", async () => {
    const { create, sendDraft, get, drafts, read } = await writer();
    const json = {
      to: ["a@else.example"],
      bcc: ["b@else.example"],
      subject: "Hi",
      text: "x",
      attachments: [file("abc")],
    };
    const { id } = (await create(json)).body;
    const sent = await sendDraft(id, { revision: 1 });
    expect([sent.status, sent.body.status]).toEqual([202, "queued"]);
    const mail = await rig.departed(sent.body.id);
    expect(mail).toMatchObject({ subject: "Hi", envelopeTo: ["a@else.example", "b@else.example"] });
    expect(await read(sent.body.id)).toMatchObject({ attachments: [{ filename: "a.txt", size: 3 }] });
    expect((await get(id)).status).toBe(404);
    expect((await drafts()).data).toEqual([]);
  });

  test(`${SENDS} times concurrently leaves one message, and every call names it`, async () => {
    const { create, sendDraft, list, used } = await writer();
    const { id } = (await create({ to: "a@else.example", text: "x", attachments: [file("abc")] })).body;
    const answers = await Promise.all(Array.from({ length: SENDS }, () => sendDraft(id, { revision: 1 })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(202);
    expect(await list()).toHaveLength(1);
    expect(await used()).toBe(1);
    expect((await sendDraft(id, { revision: 1 })).body.id).toBe(answers[0]?.body.id);
  });

  test("beside checks before sending of the same mailbox, which lock the same counters", async () => {
    const { create, sendDraft, key, address } = await writer();
    const message = { to: "a@else.example", text: "x" };
    const drafts = await Promise.all(Array.from({ length: SENDS }, () => create(message)));
    const answers = await Promise.all(
      drafts.flatMap(({ body: { id } }) => [
        sendDraft(id, { revision: 1 }),
        client.post(inboxPath(address, "/send?dry_run=true"), message, { key }),
      ]),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 200]));
  });

  test("and changing it concurrently: the old content leaves, or the change is made and nothing leaves", async () => {
    for (let i = 0; i < SENDS; i += 1) {
      const { create, sendDraft, patch, list } = await writer();
      const { id } = (await create({ to: "a@else.example", text: "old", subject: "old" })).body;
      const [sent, changed] = await Promise.all([
        sendDraft(id, { revision: 1 }),
        patch(id, { revision: 1, subject: "new" }),
      ]);
      const subjects = (await list()).map(({ subject }) => subject);
      if (sent.status === 202) expect([changed.status, subjects]).toEqual([404, ["old"]]);
      else expect([sent.status, changed.status, subjects]).toEqual([409, 200, []]);
    }
  });

  test("an old revision answers 409, and nothing is sent", async () => {
    const { create, patch, sendDraft, list } = await writer();
    const { id } = (await create({ to: "a@else.example", text: "x" })).body;
    await patch(id, { revision: 1, text: "y" });
    const { status, body } = await sendDraft(id, { revision: 1 });
    expect([status, body.error.code]).toEqual([409, "draft_changed"]);
    expect(await list()).toEqual([]);
  });

  test("later: it is scheduled", async () => {
    const { create, sendDraft } = await writer();
    const { id } = (await create({ to: "a@else.example", text: "x" })).body;
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    expect((await sendDraft(id, { revision: 1, send_at })).body.status).toBe("scheduled");
    expect((await sendDraft(id, { revision: 1, send_at })).body.status).toBe("scheduled");
  });

  test("what is missing or refused: the draft stays", async () => {
    const { create, sendDraft, get, key } = await writer();
    await client.post("/v1/suppressions", { address: "gone@else.example" }, { key });
    for (const [json, status, code] of [
      [{ text: "x" }, 400, "invalid_request"],
      [{ to: "a@else.example" }, 400, "invalid_request"],
      [{ to: "gone@else.example", text: "x" }, 422, "recipient_suppressed"],
      [{ to: ["a@else.example", "b@else.example"], text: "x", list_unsubscribe: true }, 400, "invalid_request"],
    ] as const) {
      const { id } = (await create(json)).body;
      const answer = await sendDraft(id, { revision: 1 });
      expect([answer.status, answer.body.error.code]).toEqual([status, code]);
      expect((await get(id)).status).toBe(200);
    }
  });
});

describe("an answer", () => {
  test("has the recipients and subject of the message it answers, in its thread, unless they are given", async () => {
    const { create, receive, sendDraft, read } = await writer();
    const message = await receive({ subject: "Question", messageId: "<q@else.example>" });
    const plain = (await create({ in_reply_to: message, text: "x" })).body;
    const sent = (await sendDraft(plain.id, { revision: 1 })).body;
    expect(sent.thread_id).toBe((await read(message)).thread_id);
    const left = await rig.departed(sent.id);
    expect(left).toMatchObject({ subject: "Re: Question", envelopeTo: ["writer@else.example"] });
    expect(left.headers["in-reply-to"]).toEqual(["<q@else.example>"]);
    const given = { in_reply_to: message, to: "ann@else.example", subject: "Other", text: "x" };
    const other = (await create(given)).body;
    const second = (await sendDraft(other.id, { revision: 1 })).body;
    expect(second.thread_id).toBe(sent.thread_id);
    expect(await rig.departed(second.id)).toMatchObject({ subject: "Other", envelopeTo: ["ann@else.example"] });
  });

  test("names the recipients that it would have now, alone and in lists", async () => {
    const { address, create, patch, get, drafts, receive, remove, key } = await writer();
    const to = ["dan@else.example", address];
    const message = await receive({ envelope: { from: "writer@else.example", to: address }, to });
    const { id, recipients } = (await create({ in_reply_to: message, text: "x" })).body;
    expect(recipients).toEqual(["writer@else.example"]);
    const all = await patch(id, { revision: 1, reply_all: true, cc: "carol@else.example" });
    const everyone = ["writer@else.example", "carol@else.example", "dan@else.example"];
    expect([all.body.to, all.body.recipients]).toEqual([[], everyone]);
    expect((await get(id)).body.recipients).toEqual(everyone);
    expect((await drafts()).data.map((each) => each.recipients)).toEqual([everyone]);
    await patch(id, { revision: 2, to: "ann@else.example" });
    expect((await get(id)).body.recipients).toEqual(["ann@else.example", "carol@else.example"]);
    await remove(id);
    const gone = (await create({ in_reply_to: message, text: "x" })).body.id;
    await client.delete(`/v1/messages/${message}`, { key });
    expect((await get(gone)).body.recipients).toEqual([]);
  });

  test("goes to the given Cc too, when To comes from the message", async () => {
    const { address, create, receive, sendDraft, read } = await writer();
    const to = ["dan@else.example", ...Array.from({ length: 30 }, (_, i) => `r${i}@else.example`)];
    const message = await receive({ envelope: { from: "writer@else.example", to: address }, to });
    const cc = ["carol@else.example", "Dan@else.example"];
    const draft = (await create({ in_reply_to: message, cc, reply_all: true, text: "x" })).body;
    const sent = (await sendDraft(draft.id, { revision: 1 })).body;
    expect(await read(sent.id)).toMatchObject({ to: ["writer@else.example"], cc: [...cc, ...to.slice(1)] });
    const many = Array.from({ length: 30 }, (_, i) => `c${i}@else.example`);
    const large = (await create({ in_reply_to: message, cc: many, reply_all: true, text: "x" })).body;
    const { status, body } = await sendDraft(large.id, { revision: 1 });
    expect([status, body.error.message]).toEqual([400, "to: at most 50 recipients in all"]);
  });

  test("to automatic mail, or in a thread that moved on, is refused", async () => {
    const { create, receive, sendDraft } = await writer();
    const robot = await receive({ headers: { "Auto-Submitted": "auto-replied" } });
    const refused = (await create({ in_reply_to: robot, text: "x" })).body;
    expect((await sendDraft(refused.id, { revision: 1 })).body.error.code).toBe("reply_refused");
    const first = await receive({ messageId: "<first@else.example>", subject: "a" });
    const late = (await create({ in_reply_to: first, text: "x", expected_last_message_id: first })).body;
    await receive({ subject: "b", inReplyTo: "<first@else.example>", references: "<first@else.example>" });
    expect((await sendDraft(late.id, { revision: 1 })).body.error.code).toBe("thread_moved_on");
  });

  test("to a message of another mailbox or organization: 404", async () => {
    const [mine, stranger] = [await writer(), await writer()];
    const theirs = await stranger.receive();
    const sibling = await client.createInbox(mine.key);
    await service.mail({ from: "w@else.example", to: sibling.address });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(sibling.address, "/messages"), mine)).body;
    for (const in_reply_to of [theirs, data[0]?.id, "msg_x"]) {
      const { status, body } = await mine.create({ in_reply_to });
      expect([status, body.error.code]).toEqual([404, "message_not_found"]);
    }
  });
});

describe("400", () => {
  test("invalid addresses, too many of them, unknown fields, and a missing revision are refused", async () => {
    const { create, patch, sendDraft } = await writer();
    const { id } = (await create()).body;
    const many = Array.from({ length: 51 }, (_, i) => `u${i}@else.example`);
    const answers = [
      await create({ to: "nobody" }),
      await create({ cc: many }),
      await create({ send_at: "2030-01-01T00:00:00Z" }),
      await patch(id, { revision: 1, bcc: ["a@b@c"] }),
      await patch(id, { subject: "x" }),
      await patch(id, { revision: 0, subject: "x" }),
      await patch(id, { revision: 1, inbox: "x@y.example" }),
      await sendDraft(id, {}),
      await sendDraft(id, { revision: "1" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(Array(answers.length).fill(400));
  });
});

describe("409", () => {
  test("too_many_drafts: 1,000 for a mailbox, exactly", async () => {
    const { create } = await writer();
    const { id } = (await create()).body;
    await service.system.sql`
      insert into drafts (id, organization_id, inbox_id, revision, fields, attachments, size, created_at, updated_at)
      select gen_random_uuid(), organization_id, inbox_id, 1, fields, attachments, 0, created_at, updated_at
      from drafts, generate_series(1, 995) where id = ${decodeId("drf", id) ?? ""}`;
    const answers = await Promise.all(Array.from({ length: 8 }, () => create()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 409, 409, 409, 409]);
  });
});

describe("404", () => {
  test("unknown, another organization's, and deleted drafts", async () => {
    const [mine, stranger] = [await writer(), await writer()];
    const theirs = (await stranger.create({ to: "a@else.example", text: "x" })).body.id;
    const gone = (await mine.create()).body.id;
    await mine.remove(gone);
    for (const id of [theirs, gone, "drf_x", "msg_01jd3m9v5sf0b8j3mgz7qk2x4c"]) {
      const answers = [
        await mine.get(id),
        await mine.patch(id, { revision: 1, subject: "x" }),
        await mine.remove(id),
        await mine.sendDraft(id, { revision: 1 }),
      ];
      for (const { status, body } of answers) expect([status, body.error.code]).toEqual([404, "draft_not_found"]);
    }
    expect((await stranger.get(theirs)).status).toBe(200);
  });
});
