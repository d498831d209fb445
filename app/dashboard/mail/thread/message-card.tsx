// One message of a thread: sender, recipients, time, authentication, content and actions.
"use client";
import { ActionIcon, Button, Group, Menu, Popover, Skeleton, Tabs, TagsInput, UnstyledButton } from "@mantine/core";
import { useId, useState } from "react";
import {
  IconArrowBackUp,
  IconArrowBackUpDouble,
  IconArrowForwardUp,
  IconDots,
  IconMail,
  IconMailOpened,
  IconPaperclip,
  IconTag,
} from "../../../design/icons.tsx";
import { IconTrash } from "../../../design/shell-icons.tsx";
import { later } from "../../parts/later.ts";
import { namedRecipients } from "../../parts/short-sender.ts";
import { Time } from "../../parts/time.tsx";
import { AttachButton } from "../composer/file-list.tsx";
import { hasLeft, messageState } from "../status.ts";
import { Attachments } from "./attachments.tsx";
import { Found } from "./found.tsx";
import { useFound } from "./found-words.ts";
import { HtmlFrame } from "./html-frame.tsx";
import { atOf, calendarFile, type Message } from "./message.ts";
import { MessageSource } from "./message-source.tsx";
import { Outcome } from "./outcome.tsx";
import { PlainText, useQuotes } from "./quotes.tsx";
import { SpamLine } from "./spam-line.tsx";
import classes from "./thread.module.css";
import { Verdict } from "./verdict.tsx";

const Invitation = later(() => import("./invitation.tsx"));

const LABELS_MAX = 50;

type Props = {
  message: Message;
  isOpenAtFirst: boolean;
  /** A search for these words found it. */
  foundBy?: string;
  onDelete: () => void;
  /** Not of quarantined mail. */
  acts?: Acts;
};
type Acts = {
  /** A member unfolds it while it is unread. */
  onOpen: () => void;
  onMark: (marks: { read?: boolean; labels?: string[] }) => void;
  onReply: (all: boolean) => void;
  /** Only of the message that is answered with files. */
  onAttach?: ((files: File[]) => void) | undefined;
  onForward: () => void;
};

const SNIPPET_CHARS = 140;

function snippetOf({ extracted_text, text }: Message): string {
  return (extracted_text ?? text ?? "").replace(/\s+/g, " ").trim().slice(0, SNIPPET_CHARS);
}

export function MessageCard({ message, isOpenAtFirst, foundBy, onDelete, acts }: Props) {
  const card = useFound(foundBy);
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const contentId = useId();
  function toggle() {
    setOpen(!isOpen);
    if (!isOpen && !message.read) acts?.onOpen();
  }
  const { from, from_name, to, cc, direction } = message;
  const isOwn = direction === "outbound";
  const state = messageState(message);
  const invitation = calendarFile(message);
  return (
    <article
      ref={card}
      data-found={foundBy !== undefined || undefined}
      className={classes.message}
      data-own={isOwn || undefined}
      data-open={isOpen || undefined}
      aria-label={`Message from ${from_name ?? from}`}
    >
      <header className={classes.head}>
        <UnstyledButton className={classes.opener} onClick={toggle} aria-expanded={isOpen} aria-controls={contentId}>
          <span className={classes.from}>
            {!message.read && <span className={classes.dot} role="img" aria-label="Unread" />}
            <strong>
              <bdi>{from_name ?? from}</bdi>
            </strong>
            {from_name !== null && <span className={classes.faint}>{`<${from}>`}</span>}
          </span>
          <span className={isOpen ? classes.faint : classes.closed} dir="auto">
            {isOpen
              ? `to ${namedRecipients(to, message).join(", ") || "(no recipient)"}${cc.length > 0 ? `, copy to ${namedRecipients(cc, message).join(", ")}` : ""}`
              : snippetOf(message)}
          </span>
        </UnstyledButton>
        <span className={classes.headEnd}>
          {state && !isOpen && <span className={classes.stateWords}>{state.words}</span>}
          {!isOpen && message.attachments.length > 0 && (
            <IconPaperclip size={15} role="img" aria-label="With attachments" />
          )}
          <Time at={atOf(message)} plain={!isOpen} />
          <MoreActions message={message} onDelete={onDelete} acts={acts} />
        </span>
      </header>
      {isOpen && (
        <div id={contentId} className={classes.content}>
          {message.labels.length > 0 && (
            <ul className={classes.tags} aria-label="Labels">
              {message.labels.map((label) => (
                <li key={label} className={classes.tag}>
                  {label}
                </li>
              ))}
            </ul>
          )}
          {isOwn ? <Outcome message={message} /> : <Verdict message={message} />}
          {!isOwn && <SpamLine message={message} />}
          {!isOwn && <Found message={message} />}
          <HowRead notes={message.reading?.notes ?? []} />
          {invitation && <Invitation id={message.id} file={invitation} />}
          <MessageBody message={message} />
          <Attachments message={message} />
          {acts && <MessageActions message={message} {...acts} />}
        </div>
      )}
    </article>
  );
}

