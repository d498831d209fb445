// `AppRouter` in tRPC's own tools: TanStack Query's options for each procedure, subscriptions too, with their types.
import { QueryClient } from "@tanstack/react-query";
import type { TRPCClient } from "@trpc/client";
import type { inferRouterOutputs } from "@trpc/server";
import { createTRPCOptionsProxy, type TRPCOptionsProxy, useSubscription } from "@trpc/tanstack-react-query";
import { afterAll, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { type AppRouter, createClient, type MailEvent } from "#client/index.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService();
afterAll(service.stop);

async function proxyOf() {
  const { agentKey } = await service.newOrganization();
  const client = createClient({ url: service.url, key: agentKey });
  const queryClient = new QueryClient();
  onTestFinished(() => queryClient.clear());
  // As `client/README.md` says.
  const trpc = createTRPCOptionsProxy<AppRouter>({ client: client as TRPCClient<AppRouter>, queryClient });
  return { client, queryClient, trpc };
}

test("queries and mutations run", async () => {
  const { queryClient, trpc, client } = await proxyOf();
  const inbox = await client.inboxes.create.mutate({ display_name: "Ada" });
  const page = await queryClient.fetchQuery(trpc.inboxes.list.queryOptions({}));
  expect(page.data.map(({ address }) => address)).toEqual([inbox.address]);
  expectTypeOf(page.data[0]?.address).toEqualTypeOf<string | undefined>();
});

test("a subscription runs, and gives the id and the event", async () => {
  const { trpc, client } = await proxyOf();
  const inbox = await client.inboxes.create.mutate({});
  const subjects: string[] = [];
  let started = false;
  const options = trpc.events.onMessage.subscriptionOptions(
    { inbox: inbox.address },
    {
      onStarted: () => {
        started = true;
      },
      onData: ({ id, data }) => {
        expectTypeOf(id).toEqualTypeOf<string>();
        expectTypeOf(data).toEqualTypeOf<MailEvent>();
        subjects.push(data.message.subject);
      },
    },
  );
  // What `useSubscription` does once its component is there.
  const { unsubscribe } = options.subscribe({ ...options, onConnectionStateChange() {} } as never);
  onTestFinished(unsubscribe);
  await eventually(() => expect(started).toBe(true));
  await service.mail({ from: "a@else.example", to: inbox.address, subject: "hello" });
  await eventually(() => expect(subjects).toEqual(["hello"]));
});

test("the hook has the types of the subscription", () => {
  expect(useNewMail).toBeTypeOf("function");
  expectTypeOf(useNewMail).returns.toEqualTypeOf<string | undefined>();
  type Output = inferRouterOutputs<AppRouter>["events"]["onMessage"];
  expectTypeOf<Output>().toEqualTypeOf<AsyncIterable<{ id: string; data: MailEvent }>>();
});

/** Type-checked alone: a hook runs in a component only. */
function useNewMail(trpc: TRPCOptionsProxy<AppRouter>) {
  // @ts-expect-error an inbox is no number
  trpc.events.onMessage.subscriptionOptions({ inbox: 5 });
  const subscription = useSubscription(trpc.events.onMessage.subscriptionOptions({ inbox: "a@b.example" }));
  return subscription.data?.data.message.from;
}
