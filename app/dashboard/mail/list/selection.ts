// Which threads are selected. Shift selects a range, as in other mail clients.
"use client";
import { useCallback, useMemo, useRef, useState } from "react";
import type { Row } from "./thread-rows.ts";

/** The service takes so many in one call. */
export const SELECTED_MAX = 100;

export function useSelection(rows: Row[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const last = useRef("");
  const shown = useRef(rows);
  shown.current = rows;
  const selected = useMemo(() => rows.filter(({ threadId }) => ids.has(threadId)), [rows, ids]);

  const toggle = useCallback((id: string, toHere: boolean) => {
    setIds((before) => {
      const order = shown.current.map(({ threadId }) => threadId);
      const [from, to] = [order.indexOf(last.current), order.indexOf(id)].toSorted((a, b) => a - b);
      const range = toHere && from !== undefined && from >= 0 ? order.slice(from, (to ?? 0) + 1) : [id];
      last.current = id;
      if (before.has(id) && !toHere) return new Set([...before].filter((each) => each !== id));
      return new Set([...before, ...range].slice(0, SELECTED_MAX));
    });
  }, []);

  return {
    selected,
    toggle,
    all: () => setIds(new Set(rows.slice(0, SELECTED_MAX).map(({ threadId }) => threadId))),
    none: () => setIds(new Set()),
  };
}
