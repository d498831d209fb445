// What the form does: keeps, saves, sends, schedules and discards what is written.
"use client";
import { notifications } from "@mantine/notifications";
import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { describeFailure } from "../../parts/failure.ts";
import { failed, succeeded } from "../../parts/toast.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../../trpc.ts";
import { useAnnounceSend } from "../announce-send.ts";
import { toastWithUndo } from "../deleting.tsx";
import { type Draft, type Field, isBlank, useDraft } from "./draft.ts";
import type { MailFile } from "./files.ts";
import { useFiles } from "./files.ts";
import { inOutbox } from "./in-outbox.tsx";
import type { ComposerProps, Writing } from "./kinds.ts";
import { attachmentsOf, useSaving } from "./saving.ts";

type Save = () => Promise<{ id: string; revision: number }>;
/** `sendAt`: undefined sends it now. */
type Sending = { draft: Draft; files: MailFile[]; sendAt: string | undefined; save: Save };

type Saving = ReturnType<typeof useSaving>;

const SENT = { new: "Message", reply: "Reply", forward: "Forwarded message", draft: "Message" };

function beginning(writing: Writing): Partial<Draft> {
  if (writing.kind === "reply") return { all: writing.all, expected: writing.last };
  if (writing.kind !== "draft") return {};
  const { id, revision, to, cc, bcc, subject, text, html, attachments } = writing.stored;
  const stored = attachments.map(({ filename, ...file }) => ({ ...file, filename: filename ?? "a file" }));
  return { to, cc, bcc, subject: subject ?? "", text: text ?? "", html, server: { id, revision }, stored };
}

export function useWriting({ writing, last, onSent, onClose, onReopen, onUndo }: ComposerProps) {
  const { draft, isFromTab, change, renew, forget, restore } = useDraft(writing.place, beginning(writing));
  /** It was sent, discarded, or saved to be continued from the Outbox. */
  const isOver = useRef(false);
  const attached = useFiles(draft.stored);
  const { files } = attached;
  const [sendAt, setSendAt] = useState<string>();
  const saving = useSaving(writing, { draft, files }, isFromTab, (part) => {
    change(part);
    // The Outbox opens it from the service.
    if (writing.kind === "draft") forget();
  });
  const announce = useAnnounceSend();
  const sending = useSend(writing, (sent) => {
    isOver.current = true;
    forget();
    void announce(SENT[writing.kind], sent);
    onSent(sent.thread_id);
  });
  const send = useOnce(() => sending.mutateAsync({ draft, files, sendAt, save: saving.saveWhole }));
  useLeaving({ writing, draft, saving, isOver });

  return {
    draft,
    change,
    attached,
    sending,
    saving,
    savingError: savingError(saving),
    sendAt,
    setSendAt,
    send,
    issueOf: (field: Field) => issueOf(sending.error ?? savingError(saving), field, draft),
    /** Although the thread has newer messages. */
    sendAnyway() {
      change({ expected: last ?? null });
      setTimeout(send);
    },
    renew() {
      attached.leaveStored();
      saving.rebase(null);
      renew();
      sending.reset();
    },
    ...useConflict({ draft, saving, isOver, forget, onReopen: onReopen ?? onClose, onRetry: sending.reset }),
    ...useEnding({ writing, content: { draft, files }, saving, isOver, forget, restore, onClose, onUndo }),
  };
}

function savingError({ state }: Saving): unknown {
  if (state.kind === "saved") return state.refused;
  return state.kind === "failed" ? state.error : undefined;
}

type Leaving = { writing: Writing; draft: Draft; saving: Saving; isOver: RefObject<boolean> };

/** Saves what is not saved yet when the form disappears in another way than by its buttons. */
function useLeaving({ writing: { kind }, draft, saving, isOver }: Leaving) {
  const leave = useRef(async () => {});
  leave.current = async () => {
    const isSaved = !saving.isDue && (kind !== "new" || draft.server === null);
    if (isOver.current || kind === "forward" || isSaved) return;
    try {
      await saving.save().catch((error: unknown) => {
        if (describeFailure(error).code !== "draft_not_found") throw error;
        // What was sent or deleted is another version.
        saving.rebase(null);
        return saving.save();
      });
      if (kind === "new") succeeded(inOutbox(saving.isPartly()));
    } catch (error) {
      failed(error, "The draft is kept in this tab only");
    }
  };
  useEffect(() => () => void leave.current(), []);
}

