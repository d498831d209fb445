// Decisions on held messages and their revisions: one decision, and what leaves is what was approved.
import { hash } from "node:crypto";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { decodeId } from "#server/base/ids.ts";
import { expireReviews } from "#server/sending/reviews/expire.ts";
import { inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { ADA, contentOf, HOUR_MS, startReviews, TTL_HOURS } from "./reviews-rig.ts";

type Message = { id: string; direction: string };

const DECISIONS = 50;

const { clock, sink, service, client, reviewed, stop } = await startReviews();
afterAll(stop);

describe("a decision", () => {
  test(`of ${DECISIONS} at the same time is one, and what leaves is what was approved`, async () => {
    const box = await reviewed();
    const attachment = {
      filename: "offer.bin",
      content_type: "application/x-offer",
      content_base64: Buffer.from("bytes").toString("base64"),
    };
    const sent = await box.send({
      cc: ["Cy@elsewhere.example"],
      subject: "Größe",
      html: "<p>Hi</p>",
      attachments: [attachment],
    });
    const { named, review } = await box.seen(sent.id);
    const before = sink.received.length;
    const decide = (i: number) =>
      i % 2 === 0 ? box.trpc.reviews.approve.mutate(named) : box.trpc.reviews.reject.mutate({ ...named, reason: "no" });
    const results = await Promise.allSettled(Array.from({ length: DECISIONS }, (_, i) => decide(i)));
    const done = results.filter((result) => result.status === "fulfilled");
    expect(done).toHaveLength(1);
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason.data.error.code).toBe("already_decided");
    }
    const decided = done[0]?.value.status;
    await eventually(async () =>
      expect((await box.read(sent.id)).status).toBe(decided === "approved" ? "sent" : "rejected"),
    );
    expect((await box.events()).filter(({ message }) => message.id === sent.id)).toHaveLength(1);
    const left = sink.received.slice(before).filter(({ raw }) => raw.includes(box.address));
    expect(left.length > 0).toBe(decided === "approved");
    if (decided !== "approved") return;
    expect(left.map(({ to }) => to[0]).sort()).toEqual([ADA, "Cy@elsewhere.example"].sort());
    const { mail, to, cc, files } = await contentOf(left[0]?.raw ?? Buffer.alloc(0));
    const id = mail.messageId?.slice(1, -1) ?? null;
    const parts = [
      [box.address, null],
      [to, cc, [], []],
      [mail.subject, mail.text?.trimEnd(), mail.html?.trimEnd()],
      [id, null, [], false],
      files,
    ];
    expect(hash("sha256", JSON.stringify(parts))).toBe(review.sha256);
  });

  test("without added headers is bound to the same hash as in earlier versions", async () => {
    const box = await reviewed();
    const sent = await box.send({ subject: "Plain" });
    const id = (await client.get<{ rfc_message_id: string }>(`/v1/messages/${sent.id}`, { key: box.key })).body;
    const parts = [
      [box.address, null],
      [[ADA], [], [], []],
      ["Plain", "Hello", null],
      [id.rfc_message_id, null, [], false],
      [],
    ];
    expect((await box.seen(sent.id)).review.sha256).toBe(hash("sha256", JSON.stringify(parts)));
  });

  test("to approve includes the headers that the agent added", async () => {
    const box = await reviewed();
    const headers = { "X-Order": "1042", "X-Note": "Größe" };
    const sent = await box.send({ subject: "With headers", headers });
    const { named, review } = await box.seen(sent.id);
    expect(review.headers).toEqual(Object.entries(headers).map(([name, value]) => ({ name, value })));
    const { sha256 } = await box.trpc.reviews.edit.mutate({
      ...named,
      ...{ to: [ADA], cc: [], bcc: [], subject: "Edited", text: "Changed", html: null },
    });
    await box.trpc.reviews.approve.mutate({ id: sent.id, sha256 });
    await eventually(async () => expect((await box.read(sent.id)).status).toBe("sent"));
    expect(box.mails().at(-1)?.raw.toString()).toContain("X-Order: 1042\r\n");
  });

  test("to approve counts the recipients then, and is refused while the cap is used up", async () => {
    const box = await reviewed();
    const sent = await box.send({ to: [ADA, "b@elsewhere.example", "c@elsewhere.example"] });
    const more = await box.send({ to: "d@elsewhere.example" });
    await box.trpc.reviews.approve.mutate((await box.seen(sent.id)).named);
    const { named } = await box.seen(more.id);
    const refused = { data: { error: { code: "daily_send_cap_exceeded" } } };
    await expect(box.trpc.reviews.approve.mutate(named)).rejects.toMatchObject(refused);
    expect([await box.used(), (await box.read(more.id)).status]).toEqual([3, "held"]);
    await box.trpc.reviews.reject.mutate(named);
  });

  test("to approve a day later: the mail has the date on which it left", async () => {
    const box = await reviewed();
    const sent = await box.send();
    const { named } = await box.seen(sent.id);
    clock.advance(24 * HOUR_MS);
    await box.trpc.reviews.approve.mutate(named);
    const approved = clock.now().getTime();
    await eventually(() => expect(box.mails()).toHaveLength(1));
    const { mail } = await contentOf(box.mails()[0]?.raw ?? Buffer.alloc(0));
    expect(Math.abs(Date.parse(mail.date ?? "") - approved)).toBeLessThan(HOUR_MS);
  });

  test("to approve sends the sender's name of then: a later name of the mailbox changes nothing", async () => {
    const box = await reviewed();
    const { id } = await box.send();
    const named = await client.patch(inboxPath(box.address), { display_name: "Later" }, { key: box.key });
    expect(named.status).toBe(200);
    await box.trpc.reviews.approve.mutate((await box.seen(id)).named);
    await eventually(async () => expect((await box.read(id)).status).toBe("sent"));
    expect(box.mails().at(-1)?.raw.toString()).toContain(`From: ${box.address}`);
  });

  test("to approve is refused for a recipient that was blocked or suppressed since", async () => {
    const box = await reviewed();
    const sent = await box.send();
    const { named } = await box.seen(sent.id);
    await box.trpc.lists.add.mutate({ direction: "send", list: "block", entry: "elsewhere.example" });
    await expect(box.trpc.reviews.approve.mutate(named)).rejects.toMatchObject({
      data: { error: { code: "recipient_blocked" } },
    });
    await box.trpc.lists.remove.mutate({ direction: "send", list: "block", entry: "elsewhere.example" });
    await box.trpc.suppressions.add.mutate({ address: ADA });
    await expect(box.trpc.reviews.approve.mutate(named)).rejects.toMatchObject({
      data: { error: { code: "recipient_suppressed" } },
    });
    expect((await box.read(sent.id)).status).toBe("held");
  });

  test("to approve a reply is refused when its thread has a newer message than the agent had read", async () => {
    const box = await reviewed();
    const mail = {
      from: ADA,
      to: box.address,
      subject: "Question",
      headers: { "Message-ID": "<question@elsewhere.example>" },
    };
    await service.mail(mail);
    const newest = async () => {
      const { data } = (await client.get<Page<Message>>(inboxPath(box.address, "/messages"), box)).body;
      return data.find(({ direction }) => direction === "inbound")?.id ?? "";
    };
    const question = await newest();
    const reply = async (expected_last_message_id: string) => {
      const json = { text: "Hi", expected_last_message_id };
      const { body } = await client.post<{ id: string }>(`/v1/messages/${question}/reply`, json, box);
      return (await box.seen(body.id)).named;
    };
    const [first, second] = [await reply(question), await reply(question)];
    const headers = { "In-Reply-To": mail.headers["Message-ID"] };
    await service.mail({ ...mail, headers });
    await expect(box.trpc.reviews.approve.mutate(first)).rejects.toMatchObject({
      data: { error: { code: "thread_moved_on", fix: expect.stringMatching(/^Reject the message/) } },
    });
    expect((await box.read(first.id)).status).toBe("held");
    await box.trpc.reviews.reject.mutate({ ...second, reason: "late" });
    const third = await reply(await newest());
    await box.trpc.reviews.approve.mutate(third);
    await eventually(async () => expect((await box.read(third.id)).status).toBe("sent"));
  });

  test("to approve covers the names of recipients, which an edit gives anew", async () => {
    const box = await reviewed();
    const reply_to = "Help, please <help@shop.example>";
    const sent = await box.send({ to: `Ada Byron <${ADA}>`, cc: ["Cy <cy@elsewhere.example>"], reply_to });
    const { named, review } = await box.seen(sent.id);
    expect(review.reply_to).toEqual(['"Help, please" <help@shop.example>']);
    const [first] = review.revisions;
    expect([first?.to, first?.cc]).toEqual([[`Ada Byron <${ADA}>`], ["Cy <cy@elsewhere.example>"]]);
    const { sha256 } = await box.trpc.reviews.edit.mutate({
      ...named,
      ...{ to: [`"Byron, Ada" <${ADA}>`], cc: ["cy@elsewhere.example"], bcc: [], subject: "s", text: "t", html: null },
    });
    const edited = (await box.seen(sent.id)).review;
    expect([edited.revisions.at(-1)?.to, edited.reply_to]).toEqual([[`"Byron, Ada" <${ADA}>`], review.reply_to]);
    await box.trpc.reviews.approve.mutate({ id: sent.id, sha256 });
    await eventually(async () => expect((await box.read(sent.id)).status).toBe("sent"));
    const raw = box.mails().at(-1)?.raw.toString() ?? "";
    expect(raw).toContain(`To: "Byron, Ada" <${ADA}>\r\n`);
    expect(raw).toContain('Reply-To: "Help, please" <help@shop.example>\r\n');
    expect(raw).toContain("Cc: cy@elsewhere.example\r\n");
  });

  test.each([
    ["text", "text = 'Other'"],
    ["a name", `recipient_names = '[["${ADA}", "Ceo"]]'`],
    ["headers", `headers = '[["X-Order", "7"]]'`],
    ["lost headers", "headers = null"],
  ])("to approve does not cover what the message becomes afterwards (%s): it does not leave", async (_what, change) => {
    const box = await reviewed();
    const sent = await box.send({ headers: { "X-Order": "1042" } });
    sink.faults.mail = { code: 451, text: "4.3.0 Later" };
    await box.trpc.reviews.approve.mutate((await box.seen(sent.id)).named);
    await eventually(async () => expect((await box.read(sent.id)).error).toContain("451"));
    sink.faults.mail = undefined;
    const id = decodeId("msg", sent.id) ?? "";
    const { sql } = service.system;
    await sql`update messages set ${sql.unsafe(change)}, next_attempt_at = ${clock.now()} where id = ${id}`;
    service.system.signals.raise("outbound");
    await eventually(async () => expect((await box.read(sent.id)).status).toBe("failed"));
    expect((await box.read(sent.id)).error).toBe("This is not the message that was approved.");
    expect(box.mails()).toEqual([]);
  });

  test("to approve a message with a time schedules it, and it counts when it leaves", async () => {
    const box = await reviewed();
    const sent = await box.send({ send_at: new Date(clock.now().getTime() + HOUR_MS).toISOString() });
    expect(sent.status).toBe("held");
    await box.trpc.reviews.approve.mutate((await box.seen(sent.id)).named);
    expect([(await box.read(sent.id)).status, await box.used()]).toEqual(["scheduled", 0]);
    clock.advance(HOUR_MS);
    await eventually(async () => expect((await box.read(sent.id)).status).toBe("sent"));
    expect(await box.used()).toBe(1);
  });

  test("to reject keeps the message here, with the reason", async () => {
    const box = await reviewed();
    const sent = await box.send();
    await box.trpc.reviews.reject.mutate({ ...(await box.seen(sent.id)).named, reason: "Too pushy" });
    const message = await box.read(sent.id);
    expect(message).toMatchObject({ status: "rejected", recipients: [{ status: "failed" }] });
    expect(message.error).toBe(`rejected, by ${box.owner.email}: Too pushy`);
    expect(await box.events()).toMatchObject([
      { event: "message.rejected", message: { id: sent.id, reason: "Too pushy" } },
    ]);
    expect([await box.used(), box.mails()]).toEqual([0, []]);
  });

  test("of another organization, or on a deleted message: not found", async () => {
    const [box, other] = [await reviewed(), await reviewed()];
    const sent = await box.send();
    const { named } = await box.seen(sent.id);
    const missing = { data: { error: { code: "message_not_found" } } };
    await expect(other.trpc.reviews.get.query({ id: sent.id })).rejects.toMatchObject(missing);
    await expect(other.trpc.reviews.approve.mutate(named)).rejects.toMatchObject(missing);
    await expect(other.trpc.reviews.reject.mutate(named)).rejects.toMatchObject(missing);
    const content = { to: [ADA], cc: [], bcc: [], subject: "", text: "x", html: null };
    await expect(other.trpc.reviews.edit.mutate({ ...named, ...content })).rejects.toMatchObject(missing);
    expect((await other.trpc.reviews.list.query({})).data).toEqual([]);
    await client.call("DELETE", `/v1/messages/${sent.id}`, { key: box.key });
    await expect(box.trpc.reviews.approve.mutate(named)).rejects.toMatchObject(missing);
    expect(box.mails()).toEqual([]);
  });

  test.each([
    ["approve", {}],
    ["reject", {}],
    ["edit", { to: [ADA], cc: [], bcc: [], subject: "", text: "x", html: null }],
  ] as const)("to %s, while the message is deleted: not found", async (act, content) => {
    const box = await reviewed();
    const sent = await box.send();
    const { named } = await box.seen(sent.id);
    const sql = connect(service.database.url, { max: 2 });
    onTestFinished(() => sql.end());
    const waiting = () => waitingForLocks(sql);
    const answers = await sql.begin(async (tx) => {
      await tx`select 1 from messages where id = ${decodeId("msg", sent.id) ?? ""} for update`;
      const removed = client.call("DELETE", `/v1/messages/${sent.id}`, { key: box.key });
      await expect.poll(waiting).toBe(1);
      const decided = box.trpc.reviews[act].mutate({ ...named, ...content } as never);
      await expect.poll(waiting).toBe(2);
      return { removed, decided: decided.catch((error) => error.data.error.code) };
    });
    expect((await answers.removed).status).toBe(200);
    expect(await answers.decided).toBe("message_not_found");
  });

  test("comes too late after the time to live: the message is rejected", async () => {
    const box = await reviewed();
    const sent = await box.send();
    const { named, review } = await box.seen(sent.id);
    const { agent, enrollment_key_id } = (await box.trpc.reviews.list.query({})).data[0] ?? {};
    expect([review.agent, review.enrollment_key_id]).toEqual([agent, enrollment_key_id]);
    expect([agent, enrollment_key_id]).toEqual([expect.any(String), expect.stringMatching(/^ekey_/)]);
    expect(Date.parse(review.expires_at) - Date.parse(review.created_at)).toBe(TTL_HOURS * HOUR_MS);
    clock.advance(TTL_HOURS * HOUR_MS);
    await expect(box.trpc.reviews.approve.mutate(named)).rejects.toMatchObject({
      data: { error: { code: "already_decided" } },
    });
    await expireReviews(service.system);
    expect((await box.read(sent.id)).status).toBe("rejected");
    expect(await box.events()).toMatchObject([{ event: "message.rejected", message: { reason: "expired" } }]);
    expect((await box.trpc.reviews.list.query({ decided: true })).data).toMatchObject([
      { status: "expired", decided_by: null },
    ]);
  });
});

