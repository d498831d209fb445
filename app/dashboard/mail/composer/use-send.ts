// Sends what is written: a new message, a reply and a draft through the draft on the service, which is sent once; a
// forward by its own call, with an idempotency key.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "../../trpc.ts";
import type { Draft } from "./draft.ts";
import type { MailFile } from "./files.ts";
import type { Writing } from "./kinds.ts";
import { attachmentsOf } from "./saving.ts";

type Save = () => Promise<{ id: string; revision: number }>;
/** `sendAt`: undefined sends it now. */
export type Sending = { draft: Draft; files: MailFile[]; sendAt: string | undefined; save: Save };

export function useSend(writing: Writing, onSent: (threadId: string) => void) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const changed = [
    trpc.threads.pathFilter(),
    trpc.messages.list.pathFilter(),
    trpc.messages.listScheduled.pathFilter(),
    trpc.messages.sendLimit.pathFilter(),
    trpc.inboxes.summaries.pathFilter(),
    trpc.drafts.list.pathFilter(),
  ];
  return useMutation({
    mutationFn: async ({ draft, files, sendAt, save }: Sending) => {
      const later = sendAt === undefined ? {} : { send_at: sendAt };
      if (writing.kind !== "forward") return client.drafts.send.mutate({ ...(await save()), ...later });
      const { to, cc, bcc, text, html, key: idempotency_key } = draft;
      const content = { to, cc, bcc, ...(text && { text }), ...(html && { html }), attachments: attachmentsOf(files) };
      return client.messages.forward.mutate({ id: writing.id, ...content, idempotency_key, ...later });
    },
    onSuccess({ thread_id }) {
      for (const filter of changed) void queries.invalidateQueries(filter);
      onSent(thread_id);
    },
    onError() {
      // Newer messages are shown above the draft.
      void queries.invalidateQueries(trpc.threads.pathFilter());
    },
  });
}
