// POST /v1/inboxes/{addr}/send with `in_reply_to`: a message with recipients of its own in the thread of another.
import { afterAll, expect, test } from "vitest";
import type { Failure, Sent } from "#test/support/api.ts";
import { startReplyRig } from "./reply-rig.ts";

const rig = await startReplyRig();
const { newReader, departed } = rig;
afterAll(rig.stop);

test("by id or Message-ID, it joins the thread, and its headers say so", async () => {
  const reader = await newReader();
  const id = await reader.receive({ subject: "Order", messageId: "<first@else.example>" });
  const { thread_id } = await reader.read(id);
  for (const in_reply_to of [id, "<first@else.example>"]) {
    const { status, body } = await reader.send({ to: "boss@else.example", subject: "For you", in_reply_to });
    expect([status, body.thread_id]).toEqual([202, thread_id]);
    const mail = await departed(body.id);
    expect(mail).toMatchObject({ envelopeTo: ["boss@else.example"], subject: "For you" });
    expect(mail.headers["in-reply-to"]).toEqual(["<first@else.example>"]);
    expect(mail.headers.references).toEqual(["<first@else.example>"]);
  }
});

test("a Message-ID that the mailbox does not have starts a thread, and is sent as a header", async () => {
  const reader = await newReader();
  const other = await rig.inboxFor(reader.key);
  const theirs = await other.read(await other.receive({ messageId: "<theirs@else.example>" }));
  const { body } = await reader.send({ to: "boss@else.example", in_reply_to: "<theirs@else.example>" });
  expect(body.thread_id).not.toBe(theirs.thread_id);
  const mail = await departed(body.id);
  expect(mail.headers["in-reply-to"]).toEqual(["<theirs@else.example>"]);
  expect(mail.headers.references).toEqual(["<theirs@else.example>"]);
});

test("a later mail with the same Message-ID does not take its place", async () => {
  const reader = await newReader();
  const { thread_id } = await reader.read(await reader.receive({ messageId: "<copied@else.example>" }));
  const headers = [{ key: "Auto-Submitted", value: "auto-replied" }];
  await reader.receive({ from: "eve@fraud.example", messageId: "<copied@else.example>", headers });
  const { status, body } = await reader.send({ to: "boss@else.example", in_reply_to: "<copied@else.example>" });
  expect([status, body.thread_id]).toEqual([202, thread_id]);
});

test("an id of another mailbox is unknown, and a text that is no id is refused", async () => {
  const [reader, other] = [await newReader(), await newReader()];
  const sibling = await rig.inboxFor(reader.key);
  const foreign = [
    await other.receive(),
    await sibling.receive(),
    "msg_01jd3m9v5sf0b8j3mgz7qk2x4c",
    "first@else.example",
  ];
  for (const in_reply_to of foreign) {
    const { status, body } = await reader.send({ to: "boss@else.example", in_reply_to });
    expect([status, (body as Sent & Failure).error.code]).toEqual([404, "message_not_found"]);
  }
  const { status } = await reader.send({ to: "boss@else.example", in_reply_to: "<two words>" });
  expect(status).toBe(400);
});

test("mail that a program sent is not answered in this way either", async () => {
  const reader = await newReader();
  const id = await reader.receive({ headers: [{ key: "Auto-Submitted", value: "auto-replied" }] });
  const { status, body } = await reader.send({ to: "writer@else.example", in_reply_to: id });
  expect([status, (body as Sent & Failure).error.code]).toEqual([422, "reply_refused"]);
});
