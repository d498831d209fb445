// useResume: ends a pause of sending, for the button at the top of each page and for the palette.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";

export type Pause = Outputs["organization"]["pauses"]["data"][number];

export function useResume() {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [isMember, isAdmin] = [useMayAct("member"), useMayAct("admin")];
  const resume = useMutation({
    async mutationFn({ scope, id }: Pause) {
      if (scope === "inbox") await client.inboxes.resumeSending.mutate({ addr: id });
      else if (scope === "agent_key") await client.keys.resumeAgentKey.mutate({ id });
      else await client.organization.resumeSending.mutate({});
    },
    onSuccess: () => succeeded("Sending resumed"),
    onError: (error) => failed(error, "Sending was not resumed"),
    onSettled() {
      void queries.invalidateQueries(trpc.organization.pauses.pathFilter());
      void queries.invalidateQueries(trpc.messages.sendLimit.pathFilter());
    },
  });
  /** Whether the member may end it. */
  const mayResume = ({ scope, by_operator }: Pause) => !by_operator && (scope === "inbox" ? isMember : isAdmin);
  return { mayResume, resume };
}
