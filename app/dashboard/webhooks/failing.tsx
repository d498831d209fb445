// <Failing>: the last answer of a failing webhook, what to do about it, and a button that retries its pending deliveries now.
"use client";
import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { IconAlertTriangle, IconRefresh } from "../../design/shell-icons.tsx";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";
import { Answer, adviceFor } from "./test-result.tsx";
import type { Webhook } from "./webhook-state.tsx";

type Diagnosis = Outputs["webhooks"]["diagnosis"];

/** Also at the webhook itself while it fails, so that its parts say the same. */
export const FAILING_LOOK_AGAIN_MS = 2_000;

/** Also after the first success, while deliveries wait for their retries. */
export function Failing({ webhook: { id, failing_since } }: { webhook: Webhook }) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.webhooks.diagnosis.queryOptions({ id }, { refetchInterval: FAILING_LOOK_AGAIN_MS }));
  if (failing_since === null && !data?.retrying) return null;
  const isFailing = failing_since !== null;
  return (
    <Alert
      color={isFailing ? "red" : "yellow"}
      icon={<IconAlertTriangle aria-hidden />}
      title={isFailing ? "Delivery failing" : "Deliveries wait for their retries"}
      mb="lg"
    >
      <Stack gap="sm">
        {isFailing && (
          <Text size="sm">
            It began <Time at={failing_since} />. <LastAnswer failure={data?.failure ?? null} />
          </Text>
        )}
        {isFailing && data?.failure?.response_body && <Answer body={data.failure.response_body} />}
        {isFailing && <Consequence />}
        {data && data.retrying > 0 && <Retry id={id} diagnosis={data} />}
      </Stack>
    </Alert>
  );
}

function LastAnswer({ failure }: { failure: Diagnosis["failure"] }) {
  if (!failure) return null;
  const { at, status, error } = failure;
  return (
    <>
      <strong>{status === null ? `No answer: ${error ?? "unknown"}` : `Answered ${status}`}</strong> <Time at={at} />.{" "}
      {adviceFor(status)}
    </>
  );
}

/** Mentions a notice only where one is sent. */
function Consequence() {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.notices.list.queryOptions());
  const isTold = data?.reached_topics.includes("webhook_disabled");
  return (
    <Text size="sm">
      Each delivery is retried for over a day. After 5 days without a success the webhook is disabled
      {isTold === undefined ? "" : isTold ? ", and a notice is sent" : ", and no notice is sent"}.
    </Text>
  );
}

function Retry({ id, diagnosis: { retrying, more } }: { id: string; diagnosis: Diagnosis }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const retry = useMutation({
    async mutationFn() {
      let page = await client.webhooks.retry.mutate({ id });
      let { retried } = page;
      while (page.next_cursor !== null) {
        page = await client.webhooks.retry.mutate({ id, cursor: page.next_cursor });
        retried += page.retried;
      }
      return retried;
    },
    onSuccess: (retried) =>
      succeeded(
        retried === 1 ? "1 delivery is attempted now" : `${retried.toLocaleString("en")} deliveries are attempted now`,
      ),
    onSettled: () => queries.invalidateQueries(trpc.webhooks.pathFilter()),
  });
  return (
    <>
      {retry.error && <Problem error={retry.error} what="The deliveries were not retried" />}
      <Group>
        <Button
          size="xs"
          leftSection={<IconRefresh size={15} aria-hidden />}
          loading={retry.isPending}
          onClick={() => retry.mutate()}
        >
          Retry {retrying.toLocaleString("en")}
          {more ? " or more" : ""} now
        </Button>
      </Group>
    </>
  );
}
