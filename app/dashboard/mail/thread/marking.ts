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
  const mark = useMutation({
    mutationFn: (marks: Marks) => client.messages.update.mutate(marks),
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries(trpc.threads.pathFilter()),
        queries.invalidateQueries(trpc.messages.list.pathFilter()),
        queries.invalidateQueries(trpc.inboxes.summaries.pathFilter()),
      ]),
    onError: (error) => failed(error, "The message was not marked"),
  });
  const opened = useRef(new Set<string>());
  const { mutate } = mark;
  useEffect(() => {
    for (const { id, read } of messages) {
      if (opened.current.has(id)) continue;
      opened.current.add(id);
      if (!read) mutate({ id, read: true });
    }
  }, [messages, mutate]);
  return mark.mutate;
}
