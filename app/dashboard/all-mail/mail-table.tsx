// The table of all mail: each row opens its thread in the inbox.
"use client";
import { Text } from "@mantine/core";
import { NearLink } from "../../design/near-link.tsx";
import type { usePreviews } from "../mail/list/thread-rows.ts";
import { WarningTag } from "../mail/list/warning-tag.tsx";
import { foundHref } from "../mail/place.ts";
import { messageState } from "../mail/status.ts";
import { BrokenUrl } from "../parts/broken-url.tsx";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { shortRecipients, shortSender } from "../parts/short-sender.ts";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./all-mail.module.css";

type Message = Outputs["messages"]["search"]["data"][number];
type Previews = ReturnType<typeof usePreviews>;

type Props = {
  messages: Message[];
  previews: Previews;
  /** The filters that found them, as a query. */
  search: string;
};

export default function MailTable({ messages, previews, search }: Props) {
  const columns: Column<Message>[] = [
    {
      name: "Subject",
      kind: "title",
      minWidth: 15,
      show: (message) => (
        <>
          <span className={classes.subject}>
            <NearLink
              href={foundHref(message, search)}
              className={classes.link}
              data-unread={message.read ? undefined : true}
            >
              {message.subject || "(no subject)"}
            </NearLink>
            {!message.read && <span className="visually-hidden">Unread</span>}
            {message.warning && <WarningTag warning={message.warning} />}
          </span>
          <Text size="sm" c="dimmed" lineClamp={1}>
            {message.preview}
          </Text>
        </>
      ),
    },
    { name: "State", minWidth: 7, show: (message) => <Outcome message={message} /> },
    {
      name: "From or to",
      minWidth: 9,
      show: (message) => (
        <BrokenUrl text={message.direction === "inbound" ? shortSender(message) : shortRecipients(message)} />
      ),
    },
    { name: "Inbox", minWidth: 11, show: ({ inbox }) => <BrokenUrl text={inbox} /> },
    {
      name: "Agent",
      minWidth: 6,
      show: ({ id, direction }) => agentOf(previews.get(id), direction),
    },
    { name: "Time", show: ({ received_at, created_at }) => <Time at={received_at ?? created_at ?? null} plain /> },
  ];
  return <DataTable label="Mail" columns={columns} rows={messages} keyOf={({ id }) => id} minWidth={58} />;
}

/** Who sent it, or whose inbox received it. */
function agentOf(preview: ReturnType<Previews["get"]>, direction: "inbound" | "outbound"): string {
  if (!preview) return "";
  return preview.agent ?? (direction === "inbound" ? "Your team" : "A member");
}

function Outcome({ message }: { message: Message }) {
  const state = messageState(message);
  if (message.quarantined) return "In quarantine";
  if (!state) return "Received";
  return (
    <span className={classes.state} data-color={state.color}>
      <state.Shape size={15} aria-hidden />
      {state.words}
    </span>
  );
}
