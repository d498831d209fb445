// The rows of the webhook list: state, how the newest deliveries went, the last failure, and URLs registered twice.
"use client";
import { Anchor, Text } from "@mantine/core";
import { NearLink } from "../../design/near-link.tsx";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import { webhookHref } from "./places.ts";
import { WebhookState } from "./webhook-state.tsx";
import classes from "./webhooks.module.css";

type Webhook = Outputs["webhooks"]["health"]["data"][number];

const TABLE_MIN_REM = 43;

const COLUMNS: Column<Webhook>[] = [
  { name: "Endpoint", kind: "title", minWidth: 12, show: (webhook) => <Endpoint webhook={webhook} /> },
  { name: "State", minWidth: 10.5, show: (webhook) => <WebhookState webhook={webhook} /> },
  { name: "Success rate", minWidth: 12, show: ({ recent }) => <Rate recent={recent} /> },
  { name: "Last failure", minWidth: 11, show: ({ last_failure }) => <LastFailure failure={last_failure} /> },
  { name: "Inbox", show: ({ address }) => <Inbox address={address} /> },
];

export function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <DataTable label="Webhooks" columns={COLUMNS} rows={webhooks} keyOf={({ id }) => id} minWidth={TABLE_MIN_REM} />
  );
}

function Endpoint({ webhook: { id, url, name, same_url } }: { webhook: Webhook }) {
  return (
    <>
      <Anchor component={NearLink} href={webhookHref(id)} size="sm" fw={550}>
        {name ?? <BrokenUrl text={url} />}
      </Anchor>
      {name !== null && (
        <Text size="xs" c="dimmed">
          <BrokenUrl text={url} />
        </Text>
      )}
      {same_url > 1 && (
        <Text size="xs" className={classes.twice}>
          <IconAlertTriangle size={14} aria-hidden /> {same_url} webhooks have this URL, so it gets events more than
          once. Delete those that you do not need.
        </Text>
      )}
    </>
  );
}

function Inbox({ address }: { address: string | null }) {
  return address === null ? <span className={classes.whole}>Every inbox</span> : <BrokenUrl text={address} />;
}

/** Deliveries that failed so far count as failures; those not attempted yet do not count. */
function Rate({ recent: { succeeded, failed, retrying, waiting } }: { recent: Webhook["recent"] }) {
  const attempted = succeeded + failed + retrying;
  if (attempted === 0)
    return (
      <Text size="sm" c="dimmed">
        {waiting > 0 ? `${waiting} waiting` : "No deliveries"}
      </Text>
    );
  return (
    <>
      <span className={classes.rate} data-bad={succeeded < attempted || undefined}>
        {Math.floor((succeeded / attempted) * 100)}%
      </span>{" "}
      <Text span size="xs" c="dimmed">
        {succeeded} of {attempted === 1 ? "1 delivery" : `the last ${attempted} deliveries`}
        {retrying > 0 && `; ${retrying} will be retried`}
      </Text>
    </>
  );
}

function LastFailure({ failure }: { failure: Webhook["last_failure"] }) {
  if (!failure)
    return (
      <Text size="sm" c="dimmed">
        None
      </Text>
    );
  return (
    <>
      <Time at={failure.at} plain />{" "}
      <Text span size="xs" c="dimmed">
        {failure.status === null ? failure.error : `Answered ${failure.status}`}
      </Text>
    </>
  );
}
