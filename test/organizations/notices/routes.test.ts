// Where members get notices: by mail and in chats, about what they chose; and who can change it.
import type { ServerResponse } from "node:http";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { decodeId } from "#server/base/ids.ts";
import { setOwners } from "#server/organizations/organizations.ts";
import { inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { adjustableClock } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner, type Person, refused } from "#test/support/team.ts";
import { startReceiver, status } from "#test/webhooks/delivery/receiver.ts";
import { startRig } from "#test/webhooks/rig.ts";

const ROUTES_MAX = 5;
const TESTS_MAX = 20;
const RETRY_MS = 60_000;

const clock = adjustableClock();
const sink = await startSmtpSink();
const rig = await startRig("web,smtp,worker", { now: clock.now }, { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
afterAll(async () => {
  await rig.close();
  await sink.close();
});

const textOf = ({ body }: { body: string }) => (JSON.parse(body) as { text: string }).text;

/** An organization whose webhook is disabled by the next mail, two people, and a chat. */
async function team(answer = status(200)) {
  const own = await rig.furnished(status(410));
  const owner = await newOwner(rig.service, own.organizationId);
  const member = await newOwner(rig.service, own.organizationId);
  const chat = await rig.endpoint(answer);
  for (const { trpc } of [owner, member]) {
    for (const { id } of (await trpc.notices.list.query()).data) await trpc.notices.remove.mutate({ id });
  }
  return { ...own, owner, member, chat, notices: member.trpc.notices };
}

async function remove(owner: Person, member: Person): Promise<void> {
  const { members } = await owner.trpc.team.members.query();
  const id = members.find(({ email }) => email === member.email)?.id ?? "";
  await owner.trpc.team.removeMember.mutate({ id });
}

const mailsTo = (address: string) => sink.received.filter(({ raw }) => raw.includes(`To: ${address}`));

describe("without a choice", () => {
  test("an owner who joins gets notices by mail", async () => {
    const own = await rig.furnished(status(410));
    const owner = await newOwner(rig.service, own.organizationId);
    const { data, ...reach } = await owner.trpc.notices.list.query();
    const topics = ["webhook_disabled", "domain", "approval", "sending"];
    expect(data).toEqual([{ id: expect.any(String), channel: "mail", to: owner.email, topics }]);
    expect(reach).toEqual({ sends_mail: true, reached_topics: topics });
    await own.mail();
    await eventually(() => expect(mailsTo(owner.email)).toHaveLength(1));
    await owner.trpc.notices.remove.mutate({ id: data[0]?.id ?? "" });
    expect((await owner.trpc.notices.list.query()).reached_topics).toEqual([]);
  });
});

describe("a member chooses", () => {
  test("a chat: it gets the notice about a topic in the format of Slack, and none about others", async () => {
    const { notices, chat, mail, webhook } = await team();
    const other = await rig.endpoint();
    await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: `${chat.url}?token=secret` });
    await notices.add.mutate({ topics: ["postmaster"], chat_url: other.url });
    await mail();
    await eventually(() => expect(chat.received).toHaveLength(1));
    const [posted] = chat.received;
    if (!posted) throw new Error("nothing was posted");
    expect(posted).toMatchObject({ method: "POST", headers: { "content-type": "application/json" } });
    expect(posted.url).toContain("token=secret");
    expect(Object.keys(JSON.parse(posted.body) as object)).toEqual(["text"]);
    expect(textOf(posted)).toMatch(/^A webhook was disabled\n/);
    expect(textOf(posted)).toContain(webhook.id);
    expect(textOf(posted)).toContain("/dashboard");
    expect(other.received).toHaveLength(0);
  });

  test("mail to their account, once also where the organization names the address", async () => {
    const { notices, owner, member, mail, organizationId } = await team();
    await setOwners(rig.service.system, organizationId, [owner.email]);
    await notices.add.mutate({ topics: ["webhook_disabled"] });
    await owner.trpc.notices.add.mutate({ topics: ["webhook_disabled", "domain"] });
    await mail();
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(1));
    await eventually(() => expect(mailsTo(owner.email)).toHaveLength(1));
    const rows = await rig.service.system.sql`
      select 1 from notices where organization_id = ${decodeId("org", organizationId) ?? ""}`;
    expect(rows).toHaveLength(2);
  });

  test("other topics later, or none", async () => {
    const { notices, chat, mail } = await team();
    const { id } = await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: chat.url });
    expect(await notices.change.mutate({ id, topics: ["domain", "domain"] })).toMatchObject({ topics: ["domain"] });
    const { id: removed } = await notices.add.mutate({ topics: ["webhook_disabled"] });
    await notices.remove.mutate({ id: removed });
    const witness = await rig.endpoint();
    await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: witness.url });
    await mail();
    await eventually(() => expect(witness.received).toHaveLength(1));
    expect(chat.received).toHaveLength(0);
    await expect(notices.change.mutate({ id, topics: [] })).rejects.toMatchObject(refused(400, "invalid_request"));
  });

  test("the list shows only the origin of a chat's URL, which is a secret", async () => {
    const { notices, member, chat, owner } = await team();
    await notices.add.mutate({ topics: ["domain"], chat_url: `${chat.url}/T0/B0/secret` });
    await notices.add.mutate({ topics: ["approval"] });
    expect(await notices.list.query()).toMatchObject({
      data: [
        { channel: "chat", to: new URL(chat.url).origin, topics: ["domain"] },
        { channel: "mail", to: member.email, topics: ["approval"] },
      ],
    });
    expect((await owner.trpc.notices.list.query()).data).toEqual([]);
    expect(JSON.stringify(await owner.trpc.team.audit.query({}))).not.toContain("secret");
  });
});

