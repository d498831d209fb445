// A test receiver: each delivery that arrives, with its headers, its body and whether its signature is right.
"use client";
import { Alert, Button, Skeleton, Text, Title, Tooltip } from "@mantine/core";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { IconClock, IconSend } from "../../../design/icons.tsx";
import { IconInbox } from "../../../design/shell-icons.tsx";
import { useAnnounceSend } from "../../mail/announce-send.ts";
import { Detail, Details } from "../../parts/details.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { nextCursor, rowsOf } from "../../parts/listing.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { Time } from "../../parts/time.tsx";
import { failed, succeeded } from "../../parts/toast.tsx";
import { Unloaded } from "../../parts/unloaded.tsx";
import { useReadAfterEvents } from "../../session/team-events.ts";
import { type Outputs, useTRPC } from "../../trpc.ts";
import { lookAgainMs } from "../delivery-state.tsx";
import { WEBHOOKS } from "../places.ts";
import { Arrival } from "./arrival.tsx";
import classes from "./receiver.module.css";

const MAIL = { subject: "Test of webhooks", text: "This mail shows what a webhook receives. Your code is 482913." };

type Receiver = Outputs["webhooks"]["receivers"]["data"][number];

const BACK = { href: WEBHOOKS, label: "Webhooks" };
/** One batch of calls reads them. */
const SHOWN = 15;
const LOOK_AGAIN_MS = 30_000;

export default function OneReceiver({ id }: { id: string }) {
  const trpc = useTRPC();
  const list = useQuery(trpc.webhooks.receivers.queryOptions(undefined, { refetchInterval: LOOK_AGAIN_MS }));
  const receiver = list.data?.data.find((each) => each.id === id);
  return (
    <>
      <PageHeader
        title="Test receiver"
        back={BACK}
        description="Receives the events of every inbox and of your domains, signed like those of a webhook. The service delivers them inside itself: they show what your program will get, not whether it can be reached."
        actions={
          receiver && (
            <>
              <Stop id={id} />
              <SendTestMail />
            </>
          )
        }
      />
      <Unloaded query={list} what="test receiver" skeleton={<Skeleton height={110} radius="lg" />} />
      {list.data && !receiver && (
        <Alert color="gray" icon={<IconClock aria-hidden />} title="This test receiver has ended">
          It was deleted with its deliveries. Start another one under Webhooks.
        </Alert>
      )}
      {receiver && <Facts receiver={receiver} />}
      {receiver && <Arrivals receiver={receiver} />}
    </>
  );
}

function Facts({ receiver: { secret, expires_at } }: { receiver: Receiver }) {
  return (
    <Details label="Facts" isWide>
      <Detail name="Ends">
        <Time at={expires_at} />
      </Detail>
      <Detail name="Signing secret" id={secret} copy="the signing secret" />
    </Details>
  );
}

function Arrivals({ receiver: { id, secret } }: { receiver: Receiver }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.webhooks.listDeliveries.infiniteQueryOptions(
      { id, limit: SHOWN },
      { getNextPageParam: nextCursor, refetchInterval: ({ state }) => lookAgainMs(rowsOf(state.data)) },
    ),
  );
  useReadAfterEvents([trpc.webhooks.listDeliveries.pathFilter()]);
  const [page] = list.data?.pages ?? [];
  const arrived = (page?.data ?? []).filter(({ attempt_count }) => attempt_count > 0);
  // What people test first is received mail, which other events follow.
  const first = (arrived.find(({ event }) => event === "message.received") ?? arrived[0])?.id;
  return (
    <>
      <Title order={2} mt="xl" mb="sm">
        Deliveries
      </Title>
      <Unloaded query={list} what="deliveries" skeleton={<Skeleton height={180} radius="lg" />} />
      {list.data && arrived.length === 0 && (
        <EmptyState icon={IconInbox} title="Waiting for the first delivery">
          Send a test mail, or a mail to any of your inboxes. It appears here within seconds.
        </EmptyState>
      )}
      <ol className={classes.arrivals} aria-live="polite" aria-label="Deliveries that arrived">
        {arrived.map((delivery) => (
          <li key={delivery.id}>
            <Arrival delivery={delivery} secret={secret} isFirst={delivery.id === first} />
          </li>
        ))}
      </ol>
      {list.hasNextPage && (
        <Text size="sm" c="dimmed" mt="md">
          The newest {SHOWN} deliveries are shown.
        </Text>
      )}
    </>
  );
}

/** Ends the receiver with what arrived, and leaves its page. */
function Stop({ id }: { id: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const end = useMutation(
    trpc.webhooks.endReceiver.mutationOptions({
      onSuccess() {
        void queries.invalidateQueries(trpc.webhooks.receivers.pathFilter());
        succeeded("The test receiver has ended");
        router.push(WEBHOOKS);
      },
      onError: (error) => failed(error, "The test receiver was not stopped"),
    }),
  );
  return (
    <Button variant="default" loading={end.isPending || end.isSuccess} onClick={() => end.mutate({ id })}>
      Stop
    </Button>
  );
}

/** Sends a mail from the newest inbox to itself, so that a delivery arrives at the test receiver. */
function SendTestMail() {
  const trpc = useTRPC();
  const inboxes = useQuery(trpc.inboxes.summaries.queryOptions({ limit: 1 }));
  const address = inboxes.data?.data[0]?.address;
  const announce = useAnnounceSend();
  const send = useMutation(
    trpc.messages.send.mutationOptions({
      onSuccess: (sent) => void announce("Test mail", sent),
      onError: (error) => failed(error, "The test mail was not sent"),
    }),
  );
  if (!inboxes.data) return null;
  const why = address ? `From ${address} to itself` : "Create an inbox first.";
  return (
    <Tooltip label={why}>
      <Button
        leftSection={<IconSend size={17} aria-hidden />}
        loading={send.isPending}
        data-disabled={address ? undefined : true}
        aria-disabled={!address}
        aria-description={why}
        onClick={() => address && send.mutate({ addr: address, to: address, ...MAIL })}
      >
        Send a test mail
      </Button>
    </Tooltip>
  );
}
