// Deletes with Undo: hides items immediately, and deletes them when their toast closes. The toast stays open while it has
// the pointer or the focus. Leaving the page deletes all pending items, once each.
"use client";
import { notifications } from "@mantine/notifications";
import { useEffect, useRef, useState } from "react";
import { IconTrash } from "../../design/shell-icons.tsx";
import { failed, showToast, UndoButton } from "../parts/toast.tsx";
import { useChosenOrganization } from "../session/chosen-organization.ts";
import { useTRPCClient } from "../trpc.ts";

const UNDO_MS = 6_000;

type Kind = "messages" | "threads";
type Waiting = { kind: Kind; ids: string[]; toast: string };
export type Removed = ReturnType<typeof useDeleting>;

function wordsFor({ kind, ids }: Waiting): string {
  if (kind === "messages") return "Message deleted";
  return ids.length === 1 ? "Thread deleted" : `${ids.length} threads deleted`;
}

/** The procedure that deletes, and its input: one message, or threads. */
function callFor({ kind, ids }: Waiting): { path: string; input: { id: string } | { ids: string[] } } {
  const [id = ""] = ids;
  return kind === "messages"
    ? { path: "messages.remove", input: { id } }
    : { path: "threads.removeMany", input: { ids } };
}

/**
 * `hidden`: ids that are deleted or about to be. `remove` deletes one message, or threads, after the time for Undo;
 * `onDone` is called afterwards.
 */
export function useDeleting(onDone: () => void) {
  const client = useTRPCClient();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef(new Map<string, Waiting>());

  function show(ids: string[]) {
    setHidden((before) => new Set([...before].filter((each) => !ids.includes(each))));
  }

  async function carryOut(toast: string) {
    const due = waiting.current.get(toast);
    if (!due) return;
    waiting.current.delete(toast);
    const { kind, ids } = due;
    try {
      if (kind === "threads") await client.threads.removeMany.mutate({ ids });
      else await client.messages.remove.mutate({ id: ids[0] ?? "" });
      onDone();
    } catch (error) {
      show(ids);
      failed(error, kind === "threads" ? "The threads were not deleted" : "The message was not deleted");
    }
  }

  function undo({ ids, toast }: Waiting) {
    waiting.current.delete(toast);
    notifications.hide(toast);
    show(ids);
  }

  function remove(kind: Kind, ids: string[]) {
    setHidden((before) => new Set([...before, ...ids]));
    const due: Waiting = { kind, ids, toast: `deleting-${ids[0]}` };
    waiting.current.set(due.toast, due);
    toastWithUndo({
      id: due.toast,
      words: wordsFor(due),
      onUndo: () => undo(due),
      onClose: () => void carryOut(due.toast),
    });
  }

  useLeaving(waiting.current, onDone);
  return { hidden, remove };
}

type Undoable = { id: string; words: string; onUndo: () => void; onClose: () => void };

/** Says what was deleted. `onClose` is also called after `onUndo`. */
export function toastWithUndo({ id, words, onUndo, onClose }: Undoable) {
  showToast({
    id,
    icon: <IconTrash size={18} aria-hidden />,
    color: "gray",
    autoClose: UNDO_MS,
    role: "status",
    onClose,
    message: (
      <>
        {words} <UndoButton onUndo={onUndo} />
      </>
    ),
  });
}

/** Deletes what is pending when the page is left. The next page may show the trash, so `onDone` reads it again. */
function useLeaving(waiting: Map<string, Waiting>, onDone: () => void) {
  const organization = useChosenOrganization();
  const leave = useRef(() => {});
  leave.current = () => {
    const query = organization === null ? "" : `?organization=${encodeURIComponent(organization)}`;
    const left = [...waiting.values()];
    // Hiding a toast calls its `onClose`, which deletes what is still pending.
    waiting.clear();
    for (const due of left) {
      const { path, input } = callFor(due);
      // The browser sends this request even if the page closes before the answer.
      void fetch(`/trpc/${path}${query}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        credentials: "same-origin",
        keepalive: true,
        body: JSON.stringify(input),
      }).then(onDone, () => undefined);
      notifications.hide(due.toast);
    }
  };
  useEffect(() => {
    const onLeave = () => leave.current();
    window.addEventListener("pagehide", onLeave);
    return () => {
      window.removeEventListener("pagehide", onLeave);
      onLeave();
    };
  }, []);
}
