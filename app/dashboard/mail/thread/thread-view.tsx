// A thread with its messages, oldest first, and the reply or forward form below.
"use client";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { IconArrowLeft, IconTrash } from "../../../design/icons.tsx";
import { nextCursor } from "../../parts/load-more.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useTRPC } from "../../trpc.ts";
import { Composer, type Writing } from "../composer/composer.tsx";
import { hasDraft } from "../composer/draft.ts";
import type { Removed } from "../deleting.tsx";
import { goTo } from "../place.ts";
import { useMarking } from "./marking.ts";
import type { Message, Thread } from "./message.ts";
import { MessageCard } from "./message-card.tsx";
import classes from "./thread.module.css";
import { ThreadSkeleton } from "./thread-skeleton.tsx";

const PAGE_MESSAGES = 20;

/** The outcome of sent mail is no event that the page follows. */
const LOOK_AGAIN_SOON_MS = 3_000;
const LOOK_AGAIN_MS = 15_000;

/** A bounce may still arrive after mail was sent. */
function lookAgainMs(pages: Thread[]): number | false {
  const statuses = pages.flatMap(({ messages }) => messages.map(({ status }) => status));
  if (statuses.some((status) => status === "queued" || status === "sending")) return LOOK_AGAIN_SOON_MS;
  return statuses.includes("sent") ? LOOK_AGAIN_MS : false;
}

type Props = { inbox: string; id: string; removed: Removed };

export function ThreadView({ inbox, id, removed }: Props) {
  const trpc = useTRPC();
  const thread = useInfiniteQuery(
    trpc.threads.get.infiniteQueryOptions(
      { id, limit: PAGE_MESSAGES },
      {
        getNextPageParam: nextCursor,
        placeholderData: keepPreviousData,
        refetchInterval: ({ state }) => lookAgainMs(state.data?.pages ?? []),
      },
    ),
  );
  if (thread.isError && !thread.data) {
    return <Problem error={thread.error} what="The thread could not be loaded" retry={() => void thread.refetch()} />;
  }
  const [newest] = thread.data?.pages ?? [];
  if (!newest || newest.id !== id) return <ThreadSkeleton />;
  return <OneThread key={id} inbox={inbox} thread={newest} pages={thread} removed={removed} />;
}

type Pages = {
  data: { pages: Thread[] } | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
};

function OneThread({
  inbox,
  thread,
  pages,
  removed,
}: {
  inbox: string;
  thread: Thread;
  pages: Pages;
  removed: Removed;
}) {
  const all = useMemo(() => [...(pages.data?.pages ?? [])].reverse().flatMap(({ messages }) => messages), [pages.data]);
  const messages = all.filter(({ id }) => !removed.hidden.has(id));
  const mark = useMarking(all);
  const [writing, setWriting] = useState(() => begunWriting(inbox, all, thread.last_message_id));
  const below = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (writing) below.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
  }, [writing]);

  function removeMessage(id: string) {
    if (messages.length > 1) return removed.remove("messages", [id]);
    removed.remove("threads", [thread.id]);
    goTo({ thread: "" });
  }

  function removeAll() {
    removed.remove("threads", [thread.id]);
    goTo({ thread: "" });
  }

  return (
    <section aria-label="Thread">
      <div className={classes.threadHead}>
        <ActionIcon
          className={classes.backToList}
          variant="subtle"
          color="gray"
          aria-label="Back to the list"
          onClick={() => goTo({ thread: "" })}
        >
          <IconArrowLeft size={19} aria-hidden />
        </ActionIcon>
        <h2 className={classes.title}>{thread.subject || "(no subject)"}</h2>
        <Tooltip label="Delete thread">
          <ActionIcon variant="subtle" color="gray" aria-label="Delete thread" onClick={removeAll}>
            <IconTrash size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      {pages.hasNextPage && (
        <Button
          size="xs"
          variant="default"
          mb="sm"
          loading={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show older messages
        </Button>
      )}
      {messages.map((message, at) => (
        <MessageCard
          key={message.id}
          message={message}
          isOpenAtFirst={at === messages.length - 1 || !message.read}
          onMark={(marks) => mark({ id: message.id, ...marks })}
          onDelete={() => removeMessage(message.id)}
          onReply={(isForAll) => setWriting(replyTo(inbox, message, thread.last_message_id, isForAll))}
          onForward={() => setWriting({ kind: "forward", place: `forward:${message.id}`, inbox, id: message.id })}
        />
      ))}
      <div ref={below}>
        {writing && (
          <div className={classes.writing}>
            <Composer
              key={writing.place}
              writing={writing}
              last={thread.last_message_id}
              onSent={() => setWriting(undefined)}
              onClose={() => setWriting(undefined)}
            />
          </div>
        )}
      </div>
    </section>
  );
}

/** Shows the recipients before sending, computed like the service does (server/messages/outbound/recipients.ts). */
function replyTo(inbox: string, message: Message, last: string, all: boolean): Writing {
  const own = message.direction === "outbound" || message.from === inbox;
  const asked = own ? message.to : message.reply_to.length > 0 ? message.reply_to : [message.from];
  const others = [...message.to, ...message.cc].filter((address) => address !== inbox && !asked.includes(address));
  return { kind: "reply", place: `reply:${message.id}`, inbox, id: message.id, to: asked, others, last, all };
}

/** The draft that was started in this tab, if any. */
function begunWriting(inbox: string, messages: Message[], last: string): Writing | undefined {
  for (const message of messages.toReversed()) {
    if (hasDraft(`reply:${message.id}`)) return replyTo(inbox, message, last, false);
    const place = `forward:${message.id}`;
    if (hasDraft(place)) return { kind: "forward", place, inbox, id: message.id };
  }
  return undefined;
}
