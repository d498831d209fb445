// A thread with its messages, oldest first: the newest and the newest unread ones are open, the others are one line each. The reply or forward form is below. Or one quarantined message.
"use client";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useIntersection, useMergedRef } from "@mantine/hooks";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { IconChevronDown, IconMail, IconMailOpened } from "../../../design/icons.tsx";
import { IconArrowLeft, IconTrash } from "../../../design/shell-icons.tsx";
import { nextCursor, useNextPage } from "../../parts/listing.tsx";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { Unloaded } from "../../parts/unloaded.tsx";
import { useTRPC } from "../../trpc.ts";
import { Composer } from "../composer/composer.tsx";
import { useDropping } from "../composer/files.ts";
import type { Removed } from "../deleting.tsx";
import { goTo } from "../place.ts";
import { hasLeft } from "../status.ts";
import { useMarking } from "./marking.ts";
import { isBeingJudged, type Message, type Thread } from "./message.ts";
import { MessageCard } from "./message-card.tsx";
import classes from "./thread.module.css";
import { ThreadSkeleton } from "./thread-skeleton.tsx";
import { begunWriting, replyTo, type Written } from "./writing.ts";

const PAGE_MESSAGES = 20;
/** Older pages that are read to show a found message. */
const FOUND_PAGES_MAX = 10;
const OPEN_UNREAD_MAX = 5;

/** The outcome of sent mail is no event that the page follows. */
const LOOK_AGAIN_SOON_MS = 3_000;
const LOOK_AGAIN_MS = 15_000;

/** A bounce may still arrive after mail was sent. */
function lookAgainMs(pages: Thread[]): number | false {
  const messages = pages.flatMap((page) => page.messages);
  const statuses = messages.map(({ status }) => status);
  if (messages.some(isBeingJudged)) return LOOK_AGAIN_SOON_MS;
  if (statuses.some((status) => status === "queued" || status === "sending")) return LOOK_AGAIN_SOON_MS;
  return statuses.includes("sent") ? LOOK_AGAIN_MS : false;
}

type Props = {
  inbox: string;
  id: string;
  /** The message that a search found. Empty: none. */
  found: string;
  /** The words that were searched for. */
  words: string;
  removed: Removed;
  /** A member came here from another thread, or from the list. */
  isFollowed: boolean;
};

export default function ThreadView(props: Props) {
  return props.id.startsWith("msg_") ? <Quarantined {...props} /> : <WholeThread {...props} />;
}

/** It is in no thread yet. */
function Quarantined({ id, removed, isFollowed }: Props) {
  const trpc = useTRPC();
  const message = useQuery(trpc.messages.get.queryOptions({ id }));
  if (!message.data) return <Unloaded query={message} what="message" skeleton={<ThreadSkeleton />} />;
  function remove() {
    removed.remove("messages", [id]);
    goTo({ thread: "" });
  }
  return (
    <section aria-label="Quarantined message">
      <Head subject={message.data.subject} what="message" onDelete={remove} isFollowed={isFollowed} />
      <div className={classes.place}>
        <MessageCard message={message.data} isOpenAtFirst onDelete={remove} />
      </div>
    </section>
  );
}

function WholeThread({ inbox, id, found, words, removed, isFollowed }: Props) {
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
  const [newest] = thread.data?.pages ?? [];
  if (!newest) return <Unloaded query={thread} what="thread" skeleton={<ThreadSkeleton />} />;
  if (newest.id !== id) return <ThreadSkeleton />;
  return (
    <OneThread
      key={id}
      inbox={inbox}
      found={found}
      words={words}
      thread={newest}
      pages={thread}
      removed={removed}
      isFollowed={isFollowed}
    />
  );
}

type Pages = Parameters<typeof useNextPage>[0] & { data: { pages: Thread[] } | undefined };
type ThreadProps = Omit<Props, "id"> & { thread: Thread; pages: Pages };

