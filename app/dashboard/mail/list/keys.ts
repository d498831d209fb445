// The keys of the list: j and k open the next and the previous thread.
"use client";
import { useEffect, useRef } from "react";
import { useShortcuts } from "../../parts/shortcuts.ts";
import { goTo } from "../place.ts";
import type { Row } from "./thread-rows.ts";

/** The pane of the open thread. */
const READING = "[aria-label=Thread], [aria-label='Quarantined message']";

export function useListKeys(rows: Row[], current: string) {
  // `current` follows the address after a render, so keys pressed quickly count from the thread asked for last. Nor does
  // the address itself say it: Next writes an earlier one into it again while it renders the later ones.
  const asked = useRef<string[]>([]);
  useEffect(() => {
    const at = asked.current.lastIndexOf(current);
    asked.current = at === -1 ? [] : asked.current.slice(at + 1);
  }, [current]);

  const move = (by: number) => {
    const from = asked.current.at(-1) ?? current;
    const row = rows[rows.findIndex(({ threadId }) => threadId === from) + by];
    if (!row) return;
    asked.current.push(row.threadId);
    // Its title gets the focus when the thread is shown. What has the focus in the thread before it goes.
    if (document.activeElement?.closest(READING)) document.getElementById("main")?.focus({ preventScroll: true });
    // Beside an open thread, the way back is to the list.
    goTo({ thread: row.threadId }, from !== "");
  };
  useShortcuts([
    { keys: "j", does: "Open the next thread", run: () => move(1), repeats: true },
    { keys: "k", does: "Open the previous thread", run: () => move(-1), repeats: true },
  ]);
}
