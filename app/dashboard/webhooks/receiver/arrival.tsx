// One delivery at a test receiver: the browser verifies its signature with the receiver's secret.
"use client";
import { Badge, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import shared from "../../../design/shared.module.css";
import { IconAlertTriangle, IconCircleCheck } from "../../../design/shell-icons.tsx";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Time } from "../../parts/time.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";
import { diagnose } from "../debugger/signature-diagnosis.ts";
import { parseJson } from "../debugger/signature-guesses.ts";
import type { Delivery } from "../delivery-state.tsx";
import webhooks from "../webhooks.module.css";
import classes from "./receiver.module.css";

type Whole = Outputs["webhooks"]["getDelivery"];
type Attempt = Whole["attempts"][number];
/** `isFirst`: open until it is closed. */
type Props = { delivery: Delivery; secret: string; isFirst: boolean };

export function Arrival({ delivery: { id, webhook_id, event, created_at, attempt_count }, secret, isFirst }: Props) {
  const trpc = useTRPC();
  const [toggled, setToggled] = useState<boolean>();
  // A delivery changes only when it is sent again.
  const key = { id: webhook_id, delivery_id: id };
  const found = useQuery(trpc.webhooks.getDelivery.queryOptions(key, { staleTime: Number.POSITIVE_INFINITY }));
  const attempt = found.data?.attempts.at(-1);
  const isOpen = toggled ?? isFirst;
  return (
    <details
      className={`${shared.framed} ${classes.arrival}`}
      open={isOpen}
      onToggle={({ currentTarget: { open } }) => open !== isOpen && setToggled(open)}
    >
      <summary>
        <span className={classes.event}>{event}</span>
        {attempt && found.data?.body != null && (
          <Verified key={attempt_count} attempt={attempt} body={found.data.body} secret={secret} />
        )}
        <Text span size="sm" c="dimmed">
          <Time at={created_at} plain />
        </Text>
      </summary>
      {isOpen && (attempt ? <Detail attempt={attempt} body={found.data?.body ?? null} /> : <Skeleton height={120} />)}
    </details>
  );
}

function Verified({ attempt, body, secret }: { attempt: Attempt; body: string; secret: string }) {
  const header = attempt.request_headers.find(({ name }) => /^x-\w+-signature$/i.test(name))?.value ?? "";
  const checked = useQuery({
    queryKey: ["signature", secret, header, body],
    queryFn: () => diagnose({ secret, header, body, receivedAt: new Date(attempt.started_at) }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (checked.isPending) return null;
  const isValid = checked.data?.verdict === "valid";
  const Shape = isValid ? IconCircleCheck : IconAlertTriangle;
  return (
    <Badge color={isValid ? "green" : "red"} variant="light" leftSection={<Shape size={13} aria-hidden />}>
      {isValid ? "Signature verified" : checked.error ? "Signature not checked: use https" : "Signature wrong"}
    </Badge>
  );
}

function Detail({ attempt: { number, request_headers }, body }: { attempt: Attempt; body: string | null }) {
  return (
    <div className={classes.detail}>
      <section aria-label={`Headers of attempt ${number}`}>
        <Text size="sm" fw={600} mb={6}>
          Headers
        </Text>
        <dl className={webhooks.headers}>
          {request_headers.map(({ name, value }) => (
            <div key={name} className={webhooks.header}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </section>
      <section aria-label="Body">
        <Text size="sm" fw={600} mb={6}>
          Body
        </Text>
        {body === null ? (
          <Text size="sm">The event log no longer keeps this event.</Text>
        ) : (
          <CodeBlock samples={[{ label: "Body", code: pretty(body) }]} what="the body" />
        )}
      </section>
    </div>
  );
}

function pretty(body: string): string {
  const event = parseJson(body);
  return event === undefined ? body : JSON.stringify(event, null, 2);
}
