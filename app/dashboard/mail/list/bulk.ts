// Changes several threads with one call, and undoes it.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import type { Row } from "./thread-rows.ts";

type Marks = { ids: string[]; read?: boolean; add_label?: string; remove_label?: string };

const threads = (count: number) => (count === 1 ? "1 thread" : `${count} threads`);
const idsOf = (rows: Row[]) => rows.map(({ threadId }) => threadId);

export function useBulk() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const changed = [trpc.threads.pathFilter(), trpc.messages.list.pathFilter(), trpc.inboxes.summaries.pathFilter()];
  const change = async (marks: Marks) => {
    await client.threads.mark.mutate(marks);
    await Promise.all(changed.map((filter) => queries.invalidateQueries(filter)));
  };
  const mark = useMutation({
    mutationFn: ({ marks }: { marks: Marks; undo: Marks; done: string }) => change(marks),
    onSuccess: (_, { undo, done }) => {
      succeeded(done, undo.ids.length > 0 ? { undo: () => change(undo) } : {});
    },
    onError: (error) => failed(error, "The threads were not changed"),
  });

  return {
    isBusy: mark.isPending,
    markRead(rows: Row[], read: boolean) {
      const those = idsOf(rows.filter(({ unread }) => unread === read));
      const done = `${threads(rows.length)} marked as ${read ? "read" : "unread"}`;
      mark.mutate({ marks: { ids: idsOf(rows), read }, undo: { ids: those, read: !read }, done });
    },
    addLabel(rows: Row[], label: string) {
      const those = idsOf(rows.filter(({ labels }) => !labels.includes(label)));
      const done = `“${label}” added to ${threads(rows.length)}`;
      mark.mutate({ marks: { ids: idsOf(rows), add_label: label }, undo: { ids: those, remove_label: label }, done });
    },
    removeLabel(rows: Row[], label: string) {
      const ids = idsOf(rows.filter(({ labels }) => labels.includes(label)));
      const done = `“${label}” removed from ${threads(ids.length)}`;
      mark.mutate({ marks: { ids, remove_label: label }, undo: { ids, add_label: label }, done });
    },
  };
}
