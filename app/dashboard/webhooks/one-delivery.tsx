// One delivery: its body, its webhook, every attempt with its answer, and a button to send it again.
"use client";
import { Anchor, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { NearLink } from "../../design/near-link.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { Detail, Details } from "../parts/details.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Time } from "../parts/time.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { Attempts } from "./attempts.tsx";
import { isRecord, parseJson } from "./debugger/signature-guesses.ts";
import { DeliveryState, lookAgainMs } from "./delivery-state.tsx";
import { mailHref, webhookHref } from "./places.ts";
import { Redeliver } from "./redeliver.tsx";
import classes from "./webhooks.module.css";

type Whole = Outputs["webhooks"]["getDelivery"];

export default function OneDelivery({ id, deliveryId }: { id: string; deliveryId: string }) {
  const trpc = useTRPC();
  const found = useQuery(
    trpc.webhooks.getDelivery.queryOptions(
      { id, delivery_id: deliveryId },
      { refetchInterval: ({ state }) => (state.data?.status === "pending" ? lookAgainMs([state.data]) : false) },
    ),
  );
  const webhook = useQuery(trpc.webhooks.get.queryOptions({ id }));
  const back = { href: webhookHref(id), label: webhook.data?.url ?? "The webhook" };
  return (
    <>
      <PageHeader
        title="Delivery"
        description={<span className={classes.id}>{deliveryId}</span>}
        back={back}
        actions={found.data && <Redeliver delivery={found.data} isActive={webhook.data?.active ?? true} />}
      />
      <Unloaded query={found} what="delivery" />
      {found.data && <Shown delivery={found.data} />}
    </>
  );
}

/** The link to the mail of the event; undefined if the body does not name it. */
function mailOf(body: string | null): string | undefined {
  const event = body === null ? undefined : parseJson(body);
  if (!isRecord(event) || !isRecord(event.message)) return undefined;
  const [inbox, thread] = [event.inbox, event.message.thread_id];
  return typeof inbox === "string" && typeof thread === "string" ? mailHref(inbox, thread) : undefined;
}

function Shown({ delivery }: { delivery: Whole }) {
  const { status, event, event_id, message_id, created_at, completed_at, next_attempt_at, attempt_count, body } =
    delivery;
  const mail = mailOf(body);
  return (
    <>
      <Details label="Facts" isWide isLive>
        <Detail name="Status">
          <DeliveryState delivery={delivery} />
        </Detail>
        <Detail name="Attempts">{attempt_count}</Detail>
        {status === "pending" ? (
          <Detail name="Next attempt">
            <Time at={next_attempt_at} ahead none="soon" />
          </Detail>
        ) : (
          <Detail name="Finished">
            <Time at={completed_at} />
          </Detail>
        )}
        <Detail name="Created">
          <Time at={created_at} />
        </Detail>
        <Detail name="Event">{event}</Detail>
        <Detail name="Event id" id={event_id} copy="the event's id" />
        <Detail name="Message">
          <Message id={message_id} event={event} mail={mail} />
        </Detail>
      </Details>
      <Title order={2} mt="xl" mb="sm">
        Attempts
      </Title>
      <Attempts delivery={delivery} />
      <Title order={2} mt="xl" mb="sm">
        Payload
      </Title>
      <Payload body={body} />
    </>
  );
}

type MessageProps = { id: string | null; event: Whole["event"]; mail: string | undefined };

function Message({ id, event, mail }: MessageProps) {
  if (event.startsWith("domain.")) return "None: the event is about a domain";
  if (id === null) return "No longer kept";
  if (mail === undefined) return <span className={classes.id}>{id}</span>;
  return (
    <Anchor component={NearLink} href={mail} className={classes.id} data-thumb>
      {id}
    </Anchor>
  );
}

function Payload({ body }: { body: string | null }) {
  if (body === null) return <p>The event log no longer keeps this event.</p>;
  const event = parseJson(body);
  const pretty = event === undefined ? body : JSON.stringify(event, null, 2);
  const samples: [{ label: string; code: string }, { label: string; code: string }] = [
    { label: "Pretty", code: pretty },
    { label: "Raw, as it is signed", code: body },
  ];
  return <CodeBlock samples={samples} what="the payload" />;
}
