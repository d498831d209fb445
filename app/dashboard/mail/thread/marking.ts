// Changes the read state and labels of messages. An opened message is marked as read once, so that marking it as unread
// works.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { failed } from "../../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import type { Message } from "./message.ts";

type Marks = { id: string; read?: boolean; labels?: string[] };

export function useMarking(messages: Message[]) {
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
  const { mutate: open } = useMutation({
    ...options,
    mutationFn: (ids: string[]) => client.messages.markRead.mutate({ ids }),
  });
  const opened = useRef(new Set<string>());
  useEffect(() => {
    const fresh = messages.filter(({ id }) => !opened.current.has(id));
    for (const { id } of fresh) opened.current.add(id);
    const unread = fresh.filter(({ read }) => !read);
    if (unread.length > 0) open(unread.map(({ id }) => id));
  }, [messages, open]);
  return mark.mutate;
}
