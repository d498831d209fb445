// The state of an outbound message, what to do next, and the outcome for each recipient: status, what the mail server said, and when.
"use client";
import { Anchor, Badge, Button, Group } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { NearLink } from "../../../design/near-link.tsx";
import { later } from "../../parts/later.ts";
import { Problem } from "../../parts/problem.tsx";
import { namedRecipients } from "../../parts/short-sender.ts";
import { Time } from "../../parts/time.tsx";
import { useTRPC } from "../../trpc.ts";
import { messageState, recipientState, type State, waitsForTime } from "../status.ts";
import { CancelSend, MoveSend } from "../waiting.tsx";
import type { Message } from "./message.ts";
import classes from "./thread.module.css";

type Recipient = NonNullable<Message["recipients"]>[number];
/** These suppress an address, or are caused by it. */
const SUPPRESSING = ["bounced", "complained", "suppressed"];

/** It left for none of its recipients. */
const NEVER_LEFT = ["cancelled", "rejected"];
/** They did not get it. Who complained is not asked again. */
const TO_TRY_AGAIN = ["bounced", "failed"];
const EditDraft = later(() => import("../../outbox/edit-draft.tsx"));

export function Outcome({ message }: { message: Message }) {
  const { recipients = [] } = message;
  const state = messageState(message);
  // Where one recipient has the same words, they are shown once.
  const error = recipients.some(({ reason }) => reason === message.error) ? null : message.error;
  const isSame = recipients.length === 1 && recipients.every((one) => recipientState(one)?.words === state?.words);
  return (
    <div className={classes.verdict} data-tone={state?.color === "red" ? "bad" : "calm"}>
      {(!isSame || error) && (
        <div className={classes.sender}>
          {state && <StateBadge state={state} />}
          {message.status === "held" && <span>{state?.means}</span>}
          {error && <span>{error}</span>}
        </div>
      )}
      <NextStep message={message} />
      {recipients.length > 0 && (
        <ul className={classes.recipients} aria-label="Recipients">
          {recipients.map((recipient) => (
            <li key={recipient.address} className={classes.oneRecipient}>
              <OneRecipient
                recipient={recipient}
                isWaiting={recipient.status === "queued" && state?.words !== "Queued"}
              />
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

/** What a member can do about a message that waits, or that did not arrive. */
function NextStep({ message }: { message: Message }) {
  const [asking, setAsking] = useState<"move" | "cancel">();
  const again = (message.recipients ?? []).filter(({ status }) => TO_TRY_AGAIN.includes(status));
  const close = () => setAsking(undefined);
  if (message.status === "held") {
    return (
      <Group gap="xs">
        <Button component={NearLink} href={`/dashboard/approvals?id=${message.id}`} size="xs">
          Decide
        </Button>
      </Group>
    );
  }
  if (waitsForTime(message)) {
    return (
      <Group gap="xs">
        {message.status === "scheduled" && (
          <Button size="xs" variant="default" onClick={() => setAsking("move")}>
            Move
          </Button>
        )}
        <Button size="xs" variant="default" color="red" onClick={() => setAsking("cancel")}>
          Cancel
        </Button>
        {asking === "move" && <MoveSend message={message} onClose={close} />}
        {asking === "cancel" && <CancelSend message={message} onClose={close} />}
      </Group>
    );
  }
  if (NEVER_LEFT.includes(message.status)) {
    const { to, cc, bcc = [] } = message;
    const people = {
      to: namedRecipients(to, message),
      cc: namedRecipients(cc, message),
      bcc: namedRecipients(bcc, message),
    };
    return <SendAgain message={message} people={people} />;
  }
  return again.length > 0 && <SendAgain message={message} people={{ to: again.map(({ address }) => address) }} />;
}

type AgainProps = { message: Message; people: { to: string[]; cc?: string[]; bcc?: string[] } };

/** Opens a draft with the same words and files, to the recipients who did not get the message. */
function SendAgain({ message, people }: AgainProps) {
  const trpc = useTRPC();
  const [draft, setDraft] = useState<string>();
  const write = useMutation(trpc.drafts.create.mutationOptions({ onSuccess: ({ id }) => setDraft(id) }));
  const { inbox, subject, text, html, attachments } = message;
  const files = attachments.map(({ id }) => ({ message_id: message.id, attachment_id: id }));
  return (
    <>
      {write.error && <Problem error={write.error} what="The draft was not made" />}
      <Group gap="xs">
        <Button
          size="xs"
          variant="default"
          loading={write.isPending}
          onClick={() =>
            write.mutate({
              inbox,
              ...people,
              subject,
              ...(text !== null && { text }),
              ...(html !== null && { html }),
              ...(files.length > 0 && { attachments: files }),
            })
          }
        >
          Edit and send again
        </Button>
      </Group>
      {draft && <EditDraft id={draft} onClose={() => setDraft(undefined)} />}
    </>
  );
}

function StateBadge({ state: { color, words } }: { state: State }) {
  return (
    <Badge size="sm" variant="light" color={color}>
      {words}
    </Badge>
  );
}

/** @param isWaiting its state is that of the message, which is shown above */
function OneRecipient({ recipient, isWaiting }: { recipient: Recipient; isWaiting: boolean }) {
  const { address, status, smtp_code, enhanced_code, reason, at } = recipient;
  const state = recipientState(recipient);
  const codes = [smtp_code, enhanced_code].filter((code) => code !== null).join(" ");
  // The reason often starts with the codes.
  const words = codes && reason?.startsWith(codes) ? reason.slice(codes.length).trim() : reason;
  return (
    <>
      <span className={classes.recipient}>
        <strong>{address}</strong>
        {state && !isWaiting && <StateBadge state={state} />}
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
