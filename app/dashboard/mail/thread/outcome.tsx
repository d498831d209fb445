// The outcome of an outbound message for each recipient: status, what the mail server said, and when.
"use client";
import { Anchor, Badge } from "@mantine/core";
import { NearLink } from "../../../design/near-link.tsx";
import { Time } from "../../parts/time.tsx";
import { messageState, recipientState, type State } from "../status.ts";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

type Recipient = NonNullable<Message["recipients"]>[number];
/** These suppress an address, or are caused by it. */
const SUPPRESSING = ["bounced", "complained", "suppressed"];

export function Outcome({ message }: { message: Message }) {
  const { recipients = [] } = message;
  const state = messageState(message);
  // Where one recipient has the same words, they are shown once.
  const error = recipients.some(({ reason }) => reason === message.error) ? null : message.error;
  return (
    <div className={classes.verdict} data-tone={state?.color === "red" ? "bad" : "calm"}>
      {(recipients.length !== 1 || error) && (
        <div className={classes.sender}>
          {state && <StateBadge state={state} />}
          {error && <span>{error}</span>}
        </div>
      )}
      {recipients.length > 0 && (
        <ul className={classes.recipients} aria-label="Recipients">
          {recipients.map((recipient) => (
            <li key={recipient.address} className={classes.oneRecipient}>
              <OneRecipient recipient={recipient} />
            </li>
          ))}
        </ul>
      )}
      {recipients.some(({ status }) => status === "captured") && (
        <span>Captured mail is stored here and not sent, because OUTBOUND=local sends no mail to other services.</span>
      )}
    </div>
  );
}

function StateBadge({ state: { color, words } }: { state: State }) {
  return (
    <Badge size="sm" variant="light" color={color}>
      {words}
    </Badge>
  );
}

function OneRecipient({ recipient }: { recipient: Recipient }) {
  const { address, status, smtp_code, enhanced_code, reason, at } = recipient;
  const state = recipientState(recipient);
  const codes = [smtp_code, enhanced_code].filter((code) => code !== null).join(" ");
  // The reason often starts with the codes.
  const words = codes && reason?.startsWith(codes) ? reason.slice(codes.length).trim() : reason;
  return (
    <>
      <span className={classes.recipient}>
        <strong>{address}</strong>
        {state && <StateBadge state={state} />}
        {at !== null && (
          <span className={classes.faint}>
            <Time at={at} />
          </span>
        )}
      </span>
      {recipient.status !== "captured" && (codes || words) && (
        <span className={classes.answer}>
          {codes && <code>{codes}</code>} {words}
        </span>
      )}
      {SUPPRESSING.includes(status) && (
        <Anchor
          component={NearLink}
          href={`/dashboard/suppressions?${new URLSearchParams({ address })}`}
          size="xs"
          data-thumb
          aria-label={`Check suppression of ${address}`}
        >
          Check suppression
        </Anchor>
      )}
    </>
  );
}
