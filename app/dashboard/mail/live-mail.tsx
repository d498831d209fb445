// Shows new mail automatically: follows the organization's events, refetches what they affect, and shows whether it is
// connected.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import { useSubscription } from "@trpc/tanstack-react-query";
import { useEffect, useRef } from "react";
import { useTRPC } from "../trpc.ts";
import classes from "./mail.module.css";

/** Events within this time are handled together. */
const GATHER_MS = 300;

const STATES = {
  pending: { state: "live", said: "Live", title: "New mail appears automatically" },
  connecting: { state: "waiting", said: "Reconnecting…", title: "New mail appears when the connection is restored" },
  error: { state: "off", said: "Not live", title: "Reload the page to receive new mail automatically" },
  idle: { state: "waiting", said: "Connecting…", title: "New mail appears when the connection is open" },
} as const;

export function LiveMail() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  function refresh() {
    timer.current = undefined;
    void queries.invalidateQueries(trpc.threads.pathFilter());
    void queries.invalidateQueries(trpc.messages.list.pathFilter());
    void queries.invalidateQueries(trpc.messages.previews.pathFilter());
    void queries.invalidateQueries(trpc.inboxes.summaries.pathFilter());
  }

  const { status } = useSubscription(
    trpc.events.onMessage.subscriptionOptions(
      {},
      {
        onData() {
          timer.current ??= setTimeout(refresh, GATHER_MS);
        },
      },
    ),
  );
  const { state, said, title } = STATES[status];
  return (
    <span className={classes.live} data-state={state} title={title} role="status">
      {said}
    </span>
  );
}
