// Whose idempotency keys are whose: those of sends belong to the mailbox, `client_id` to the agent. No other agent of the organization
// learns of them, gets what they made, or blocks them.
import { afterAll, describe, expect, test } from "vitest";
import { type Answer, api, type Failure, type Inbox, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const settings = { ROLES: "web,smtp", SEND_CAP_RAMP: "1000" };
const service = await startTestService(settings);
const second = await startTestService(settings, { database: service.database });
const [here, there] = [api(service), api(second)];
afterAll(async () => {
  await Promise.all([here.close(), there.close()]);
  await second.stop();
  await service.stop();
});

const MESSAGE = { to: "friend@else.example", text: "x" };

describe("the idempotency key of a send", () => {
  /** Two mailboxes of an organization, each with an agent whose key is restricted to it. */
  async function neighbours() {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const restricted = async (handle: string) => {
      const { address } = await here.createInbox(agentKey);
      const { key } = await service.newAgentKey(enrollmentKeyId, { handle, inboxes: [address] });
      const post = (path: string, json: object) => here.post<Sent & Failure>(path, { ...MESSAGE, ...json }, { key });
      const received = async () => {
        await service.mail({ from: "ann@shop.example", to: address, subject: "Hello" });
        const { data } = (await here.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
        return `/v1/messages/${data[0]?.id}`;
      };
      return {
        key,
        address,
        enrollmentKeyId,
        received,
        send: (json: object) => post(inboxPath(address, "/send"), json),
        post,
      };
    };
    return [await restricted("one"), await restricted("other")] as const;
  }

  test("is free in every other mailbox, for sends, dry runs, replies and forwards, in the body and in the header", async () => {
    const [one, other] = await neighbours();
    const first = await one.send({ idempotency_key: "k" });
    const dry = await here.post<{ refusals: object[] }>(
      inboxPath(other.address, "/send?dry_run=true"),
      { ...MESSAGE, subject: "else", idempotency_key: "k" },
      { key: other.key },
    );
    expect(dry.body.refusals).toEqual([]);
    const own = await other.send({ subject: "else", idempotency_key: "k" });
    expect([first.status, own.status]).toEqual([202, 202]);
    expect(own.body.id).not.toBe(first.body.id);
    const headers = { "idempotency-key": "k" };
    const again = await here.post<Sent>(
      inboxPath(other.address, "/send"),
      { ...MESSAGE, subject: "else" },
      { key: other.key, headers },
    );
    expect(again.body).toEqual(own.body);
    expect((await one.send({ idempotency_key: "k" })).body).toEqual(first.body);

    const paths = [await one.received(), await other.received()];
    const replies = await Promise.all([
      one.post(`${paths[0]}/reply`, { to: undefined, idempotency_key: "r" }),
      other.post(`${paths[1]}/reply`, { to: undefined, text: "y", idempotency_key: "r" }),
      one.post(`${paths[0]}/forward`, { idempotency_key: "f" }),
      other.post(`${paths[1]}/forward`, { text: "y", idempotency_key: "f" }),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(4);
  });

  test("is one message in its mailbox, by all who may send from it, and 409 for other content", async () => {
    const [{ key, address, enrollmentKeyId, send }] = await neighbours();
    const first = await send({ idempotency_key: "k" });
    const others = await Promise.all([
      service.newAgentKey(enrollmentKeyId, { handle: "one" }),
      service.newAgentKey(enrollmentKeyId, { handle: "third" }),
    ]);
    for (const sender of [key, ...others.map((issued) => issued.key)]) {
      const path = inboxPath(address, "/send");
      const json = { ...MESSAGE, idempotency_key: "k" };
      expect((await here.post<Sent>(path, json, { key: sender })).body).toEqual(first.body);
      const changed = await here.post(path, { ...json, text: "y" }, { key: sender });
      expect([changed.status, changed.body.error.code]).toEqual([409, "idempotency_conflict"]);
    }
  });

  test("is one message for each mailbox when two processes get the same keys in opposite orders", async () => {
    const { agentKey: key } = await service.newOrganization();
    const boxes = await Promise.all(Array.from({ length: 4 }, async () => (await here.createInbox(key)).address));
    const names = ["a", "b", "c", "d", "e", "f"];
    const calls = boxes.flatMap((address) => names.map((idempotency_key) => ({ address, idempotency_key })));
    const all = (client: typeof here, order: typeof calls) =>
      order.map(({ address, idempotency_key }) =>
        client.post<Sent>(inboxPath(address, "/send"), { ...MESSAGE, subject: address, idempotency_key }, { key }),
      );
    const answers = await Promise.all([...all(here, calls), ...all(there, calls.toReversed())]);
    expect(answers.filter(({ status }) => status !== 202).map(({ status, text }) => [status, text])).toEqual([]);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(calls.length);
  });
});

describe("the client_id of a create", () => {
  const create = (key: string, client = here) =>
    client.post<Inbox & Failure>("/v1/inboxes", { client_id: "guessed" }, { key });
  const made = ({ status, body, headers }: Answer<Inbox>) => [status, body.id, headers["idempotent-replayed"]];

  test("gives no agent the mailbox of another one, and blocks none", async () => {
    const { agentKey, organizationId, enrollmentKeyId } = await service.newOrganization();
    const { key: sibling } = await service.newAgentKey(enrollmentKeyId, {
      handle: "sibling",
      scopes: ["mailbox:create"],
    });
    const { key: third } = await service.newAgentKey(enrollmentKeyId, { handle: "third" });
    const { agentKey: elsewhere } = await service.newEnrollment(organizationId);
    const first = await create(agentKey);
    const others = [await create(sibling), await create(elsewhere)];
    const username = first.body.address.split("@")[0];
    const same = await here.post<Failure>("/v1/inboxes", { client_id: "guessed", username }, { key: third });
    expect([same.status, same.body.error.code]).toEqual([409, "address_taken"]);
    for (const other of others) expect([other.status, other.headers["idempotent-replayed"]]).toEqual([201, undefined]);
    expect(new Set([first, ...others].map(({ body }) => body.id)).size).toBe(3);
    for (const [key, answer] of [
      [agentKey, first],
      [sibling, others[0]],
      [elsewhere, others[1]],
    ] as const) {
      expect(made(await create(key))).toEqual([201, answer?.body.id, "true"]);
    }
  });

  test("does not tell other agents that its mailbox was deleted", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const { key: sibling } = await service.newAgentKey(enrollmentKeyId, { handle: "sibling" });
    await here.delete(inboxPath((await create(agentKey)).body.address), { key: agentKey });
    expect((await create(agentKey)).body.error.code).toBe("inbox_deleted");
    expect((await create(sibling)).status).toBe(201);
  });

  test("is the same mailbox for all keys of an agent, also for those that it issued", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const { key } = await service.newAgentKey(enrollmentKeyId, { handle: "same" });
    const { key: later } = await service.newAgentKey(enrollmentKeyId, { handle: "same" });
    const issued = await here.post<{ key: string }>("/v1/keys", { scopes: ["mailbox:create"] }, { key });
    expect(issued.status).toBe(201);
    const first = await create(key);
    for (const other of [later, issued.body.key])
      expect(made(await create(other))).toEqual([201, first.body.id, "true"]);
    expect((await create(agentKey)).body.id).not.toBe(first.body.id);
  });

  test("of a member is apart from those of agents", async () => {
    const { agentKey, organizationId, enrollmentKeyId } = await service.newOrganization();
    const { trpc } = await newOwner(service, organizationId);
    const first = await create(agentKey);
    const own = await trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId, client_id: "guessed" });
    expect(own.id).not.toBe(first.body.id);
  });

  test("is one mailbox for each agent when many create at the same time at two processes", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    const { key: sibling } = await service.newAgentKey(enrollmentKeyId, { handle: "sibling" });
    const calls = Array.from({ length: 40 }, (_, i) => ({
      key: i % 2 ? agentKey : sibling,
      client: i % 4 < 2 ? here : there,
    }));
    const answers = await Promise.all(calls.map(({ key, client }) => create(key, client)));
    expect(answers.map(({ status }) => status)).toEqual(calls.map(() => 201));
    const idsOf = (wanted: string) =>
      new Set(answers.filter((_, i) => calls[i]?.key === wanted).map(({ body }) => body.id));
    expect([idsOf(agentKey).size, idsOf(sibling).size]).toEqual([1, 1]);
    expect(idsOf(agentKey)).not.toEqual(idsOf(sibling));
  });
});
