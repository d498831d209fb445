// `?dry_run=true` on send, reply and forward: all reasons that would refuse the message, and nothing stored or counted.
import { afterAll, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { type Failure, inboxPath, type Page } from "#test/support/api.ts";
import { startReplyRig } from "../reply-rig.ts";

const rig = await startReplyRig({ ROLES: "web,smtp,worker", SEND_CAP_RAMP: "2", STORAGE_QUOTA_PER_INBOX: "40000" });
const { client, service } = rig;
afterAll(rig.stop);

type DryRun = { would_send: boolean; refusals: { code: string; status: number; retry_after_seconds: number | null }[] };

const OK = { would_send: true, refusals: [] };

async function sender() {
  const inbox = await rig.newReader();
  const { key, address } = inbox;
  const check = (path: string, json: object, query = "?dry_run=true", headers: Record<string, string> = {}) =>
    client.post<DryRun & Failure>(`${path}${query}`, json, { key, headers });
  return {
    ...inbox,
    check,
    checkSend: (json: object, query?: string) =>
      check(inboxPath(address, "/send"), { to: "a@else.example", text: "x", ...json }, query),
    suppress: (who: string) => client.post("/v1/suppressions", { address: who }, { key }),
    state: async () => ({
      messages: (await inbox.list()).length,
      threads: (await client.get<Page<object>>(inboxPath(address, "/threads"), { key })).body.data.length,
      limit: (await client.get(inboxPath(address, "/send-limit"), { key })).body,
      storage: (await client.get(inboxPath(address, "/storage"), { key })).body,
    }),
  };
}

const codes = ({ body }: { body: DryRun }) => body.refusals.map(({ code }) => code);

describe("200", () => {
  test("a valid send, reply and forward are accepted, and nothing is stored, counted or sent", async () => {
    const mailbox = await sender();
    const id = await mailbox.receive();
    const before = await mailbox.state();
    for (const [path, json] of [
      [inboxPath(mailbox.address, "/send"), { to: ["a@else.example", "b@else.example"], text: "x" }],
      [`/v1/messages/${id}/reply`, { text: "x" }],
      [`/v1/messages/${id}/forward`, { to: "a@else.example" }],
    ] as const) {
      for (let i = 0; i < 3; i += 1) expect(await mailbox.check(path, json)).toMatchObject({ status: 200, body: OK });
    }
    expect(await mailbox.state()).toEqual(before);
    expect(rig.sink.received).toEqual([]);
  });

  test("a dry run takes no idempotency key, and names one that is taken by another message", async () => {
    const mailbox = await sender();
    const keyed = { idempotency_key: "k" };
    expect((await mailbox.checkSend(keyed)).body).toEqual(OK);
    const sent = await mailbox.send({ to: "a@else.example", text: "x", ...keyed });
    expect(sent.status).toBe(202);
    // A repeated send returns the first message.
    expect((await mailbox.checkSend(keyed)).body).toEqual(OK);
    expect(codes(await mailbox.checkSend({ ...keyed, text: "other" }))).toEqual(["idempotency_conflict"]);
  });

  test("the header Idempotency-Key counts too", async () => {
    const mailbox = await sender();
    await mailbox.send({ to: "a@else.example", idempotency_key: "h" });
    const path = inboxPath(mailbox.address, "/send");
    const answer = await mailbox.check(path, { to: "a@else.example", text: "y" }, "?dry_run=true", {
      "idempotency-key": "h",
    });
    expect(codes(answer)).toEqual(["idempotency_conflict"]);
  });

  test("all reasons together: a suppressed recipient, a pause, the cap and the storage quota", async () => {
    const mailbox = await sender();
    await mailbox.suppress("ann@shop.example");
    const inboxId = decodeId("inb", mailbox.id) ?? "";
    await service.system.sql`
      insert into sending_states (inbox_id, organization_id, recent, paused_at)
      select id, organization_id, '{}', now() from inboxes where id = ${inboxId}`;
    const answer = await mailbox.checkSend({
      to: ["Ann@shop.example", "b@else.example", "c@else.example"],
      text: "x".repeat(50_000),
    });
    expect(answer).toMatchObject({ status: 200, body: { would_send: false } });
    expect(answer.body.refusals).toMatchObject([
      { code: "recipient_suppressed", status: 422, retry_after_seconds: null },
      { code: "sending_paused", status: 403 },
      { code: "daily_send_cap_exceeded", status: 429, retry_after_seconds: expect.any(Number) },
      { code: "storage_quota_exceeded", status: 409 },
    ]);
    expect(await mailbox.state()).toMatchObject({ messages: 0, threads: 0, limit: { used: 0 } });
  });

  test("a reply to automatic mail in a thread that moved on: both", async () => {
    const mailbox = await sender();
    const first = await mailbox.receive({
      messageId: "<first@else.example>",
      headers: { "Auto-Submitted": "auto-replied" },
    });
    const json = { text: "x", expected_last_message_id: first };
    expect(codes(await mailbox.check(`/v1/messages/${first}/reply`, json))).toEqual(["reply_refused"]);
    await mailbox.receive({
      subject: "Re: more",
      inReplyTo: "<first@else.example>",
      references: "<first@else.example>",
    });
    expect(codes(await mailbox.check(`/v1/messages/${first}/reply`, json))).toEqual([
      "reply_refused",
      "thread_moved_on",
    ]);
  });

  test("`dry_run=false` sends", async () => {
    const mailbox = await sender();
    expect(await mailbox.checkSend({}, "?dry_run=false")).toMatchObject({ status: 202, body: { status: "queued" } });
  });
});

describe("400", () => {
  test("another value, and the field in the body or on other calls", async () => {
    const mailbox = await sender();
    for (const query of ["?dry_run=1", "?dry_run=", "?dry_run=true&dry_run=true", "?dry_run=TRUE"]) {
      const { status, body } = await mailbox.checkSend({}, query);
      expect([status, body.error.code]).toEqual([400, "invalid_request"]);
    }
    const stray = [
      await mailbox.checkSend({ dry_run: true }, ""),
      await mailbox.checkSend({}, "?dry_run=true&x=1"),
      await client.post<Failure>("/v1/webhooks?dry_run=true", { url: "http://127.0.0.1/" }, { key: mailbox.key }),
    ];
    expect(stray.map(({ status, body }) => [status, body.error.code])).toEqual(Array(3).fill([400, "unknown_field"]));
    expect(await mailbox.state()).toMatchObject({ messages: 0 });
  });

  test("an invalid message answers as a send does", async () => {
    const mailbox = await sender();
    for (const json of [{ to: "nobody" }, { text: "" }, { to: [] }, { to: 5 }]) {
      expect((await mailbox.checkSend(json)).status).toBe(400);
    }
  });
});

describe("404", () => {
  test("a mailbox or message of another organization, and the path of the dry run itself", async () => {
    const [mailbox, stranger] = [await sender(), await sender()];
    const id = await stranger.receive();
    expect((await mailbox.check(inboxPath(stranger.address, "/send"), { to: "a@b.example", text: "x" })).status).toBe(
      404,
    );
    expect((await mailbox.check(`/v1/messages/${id}/reply`, { text: "x" })).status).toBe(404);
    expect((await mailbox.check(`/v1/messages/${id}/forward`, { to: "a@b.example" })).status).toBe(404);
    for (const query of ["", "?dry_run=true"]) {
      const direct = await client.exchange("POST", `${inboxPath(mailbox.address, "/send/dry-run")}${query}`, {
        key: mailbox.key,
        json: { to: "a@b.example", text: "x" },
      });
      expect(direct.status).toBe(404);
    }
  });
});