function OneThread({ inbox, found, words, thread, pages, removed, isFollowed }: ThreadProps) {
  const all = useMemo(() => [...(pages.data?.pages ?? [])].reverse().flatMap(({ messages }) => messages), [pages.data]);
  const messages = all.filter(({ id }) => !removed.hidden.has(id));
  const openAtFirst = opensAtFirst(messages, found);
  const marking = useMarking(thread.id, messages, openAtFirst);
  const [writing, setWriting] = useState<Written | undefined>(() => begunWriting(inbox, all, thread.last_message_id));
  const below = useRef<HTMLDivElement>(null);
  const isFound = all.some(({ id }) => id === found);
  const newest = useNewest(messages.length, !found);
  const older = useNextPage(pages);
  useOlder(
    !isFound &&
      found !== "" &&
      (pages.data?.pages.length ?? 0) < FOUND_PAGES_MAX &&
      pages.hasNextPage &&
      !pages.isFetching &&
      !pages.isFetchNextPageError,
    older.load,
  );
  useEffect(() => {
    if (!writing) return;
    below.current?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    below.current?.scrollIntoView({ block: "nearest" });
  }, [writing]);

  // What was sent is always read.
  const hasReceived = thread.unread_count > 0 || messages.some(({ direction }) => direction === "inbound");
  const last = messages.findLast(hasLeft);
  const [dropped, setDropped] = useState<File[]>();
  /** They are attached to what is written, or else begin a reply to the newest message. */
  function attach(files: File[]) {
    if (!writing && !last) return;
    setDropped(files);
    if (!writing && last) setWriting(replyTo(inbox, last, thread.last_message_id, false));
  }
  const dropping = useDropping(attach);
  const newestId = messages.at(-1)?.id;
  const sentAfter = useRef<string>(undefined);
  function close() {
    setWriting(undefined);
    setDropped(undefined);
  }
  function showSent() {
    close();
    sentAfter.current = newestId;
  }
  const focusNewest = newest.focus;
  useEffect(() => {
    if (sentAfter.current === undefined || sentAfter.current === newestId) return;
    sentAfter.current = undefined;
    focusNewest();
  }, [newestId, focusNewest]);
  useShortcuts([
    {
      keys: "r",
      does: "Reply to the newest message",
      run: () => last && setWriting(replyTo(inbox, last, thread.last_message_id, false)),
    },
    { keys: "e", does: "Delete the thread", run: removeAll },
    { keys: "u", does: "Go back to the list", run: () => goTo({ thread: "" }) },
  ]);

  function removeMessage(id: string) {
    if (messages.length > 1) return removed.remove("messages", [id]);
    removeAll();
  }

  function removeAll() {
    removed.remove("threads", [thread.id]);
    goTo({ thread: "" });
  }

  return (
    <section aria-label="Thread" className={classes.thread} {...dropping}>
      <Head
        subject={thread.subject}
        what="thread"
        isFollowed={isFollowed}
        onDelete={removeAll}
        marks={hasReceived && <MarkAll hasUnread={thread.unread_count > 0} onMark={marking.all} />}
      />
      {pages.hasNextPage && (
        <Button size="xs" variant="default" mb="sm" loading={older.isLoading} onClick={older.load}>
          Show older messages
        </Button>
      )}
      {messages.map((message, at) => (
        <div key={message.id} ref={at === messages.length - 1 ? newest.ref : undefined} className={classes.place}>
          <MessageCard
            message={message}
            isOpenAtFirst={openAtFirst.has(message.id)}
            {...(message.id === found && { foundBy: words })}
            onDelete={() => removeMessage(message.id)}
            acts={{
              onOpen: () => marking.open(message.id),
              onMark: (marks) => marking.mark({ id: message.id, ...marks }),
              onAttach: message === last && !writing ? attach : undefined,
              onReply: (isForAll) => setWriting(replyTo(inbox, message, thread.last_message_id, isForAll)),
              onForward: () => setWriting({ kind: "forward", place: `forward:${message.id}`, inbox, id: message.id }),
            }}
          />
        </div>
      ))}
      <div ref={below}>
        {writing && (
          <div className={classes.writing}>
            <Composer
              key={writing.place}
              writing={writing}
              last={thread.last_message_id}
              dropped={dropped}
              onSent={showSent}
              onClose={close}
              onUndo={() => setWriting(writing)}
            />
          </div>
        )}
      </div>
      {newest.isAway && !writing && (
        <div className={classes.jump}>
          <Button size="xs" rightSection={<IconChevronDown size={15} aria-hidden />} onClick={newest.jump}>
            Newest message
          </Button>
        </div>
      )}
    </section>
  );
}

