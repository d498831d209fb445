// events.onEvent: members and agents follow the events of their organization, and of no other.
import { createTRPCClient, httpSubscriptionLink } from "@trpc/client";
import { EventSource } from "eventsource";
import { afterAll, expect, onTestFinished, test } from "vitest";
import type { AppRouter } from "#server/api/router.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner, type Person } from "#test/support/team.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** Follows as the dashboard does, with the session's cookie. */
const follow = ({ cookie }: Person) => followAs({ cookie });

async function followAs(credential: { cookie: string } | { authorization: string }) {
  const kinds: string[] = [];
  const subscriber = createTRPCClient<AppRouter>({
    links: [
      httpSubscriptionLink({
        url: `${service.url}/trpc`,
        EventSource,
        eventSourceOptions: {
          fetch: (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...credential } }),
        },
      }),
    ],
  });
  const started = Promise.withResolvers<void>();
  const { unsubscribe } = subscriber.events.onEvent.subscribe(
    {},
    {
      onStarted: () => started.resolve(),
      onData: ({ data }) => void kinds.push(data.event),
      onError: started.reject,
    },
  );
  onTestFinished(unsubscribe);
  await started.promise;
  return kinds;
}

test("a member gets new mail and outcomes; a member of another organization gets none of them", async () => {
  const organization = await service.newOrganization();
  const owner = await newOwner(service, organization.organizationId);
  const member = await newMember(service, owner, "member");
  const stranger = await newOwner(service, (await service.newOrganization()).organizationId);
  const inbox = await client.createInbox(organization.agentKey);
  const [own, foreign] = [await follow(member), await follow(stranger)];
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "Hello" });
  await eventually(() => expect(own).toEqual(["message.received"]));
  const send = { to: `missing-${Date.now()}@${inbox.address.split("@")[1]}`, text: "x" };
  await client.post(inboxPath(inbox.address, "/send"), send, { key: organization.agentKey });
  await eventually(() => expect(own).toContain("message.bounced"));
  expect(foreign).toEqual([]);
});

test("a member who was removed gets no more, though their connection stays open", async () => {
  const organization = await service.newOrganization();
  const owner = await newOwner(service, organization.organizationId);
  const member = await newMember(service, owner, "member");
  const inbox = await client.createInbox(organization.agentKey);
  const [left, stays] = [await follow(member), await follow(owner)];
  const { members } = await owner.trpc.team.members.query();
  const id = members.find(({ email }) => email === member.email)?.id ?? "";
  await owner.trpc.team.removeMember.mutate({ id });
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "Secret" });
  await eventually(() => expect(stays).toEqual(["message.received"]));
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "Another" });
  await eventually(() => expect(stays).toHaveLength(2));
  expect(left).toEqual([]);
});

test("an agent gets the events of its organization, and of no other", async () => {
  const organization = await service.newOrganization();
  const stranger = await service.newOrganization();
  const inbox = await client.createInbox(organization.agentKey);
  const asAgent = (key: string) => followAs({ authorization: `Bearer ${key}` });
  const [own, foreign] = [await asAgent(organization.agentKey), await asAgent(stranger.agentKey)];
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "Hello" });
  await eventually(() => expect(own).toEqual(["message.received"]));
  const theirs = await client.createInbox(stranger.agentKey);
  await service.mail({ from: "w@else.example", to: theirs.address, subject: "Hello" });
  await eventually(() => expect(foreign).toEqual(["message.received"]));
  expect(own).toEqual(["message.received"]);
});

test("a caller without a key or a session is refused", async () => {
  const answer = await fetch(`${service.url}/trpc/events.onEvent?input=%7B%7D`);
  expect(await answer.text()).toContain("unauthorized");
});