describe("a chat", () => {
  test("that is down gets the notice later, and one that refuses it does not get it again", async () => {
    const { notices, chat, mail } = await team(status(503));
    const refusing = await rig.endpoint(status(404));
    await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: chat.url });
    await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: refusing.url });
    await mail();
    await eventually(() => expect([chat.received.length, refusing.received.length]).toEqual([1, 1]));
    chat.answer = status(200);
    await eventually(() => {
      clock.advance(RETRY_MS);
      expect(chat.received.length).toBeGreaterThan(1);
    });
    expect(refusing.received).toHaveLength(1);
  });

  test("is tried out: only whether it accepted the notice is shown, whatever it answers", async () => {
    const { notices, chat } = await team();
    const { id } = await notices.add.mutate({ topics: ["domain"], chat_url: chat.url });
    expect(await notices.test.mutate({ id })).toEqual({ state: "sent", error: null });
    chat.answer = status(403);
    const redirecting = await rig.endpoint(status(302, { Location: chat.url }));
    const failing = await rig.endpoint(status(500));
    const gone = await startReceiver();
    await gone.close();
    const others = await Promise.all(
      [redirecting, failing, gone].map(({ url }) => notices.add.mutate({ topics: ["domain"], chat_url: url })),
    );
    const answers = await Promise.all([{ id }, ...others].map((route) => notices.test.mutate({ id: route.id })));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject({ state: "failed", error: expect.not.stringMatching(/\d|refused|ECONN/) });
    expect([chat, redirecting, failing].map(({ received }) => received.length)).toEqual([2, 1, 1]);
    const { id: mail } = await notices.add.mutate({ topics: ["domain"] });
    expect(await notices.test.mutate({ id: mail })).toEqual({ state: "queued", error: null });
  });

  test("that does not answer holds up neither the others nor mail", async () => {
    const waiting = new Set<ServerResponse>();
    const { notices, member, chat, mail } = await team((response) => {
      waiting.add(response);
      response.on("close", () => waiting.delete(response));
    });
    for (let i = 1; i < ROUTES_MAX; i += 1) {
      await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: `${chat.url}/${i}` });
    }
    await notices.add.mutate({ topics: ["webhook_disabled"] });
    await mail();
    await eventually(() => expect(waiting.size).toBe(ROUTES_MAX - 1));
    for (const response of waiting) response.end();
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(1));
  });

  test("and a mail are tried out 20 times an hour at most, also over several chats", async () => {
    const { notices, member, chat } = await team();
    const { id } = await notices.add.mutate({ topics: ["domain"] });
    for (let i = 0; i < TESTS_MAX; i += 1) await notices.test.mutate({ id });
    const { id: other } = await notices.add.mutate({ topics: ["domain"], chat_url: chat.url });
    await expect(notices.test.mutate({ id: other })).rejects.toMatchObject(refused(429, "rate_limited"));
    expect(chat.received).toHaveLength(0);
    await expect(notices.test.mutate({ id })).rejects.toMatchObject(refused(429, "rate_limited"));
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(TESTS_MAX));
  });

  test("gets what strangers wrote without mentions, links and an end of the block", async () => {
    const domain = "granted.example";
    const { organizationId } = await rig.service.newOrganization({ allowedDomains: [domain] });
    const { trpc, email } = await newOwner(rig.service, organizationId);
    const chat = await rig.endpoint();
    await trpc.notices.add.mutate({ topics: ["postmaster"], chat_url: chat.url });
    const [mailed] = (await trpc.notices.list.query()).data.filter(({ channel }) => channel === "mail");
    await trpc.notices.change.mutate({ id: mailed?.id ?? "", topics: ["postmaster"] });
    const text = "```\n@channel <!here> <https://evil.example|your bank> & more";
    await rig.service.mail({ from: "w@else.example", to: `postmaster@${domain}`, subject: "Abuse", text });
    await eventually(() => expect(mailsTo(email)).toHaveLength(1));
    await eventually(() => expect(chat.received).toHaveLength(1));
    const posted = chat.received.map(textOf).join();
    expect(posted).toContain("&lt;!here&gt; &lt;https[:]//evil[.]example|your bank&gt; &amp; more");
    expect(posted).not.toMatch(/@channel|<!/);
    expect(posted.split("```")).toHaveLength(3);
  });

  test("gets a link to a held message, not its text", async () => {
    const { notices, chat, owner, key, inbox, member } = await team();
    await owner.trpc.reviews.setPolicy.mutate({ review: "all" });
    await notices.add.mutate({ topics: ["approval"], chat_url: chat.url });
    await notices.add.mutate({ topics: ["approval"] });
    const send = { to: "ada@elsewhere.example", text: "A secret offer" };
    const { body } = await rig.client.post<{ id: string }>(inboxPath(inbox.address, "/send"), send, { key });
    await eventually(() => expect(chat.received).toHaveLength(1));
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(1));
    const posted = chat.received.map(textOf).join();
    expect(posted).toContain(`/dashboard/approvals?id=${body.id}&amp;organization=org_`);
    for (const told of [posted, mailsTo(member.email).join()]) expect(told).not.toMatch(/secret offer|\/review/);
  });

  test.each([
    ["the service itself", () => `http://127.0.0.1:${new URL(rig.service.url).port}/v1`],
    ["a file", () => "file:///etc/passwd"],
    ["a URL with credentials", () => "https://a:b@chat.example/x"],
  ])("cannot be %s", async (_, url) => {
    const { notices } = await team();
    const adding = notices.add.mutate({ topics: ["domain"], chat_url: url() });
    await expect(adding).rejects.toMatchObject(refused(400, "invalid_webhook_url"));
  });
});

