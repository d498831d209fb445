// The result of an outbound message: waiting, sent, or failed, for each recipient.
"use client";
import { Badge } from "@mantine/core";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

const STATES: Record<string, { color: string; words: string }> = {
  queued: { color: "gray", words: "Queued" },
  sending: { color: "gray", words: "Being sent" },
  sent: { color: "green", words: "Sent" },
  delivered: { color: "green", words: "Delivered" },
  bounced: { color: "red", words: "Bounced" },
  complained: { color: "red", words: "Reported as spam" },
  suppressed: { color: "red", words: "Suppressed" },
  failed: { color: "red", words: "Not sent" },
};
const OUTCOMES = {
  queued: "queued",
  sent: "accepted by the next server",
  delivered: "delivered",
  bounced: "bounced",
  complained: "reported as spam",
  suppressed: "not sent, the address is suppressed",
  failed: "not sent",
} as const;

export function Outcome({ message }: { message: Message }) {
  const state = STATES[message.status];
  return (
    <div className={classes.verdict} data-tone={state?.color === "red" ? "bad" : "unknown"}>
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
          {message.recipients.map(({ address, status, reason }) => (
            <li key={address}>
              {address}: {OUTCOMES[status]}
              {reason ? `, ${reason}` : ""}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
