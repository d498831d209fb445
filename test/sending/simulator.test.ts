// Addresses at simulator.invalid with OUTBOUND=local: each behaves as its name says, by the way that mail of others takes.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";

const service = await startTestService({ ROLES: "web,worker" });
const client = api(service);
afterAll(async () => {
  await client.close();
  await service.stop();
});

type Recipient = { address: string; status: string; smtp_code: number | null; reason: string | null };
type Message = {
  id: string;
  thread_id: string;
  status: string;
  error: string | null;
  direction: string;
  kind: string;
  subject: string;
  recipients: Recipient[];
};

async function sender() {
  const { agentKey: key } = await service.newOrganization();
  const { address } = await client.createInbox(key);
  async function send(to: string | string[], more: object = {}) {
    const { status, body } = await client.post<{ id: string }>(
      inboxPath(address, "/send"),
      { to, subject: "Grüße", text: "Can we meet?", ...more },
      { key },
    );
    expect(status).toBe(202);
    return async () => (await client.get<Message>(`/v1/messages/${body.id}`, { key })).body;
  }
  const received = async () =>
    (await client.get<Page<Message>>(`${inboxPath(address)}/messages?direction=inbound`, { key })).body.data;
  const logged = async () => {
    const { data } = (await client.get<Page<{ event: string }>>("/v1/events", { key })).body;
    return data.map(({ event }) => event);
  };
  return { key, address, send, received, logged };
}

describe("simulator.invalid", () => {
  test.each([
    ["bounce@simulator.invalid", "bounced", "message.bounced"],
    ["Complaint+1@Simulator.invalid", "complained", "message.complained"],
    ["slow@simulator.invalid", "delivered", "message.delivered"],
  ])("%s reports: %s", async (to, status, event) => {
    const { send, logged, key } = await sender();
    const read = await send(to);
    await eventually(async () => expect(await read()).toMatchObject({ status, recipients: [{ status }] }));
    expect(await logged()).toEqual([event]);
    const { body } = await client.get<Page<{ address: string }>>("/v1/suppressions", { key });
    expect(body.data.map(({ address }) => address)).toEqual(status === "delivered" ? [] : [to.toLowerCase()]);
  });

  test("defer is refused at the first try, and taken at the second", async () => {
    const { send } = await sender();
    const read = await send(["defer@simulator.invalid", "slow@simulator.invalid"]);
    await eventually(async () => {
      expect(await read()).toMatchObject({ status: "queued", error: expect.stringContaining("451 4.7.1") });
    });
    await eventually(async () => expect((await read()).status).toBe("delivered"));
    expect((await read()).recipients.map(({ status }) => status)).toEqual(["delivered", "delivered"]);
  });

  test.each([
    ["away", "automatic", "Automatic reply: Grüße"],
    ["reply", "person", "Re: Grüße"],
  ])("%s answers in the thread", async (name, kind, subject) => {
    const { send, received } = await sender();
    const read = await send(`${name}@simulator.invalid`);
    await eventually(async () => expect(await received()).toHaveLength(1));
    const { thread_id } = await read();
    expect(await received()).toMatchObject([{ thread_id, kind, subject }]);
    await eventually(async () => expect((await read()).status).toBe("delivered"));
  });

  test("another address there does not exist", async () => {
    const { send } = await sender();
    const read = await send("someone@simulator.invalid");
    await eventually(async () => expect((await read()).status).toBe("bounced"));
    expect((await read()).recipients).toMatchObject([{ smtp_code: 550, reason: expect.stringContaining("bounce") }]);
  });

  test("answers only to the mailbox that wrote, whatever Reply-To says", async () => {
    const [one, other] = [await sender(), await sender()];
    await one.send(["away@simulator.invalid", "away+2@simulator.invalid"], { reply_to: other.address });
    await eventually(async () => expect(await one.received()).toHaveLength(2));
    expect(await other.received()).toEqual([]);
  });

  test("is an address like others in other modes", async () => {
    const sink = await startSmtpSink();
    const relayed = await startTestService({ ROLES: "web,worker", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
    const own = api(relayed);
    const { agentKey: key } = await relayed.newOrganization();
    const { address } = await own.createInbox(key);
    await own.post(inboxPath(address, "/send"), { to: "bounce@simulator.invalid", text: "x" }, { key });
    await eventually(() => expect(sink.received.map(({ to }) => to)).toEqual([["bounce@simulator.invalid"]]));
    await own.close();
    await relayed.stop();
    await sink.close();
  });
});
