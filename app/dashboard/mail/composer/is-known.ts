// Before the text of this tab is shown: whether the service still has its draft.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { describeFailure } from "../../parts/failure.ts";
import { forgetText } from "../../parts/kept-text.ts";
import { useTRPCClient } from "../../trpc.ts";
import { serverOf } from "./draft.ts";

/** A draft that was sent, scheduled or deleted elsewhere is not written on: this tab forgets its text. */
export function useIsKnown(place: string): boolean {
  const client = useTRPCClient();
  const [server] = useState(() => serverOf(place));
  const { isPending } = useQuery({
    queryKey: ["draft-of-tab", place],
    queryFn: async () => {
      try {
        await client.drafts.get.query({ id: server?.id ?? "" });
      } catch (error) {
        if (describeFailure(error).code === "draft_not_found") forgetText(place);
      }
      return true;
    },
    enabled: server !== null,
    gcTime: 0,
    // Also without a connection, where the text of this tab is shown.
    networkMode: "always",
  });
  return server === null || !isPending;
}
