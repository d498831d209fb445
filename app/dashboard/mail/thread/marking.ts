// Changes the read state and labels of messages. An opened message is marked as read once, so that marking it as unread
// works.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { failed } from "../../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import type { Message, Thread } from "./message.ts";

type Marks = { id: string; read?: boolean; labels?: string[] };

/** Opening a thread marks all of it as read, also what is not loaded; then what arrives while it is open. */
export function useMarking({ id: threadId, unread_count }: Thread, messages: Message[]) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const options = {
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries(trpc.threads.pathFilter()),
        queries.invalidateQueries(trpc.messages.list.pathFilter()),
        queries.invalidateQueries(trpc.inboxes.summaries.pathFilter()),
      ]),
    onError: (error: unknown) => failed(error, "The message was not marked"),
  };
  const mark = useMutation({ ...options, mutationFn: (marks: Marks) => client.messages.update.mutate(marks) });
  const { mutate: openThread } = useMutation({
    ...options,
    mutationFn: () => client.threads.mark.mutate({ ids: [threadId], read: true }),
  });
  const { mutate: open } = useMutation({
    ...options,
    mutationFn: (ids: string[]) => client.messages.markRead.mutate({ ids }),
  });
  const opened = useRef(new Set<string>());
  const [wasUnread] = useState(unread_count > 0);
  useEffect(() => {
    const isFirst = opened.current.size === 0;
    const seen = opened.current;
    const fresh = messages.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const unread = fresh.filter(({ read }) => !read).map(({ id }) => id);
    if (isFirst && wasUnread) openThread();
    else if (unread.length > 0) open(unread);
  }, [messages, open, openThread, wasUnread]);
  return mark.mutate;
}
