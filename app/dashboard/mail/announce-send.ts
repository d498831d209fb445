// useAnnounceSend(): says in a toast what became of a message that the service accepted, in the words of its state.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { succeeded } from "../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../trpc.ts";
import { messageState, type Outbound, waitsForTime } from "./status.ts";

/** A service that sends no mail to other services knows the outcome within a second. */
const LOOK_AGAIN_MS = 200;
const LOOKS_MAX = 15;

type Accepted = { id: string; status: Outbound["status"] };

export function useAnnounceSend(): (what: string, accepted: Accepted) => Promise<void> {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();

  async function readState(id: string): Promise<Outbound> {
    const { sends_mail } = await queries.ensureQueryData(trpc.notices.list.queryOptions());
    for (let looks = 1; ; looks += 1) {
      const message = await client.messages.get.query({ id });
      const isDecided = (message.status !== "queued" && message.status !== "sending") || waitsForTime(message);
      if (sends_mail || isDecided || looks === LOOKS_MAX) return message;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  return async (what, accepted) => {
    // If it cannot be read, the state at its acceptance is the newest known one.
    const message = await readState(accepted.id).catch((): Outbound => accepted);
    if (message.status !== accepted.status) {
      for (const shown of [trpc.threads, trpc.messages.list, trpc.messages.listQueued])
        void queries.invalidateQueries(shown.pathFilter());
    }
    const state = messageState(message);
    if (!state) return;
    const { words, means, ...look } = state;
    const sentence = `${what} ${words.charAt(0).toLowerCase()}${words.slice(1)}`;
    succeeded(means === undefined ? sentence : `${sentence}. ${means}`, look);
  };
}