describe("an edit", () => {
  const content = { to: ["Bob@elsewhere.example"], cc: [], bcc: [], subject: "New", text: "Changed", html: null };

  test("makes a new revision, which a decision on the old one does not approve", async () => {
    const box = await reviewed();
    const sent = await box.send({ subject: "Old" });
    const { named } = await box.seen(sent.id);
    const { sha256 } = await box.trpc.reviews.edit.mutate({ ...named, ...content });
    const changed = { data: { error: { code: "review_changed" } } };
    await expect(box.trpc.reviews.approve.mutate(named)).rejects.toMatchObject(changed);
    await expect(box.trpc.reviews.edit.mutate({ ...named, ...content })).rejects.toMatchObject(changed);
    const after = await box.seen(sent.id);
    expect(after.review).toMatchObject({
      sha256,
      revision: 2,
      revisions: [
        { author: "agent", subject: "Old", to: [ADA] },
        { author: box.owner.email, ...content },
      ],
    });
    await box.trpc.reviews.approve.mutate(after.named);
    await eventually(async () => expect((await box.read(sent.id)).status).toBe("sent"));
    const [left] = box.mails();
    expect(left?.to).toEqual(content.to);
    expect(await contentOf(left?.raw ?? Buffer.alloc(0))).toMatchObject({
      to: content.to,
      mail: { subject: "New", text: "Changed\n" },
    });
    const found = await client.get<Page<{ id: string }>>(inboxPath(box.address, "/messages?q=Changed"), {
      key: box.key,
    });
    expect(found.body.data).toMatchObject([{ id: sent.id }]);
  });

  test("keeps each recipient once, in any spelling and list", async () => {
    const box = await reviewed();
    const { named } = await box.seen((await box.send()).id);
    const to = ["Bob@elsewhere.example", "bob@Elsewhere.example", "cy@elsewhere.example"];
    await box.trpc.reviews.edit.mutate({ ...named, ...content, to, bcc: ["CY@elsewhere.example"] });
    const { review } = await box.seen(named.id);
    expect(review.revisions.at(-1)).toMatchObject({ to: ["Bob@elsewhere.example", "cy@elsewhere.example"], bcc: [] });
    expect((await box.read(named.id)).recipients).toHaveLength(2);
  });

  test("no body, no recipients, too many recipients, or an invalid address answers 400", async () => {
    const box = await reviewed();
    const { named } = await box.seen((await box.send()).id);
    const many = Array.from({ length: 30 }, (_, n) => `a${n}@elsewhere.example`);
    for (const wrong of [{ text: null }, { to: [] }, { to: ["nobody"] }, { to: many, cc: many }, { subject: "a\nb" }]) {
      await expect(box.trpc.reviews.edit.mutate({ ...named, ...content, ...wrong })).rejects.toMatchObject({
        data: { httpStatus: 400 },
      });
    }
    expect((await box.seen(named.id)).review.revision).toBe(1);
  });
});