describe("who", () => {
  test("a member whose role is member adds no chat, and gets notices by mail", async () => {
    const { owner, member, chat } = await team();
    const { members } = await owner.trpc.team.members.query();
    const id = members.find(({ email }) => email === member.email)?.id ?? "";
    await owner.trpc.team.setRole.mutate({ id, role: "member" });
    const adding = member.trpc.notices.add.mutate({ topics: ["domain"], chat_url: chat.url });
    await expect(adding).rejects.toMatchObject(refused(403, "insufficient_role"));
    expect(await member.trpc.notices.add.mutate({ topics: ["domain"] })).toMatchObject({ channel: "mail" });
  });

  test("a lower role ends the chats of a member, and leaves the mail", async () => {
    const { owner, member, notices, chat, mail } = await team();
    await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: chat.url });
    await notices.add.mutate({ topics: ["webhook_disabled"] });
    const { members } = await owner.trpc.team.members.query();
    const id = members.find(({ email }) => email === member.email)?.id ?? "";
    await owner.trpc.team.setRole.mutate({ id, role: "member" });
    expect((await notices.list.query()).data).toMatchObject([{ channel: "mail" }]);
    await mail();
    await eventually(() => expect(mailsTo(member.email)).toHaveLength(1));
    expect(chat.received).toHaveLength(0);
    await owner.trpc.team.setRole.mutate({ id, role: "admin" });
    expect((await notices.list.query()).data).toHaveLength(1);
  });

  test("a chat that is added while the role is lowered is not added", async () => {
    const { owner, member, notices, chat } = await team();
    const { members } = await owner.trpc.team.members.query();
    const id = members.find(({ email }) => email === member.email)?.id ?? "";
    const sql = connect(rig.service.database.url, { max: 2 });
    onTestFinished(() => sql.end());
    const adding = await sql.begin(async (tx) => {
      await tx`select 1 from members where user_id = ${decodeId("usr", id) ?? ""} for update`;
      const added = notices.add
        .mutate({ topics: ["domain"], chat_url: chat.url })
        .catch((error) => error.data.error.code);
      await expect.poll(() => waitingForLocks(sql)).toBe(1);
      await tx`update members set role = 'member' where user_id = ${decodeId("usr", id) ?? ""}`;
      return { added };
    });
    expect(await adding.added).toBe("insufficient_role");
  });

  test("another member and another organization see, change, test and remove none of them", async () => {
    const { notices, owner, chat } = await team();
    const { id } = await notices.add.mutate({ topics: ["domain"], chat_url: chat.url });
    const unknown = refused(404, "notice_route_not_found");
    for (const { trpc } of [owner, (await team()).owner]) {
      await expect(trpc.notices.change.mutate({ id, topics: ["approval"] })).rejects.toMatchObject(unknown);
      await expect(trpc.notices.test.mutate({ id })).rejects.toMatchObject(unknown);
      await expect(trpc.notices.remove.mutate({ id })).rejects.toMatchObject(unknown);
    }
    expect(await notices.list.query()).toMatchObject({ data: [{ id, topics: ["domain"] }] });
    expect(chat.received).toHaveLength(0);
  });

  test("a person who is no longer a member gets none, and the chat that they added gets none", async () => {
    const { notices, owner, member, chat, mail } = await team();
    await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: chat.url });
    await notices.add.mutate({ topics: ["webhook_disabled"] });
    const witness = await rig.endpoint();
    await owner.trpc.notices.add.mutate({ topics: ["webhook_disabled"], chat_url: witness.url });
    await remove(owner, member);
    await mail();
    await eventually(() => expect(witness.received).toHaveLength(1));
    expect(chat.received).toHaveLength(0);
    expect(mailsTo(member.email)).toHaveLength(0);
  });

  test("what still waits to be sent to a person is not sent after they were removed", async () => {
    const { notices, owner, member, chat, mail, organizationId } = await team(status(503));
    await notices.add.mutate({ topics: ["webhook_disabled"], chat_url: chat.url });
    await notices.add.mutate({ topics: ["webhook_disabled"] });
    sink.faults.rcpt = (address) => (address === member.email ? { code: 451, text: "Later" } : undefined);
    const pending = async () => rig.service.system.sql<{ error: string | null; isPending: boolean }[]>`
      select error, next_attempt_at is not null as "isPending" from notices
      where organization_id = ${decodeId("org", organizationId) ?? ""}`;
    await mail();
    await eventually(async () => {
      const rows = await pending();
      expect(rows.map(({ error, isPending }) => error !== null && isPending)).toEqual([true, true]);
    });
    await remove(owner, member);
    sink.faults.rcpt = undefined;
    chat.answer = status(200);
    await eventually(async () => {
      clock.advance(RETRY_MS);
      expect((await pending()).map(({ isPending }) => isPending)).toEqual([false, false]);
    });
    expect(chat.received).toHaveLength(1);
    expect(mailsTo(member.email)).toHaveLength(0);
  });

  test("a member has five places, one of them mail, exactly, when they are added concurrently", async () => {
    const { notices, chat } = await team();
    await notices.add.mutate({ topics: ["domain"] });
    const full = refused(409, "too_many_notice_routes");
    await expect(notices.add.mutate({ topics: ["domain"] })).rejects.toMatchObject(full);
    const tried = Array.from({ length: 8 }, () => notices.add.mutate({ topics: ["domain"], chat_url: chat.url }));
    const settled = await Promise.allSettled(tried);
    expect(settled.filter((each) => each.status === "fulfilled")).toHaveLength(ROUTES_MAX - 1);
    for (const each of settled) if (each.status === "rejected") expect(each.reason).toMatchObject(full);
    expect((await notices.list.query()).data).toHaveLength(ROUTES_MAX);
  });
});
