// The table of members. Owners change roles; admins remove members who are not owners.
"use client";
import { ActionIcon, Anchor, Badge, Group, NativeSelect, Tooltip, VisuallyHidden } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { IconUserMinus } from "../../../design/icons.tsx";
import shared from "../../../design/shared.module.css";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { later } from "../../parts/later.ts";
import { Time } from "../../parts/time.tsx";
import { failed, succeeded } from "../../parts/toast.tsx";
import { useMayAct, useMe } from "../../session/member.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../../trpc.ts";
import classes from "../settings.module.css";
import { nameOf, ROLES, type Role, RoleBadge } from "./roles.tsx";

const ResetSecondFactor = later(() => import("./reset-second-factor.tsx"));
const UnlinkCompany = later(() => import("./unlink-company.tsx"));
const RemoveMember = later(() => import("./remove-member.tsx"));

export type TeamMember = Outputs["team"]["members"]["members"][number];

const CHOICES = ROLES.map(({ role, name }) => ({ value: role, label: name }));

export function MemberTable({ members }: { members: TeamMember[] }) {
  const isOwner = useMayAct("owner");
  const [removing, setRemoving] = useState<TeamMember | null>(null);
  const [resetting, setResetting] = useState<TeamMember | null>(null);
  const [unlinking, setUnlinking] = useState<TeamMember | null>(null);
  const owners = members.filter(({ role }) => role === "owner").length;
  const isLastOwner = ({ role }: TeamMember) => role === "owner" && owners === 1;
  const columns: Column<TeamMember>[] = [
    { name: "Member", kind: "title", show: (member) => <Person member={member} /> },
    { name: "Role", show: (member) => <RoleCell member={member} isLastOwner={isLastOwner(member)} /> },
    ...(isOwner
      ? [{ name: "Second factor", show: (member: TeamMember) => <Factor member={member} onReset={setResetting} /> }]
      : []),
    ...(isOwner && members.some(({ company_account }) => company_account)
      ? [{ name: "Company account", show: (member: TeamMember) => <Company member={member} onUnlink={setUnlinking} /> }]
      : []),
    { name: "Joined", show: ({ joined_at }) => <Time at={joined_at} plain /> },
    {
      name: "Remove",
      kind: "actions",
      show: (member) => (
        <Remove member={member} isLastOwner={isLastOwner(member)} onRemove={() => setRemoving(member)} />
      ),
    },
  ];
  return (
    <>
      <DataTable label="Members" columns={columns} rows={members} keyOf={({ id }) => id} />
      {resetting && <ResetSecondFactor member={resetting} onClose={() => setResetting(null)} />}
      {unlinking && <UnlinkCompany member={unlinking} onClose={() => setUnlinking(null)} />}
      {removing && <RemoveMember member={removing} onClose={() => setRemoving(null)} />}
    </>
  );
}

function Person({ member: { id, name, email } }: { member: TeamMember }) {
  const { user } = useMe();
  return (
    <>
      <span className={`${classes.person} ${classes.oneLine}`} title={name}>
        {name}{" "}
        {id === user.id && (
          <Badge variant="light" color="gray" size="sm">
            You
          </Badge>
        )}
      </span>
      <span className={`${shared.hint} ${classes.oneLine}`} title={email}>
        {email}
      </span>
    </>
  );
}

/** Owners reset it for members who lost their device, not for themselves. */
function Factor({ member, onReset }: { member: TeamMember; onReset: (member: TeamMember) => void }) {
  const { user } = useMe();
  if (!member.second_factor) return "Off";
  if (member.id === user.id) return "On";
  return (
    <>
      On{" "}
      <Anchor component="button" type="button" size="sm" onClick={() => onReset(member)}>
        Reset<VisuallyHidden> the second factor of {member.name}</VisuallyHidden>
      </Anchor>
    </>
  );
}

function Company({ member, onUnlink }: { member: TeamMember; onUnlink: (member: TeamMember) => void }) {
  if (!member.company_account) return "No";
  return (
    <>
      Linked{" "}
      <Anchor component="button" type="button" size="sm" onClick={() => onUnlink(member)}>
        Unlink<VisuallyHidden> the company account of {member.name}</VisuallyHidden>
      </Anchor>
    </>
  );
}

type RemoveProps = { member: TeamMember; isLastOwner: boolean; onRemove: () => void };

function Remove({ member, isLastOwner, onRemove }: RemoveProps) {
  const { user, role: myRole } = useMe();
  const mayRemove = useMayAct("admin") && (member.role !== "owner" || myRole === "owner");
  const reason = isLastOwner
    ? "This is the only owner. Make another member an owner first."
    : mayRemove
      ? undefined
      : myRole === "admin"
        ? "Only an owner can remove an owner."
        : "Only an admin or owner can remove members.";
  const label = member.id === user.id ? "Leave this organization" : `Remove ${member.name}`;
  return (
    <Tooltip label={reason ?? label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={reason ? `${label}: ${reason}` : label}
        aria-disabled={reason !== undefined}
        className={reason ? classes.held : undefined}
        onClick={reason ? undefined : onRemove}
      >
        <IconUserMinus size={18} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

function RoleCell({ member, isLastOwner }: { member: TeamMember; isLastOwner: boolean }) {
  const isOwner = useMayAct("owner");
  const change = useSetRole(member);
  if (!isOwner) return <RoleBadge role={member.role} />;
  const select = (
    <NativeSelect
      size="sm"
      className={classes.role}
      data={CHOICES}
      value={member.role}
      disabled={isLastOwner || change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.value as Role)}
      aria-label={`Role of ${member.name}`}
    />
  );
  if (!isLastOwner) return select;
  return (
    <Group gap="xs" wrap="nowrap">
      {select}
      <span className={shared.hint}>The only owner</span>
    </Group>
  );
}

function useSetRole(member: TeamMember) {
  const { user } = useMe();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const isMe = member.id === user.id;
  const give = async (role: Role) => {
    await client.team.setRole.mutate({ id: member.id, role });
    await queries.invalidateQueries(trpc.team.pathFilter());
  };
  return useMutation({
    mutationFn: give,
    onSuccess(_, role) {
      if (isMe) return succeeded(`Your role is ${nameOf(role)} now`);
      succeeded(`${member.name} is ${nameOf(role)} now`, { undo: () => give(member.role) });
    },
    onError: (error) => failed(error, "The role was not changed"),
  });
}
