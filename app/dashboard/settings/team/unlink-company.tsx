// The dialog by which an owner unlinks the company account of a member, or their own, which ends this session too.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import ConfirmByTyping from "../../parts/confirm-by-typing.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { signInAgain, useMe } from "../../session/member.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";

type Linked = { id: string; name: string; email: string };

export default function UnlinkCompany({ member, onClose }: { member: Linked; onClose: () => void }) {
  const { user } = useMe();
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const isOwn = member.id === user.id;

  async function unlink() {
    await client.team.unlinkCompany.mutate({ id: member.id });
    if (isOwn) return signInAgain();
    succeeded(`The company account of ${member.name} was unlinked`);
    await queries.invalidateQueries(trpc.team.pathFilter());
  }

  return (
    <ConfirmByTyping
      onClose={onClose}
      title={isOwn ? "Unlink your company account?" : `Unlink the company account of ${member.name}?`}
      name={member.email}
      confirm="Unlink"
      onConfirm={unlink}
    >
      {isOwn
        ? "All your sessions end, also this one, and your connected apps are disconnected. Then set a new password with “Forgot password”, or sign in with a company account of this address again."
        : `All their sessions end, their connected apps are disconnected, and they get a mail about it. Then they set a new password, or sign in with a company account of this address again. If the company gave the address to another person, remove ${member.name} from the team first.`}
    </ConfirmByTyping>
  );
}
