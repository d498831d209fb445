// Follows the events of the organization over one connection for all parts of the page: browsers allow a page few of them.
"use client";
import { type QueryFilters, useQueryClient } from "@tanstack/react-query";
import type { TRPCClient } from "@trpc/client";
import type { inferRouterOutputs } from "@trpc/server";
import { createContext, use, useEffect, useRef, useSyncExternalStore } from "react";
import type { AppRouter } from "#server/api/router.ts";

type Outputs = inferRouterOutputs<AppRouter>;
export type TeamEvent = Outputs["events"]["onEvent"] extends AsyncIterable<{ data: infer Data }> ? Data : never;
/** `pending`: events are followed. */
type State = "idle" | "connecting" | "pending" | "error";
type Listener = (event: TeamEvent) => void;
export type TeamEvents = ReturnType<typeof createTeamEvents>;

/** Events within this time are handled together. */
const GATHER_MS = 300;

export function createTeamEvents(client: TRPCClient<AppRouter>) {
  const listeners = new Set<Listener>();
  const watchers = new Set<() => void>();
  let state: State = "idle";
  let following: { unsubscribe(): void } | undefined;

  const tell: Listener = (event) => {
    for (const listener of listeners) listener(event);
  };

  function become(next: State) {
    state = next;
    for (const watcher of watchers) watcher();
  }

  return {
    listen(listener: Listener): () => void {
      listeners.add(listener);
      following ??= follow(client, become, tell);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        following?.unsubscribe();
        following = undefined;
        become("idle");
      };
    },
    watch(watcher: () => void): () => void {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    state: () => state,
  };
}

function follow(client: TRPCClient<AppRouter>, become: (state: State) => void, tell: Listener) {
  return client.events.onEvent.subscribe(
    {},
    {
      onData: ({ data }) => tell(data),
      onConnectionStateChange: (connection) => become(connection.state),
      onError: () => become("error"),
    },
  );
}

export const TeamEventsContext = createContext<TeamEvents | null>(null);

function useContextOfEvents(): TeamEvents {
  const events = use(TeamEventsContext);
  if (!events) throw new Error("Team events are used outside Connection");
  return events;
}

/** Calls `listener` with each event. */
export function useEachTeamEvent(listener: Listener): void {
  const events = useContextOfEvents();
  const newest = useRef(listener);
  newest.current = listener;
  useEffect(() => events.listen((event) => newest.current(event)), [events]);
}

/** Reads the queries of `filters` again after events, once for those within `gatherMs`. */
export function useReadAfterEvents(filters: QueryFilters[], gatherMs = GATHER_MS): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEachTeamEvent(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const filter of filters) void queries.invalidateQueries(filter);
    }, gatherMs);
  });
}

export function useTeamEventsState(): State {
  const events = useContextOfEvents();
  return useSyncExternalStore(events.watch, events.state, () => "idle");
}
