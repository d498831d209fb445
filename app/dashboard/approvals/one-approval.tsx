// One held message: what would leave, what was changed, and the decision.
"use client";
import { Alert, Anchor, Badge, Button, Group, Stack, TextInput, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { IconPencil } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { later } from "../parts/later.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import classes from "./approvals.module.css";
import type { Review, Revision } from "./review.ts";
import { StateBadge } from "./state-badge.tsx";

const REASON_CHARS = 500;

const BACK = { href: "/dashboard/approvals", label: "Approvals" };
/** Another member may decide or change it. */
const LOOK_AGAIN_MS = 10_000;
const EditMessage = later(() => import("./edit-message.tsx"));
const Changes = later(() => import("./changes.tsx"));

export default function OneApproval({ id }: { id: string }) {
  const trpc = useTRPC();
  const found = useQuery(trpc.reviews.get.queryOptions({ id }, { refetchInterval: LOOK_AGAIN_MS }));
  useReadAfterEvents([trpc.reviews.get.pathFilter()]);
  if (found.data) return <Shown review={found.data} />;
  return (
    <>
      <PageHeader title="Message" back={BACK} />
      <Unloaded query={found} what="message" />
    </>
  );
}

function Shown({ review }: { review: Review }) {
  const [editing, setEditing] = useState(false);
  const latest = review.revisions.at(-1);
  const isWaiting = review.status === "pending";
  // It may have left for some of its recipients, so it is approved or rejected as it is.
  const isOfRevokedKey = review.cause === "key_revoked";
  const edit = (
    <Button
      variant="default"
      leftSection={<IconPencil size={17} aria-hidden />}
      disabled={editing}
      onClick={() => setEditing(true)}
    >
      Change
    </Button>
  );
  return (
    <>
      <PageHeader
        title={latest?.subject || "(no subject)"}
        back={BACK}
        actions={isWaiting && !isOfRevokedKey && edit}
      />
      <Stack gap="lg">
        <State review={review} />
        {editing && isWaiting && latest ? (
          <EditMessage review={review} latest={latest} onClose={() => setEditing(false)} />
        ) : (
          <>
            {latest && <Content review={review} revision={latest} />}
            {isWaiting && <Decide key={review.sha256} review={review} />}
          </>
        )}
        {review.revisions.length > 1 && (
          <section aria-labelledby="changes" className={shared.panel}>
            <Title order={2} id="changes">
              Changes
            </Title>
            <Changes revisions={review.revisions} />
          </section>
        )}
      </Stack>
    </>
  );
}

function State({ review }: { review: Review }) {
  const { status, cause, decided_by, decided_at, reason, expires_at, inbox, thread_id, error, message_status } = review;
  const thread = `/dashboard/mail?inbox=${encodeURIComponent(inbox)}&thread=${thread_id}`;
  return (
    <>
      <Group gap="sm">
        <StateBadge status={status} />
        {status === "pending" ? (
          <span>
            {cause === "key_revoked"
              ? "It waits because the key that wrote it was revoked."
              : "An agent sent it, and the settings ask for approval."}{" "}
            Without a decision it expires <Time at={expires_at} />.
          </span>
        ) : (
          <span>
            {decided_by ?? "No one decided in time"}
            {decided_at && (
              <>
                , <Time at={decided_at} />
              </>
            )}
            {reason && `: ${reason}`}
          </span>
        )}
        <Anchor component={NearLink} href={thread} data-thumb>
          Show the conversation
        </Anchor>
      </Group>
      {status === "approved" && message_status === "failed" && (
        <Alert color="red" title="It was approved and could not be sent">
          {error}
        </Alert>
      )}
    </>
  );
}

/** A revision of a held message: its headers and bodies as text. */
function Content({ review, revision }: { review: Review; revision: Revision }) {
  const { inbox, from_name, reply_to, attachments } = review;
  const lines: [string, string[]][] = [
    ["From", [from_name ? `${from_name} <${inbox}>` : inbox]],
    ["To", revision.to],
    ["Cc", revision.cc],
    ["Bcc", revision.bcc],
    ["Reply-To", reply_to],
  ];
  return (
    <section aria-label="The message" className={shared.panel}>
      <dl className={classes.headers}>
        {lines.map(([name, values]) => values.length > 0 && <Line key={name} name={name} text={values.join(", ")} />)}
        <Line name="Subject" text={revision.subject || "(no subject)"} />
        <Line name="SHA-256" text={revision.sha256} />
      </dl>
      {revision.text !== null && <pre className={classes.body}>{revision.text}</pre>}
      {revision.html !== null && (
        <>
          <p className={classes.soft}>The HTML of the message, as source:</p>
          <pre className={classes.body}>{revision.html}</pre>
        </>
      )}
      {attachments.length > 0 && (
        <Group gap={6} aria-label="Attachments">
          {attachments.map(({ id, filename, size }) => (
            <Badge key={id} variant="light" color="gray" size="lg" tt="none">
              {filename ?? "attachment"} · {size.toLocaleString()} bytes
            </Badge>
          ))}
        </Group>
      )}
    </section>
  );
}

function Line({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  );
}

/** The buttons that approve or reject exactly the content that is shown. */
function Decide({ review: { id, sha256 } }: { review: Review }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [reason, setReason] = useState("");
  const onSettled = () => queries.invalidateQueries(trpc.reviews.pathFilter());
  const approve = useMutation(
    trpc.reviews.approve.mutationOptions({ onSuccess: () => succeeded("Approved. It is sent now"), onSettled }),
  );
  const reject = useMutation(
    trpc.reviews.reject.mutationOptions({ onSuccess: () => succeeded("Rejected"), onSettled }),
  );
  const error = approve.error ?? reject.error;
  const isBusy = approve.isPending || reject.isPending;
  return (
    <section aria-label="Decision" className={shared.panel}>
      <Stack>
        {error && <Problem error={error} what="The decision was not taken" />}
        <TextInput
          label="Reason"
          description="The agent reads it if you reject the message. Optional."
          maxLength={REASON_CHARS}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <Group>
          <Button loading={approve.isPending} disabled={isBusy} onClick={() => approve.mutate({ id, sha256 })}>
            Approve and send
          </Button>
          <Button
            variant="default"
            loading={reject.isPending}
            disabled={isBusy}
            onClick={() => reject.mutate({ id, sha256, ...(reason.trim() && { reason: reason.trim() }) })}
          >
            Reject
          </Button>
        </Group>
      </Stack>
    </section>
  );
}
