// Shows new mail and outcomes of sent mail automatically: follows the organization's events, refetches what they affect,
// and shows whether it is connected.
"use client";
import { useReadAfterEvents, useTeamEventsState } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import classes from "./mail.module.css";

const STATES = {
  pending: { state: "live", said: "Live", title: "New mail appears automatically" },
  connecting: { state: "waiting", said: "Reconnecting…", title: "New mail appears when the connection is restored" },
  error: { state: "off", said: "Not live", title: "Reload the page to receive new mail automatically" },
  idle: { state: "waiting", said: "Connecting…", title: "New mail appears when the connection is open" },
} as const;

export function LiveMail() {
  const trpc = useTRPC();
  const { list, previews, sendLimit } = trpc.messages;
  const shown = [trpc.threads, list, previews, sendLimit, trpc.inboxes.summaries];
  useReadAfterEvents(shown.map((path) => path.pathFilter()));
  const { state, said, title } = STATES[useTeamEventsState()];
  return (
    <span className={classes.live} data-state={state} title={title} role="status">
      {said}
    </span>
  );
}
