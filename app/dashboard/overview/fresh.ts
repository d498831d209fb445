// Keeps the overview up to date: fetches it again when mail arrives, at most every few seconds.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useRef } from "react";
import { useTRPC } from "../trpc.ts";

/** The overview of a busy organization is slow to compute, so it is not fetched more often. */
const GATHER_MS = 5_000;

export function useFreshOverview(): void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function refresh() {
    timer.current = undefined;
    void queries.invalidateQueries(trpc.overview.pathFilter());
  }

  useSubscription(
    trpc.events.onMessage.subscriptionOptions(
      {},
      {
        onData() {
          timer.current ??= setTimeout(refresh, GATHER_MS);
        },
      },
    ),
  );
}
