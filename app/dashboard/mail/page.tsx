// The mail of one mailbox: its threads, and beside them the open one; on narrow screens one of them.
"use client";
import { Anchor, Button } from "@mantine/core";
import { useDisclosure, useDocumentTitle } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { IconPencil } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { IconArrowLeft, IconInbox } from "../../design/shell-icons.tsx";
import { Copy } from "../parts/copy.tsx";
import { EmptyState } from "../parts/empty-state.tsx";
import { later } from "../parts/later.ts";
import { LOOK_AGAIN_MS } from "../parts/listing.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import { Problem } from "../parts/problem.tsx";
import { useShortcuts } from "../parts/shortcuts.ts";
import { useIsLost } from "../reach.ts";
import { useEachTeamEvent, useReadAfterEvents, useTeamEventsState } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import { useDeleting } from "./deleting.tsx";
import { readSearch } from "./list/search.ts";
import { ThreadList } from "./list/thread-list.tsx";
import classes from "./mail.module.css";
import { type Place, usePlace } from "./place.ts";
import { SendingSkeleton } from "./sending-skeleton.tsx";
import { ThreadSkeleton } from "./thread/thread-skeleton.tsx";

const STATES = {
  pending: { state: "live", said: "Live", title: "New mail appears automatically" },
  connecting: { state: "waiting", said: "Reconnecting…", title: "New mail appears when the connection is restored" },
  error: { state: "off", said: "Not live", title: "Reload the page to receive new mail automatically" },
  idle: { state: "waiting", said: "Connecting…", title: "New mail appears when the connection is open" },
} as const;

const NewMessage = later(() => import("./composer/new-message.tsx"));
const ThreadView = later(() => import("./thread/thread-view.tsx"), ThreadSkeleton);

const NoMail = later(() => import("./no-mail.tsx"));
const SendingState = later(() => import("./sending-state.tsx"), SendingSkeleton);

/** The service's counts stop there. */
const COUNTED = 100;

export default function MailPage() {
  return (
    <Suspense>
      <Mail />
    </Suspense>
  );
}

function Mail() {
  const place = usePlace();
  const { inbox } = place;
  if (inbox === "") {
    return (
      <>
        <PageHeader title="Mail" />
        <EmptyState
          icon={IconInbox}
          title="Which inbox?"
          action={
            <Button component={NearLink} href="/dashboard/inboxes">
              View inboxes
            </Button>
          }
        >
          Select an inbox to read its mail.
        </EmptyState>
      </>
    );
  }
  return <Mailbox key={inbox} place={place} />;
}

function Mailbox({ place }: { place: Place }) {
  const { inbox, thread } = place;
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [composing, compose] = useDisclosure(false);
  const [openedWith] = useState(thread);
  // No event says that mail is in quarantine.
  const summary = useQuery(trpc.inboxes.summaries.queryOptions({ addr: inbox }, { refetchInterval: LOOK_AGAIN_MS }));
  const [found] = summary.data?.data ?? [];
  const removed = useDeleting(() => {
    void queries.invalidateQueries(trpc.threads.pathFilter());
    void queries.invalidateQueries(trpc.messages.list.pathFilter());
    void queries.invalidateQueries(trpc.inboxes.summaries.pathFilter());
    void queries.invalidateQueries(trpc.trash.pathFilter());
  });
  useShortcuts([{ keys: "c", does: "Compose a message", run: compose.open }]);
  const back = place.search
    ? { href: `/dashboard/all-mail?${place.search}`, label: "All mail" }
    : { href: "/dashboard/inboxes", label: "Inboxes" };
  const unread = found?.unread ?? 0;
  const count = unread === 0 ? "" : `(${unread < COUNTED ? unread : "99+"}) `;
  useDocumentTitle(`${count}${found?.address ?? inbox} · Mailberth`);

  return (
    <div className={classes.mail} data-fill data-shows={thread ? "thread" : "list"}>
      <header className={classes.top}>
        <div className={classes.topWords}>
          <Anchor component={NearLink} href={back.href} size="sm" className={classes.back} data-thumb>
            <IconArrowLeft size={15} aria-hidden />
            {back.label}
          </Anchor>
          <div className={classes.heading}>
            <h1 className={classes.address}>{found?.address ?? inbox}</h1>
            <Copy text={found?.address ?? inbox} what="the address" />
          </div>
          {found?.display_name && <span className={classes.displayName}>{found.display_name}</span>}
        </div>
        {!summary.isError && (
          <div className={classes.topEnd}>
            <LiveMail inbox={inbox} />
            <Button leftSection={<IconPencil size={16} aria-hidden />} onClick={compose.open}>
              Compose
            </Button>
          </div>
        )}
      </header>
      {found ? (
        <SendingState inbox={found.address} storage={found.storage} />
      ) : (
        summary.isPending && <SendingSkeleton />
      )}
      {summary.isError ? (
        <Problem
          error={summary.error}
          what="The inbox could not be opened"
          retry={() => void summary.refetch()}
          busy={summary.isFetching}
        />
      ) : found?.last_message === null && place.show !== "quarantine" ? (
        <NoMail inbox={found.address} />
      ) : (
        <div className={classes.panes}>
          <div className={classes.listing}>
            <ThreadList place={place} quarantined={found?.quarantined ?? 0} removed={removed} />
          </div>
          {thread && (
            <div className={classes.reading}>
              <ThreadView
                key={`${thread} ${place.message}`}
                inbox={found?.address ?? inbox}
                id={thread}
                found={place.message}
                words={wordsOf(place)}
                removed={removed}
                isFollowed={thread !== openedWith}
              />
            </div>
          )}
        </div>
      )}
      {composing && <NewMessage inbox={inbox} onClose={compose.close} onUndo={compose.open} />}
    </div>
  );
}

/** What was searched for: here, or in all mail. */
function wordsOf({ q, search }: Place): string {
  return readSearch(q || (new URLSearchParams(search).get("q") ?? "")).q ?? "";
}

/**
 * Shows new mail and outcomes of sent mail automatically: follows the organization's events, refetches what they affect, and
 * shows whether it is connected.
 */
function LiveMail({ inbox }: { inbox: string }) {
  const trpc = useTRPC();
  const { list, previews, sendLimit } = trpc.messages;
  const shown = [trpc.threads, list, previews, sendLimit, trpc.inboxes.summaries];
  useReadAfterEvents(shown.map((path) => path.pathFilter()));
  const [arrived, setArrived] = useState("");
  useEachTeamEvent((event) => {
    if (event.event !== "message.received" || event.inbox !== inbox.toLowerCase()) return;
    setArrived(`New mail from ${event.message.from}: ${event.message.subject}`);
  });
  const events = useTeamEventsState();
  // The stream of events may notice the loss a minute later than a call.
  const { state, said, title } = STATES[useIsLost() ? "connecting" : events];
  return (
    <>
      <span className={classes.live} data-state={state} title={title} role="status">
        {said}
      </span>
      <span className="visually-hidden" role="status">
        {arrived}
      </span>
    </>
  );
}
