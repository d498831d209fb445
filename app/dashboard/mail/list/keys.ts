// The keys of the list: j and k open the next and the previous thread.
"use client";
import { useShortcuts } from "../../shell/keyboard/shortcuts.ts";
import { goTo } from "../place.ts";
import type { Row } from "./thread-rows.ts";

export function useListKeys(rows: Row[], current: string) {
  const at = rows.findIndex(({ threadId }) => threadId === current);
  const open = (place: number) => {
    const row = rows[place];
    // Beside an open thread, the way back is to the list.
    if (row) goTo({ thread: row.threadId }, current !== "");
  };
  useShortcuts([
    { keys: "j", does: "Open the next thread", run: () => open(at + 1) },
    { keys: "k", does: "Open the previous thread", run: () => open(at - 1) },
  ]);
}
