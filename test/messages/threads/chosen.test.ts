// What the dashboard does to several threads: marks, labels, deletes; and the previews of its lists. Tenancy is in test/security.
import { afterAll, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const service = await startTestService();
afterAll(service.stop);

const people = await service.newOrganization();
const owner = await newOwner(service, people.organizationId);
const { trpc } = await newMember(service, owner, "member");

/** A mailbox with a thread of two mails and one of one mail, newest thread first. */
async function mailbox() {
  const { address } = await trpc.inboxes.createWith.mutate({ enrollment_key_id: people.enrollmentKeyId });
  const mail = (more: object) => service.mail({ from: "w@else.example", to: address, ...more });
  const first = `${newId()}@else.example`;
  await mail({ subject: "one", messageId: `<${first}>` });
  await mail({ subject: "two", inReplyTo: `<${first}>` });
  await mail({ subject: "aside", text: "Your code is 482915.\n\nEnter it   soon." });
  const list = async () => (await trpc.threads.list.query({ addr: address })).data;
  const ids = (await list()).map(({ id }) => id);
  const messages = async () => (await trpc.messages.list.query({ addr: address })).data;
  return { list, ids, messages };
}

const unknown = () => encodeId("thr", newId());

describe("mark", () => {
  test("every message as read, and the newest received one as unread", async () => {
    const { ids, list } = await mailbox();
    expect(await trpc.threads.mark.mutate({ ids: [...ids, unknown()], read: true })).toEqual({ threads: 2 });
    expect((await list()).map(({ unread_count }) => unread_count)).toEqual([0, 0]);
    await trpc.threads.mark.mutate({ ids, read: false });
    expect((await list()).map(({ unread_count }) => unread_count)).toEqual([1, 1]);
  });

  test("a label is added once to every message, and removed from every message", async () => {
    const { ids, messages } = await mailbox();
    await trpc.threads.mark.mutate({ ids, add_label: "codes" });
    await trpc.threads.mark.mutate({ ids, add_label: "codes" });
    expect((await messages()).map(({ labels }) => labels)).toEqual([["codes"], ["codes"], ["codes"]]);
    await trpc.threads.mark.mutate({ ids: ids.slice(0, 1), remove_label: "codes" });
    expect((await messages()).map(({ labels }) => labels)).toEqual([[], ["codes"], ["codes"]]);
  });

  test("a message with the most labels gets no further one", async () => {
    const { ids, messages } = await mailbox();
    const [message] = await messages();
    const labels = Array.from({ length: 50 }, (_, at) => `l${at}`);
    await trpc.messages.update.mutate({ id: message?.id ?? "", labels });
    await trpc.threads.mark.mutate({ ids, add_label: "one more" });
    expect((await messages()).map((each) => each.labels.length)).toEqual([50, 1, 1]);
  });

  test("400 without a thread, for more than 100, and for an empty label; 404 for unknown ones", async () => {
    const { ids } = await mailbox();
    const refused = { data: { error: { code: "invalid_request" } } };
    await expect(trpc.threads.mark.mutate({ ids: [], read: true })).rejects.toMatchObject(refused);
    const many = Array.from({ length: 101 }, unknown);
    await expect(trpc.threads.mark.mutate({ ids: many, read: true })).rejects.toMatchObject(refused);
    await expect(trpc.threads.mark.mutate({ ids, add_label: " " })).rejects.toMatchObject(refused);
    const missing = { data: { error: { code: "thread_not_found" } } };
    await expect(trpc.threads.mark.mutate({ ids: [unknown()], read: true })).rejects.toMatchObject(missing);
  });
});

describe("messages.markRead", () => {
  test("marks those that are given, and no other; unknown ones are left out", async () => {
    const { messages } = await mailbox();
    const [newest, , oldest] = await messages();
    const ids = [newest?.id ?? "", oldest?.id ?? "", encodeId("msg", newId())];
    expect(await trpc.messages.markRead.mutate({ ids })).toEqual({ messages: 2 });
    expect((await messages()).map(({ read }) => read)).toEqual([true, false, true]);
    const { data } = await owner.trpc.team.audit.query({});
    expect(data.map(({ action }) => action)).not.toContain("messages.markRead");
  });

  test("400 without a message, and for more than 100; 404 for unknown ones", async () => {
    const refused = { data: { error: { code: "invalid_request" } } };
    for (const ids of [[], Array.from({ length: 101 }, () => encodeId("msg", newId()))])
      await expect(trpc.messages.markRead.mutate({ ids })).rejects.toMatchObject(refused);
    const missing = { data: { error: { code: "message_not_found" } } };
    await expect(trpc.messages.markRead.mutate({ ids: [encodeId("msg", newId())] })).rejects.toMatchObject(missing);
  });
});

describe("removeMany", () => {
  test("deletes the threads with all their messages, and no other", async () => {
    const { ids, messages, list } = await mailbox();
    expect(await trpc.threads.removeMany.mutate({ ids: [ids[1] ?? "", unknown()] })).toEqual({ threads: 1 });
    expect((await messages()).map(({ subject }) => subject)).toEqual(["aside"]);
    expect((await list()).map(({ id }) => id)).toEqual(ids.slice(0, 1));
    const { data } = await owner.trpc.team.audit.query({});
    expect(data[0]).toMatchObject({ action: "threads.removeMany", subject: expect.stringContaining(ids[1] ?? "") });
    await trpc.threads.removeMany.mutate({ ids: ids.slice(0, 1) });
    const [last] = (await owner.trpc.team.audit.query({})).data;
    expect(last?.object).toMatchObject({ id: ids[0], name: "aside", gone: true });
  });
});

describe("previews", () => {
  test("the beginning of each message on one line, and the code in it", async () => {
    const { messages } = await mailbox();
    const ids = (await messages()).map(({ id }) => id);
    await eventually(async () => {
      const { data } = await trpc.messages.previews.query({ ids });
      const [aside] = ids.slice(0, 1).map((id) => data.find((each) => each.id === id));
      expect(aside).toMatchObject({ snippet: "Your code is 482915. Enter it soon.", otp: "482915", link: null });
    });
  });
});
