// The table of mailboxes, with their owners, caps and states; each row links to its mail.
"use client";
import { ActionIcon, Anchor, Badge, Group, Menu, Progress } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { IconClock, IconDots, IconMail, IconMailOpened, IconPencil, IconPlayerPause } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { IconBan, IconCircleCheck, IconInbox, IconTrash } from "../../design/shell-icons.tsx";
import { agentHref, keyHref } from "../keys/places.ts";
import { placeHref } from "../mail/place.ts";
import { stateWords } from "../mail/status.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { later } from "../parts/later.ts";
import { shortSender } from "../parts/short-sender.ts";
import { Time } from "../parts/time.tsx";
import { succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";
import classes from "./inboxes.module.css";

const ConfirmByTyping = later(() => import("../parts/confirm-by-typing.tsx"));
const CatchAll = later(() => import("./catch-all.tsx"));
const InboxReview = later(() => import("./inbox-review.tsx"));
const OutgoingDelay = later(() => import("./outgoing-delay.tsx"));
const RenameInbox = later(() => import("./rename.tsx"));

const SpamPolicy = later(() => import("../parts/spam-policy.tsx"));
const PauseDialog = later(() => import("../parts/pause-dialog.tsx"));

type Inbox = Outputs["inboxes"]["summaries"]["data"][number];
/** The service's counts stop there. */
const COUNTED = 100;
const TABLE_MIN_REM = 58;
const NEARLY_FULL = 0.9;

export function mailOf(address: string): string {
  return `/dashboard/mail?inbox=${encodeURIComponent(address)}`;
}

type Acts = {
  onDelete: (address: string) => void;
  onReview: (address: string) => void;
  onRename: (inbox: Inbox) => void;
  onCatchAll: (inbox: Inbox) => void;
  onDelay: (inbox: Inbox) => void;
  onPause: (address: string) => void;
  onSpam: (address: string) => void;
};

const OWNER: Column<Inbox> = { name: "Owner", minWidth: 13, show: (inbox) => <Owner inbox={inbox} /> };

function columnsOf(acts: Acts, hasOwners: boolean): Column<Inbox>[] {
  return [
    {
      name: "Address",
      kind: "title",
      minWidth: 16.5,
      show: ({ address, display_name }) => (
        <>
          <NearLink href={mailOf(address)} className={classes.address}>
            {address}
          </NearLink>
          {display_name && <span className={shared.hint}>{display_name}</span>}
        </>
      ),
    },
    ...(hasOwners ? [OWNER] : []),
    {
      name: "Unread",
      show: ({ unread }) => (unread > 0 ? <Badge>{unread < COUNTED ? unread : "99+"}</Badge> : null),
    },
    { name: "Sent today", minWidth: 6, show: (inbox) => <Cap inbox={inbox} /> },
    { name: "State", isWhole: true, show: (inbox) => <State inbox={inbox} /> },
    {
      name: "Last mail",
      minWidth: 12,
      isWhole: true,
      show: ({ last_message }) =>
        last_message ? <LastMessage message={last_message} /> : <span className={shared.hint}>No mail yet</span>,
    },
    { name: "Actions", kind: "actions", show: (inbox) => <Actions inbox={inbox} {...acts} /> },
  ];
}

/** @param props.hasOwners whether each row says who created the inbox */
export default function InboxTable({ inboxes, hasOwners = true }: { inboxes: Inbox[]; hasOwners?: boolean }) {
  const [deleting, setDeleting] = useState<string | null>(null);
  const [reviewing, setReviewing] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<Inbox | null>(null);
  const [catching, setCatching] = useState<Inbox | null>(null);
  const [delaying, setDelaying] = useState<Inbox | null>(null);
  const [pausing, setPausing] = useState<string | null>(null);
  const [judging, setJudging] = useState<string | null>(null);
  const client = useTRPCClient();
  const queries = useQueryClient();
  const trpc = useTRPC();
  const acts = {
    onDelete: setDeleting,
    onReview: setReviewing,
    onRename: setRenaming,
    onCatchAll: setCatching,
    onDelay: setDelaying,
    onPause: setPausing,
    onSpam: setJudging,
  };
  return (
    <>
      <DataTable
        label="Inboxes"
        columns={columnsOf(acts, hasOwners)}
        rows={inboxes}
        keyOf={({ id }) => id}
        minWidth={TABLE_MIN_REM}
        isDense
        hasRowLinks
      />
      {renaming && (
        <RenameInbox address={renaming.address} displayName={renaming.display_name} onClose={() => setRenaming(null)} />
      )}
      {reviewing !== null && <InboxReview address={reviewing} onClose={() => setReviewing(null)} />}
      {judging !== null && (
        <Dialog onClose={() => setJudging(null)} title="What becomes of spam?">
          <SpamPolicy inbox={judging} mayChange />
        </Dialog>
      )}
      {catching && <CatchAll address={catching.address} isOn={catching.catch_all} onClose={() => setCatching(null)} />}
      {delaying && (
        <OutgoingDelay
          address={delaying.address}
          seconds={delaying.outgoing_delay_seconds}
          onClose={() => setDelaying(null)}
        />
      )}
      {pausing !== null && (
        <PauseDialog
          what={`the sending of ${pausing}`}
          onPause={async (reason) => {
            const paused = await client.inboxes.pauseSending.mutate({ addr: pausing, reason });
            void queries.invalidateQueries(trpc.inboxes.pathFilter());
            return paused;
          }}
          onClose={() => setPausing(null)}
        />
      )}
      {deleting !== null && <DeleteInbox address={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function Owner({ inbox: { agent, enrollment_key, created_at } }: { inbox: Inbox }) {
  return (
    <>
      {agent ? (
        <Anchor component={NearLink} href={agentHref(agent.id)} size="sm">
          {agent.handle}
        </Anchor>
      ) : (
        "Your team"
      )}
      <span className={`${shared.hint} ${classes.origin}`}>
        <Anchor component={NearLink} href={keyHref(enrollment_key.id)} c="dimmed" fz="inherit">
          {enrollment_key.name || "Unnamed key"}
        </Anchor>
        <span>
          &nbsp;· <Time at={created_at} plain />
        </span>
      </span>
    </>
  );
}

/** Replies have a cap of their own. */
function Cap({ inbox: { address, sent_today, cap } }: { inbox: Inbox }) {
  const percent = cap > 0 ? Math.min(100, (sent_today / cap) * 100) : 100;
  const color = percent >= 100 ? "red" : percent >= NEARLY_FULL * 100 ? "yellow" : "blue";
  return (
    <div className={classes.cap}>
      <span>
        {sent_today.toLocaleString("en")} of {cap.toLocaleString("en")}
      </span>
      <Progress.Root size="sm" radius="xl">
        <Progress.Section value={percent} color={color} aria-label={`Cap of today used by ${address}`} />
      </Progress.Root>
    </div>
  );
}

const REVIEWS = { none: null, first_contact: "Approval: new addresses", all: "Approval: all" };
const ALLOW_LISTS = { send: "Allow list: recipients", receive: "Allow list: senders" };

const STORAGE = { full: "Full", nearly: "Nearly full" };

function State({ inbox }: { inbox: Inbox }) {
  const { paused, storage, quarantined, review, allow_lists, catch_all, outgoing_delay_seconds: delay } = inbox;
  if (
    !paused &&
    !storage &&
    quarantined === 0 &&
    review === "none" &&
    allow_lists.length === 0 &&
    !catch_all &&
    delay === 0
  )
    return null;
  return (
    <Group gap={4}>
      {paused && (
        <Badge color="red" variant="light">
          Sending paused
        </Badge>
      )}
      {storage && (
        <Badge color={storage === "full" ? "red" : "yellow"} variant="light">
          {STORAGE[storage]}
        </Badge>
      )}
      {quarantined > 0 && (
        <Badge
          component={NearLink}
          href={placeHref(inbox.address, undefined, { show: "quarantine" })}
          color="yellow"
          variant="light"
          data-thumb
        >
          {quarantined.toLocaleString("en")} in quarantine
        </Badge>
      )}
      {REVIEWS[review] && (
        <Badge color="yellow" variant="light">
          {REVIEWS[review]}
        </Badge>
      )}
      {allow_lists.map((direction) => (
        <Badge key={direction} color="gray" variant="light">
          {ALLOW_LISTS[direction]}
        </Badge>
      ))}
      {catch_all && <Badge variant="light">Catch-all</Badge>}
      {delay > 0 && (
        <Badge color="gray" variant="light">
          Leaves {delay} s later
        </Badge>
      )}
    </Group>
  );
}

function LastMessage({ message }: { message: NonNullable<Inbox["last_message"]> }) {
  const who = message.direction === "outbound" ? stateWords(message.status) : shortSender(message);
  return (
    <span className={`${shared.hint} ${classes.last}`}>
      <span className={classes.subject}>{message.subject || "(no subject)"}</span>
      <br />
      <span className={classes.who}>
        {who} · <Time at={message.at} plain />
      </span>
    </span>
  );
}

function Actions({
  inbox,
  onDelete,
  onReview,
  onRename,
  onCatchAll,
  onDelay,
  onPause,
  onSpam,
}: { inbox: Inbox } & Acts) {
  const { address } = inbox;
  const mayDelete = useMayAct("admin");
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${address}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component={NearLink} href={mailOf(address)} leftSection={<IconMail size={16} aria-hidden />}>
          Read its mail
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={16} aria-hidden />} onClick={() => onRename(inbox)}>
          Rename
        </Menu.Item>
        <Menu.Item
          component={NearLink}
          href={`/dashboard/lists?inbox=${encodeURIComponent(address)}`}
          leftSection={<IconBan size={16} aria-hidden />}
        >
          Allow and block lists
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCircleCheck size={16} aria-hidden />}
          disabled={!mayDelete}
          onClick={() => onReview(address)}
        >
          {mayDelete ? "Approval of messages" : "Approval of messages (admins only)"}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconMailOpened size={16} aria-hidden />}
          disabled={!mayDelete}
          onClick={() => onSpam(address)}
        >
          {mayDelete ? "Spam" : "Spam (admins only)"}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconInbox size={16} aria-hidden />}
          disabled={!mayDelete}
          onClick={() => onCatchAll(inbox)}
        >
          {mayDelete ? "Catch-all" : "Catch-all (admins only)"}
        </Menu.Item>
        <Menu.Item leftSection={<IconClock size={16} aria-hidden />} onClick={() => onDelay(inbox)}>
          Outgoing delay
        </Menu.Item>
        <Menu.Item color="red" leftSection={<IconPlayerPause size={16} aria-hidden />} onClick={() => onPause(address)}>
          Pause sending
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<IconTrash size={16} aria-hidden />}
          disabled={!mayDelete}
          onClick={() => onDelete(address)}
        >
          {mayDelete ? "Delete inbox" : "Delete inbox (admins only)"}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function DeleteInbox({ address, onClose }: { address: string; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();

  async function remove() {
    await client.inboxes.remove.mutate({ addr: address });
    succeeded(`${address} is deleted`);
    await queries.invalidateQueries(trpc.inboxes.pathFilter());
  }

  return (
    <ConfirmByTyping
      onClose={onClose}
      title="Delete this inbox?"
      name={address}
      confirm="Delete inbox"
      onConfirm={remove}
    >
      The inbox stops receiving mail immediately. All its mail and webhooks are deleted. The quota of its enrollment key
      is not freed. This cannot be undone.
    </ConfirmByTyping>
  );
}