const READ_NOTES: Record<string, string> = {
  structure_repaired: "its parts are written wrongly",
  charset_guessed: "its character set was guessed",
  encoding_ignored: "a part is not encoded as it says",
  part_unreadable: "a part cannot be read: it is encrypted or broken",
};

/** One line, if the mail was read in another way than it declares. */
function HowRead({ notes }: { notes: string[] }) {
  const words = notes.flatMap((note) => READ_NOTES[note] ?? []).join("; ");
  return words === "" ? null : <p className={classes.faint}>{`How this mail was read: ${words}.`}</p>;
}

function MessageActions({ message, onReply, onAttach, onForward, onMark }: Acts & { message: Message }) {
  const canAnswer = hasLeft(message);
  return (
    <Group gap="xs" justify="space-between">
      <Group gap="xs">
        {canAnswer && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUp size={16} aria-hidden />}
            onClick={() => onReply(false)}
          >
            Reply
          </Button>
        )}
        {onAttach && (
          <AttachButton size="xs" variant="default" onFiles={onAttach}>
            Reply with files
          </AttachButton>
        )}
        {canAnswer && message.to.length + message.cc.length > 1 && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowBackUpDouble size={16} aria-hidden />}
            onClick={() => onReply(true)}
          >
            Reply to all
          </Button>
        )}
        {canAnswer && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowForwardUp size={16} aria-hidden />}
            onClick={onForward}
          >
            Forward
          </Button>
        )}
      </Group>
      <LabelEditor labels={message.labels} onChange={(labels) => onMark({ labels })} />
    </Group>
  );
}

function MoreActions({ message, onDelete, acts }: Pick<Props, "message" | "onDelete" | "acts">) {
  const { read } = message;
  const Mark = read ? IconMail : IconMailOpened;
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label="More to do with this message">
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {acts && (
          <>
            {hasLeft(message) && (
              <>
                <Menu.Item leftSection={<IconArrowBackUp size={16} aria-hidden />} onClick={() => acts.onReply(false)}>
                  Reply
                </Menu.Item>
                <Menu.Item leftSection={<IconArrowForwardUp size={16} aria-hidden />} onClick={acts.onForward}>
                  Forward
                </Menu.Item>
              </>
            )}
            {message.direction === "inbound" && (
              <Menu.Item leftSection={<Mark size={16} aria-hidden />} onClick={() => acts.onMark({ read: !read })}>
                Mark as {read ? "unread" : "read"}
              </Menu.Item>
            )}
          </>
        )}
        <Menu.Item color="red" leftSection={<IconTrash size={16} aria-hidden />} onClick={onDelete}>
          Delete message
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** The labels of a message: shown, and changed in a small panel. */
function LabelEditor({ labels, onChange }: { labels: string[]; onChange: (labels: string[]) => void }) {
  return (
    <Popover width={300} position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <Button size="compact-sm" variant="subtle" color="gray" leftSection={<IconTag size={15} aria-hidden />}>
          Labels
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <TagsInput
          label="Labels"
          description="Type a label, then press Enter."
          value={labels}
          onChange={onChange}
          maxTags={LABELS_MAX}
          comboboxProps={{ withinPortal: false }}
          clearButtonProps={{ "aria-label": "Remove all labels" }}
          data-autofocus
        />
      </Popover.Dropdown>
    </Popover>
  );
}

/** The body of a message: its HTML, its text, its source. */
function MessageBody({ message }: { message: Message }) {
  const { html, text } = message;
  const quotes = useQuotes(message);
  const first = html !== null ? "html" : text !== null ? "text" : "source";
  return (
    <Tabs defaultValue={first} keepMounted={false}>
      <Tabs.List aria-label="Message format">
        {html !== null && <Tabs.Tab value="html">HTML</Tabs.Tab>}
        {text !== null && <Tabs.Tab value="text">Plain text</Tabs.Tab>}
        <Tabs.Tab value="source">Source</Tabs.Tab>
      </Tabs.List>
      {html !== null && (
        <Tabs.Panel value="html" pt="sm">
          <HtmlFrame
            id={message.id}
            from={message.from}
            html={html}
            seen={message.safe_text?.text ?? text ?? ""}
            fresh={message.extracted_text ?? ""}
            quotes={quotes}
          />
        </Tabs.Panel>
      )}
      {text !== null && (
        <Tabs.Panel value="text" pt="sm">
          {quotes ? <PlainText text={text} quotes={quotes.text} /> : <Skeleton height="6rem" />}
        </Tabs.Panel>
      )}
      <Tabs.Panel value="source" pt="sm">
        <MessageSource message={message} />
      </Tabs.Panel>
    </Tabs>
  );
}
