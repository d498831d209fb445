// The team: members with their roles, and for admins and owners invitations and changes.
"use client";
import { Button, Title, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconUserPlus } from "../../../design/icons.tsx";
import { later } from "../../parts/later.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { Unloaded } from "../../parts/unloaded.tsx";
import { useMayAct } from "../../session/member.tsx";
import { useTRPC } from "../../trpc.ts";
import classes from "../settings.module.css";
import { Invitations } from "./invitations.tsx";
import { MemberTable } from "./member-table.tsx";
import { RoleList } from "./roles.tsx";

const Invite = later(() => import("./invite.tsx"));

export default function TeamPage() {
  const [inviting, invite] = useDisclosure(false);
  const mayInvite = useMayAct("admin");
  const trpc = useTRPC();
  const team = useQuery(trpc.team.members.queryOptions());
  return (
    <>
      <PageHeader
        title="Team"
        description="People who sign in. Agents use keys instead."
        actions={<InviteButton mayInvite={mayInvite} onClick={invite.open} />}
      />
      <Unloaded query={team} what="members" columns={3} rows={3} />
      {team.data && <MemberTable members={team.data.members} />}
      {team.data && mayInvite && <Invitations invitations={team.data.invitations} />}
      {!team.isPending && (
        <>
          <Title order={2} className={classes.section}>
            What each role can do
          </Title>
          <RoleList />
        </>
      )}
      {inviting && <Invite onClose={invite.close} />}
    </>
  );
}

function InviteButton({ mayInvite, onClick }: { mayInvite: boolean; onClick: () => void }) {
  const button = (
    <Button
      leftSection={<IconUserPlus size={17} aria-hidden />}
      onClick={mayInvite ? onClick : undefined}
      data-disabled={mayInvite ? undefined : true}
      aria-disabled={!mayInvite}
    >
      Invite
    </Button>
  );
  // Not `disabled`, so that the keyboard can reach the reason.
  return mayInvite ? button : <Tooltip label="Only an admin or owner can invite.">{button}</Tooltip>;
}
