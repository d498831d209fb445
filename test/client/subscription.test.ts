// events.onMessage by the typed client: new mail as it comes, through restarts of the service, until the key is revoked.
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient, type MailEvent, serviceError } from "#client/index.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";
import { startTestService } from "#test/support/service.ts";

const RECONNECTS_MS = 60_000;

const service = await startTestService();
afterAll(service.stop);

/** The callbacks that a subscription received. */
function subscribe(client: ReturnType<typeof createClient>, input: { after?: string; inbox?: string } = {}) {
  const events: MailEvent[] = [];
  const errors: unknown[] = [];
  const states: string[] = [];
  let started = 0;
  let completed = false;
  const { unsubscribe } = client.events.onMessage.subscribe(input, {
    onStarted: () => {
      started += 1;
    },
    onData: ({ id, data }) => {
      expect(id).toBe(data.id);
      events.push(data);
    },
    onError: (error) => errors.push(error),
    onComplete: () => {
      completed = true;
    },
    onConnectionStateChange: ({ state }) => states.push(state),
  });
  onTestFinished(unsubscribe);
  return {
    events,
    errors,
    states,
    unsubscribe,
    subjects: () => events.map(({ message }) => message.subject),
    completed: () => completed,
    /** Until it has connected that many times. */
    connected: (times = 1) => eventually(() => expect(started).toBeGreaterThanOrEqual(times)),
  };
}

async function withInbox() {
  const organization = await service.newOrganization();
  const client = createClient({ url: service.url, key: organization.agentKey });
  const inbox = await client.inboxes.create.mutate({});
  const mail = (subject: string) => service.mail({ from: "a@else.example", to: inbox.address, subject });
  return { ...organization, client, inbox, mail };
}

describe("a subscription", () => {
  test("gives each mail that comes, as events.list does", async () => {
    const { client, mail } = await withInbox();
    await mail("before");
    const subscription = subscribe(client);
    await subscription.connected();
    await mail("one");
    await mail("two");
    await eventually(() => expect(subscription.subjects()).toEqual(["one", "two"]));
    const { data } = await client.events.list.query({});
    expect(subscription.events).toEqual(data.slice(1));
    expect(subscription.states).toEqual(["connecting", "pending"]);
    subscription.unsubscribe();
    await mail("three");
    expect(subscription.subjects()).toEqual(["one", "two"]);
    expect(subscription.errors).toEqual([]);
  });

  test("a subscription starts after an event and covers one mailbox", async () => {
    const { client, inbox, mail } = await withInbox();
    const other = await client.inboxes.create.mutate({});
    for (const subject of ["0", "1", "2"]) await mail(subject);
    await service.mail({ from: "a@else.example", to: other.address, subject: "elsewhere" });
    const { data } = await client.events.list.query({ limit: 1 });
    const subscription = subscribe(client, { after: data[0]?.id, inbox: inbox.address });
    await eventually(() => expect(subscription.subjects()).toEqual(["1", "2"]));
    await mail("3");
    await eventually(() => expect(subscription.subjects()).toEqual(["1", "2", "3"]));
  });
});

describe("a subscription that is refused ends with an error that says why", () => {
  test.each([
    ["a key that is none", "unauthorized", {}, "mb_agent_none"],
    ["no key", "unauthorized", {}, undefined],
    ["a mailbox that is none", "inbox_not_found", { inbox: "nobody@mail.example" }, "own"],
    ["an event that is none", "invalid_cursor", { after: "evt_none" }, "own"],
  ])("%s", async (_, code, input, key) => {
    const { agentKey } = await withInbox();
    const client = createClient({ url: service.url, ...(key && { key: key === "own" ? agentKey : key }) });
    const subscription = subscribe(client, input);
    await eventually(() => expect(subscription.errors).toHaveLength(1));
    expect(serviceError(subscription.errors[0])?.code).toBe(code);
    expect(subscription.completed()).toBe(false);
  });

  test("a key that is revoked under way: no reconnecting without end", async () => {
    const { enrollmentKeyId, mail } = await withInbox();
    const other = await service.newAgentKey(enrollmentKeyId);
    const subscription = subscribe(createClient({ url: service.url, key: other.key }));
    await subscription.connected();
    await mail("seen");
    await eventually(() => expect(subscription.subjects()).toEqual(["seen"]));
    await revokeAgentKey(service.system, other.id);
    const { auth } = createClient({ url: service.url, key: other.key });
    await eventually(() => expect(auth.me.query()).rejects.toThrow());
    await mail("unseen");
    await eventually(() => expect(subscription.errors).toHaveLength(1));
    expect(serviceError(subscription.errors[0])?.code).toBe("unauthorized");
    expect(subscription.subjects()).toEqual(["seen"]);
  });

  test("something else that answers there", async () => {
    const client = createClient({ url: `${service.url}/v1` });
    const subscription = subscribe(client);
    await eventually(() => expect(subscription.errors).toHaveLength(1));
    expect(serviceError(subscription.errors[0])).toBeUndefined();
  });
});

