// Changes the read state and labels of messages. An opened message is marked as read once, so that marking it as unread
// works.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { failed } from "../../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import type { Message } from "./message.ts";

type Marks = { id: string; read?: boolean; labels?: string[] };

/**
 * Marks messages as read that are open when they are first shown. `open` does so for one that a member unfolds; folded ones stay unread.
 * `all` marks every message of the thread, also messages that are not loaded.
 * @param openAtFirst ids of the messages that are open when the thread is first shown
 */
export function useMarking(thread: string, messages: Message[], openAtFirst: Set<string>) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const options = {
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries(trpc.threads.pathFilter()),
        queries.invalidateQueries(trpc.messages.list.pathFilter()),
        queries.invalidateQueries(trpc.messages.search.pathFilter()),
        queries.invalidateQueries(trpc.inboxes.summaries.pathFilter()),
      ]),
    onError: (error: unknown) => failed(error, "The message was not marked"),
  };
  const mark = useMutation({ ...options, mutationFn: (marks: Marks) => client.messages.update.mutate(marks) });
  const { mutate: open } = useMutation({
    ...options,
    mutationFn: (ids: string[]) => client.messages.markRead.mutate({ ids }),
  });
  const all = useMutation({
    ...options,
    mutationFn: (read: boolean) => client.threads.mark.mutate({ ids: [thread], read }),
    onError: (error) => failed(error, "The thread was not marked"),
  });
  const shown = useRef(new Set<string>());
  useEffect(() => {
    const fresh = messages.filter(({ id }) => !shown.current.has(id));
    shown.current = new Set(messages.map(({ id }) => id));
    const unread = fresh.filter(({ id, read }) => !read && openAtFirst.has(id)).map(({ id }) => id);
    if (unread.length > 0) open(unread);
  }, [messages, open, openAtFirst]);
  return { mark: mark.mutate, open: (id: string) => open([id]), all: all.mutate };
}
