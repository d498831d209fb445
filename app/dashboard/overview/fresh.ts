// Keeps the overview up to date: it is read anew when mail comes, at most every few seconds.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useRef } from "react";
import { useTRPC } from "../trpc.ts";

/** The overview of a busy organization takes the service a moment; nobody reads it faster than this. */
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
