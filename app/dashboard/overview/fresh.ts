// Keeps the overview up to date: fetches it again after events, at most every few seconds.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useTeamEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";

/** The overview of a busy organization is slow to compute, so it is not fetched more often. */
const GATHER_MS = 5_000;

export function useFreshOverview(): void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  useTeamEvents(() => void queries.invalidateQueries(trpc.overview.pathFilter()), GATHER_MS);
}
