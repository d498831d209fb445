// Reads and changes where the member gets notices. A place without a topic is removed.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useTRPC } from "../../trpc.ts";
import type { Route, Topic } from "./topics.tsx";

export function useRoutes() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const settled = {
    onError: (error: unknown) => failed(error, "Your notices were not changed"),
    onSettled: () => queries.invalidateQueries(trpc.notices.pathFilter()),
  };
  const add = useMutation(trpc.notices.add.mutationOptions(settled));
  const change = useMutation(trpc.notices.change.mutationOptions(settled));
  const remove = useMutation(trpc.notices.remove.mutationOptions(settled));
  return {
    /** `route` undefined: by mail, which the member does not get yet. Settles when the page has read what is saved. */
    async setTopics(route: Route | undefined, topics: Topic[]): Promise<void> {
      if (!route) await add.mutateAsync({ topics });
      else if (topics.length === 0) await remove.mutateAsync({ id: route.id });
      else await change.mutateAsync({ id: route.id, topics });
    },
    remove: (route: Route) => remove.mutate({ id: route.id }, { onSuccess: () => succeeded("The chat is removed") }),
  };
}
