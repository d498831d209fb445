// The table of mailboxes; each row links to its mail.
"use client";
import { ActionIcon, Badge, Menu } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { IconDots, IconMail, IconMailOpened, IconPlayerPause, IconTrash } from "../../design/icons.tsx";
import { NearLink } from "../../design/near-link.tsx";
import shared from "../../design/shared.module.css";
import { IconBan, IconCircleCheck, IconInbox } from "../../design/shell-icons.tsx";
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

const SpamPolicy = later(() => import("../parts/spam-policy.tsx"));
const PauseDialog = later(() => import("../parts/pause-dialog.tsx"));

type Inbox = Outputs["inboxes"]["summaries"]["data"][number];
/** The service's counts stop there. */
const COUNTED = 100;

export function mailOf(address: string): string {
  return `/dashboard/mail?inbox=${encodeURIComponent(address)}`;
}

type Acts = {
  onDelete: (address: string) => void;
  onReview: (address: string) => void;
  onCatchAll: (inbox: Inbox) => void;
  onPause: (address: string) => void;
  onSpam: (address: string) => void;
};

function columnsOf(acts: Acts): Column<Inbox>[] {
  return [
    {
      name: "Address",
      kind: "title",
      show: ({ address, display_name, catch_all }) => (
        <>
          <NearLink href={mailOf(address)} className={classes.address}>
            {address}
          </NearLink>
          {catch_all && <Badge variant="light">Catch-all</Badge>}
          {display_name && <span className={shared.hint}>{display_name}</span>}
        </>
      ),
    },
    {
      name: "Unread",
      show: ({ unread }) => (unread > 0 ? <Badge>{unread < COUNTED ? unread : "99+"}</Badge> : "0"),
    },
    {
      name: "Last mail",
      show: ({ last_message }) =>
        last_message ? <LastMessage message={last_message} /> : <span className={shared.hint}>No mail yet</span>,
    },
    { name: "Created", show: ({ created_at }) => <Time at={created_at} plain /> },
    { name: "Actions", kind: "actions", show: (inbox) => <Actions inbox={inbox} {...acts} /> },
  ];
}

export default function InboxTable({ inboxes }: { inboxes: Inbox[] }) {
  const [deleting, setDeleting] = useState<string | null>(null);
  const [reviewing, setReviewing] = useState<string | null>(null);
  const [catching, setCatching] = useState<Inbox | null>(null);
  const [pausing, setPausing] = useState<string | null>(null);
  const [judging, setJudging] = useState<string | null>(null);
  const client = useTRPCClient();
  const columns = columnsOf({
    onDelete: setDeleting,
    onReview: setReviewing,
    onCatchAll: setCatching,
    onPause: setPausing,
    onSpam: setJudging,
  });
  return (
    <>
      <DataTable label="Inboxes" columns={columns} rows={inboxes} keyOf={({ id }) => id} />
      {reviewing !== null && <InboxReview address={reviewing} onClose={() => setReviewing(null)} />}
      {judging !== null && (
        <Dialog onClose={() => setJudging(null)} title="What becomes of spam?">
          <SpamPolicy inbox={judging} mayChange />
        </Dialog>
      )}
      {catching && <CatchAll address={catching.address} isOn={catching.catch_all} onClose={() => setCatching(null)} />}
      {pausing !== null && (
        <PauseDialog
          what={`the sending of ${pausing}`}
          onPause={(reason) => client.inboxes.pauseSending.mutate({ addr: pausing, reason })}
          onClose={() => setPausing(null)}
        />
      )}
      {deleting !== null && <DeleteInbox address={deleting} onClose={() => setDeleting(null)} />}
    </>
  );
}

function LastMessage({ message }: { message: NonNullable<Inbox["last_message"]> }) {
  const who = message.direction === "outbound" ? "Sent" : shortSender(message);
  return (
    <span className={`${shared.hint} ${classes.last}`}>
      <span className={classes.subject}>{message.subject || "(no subject)"}</span>
      <br />
      {who} · <Time at={message.at} plain />
    </span>
  );
}

function Actions({ inbox, onDelete, onReview, onCatchAll, onPause, onSpam }: { inbox: Inbox } & Acts) {
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