describe("a subscription goes on", () => {
  async function restartable() {
    const port = String(await freePort());
    const { agentKey, inbox, mail } = await withInbox();
    const start = () => startTestService({ PORT: port }, { database: service.database });
    let own = await start();
    onTestFinished(() => own.stop());
    return {
      client: createClient({ url: own.url, key: agentKey }),
      inbox,
      mail,
      /** Stops it, lets mail come by the other service, starts it. */
      async restart(...subjects: string[]): Promise<void> {
        await own.stop();
        for (const subject of subjects) await mail(subject);
        own = await start();
      },
    };
  }

  test(
    "when the service is restarted: nothing is missed, nothing comes twice",
    async () => {
      const { client, mail, restart } = await restartable();
      const subscription = subscribe(client);
      await subscription.connected();
      await mail("0");
      await eventually(() => expect(subscription.subjects()).toEqual(["0"]));
      await restart("1", "2");
      await subscription.connected(2);
      await mail("3");
      await eventually(() => expect(subscription.subjects()).toEqual(["0", "1", "2", "3"]));
      await restart("4");
      await subscription.connected(3);
      await eventually(() => expect(subscription.subjects()).toEqual(["0", "1", "2", "3", "4"]));
      expect(subscription.errors).toEqual([]);
      expect(subscription.completed()).toBe(false);
    },
    RECONNECTS_MS,
  );

  test(
    "also when nothing had come before the restart",
    async () => {
      const { client, restart } = await restartable();
      const subscription = subscribe(client);
      await subscription.connected();
      await restart("1", "2");
      await eventually(() => expect(subscription.subjects()).toEqual(["1", "2"]));
    },
    RECONNECTS_MS,
  );

  test(
    "when the key had as much open as it may, as soon as some of it is closed",
    async () => {
      const own = await startTestService({ MAX_WAITS_PER_KEY: "1" }, { database: service.database });
      onTestFinished(own.stop);
      const { agentKey, mail } = await withInbox();
      const client = createClient({ url: own.url, key: agentKey });
      const first = subscribe(client);
      await first.connected();
      const second = subscribe(client);
      await mail("to the first");
      await eventually(() => expect(first.subjects()).toEqual(["to the first"]));
      expect(second.subjects()).toEqual([]);
      first.unsubscribe();
      // The first answer is a rate limit error.
      await second.connected(2);
      await mail("to the second");
      await eventually(() => expect(second.subjects()).toEqual(["to the second"]));
      expect(second.errors).toEqual([]);
    },
    RECONNECTS_MS,
  );

  test(
    "when a proxy says that the service is away",
    async () => {
      const { agentKey, mail } = await withInbox();
      const answers = [502, 503, 504];
      const client = createClient({
        url: service.url,
        key: agentKey,
        fetch: async (input, init) => {
          const status = answers.shift();
          return status ? new Response("away", { status }) : fetch(input, init);
        },
      });
      const subscription = subscribe(client);
      await expect.poll(() => subscription.states.at(-1), { timeout: RECONNECTS_MS / 2 }).toBe("pending");
      await mail("after all");
      await eventually(() => expect(subscription.subjects()).toEqual(["after all"]));
      expect(answers).toEqual([]);
    },
    RECONNECTS_MS,
  );
});
