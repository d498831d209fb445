// Deletes with Undo: hides an item immediately, and deletes it when its toast closes. The toast stays open while it has
// the pointer or the focus. Leaving the page deletes all pending items.
"use client";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect, useRef, useState } from "react";
import { IconTrash } from "../../design/icons.tsx";
import { failed } from "../parts/toast.tsx";
import { useChosenOrganization } from "../session/chosen-organization.ts";
import { useTRPCClient } from "../trpc.ts";

const UNDO_MS = 6_000;

type Kind = "messages" | "threads";
type Waiting = { kind: Kind; id: string; toast: string };

/**
 * `hidden`: ids that are deleted or about to be. `remove` deletes one after the time for Undo; `onDone` is called
 * afterwards.
 */
export function useDeleting(onDone: () => void) {
  const client = useTRPCClient();
  const organization = useChosenOrganization();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const waiting = useRef(new Map<string, Waiting>());

  function show(id: string) {
    setHidden((ids) => new Set([...ids].filter((each) => each !== id)));
  }

  async function carryOut(id: string) {
    const due = waiting.current.get(id);
    if (!due) return;
    waiting.current.delete(id);
    try {
      await client[due.kind].remove.mutate({ id });
      onDone();
    } catch (error) {
      show(id);
      failed(error, due.kind === "threads" ? "The thread was not deleted" : "The message was not deleted");
    }
  }

  function undo({ id, toast }: Waiting) {
    waiting.current.delete(id);
    notifications.hide(toast);
    show(id);
  }

  function remove(kind: Kind, id: string) {
    setHidden((ids) => new Set([...ids, id]));
    const due: Waiting = { kind, id, toast: `deleting-${id}` };
    waiting.current.set(id, due);
    notifications.show({
      id: due.toast,
      icon: <IconTrash size={18} aria-hidden />,
      color: "gray",
      autoClose: UNDO_MS,
      withBorder: true,
      role: "status",
      onClose: () => void carryOut(id),
      message: (
        <>
          {kind === "threads" ? "Thread deleted" : "Message deleted"}{" "}
          <Button size="compact-sm" variant="light" ml="xs" onClick={() => undo(due)}>
            Undo
          </Button>
        </>
      ),
    });
  }

  const leave = useRef(() => {});
  leave.current = () => {
    const query = organization === null ? "" : `?organization=${encodeURIComponent(organization)}`;
    for (const { kind, id, toast } of waiting.current.values()) {
      // The browser sends this request even if the page closes before the answer.
      void fetch(`/trpc/${kind}.remove${query}`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        credentials: "same-origin",
        keepalive: true,
        body: JSON.stringify({ id }),
      });
      notifications.hide(toast);
    }
    waiting.current.clear();
  };
  useEffect(() => {
    const onLeave = () => leave.current();
    window.addEventListener("pagehide", onLeave);
    return () => {
      window.removeEventListener("pagehide", onLeave);
      onLeave();
    };
  }, []);

  return { hidden, remove };
}
