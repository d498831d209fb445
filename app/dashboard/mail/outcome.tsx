// The result of an outbound message: waiting, sent, or failed, for each recipient.
"use client";
import { Badge } from "@mantine/core";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

const STATES: Record<string, { color: string; words: string }> = {
  queued: { color: "gray", words: "Queued" },
  sending: { color: "gray", words: "Being sent" },
  sent: { color: "green", words: "Sent" },
  failed: { color: "red", words: "Not sent" },
};
const OUTCOMES = {
  delivered: "delivered to a mailbox of this service",
  accepted: "accepted by the next server",
  captured: "stored, not sent: mail does not leave this machine (OUTBOUND=local)",
  refused: "refused",
} as const;

export function Outcome({ message }: { message: Message }) {
  const state = STATES[message.status];
  return (
    <div className={classes.verdict} data-tone={message.status === "failed" ? "bad" : "unknown"}>
      <div className={classes.sender}>
        {state && (
          <Badge size="sm" variant="light" color={state.color}>
            {state.words}
          </Badge>
        )}
        {message.error && <span>{message.error}</span>}
      </div>
      {message.recipients && message.recipients.length > 0 && (
        <ul className={classes.cautions}>
          {message.recipients.map(({ address, outcome, detail }) => (
            <li key={address}>
              {address}: {OUTCOMES[outcome]}
              {detail && outcome !== "captured" ? `, ${detail}` : ""}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