/** The found message may be on an older page. */
function useOlder(isWanted: boolean, load: () => void) {
  const run = useRef(load);
  run.current = load;
  useEffect(() => {
    if (isWanted) run.current();
  }, [isWanted]);
}

/** The newest message, the newest unread ones and the found one: many open ones would have to be scrolled past. */
function opensAtFirst(messages: Message[], found: string): Set<string> {
  const unread = messages.filter(({ read }) => !read).slice(-OPEN_UNREAD_MAX);
  return new Set([...unread.map(({ id }) => id), ...messages.slice(-1).map(({ id }) => id), found]);
}

/** One button for both, so that it keeps the focus. */
function MarkAll({ hasUnread, onMark }: { hasUnread: boolean; onMark: (read: boolean) => void }) {
  const label = hasUnread ? "Mark all as read" : "Mark as unread";
  const Mark = hasUnread ? IconMailOpened : IconMail;
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={() => onMark(hasUnread)}>
        <Mark size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

type HeadProps = Pick<Props, "isFollowed"> & {
  subject: string;
  what: "thread" | "message";
  onDelete: () => void;
  marks?: ReactNode;
};

function Head({ subject, what, onDelete, marks, isFollowed }: HeadProps) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isFollowed ? wasOpenedByKey() || hasNoFocus() : isOnMain()) title.current?.focus({ preventScroll: true });
  }, [isFollowed]);
  const [isWhole, setWhole] = useState(false);
  const isCut = useIsCut(title, isWhole);
  return (
    <div className={classes.threadHead} data-whole={isWhole || undefined}>
      <ActionIcon variant="subtle" color="gray" aria-label="Back to the list" onClick={() => goTo({ thread: "" })}>
        <IconArrowLeft size={19} aria-hidden />
      </ActionIcon>
      <div className={classes.subject}>
        <h2 ref={title} tabIndex={-1} className={classes.title} dir="auto">
          {subject || "(no subject)"}
        </h2>
        {(isCut || isWhole) && (
          <Button size="compact-xs" variant="subtle" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? "Shorten the subject" : "Whole subject"}
          </Button>
        )}
      </div>
      {marks}
      <Tooltip label={`Delete ${what}`}>
        <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${what}`} onClick={onDelete}>
          <IconTrash size={18} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

/** The focus is where a new page begins. */
const isOnMain = () => document.activeElement?.id === "main";
/** What had it is gone. */
const hasNoFocus = () => document.activeElement === document.body || isOnMain();
/** Enter on its row: the next Tab goes into the thread. A click leaves the focus in the list. */
const wasOpenedByKey = () => document.activeElement?.matches("[aria-current=true]:focus-visible") ?? false;

/** Whether the text has more lines than are shown. */
function useIsCut(text: RefObject<HTMLElement | null>, isWhole: boolean): boolean {
  const [isCut, setCut] = useState(false);
  useEffect(() => {
    const element = text.current;
    if (!element || isWhole) return;
    const observer = new ResizeObserver(() => setCut(element.scrollHeight > element.clientHeight + 1));
    observer.observe(element);
    return () => observer.disconnect();
  }, [text, isWhole]);
  return isCut;
}

/** Where the newest message is: it is shown first if `isFirst`, and the way back to it while it is out of sight. */
function useNewest(count: number, isFirst: boolean) {
  const place = useRef<HTMLDivElement>(null);
  const { ref: watched, entry } = useIntersection();
  const ref = useMergedRef(place, watched);
  const jump = () => place.current?.scrollIntoView({ block: "start" });
  const focus = useCallback(() => {
    place.current?.querySelector<HTMLElement>("[aria-expanded]")?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "start" });
  }, []);
  const [countAtOpening] = useState(count);
  useEffect(() => {
    if (isFirst && countAtOpening > 1) place.current?.scrollIntoView({ block: "start" });
  }, [isFirst, countAtOpening]);
  return { ref, jump, focus, isAway: count > 1 && entry?.isIntersecting === false };
}
