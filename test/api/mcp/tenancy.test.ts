// Each tool that names a thing, with the things of another organization and what a restricted key may not see: the
// answer is that of a thing that never was.
import { afterAll, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { api, withoutRequest } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { connect } from "./rig.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; thread_id: string; attachments: { id: string }[] };
type Things = { inbox: string; inbox_id: string; message: string; thread: string; attachment: string; draft: string };

/** A mailbox with a mail that has an attachment. */
async function furnished(key: string): Promise<Things> {
  const inbox = await client.createInbox(key);
  const attachments = [{ filename: "secret.txt", content: Buffer.from("secret") }];
  await service.mail({ from: "a@else.example", to: inbox.address, subject: "secret", attachments });
  const { done, close } = await connect(service, key);
  const wait = { inbox: inbox.address, after: "2020-01-01T00:00:00Z", timeout_seconds: 60 };
  const { message } = await done<{ message: Message }>("wait_for_email", wait);
  const draft = await done<{ id: string }>("create_draft", { inbox: inbox.address, to: "c@else.example", text: "x" });
  await close();
  const [file] = message.attachments;
  return {
    inbox: inbox.address,
    inbox_id: inbox.id,
    message: message.id,
    thread: message.thread_id,
    attachment: file?.id ?? "",
    draft: draft.id,
  };
}

const [a, b] = [await service.newOrganization(), await service.newOrganization()];
const foreign = await furnished(b.agentKey);
const barred = await furnished(a.agentKey);
const own = await furnished(a.agentKey);
const never: Things = {
  inbox: "never-there@mail.example",
  inbox_id: encodeId("inb", newId()),
  message: encodeId("msg", newId()),
  thread: encodeId("thr", newId()),
  attachment: encodeId("att", newId()),
  draft: encodeId("drf", newId()),
};
const restricted = (await service.newAgentKey(a.enrollmentKeyId, { inboxes: [own.inbox] })).key;

const CALLS: [string, (things: Things) => object][] = [
  ["search_messages", ({ inbox }) => ({ inbox, q: "secret" })],
  ["list_threads", ({ inbox }) => ({ inbox })],
  ["wait_for_email", ({ inbox }) => ({ inbox, timeout_seconds: 0 })],
  ["create_draft", ({ inbox }) => ({ inbox })],
  ["send_email", ({ inbox }) => ({ inbox, to: "c@else.example", text: "x" })],
  ["get_message", ({ message }) => ({ id: message, include_raw: true })],
  ["reply_to_email", ({ message }) => ({ id: message, text: "x" })],
  ["forward_email", ({ message }) => ({ id: message, to: "c@else.example", text: "x" })],
  ["get_attachment", ({ message, attachment }) => ({ id: message, attachment_id: attachment })],
  ["get_attachment", ({ message, attachment }) => ({ id: message, attachment_id: attachment, as_base64: true })],
  ["send_draft", ({ draft }) => ({ id: draft, revision: 1 })],
  ["get_thread", ({ thread }) => ({ id: thread })],
  ["delete_inbox", ({ inbox }) => ({ inbox })],
];

describe.each(CALLS)("%s", (name, args) => {
  test.each([
    ["another organization's", foreign, a.agentKey],
    ["what a restricted key may not see", barred, restricted],
  ])("%s answers like what never was", async (_, things, key) => {
    const { call, close } = await connect(service, key);
    const { isError, body } = await call(name, args(things));
    expect(isError).toBe(true);
    expect(withoutRequest(body)).toEqual(withoutRequest((await call(name, args(never))).body));
    expect(body.code).toMatch(/_not_found$/);
    await close();
  });
});

test("update_messages changes nothing of others, and answers as for what never was", async () => {
  for (const [things, key] of [
    [foreign, a.agentKey],
    [barred, restricted],
  ] as const) {
    const { done, close } = await connect(service, key);
    for (const id of [things.message, never.message]) {
      expect(await done("update_messages", { ids: [id], read: true })).toEqual({ updated: [], missing: [id] });
    }
    await close();
  }
});

test("a wait or a search does not take the message of another organization as its start", async () => {
  const { call, done, close } = await connect(service, a.agentKey);
  const { body } = await call("wait_for_email", { inbox: own.inbox, after: foreign.message, timeout_seconds: 0 });
  expect(body.code).toBe("invalid_cursor");
  const filtered = await done<{ data: object[] }>("search_messages", { thread_id: foreign.thread });
  expect(filtered.data).toEqual([]);
  await close();
});

test("a restricted key lists its own mailboxes", async () => {
  const { done, close } = await connect(service, restricted);
  const { data } = await done<{ data: { address: string }[] }>("list_inboxes");
  expect(data.map(({ address }) => address)).toEqual([own.inbox]);
  await close();
});