/** About recipients, it names those that are wrong: the service names their places. */
function issueOf(error: unknown, field: Field, draft: Draft): string | undefined {
  const issues = error ? Object.entries(describeFailure(error).issues) : [];
  const own = issues.filter(([path]) => path.split(".")[0] === field);
  const values: unknown = draft[field];
  const wrong = Array.isArray(values) ? own.flatMap(([path]) => values[Number(path.split(".")[1])] ?? []) : [];
  if (wrong.length === 0) return own[0]?.[1];
  const names = wrong.map((each) => `“${each}”`).join(", ");
  return `${names} ${wrong.length === 1 ? "is not a mail address" : "are not mail addresses"}. Write ann@example.com or Ann <ann@example.com>.`;
}

/** The second click of a double click can arrive before React shows the button as busy. */
function useOnce(act: () => Promise<unknown>) {
  const isBusy = useRef(false);
  const latest = useRef(act);
  latest.current = act;
  return () => {
    if (isBusy.current) return;
    isBusy.current = true;
    // The mutation has the error, which the form shows.
    const done = () => {
      isBusy.current = false;
    };
    latest.current().then(done, done);
  };
}

type Ending = {
  writing: Writing;
  content: { draft: Draft; files: MailFile[] };
  saving: Saving;
  isOver: RefObject<boolean>;
  forget: () => void;
  restore: (kept: Draft) => void;
  onClose: () => void;
  onUndo: (() => void) | undefined;
};
type Drafts = InfiniteData<Outputs["drafts"]["list"]>;

function useEnding({ writing, content, saving, isOver, forget, restore, onClose, onUndo }: Ending) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const listed = trpc.drafts.list.pathFilter();

  function hide(id: string) {
    queries.setQueriesData<Drafts>(
      listed,
      (before) =>
        before && {
          ...before,
          pages: before.pages.map((page) => ({ ...page, data: page.data.filter((each) => each.id !== id) })),
        },
    );
  }

  function remove(server: Draft["server"]) {
    if (!server) return;
    client.drafts.remove
      .mutate({ id: server.id })
      .then(() => queries.invalidateQueries(listed))
      .catch((error: unknown) => {
        const isGone = describeFailure(error).code === "draft_not_found";
        if (!isGone) failed(error, "The draft was not deleted");
      });
  }

  return {
    async close() {
      try {
        if (writing.kind !== "forward") await saving.save();
        isOver.current = true;
        if (writing.kind === "new") forget();
        if (writing.kind !== "forward") succeeded(inOutbox(saving.isPartly()));
        onClose();
      } catch {
        // What was refused is shown in the form.
      }
    },
    /** The draft on the service is deleted when the time for Undo is over. */
    async discard() {
      const { draft, files } = content;
      isOver.current = true;
      onClose();
      // Undo brings back what the service has, files too. What could not be saved, it brings back without its last change.
      const isWritten = !isBlank(draft) || files.length > 0;
      const server =
        writing.kind === "forward" || !isWritten
          ? draft.server
          : await saving
              .save()
              .catch((error: unknown) => (describeFailure(error).code === "draft_not_found" ? null : draft.server));
      forget();
      if (server) hide(server.id);
      if (!isWritten) return remove(server);
      let isUndone = false;
      // Of its own, because an earlier toast of this draft may still be closing.
      const toast = `discarding-${draft.key}-${Date.now()}`;
      toastWithUndo({
        id: toast,
        words: "Draft discarded",
        onUndo() {
          isUndone = true;
          notifications.hide(toast);
          restore({ ...draft, server, stored: server ? files.map(({ content: _, ...file }) => file) : [] });
          void queries.invalidateQueries(listed);
          onUndo?.();
        },
        onClose: () => void (isUndone || remove(server)),
      });
    },
  };
}

type Conflict = {
  draft: Draft;
  saving: Saving;
  isOver: RefObject<boolean>;
  forget: () => void;
  onReopen: () => void;
  onRetry: () => void;
};

/** What to do when the draft was changed elsewhere. */
function useConflict({ draft: { server }, saving, isOver, forget, onReopen, onRetry }: Conflict) {
  const client = useTRPCClient();
  return {
    openTheirs() {
      isOver.current = true;
      forget();
      onReopen();
    },
    async replaceTheirs() {
      if (!server) return;
      try {
        const { id, revision } = await client.drafts.get.query({ id: server.id });
        saving.rebase({ id, revision });
        await saving.save();
        onRetry();
      } catch (error) {
        failed(error, "The draft was not saved");
      }
    },
  };
}

/**
 * Sends what is written: a new message, a reply and a draft through the draft on the service, which is sent once; a forward
 * by its own call, with an idempotency key.
 */
function useSend(writing: Writing, onSent: (sent: Outputs["drafts"]["send"]) => void) {
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
    onSuccess(sent) {
      for (const filter of changed) void queries.invalidateQueries(filter);
      onSent(sent);
    },
    onError() {
      // Newer messages are shown above the draft.
      void queries.invalidateQueries(trpc.threads.pathFilter());
    },
  });
}
