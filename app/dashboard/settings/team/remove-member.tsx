// The dialog to remove a member, or to leave.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import ConfirmByTyping from "../../parts/confirm-by-typing.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { useMe } from "../../session/member.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";

type Removed = { id: string; name: string; email: string };

export default function RemoveMember({ member, onClose }: { member: Removed; onClose: () => void }) {
  const { user, organization } = useMe();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const isMe = member.id === user.id;

  async function remove() {
    await client.team.removeMember.mutate({ id: member.id });
    if (isMe) return location.assign("/dashboard");
    succeeded(`${member.name} was removed`);
    await queries.invalidateQueries(trpc.team.pathFilter());
  }

  return (
    <ConfirmByTyping
      onClose={onClose}
      title={isMe ? `Leave ${organization.name}?` : `Remove ${member.name}?`}
      name={member.email}
      confirm={isMe ? "Leave" : "Remove member"}
      onConfirm={remove}
    >
      {isMe ? "You lose" : `${member.name} loses`} access to {organization.name} immediately, in every session. Keys,
      webhooks and mail stay. Revoke keys that this person knows under Keys.
    </ConfirmByTyping>
  );
}
