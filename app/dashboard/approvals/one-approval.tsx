// One held message: what would leave, what was changed, and the decision.
"use client";
import { Alert, Anchor, Button, Group, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { IconPencil } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { later } from "../parts/later.ts";
import { PageHeader } from "../parts/page-header.tsx";
import { Time } from "../parts/time.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import { Content } from "./content.tsx";
import { Decide } from "./decide.tsx";
import type { Review } from "./review.ts";
import { StateBadge } from "./state-badge.tsx";

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
