// The open invitations, for admins and owners; each can be sent again and withdrawn.
"use client";
import { Button, Group, Text, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { later } from "../../parts/later.ts";
import { Time } from "../../parts/time.tsx";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useMayAct } from "../../session/member.tsx";
import { type Outputs, useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";
import { RoleBadge } from "./roles.tsx";

const AskAgain = later(() => import("./ask-again.tsx"));
const InvitedAgain = later(() => import("./invited-again.tsx"));

type Invitation = Outputs["team"]["members"]["invitations"][number];

export function Invitations({ invitations }: { invitations: Invitation[] }) {
  return (
    <>
      <Title order={2} className={classes.section}>
        Open invitations
      </Title>
      {invitations.length === 0 ? (
        <Text c="dimmed">No open invitations. An invitation expires after seven days.</Text>
      ) : (
        <DataTable label="Open invitations" columns={COLUMNS} rows={invitations} keyOf={({ email }) => email} />
      )}
    </>
  );
}

const COLUMNS: Column<Invitation>[] = [
  { name: "Invited", kind: "title", show: ({ email }) => <span className={classes.person}>{email}</span> },
  { name: "Role", show: ({ role }) => <RoleBadge role={role} /> },
  { name: "By", show: ({ invited_by }) => invited_by },
  { name: "Ends", show: ({ expires_at }) => <Time at={expires_at} plain /> },
  {
    name: "Actions",
    kind: "actions",
    show: (invitation) => (
      <Group gap="xs" justify="flex-end">
        <SendAgain invitation={invitation} />
        <Withdraw invitation={invitation} />
      </Group>
    ),
  },
];

/** A new invitation in place of the open one: its link cannot be read again. */
function SendAgain({ invitation: { email, role } }: { invitation: Invitation }) {
  const isOwner = useMayAct("owner");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [invited, setInvited] = useState<Outputs["team"]["invite"]>();
  const send = useMutation(
    trpc.team.invite.mutationOptions({
      onSuccess(again) {
        setAsking(false);
        if (again.link) setInvited(again);
        else succeeded(`The invitation was sent to ${email} again`);
        void queries.invalidateQueries(trpc.team.members.pathFilter());
      },
    }),
  );
  const [isAsking, setAsking] = useState(false);
  const isHeld = role === "owner" && !isOwner;
  const button = useRef<HTMLButtonElement>(null);
  function close() {
    setInvited(undefined);
    // While it was disabled, it lost the focus.
    button.current?.focus();
  }
  return (
    <>
      <Button
        ref={button}
        size="xs"
        variant="default"
        aria-label={`Send again the invitation of ${email}`}
        title={isHeld ? "Only an owner can invite an owner." : undefined}
        disabled={isHeld}
        onClick={() => setAsking(true)}
      >
        Send again
      </Button>
      {isAsking && (
        <AskAgain
          email={email}
          acting={send}
          onAct={() => send.mutate({ email, role })}
          onClose={() => setAsking(false)}
        />
      )}
      {invited?.link && <InvitedAgain email={email} link={invited.link} until={invited} onClose={close} />}
    </>
  );
}

function Withdraw({ invitation: { email, role } }: { invitation: Invitation }) {
  const isOwner = useMayAct("owner");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const withdraw = useMutation(
    trpc.team.cancelInvitation.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries(trpc.team.members.pathFilter());
        succeeded(`The invitation of ${email} was withdrawn`);
      },
      onError: (error) => failed(error, "The invitation was not withdrawn"),
    }),
  );
  const isHeld = role === "owner" && !isOwner;
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`Withdraw the invitation of ${email}`}
      title={isHeld ? "Only an owner can withdraw the invitation of an owner." : undefined}
      disabled={isHeld}
      loading={withdraw.isPending}
      onClick={() => withdraw.mutate({ email })}
    >
      Withdraw
    </Button>
  );
}
