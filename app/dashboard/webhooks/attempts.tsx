// The attempts of a delivery, newest first: time, duration, answer, and request headers.
"use client";
import { Accordion, Anchor, Badge, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { IconBug } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import { handOver } from "./debugger/handed-over.ts";
import { SIGNATURE_DEBUGGER } from "./places.ts";
import { Answer, adviceFor } from "./test-result.tsx";
import classes from "./webhooks.module.css";

type Whole = Outputs["webhooks"]["getDelivery"];
type Attempt = Whole["attempts"][number];

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;

export function Attempts({ delivery: { attempts, body, status } }: { delivery: Whole }) {
  const newest = attempts.at(-1);
  const newestNumber = newest ? String(newest.number) : "";
  const [opened, setOpened] = useState([newestNumber]);
  const [known, setKnown] = useState(newestNumber);
  // An attempt that is made while the page is open is expanded automatically.
  if (newestNumber !== known) {
    setKnown(newestNumber);
    setOpened([...opened, newestNumber]);
  }
  if (!newest) {
    return (
      <Text c="dimmed">{status === "pending" ? "None yet. The first attempt is due." : "No attempt was made."}</Text>
    );
  }
  return (
    <Accordion variant="separated" multiple value={opened} onChange={setOpened} order={3}>
      {attempts.toReversed().map((attempt) => (
        <Accordion.Item key={attempt.number} value={String(attempt.number)}>
          <Accordion.Control>
            <Summary attempt={attempt} />
          </Accordion.Control>
          <Accordion.Panel>
            <Detail attempt={attempt} body={body} />
          </Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function Summary({ attempt: { number, status, started_at, duration_ms } }: { attempt: Attempt }) {
  return (
    <Group gap="sm">
      <Badge color={isSuccess(status) ? "green" : "red"} variant="light">
        {status ?? "No answer"}
      </Badge>
      <Text span fw={550}>
        Attempt {number}
      </Text>
      <Text span size="sm" c="dimmed">
        <Time at={started_at} plain /> · {duration_ms.toLocaleString("en")} ms
      </Text>
    </Group>
  );
}

function Detail({ attempt, body }: { attempt: Attempt; body: string | null }) {
  const { status, error, started_at, request_headers, response_body, next_attempt_at } = attempt;
  return (
    <Stack gap="md">
      {!isSuccess(status) && (
        <Text size="sm">
          {error && <strong>{error} </strong>}
          {adviceFor(status)}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        Made <Time at={started_at} exact />
        {next_attempt_at !== null && (
          <>
            ; the next was scheduled for <Time at={next_attempt_at} exact />
          </>
        )}
        .
      </Text>
      <section aria-label={`Request headers of attempt ${attempt.number}`}>
        <Text size="sm" fw={600} mb={6}>
          Request headers
        </Text>
        <dl className={classes.headers}>
          {request_headers.map(({ name, value }) => (
            <div key={name} className={classes.header}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Debug attempt={attempt} body={body} />
      </section>
      <div>
        <Text size="sm" fw={600} mb={6}>
          Answer{response_body && ", its first KiB"}
        </Text>
        {response_body ? (
          <Answer body={response_body} />
        ) : (
          <Text size="sm" c="dimmed">
            {status === null ? "No answer." : "The answer had no body."}
          </Text>
        )}
      </div>
    </Stack>
  );
}

/** Opens the debugger with everything but the secret filled in. */
function Debug({ attempt: { request_headers, started_at }, body }: { attempt: Attempt; body: string | null }) {
  const header = request_headers.find(({ name }) => /^x-\w+-signature$/i.test(name))?.value;
  if (header === undefined || body === null) return null;
  return (
    <Anchor
      component={NearLink}
      href={SIGNATURE_DEBUGGER}
      size="sm"
      mt="sm"
      className={classes.debug}
      data-thumb
      onClick={() => handOver({ header, body, receivedAt: started_at })}
    >
      <IconBug size={15} aria-hidden /> Check this signature
    </Anchor>
  );
}
