// POST /v1/webhooks/{id}/retry, and the deliveries that it is for.
import { afterAll, describe, expect, test } from "vitest";
import type { Failure } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { newOwner } from "#test/support/team.ts";
import { type Receiver, status } from "#test/webhooks/delivery/receiver.ts";
import { startRig, UNKNOWN_WEBHOOK } from "./rig.ts";

const rig = await startRig("web,smtp,worker");
const { service, client } = rig;
afterAll(rig.close);

type Retried = { retried: number; next_cursor: string | null };

/** A webhook with deliveries that failed twice, so the next attempt is a minute away. */
async function failing(mails: number, answer: Receiver["answer"] = status(500, {}, "out of order")) {
  const it = await rig.furnished(answer);
  for (let i = 0; i < mails; i += 1) await it.mail(`mail ${i}`);
  await eventually(async () => {
    const found = await it.deliveries("?status=retrying");
    if (found.length < mails || found.some(({ attempt_count }) => attempt_count < 2)) throw new Error("not yet");
  });
  const retry = (as = it.key) => it.post<Retried & Failure>("/retry", {}, as);
  return { ...it, retry };
}

describe("202", () => {
  test("each delivery that failed so far is attempted now, and its schedule stays", async () => {
    const { retry, receiver, deliveries, settled } = await failing(3);
    const before = await deliveries();
    expect((await retry()).body).toEqual({ retried: 3, next_cursor: null });
    await eventually(async () => {
      if ((await deliveries()).some(({ attempt_count }) => attempt_count < 3)) throw new Error("not yet");
    });
    expect((await deliveries()).map(({ next_attempt_at }) => next_attempt_at)).toEqual(
      before.map(({ next_attempt_at }) => next_attempt_at),
    );
    receiver.answer = status(200);
    await eventually(async () => {
      const { body } = await retry();
      if (body.retried < 3) throw new Error(`${body.retried}`);
    });
    await settled("succeeded", "succeeded", "succeeded");
    expect(await deliveries("?status=retrying")).toEqual([]);
    expect((await retry()).body).toEqual({ retried: 0, next_cursor: null });
  });

  test("calls at the same time make one attempt of each delivery", async () => {
    const { retry, receiver } = await failing(2);
    const before = receiver.received.length;
    // No answer, so the extra attempts are under way until the end.
    receiver.answer = () => undefined;
    const answers = await Promise.all([retry(), retry(), retry()]);
    expect(answers.reduce((sum, { body }) => sum + body.retried, 0)).toBe(2);
    await eventually(() => expect(receiver.received).toHaveLength(before + 2));
    expect((await retry()).body.retried).toBe(0);
  });

  test("a member retries too, and sees the last answer and the mail of each delivery", async () => {
    const { organizationId, webhook, inbox } = await failing(1);
    const { trpc } = await newOwner(service, organizationId);
    const failure = { status: 500, error: null, response_body: "out of order", at: expect.any(String) };
    expect(await trpc.webhooks.diagnosis.query({ id: webhook.id })).toEqual({ retrying: 1, more: false, failure });
    const { data } = await trpc.webhooks.deliveryLog.query({ id: webhook.id, limit: 10 });
    const mail = { subject: "mail 0", from: "w@else.example", inbox: inbox.address };
    expect(data).toMatchObject([{ status: "pending", attempt_count: 2, mail }]);
    expect((await trpc.webhooks.retry.mutate({ id: webhook.id })).retried).toBe(1);
  });
});

describe("refused", () => {
  test("another organization's webhook and one that never existed, alike", async () => {
    const { path, retry } = await failing(1);
    const { agentKey } = await service.newOrganization();
    const answers = [
      await retry(agentKey),
      await client.post(`/v1/webhooks/${UNKNOWN_WEBHOOK}/retry`, {}, { key: agentKey }),
    ];
    expect(answers.map(({ status: code }) => code)).toEqual([404, 404]);
    const { trpc } = await newOwner(service, (await service.newOrganization()).organizationId);
    const id = path.split("/").at(-1) ?? "";
    const notFound = { data: { httpStatus: 404 } };
    await expect(trpc.webhooks.diagnosis.query({ id })).rejects.toMatchObject(notFound);
    await expect(trpc.webhooks.deliveryLog.query({ id, limit: 1 })).rejects.toMatchObject(notFound);
  });

  test("a disabled webhook", async () => {
    const { patch, retry } = await failing(1);
    await patch({ active: false });
    const { status: code, body } = await retry();
    expect([code, body.error.code]).toEqual([409, "webhook_inactive"]);
  });
});
