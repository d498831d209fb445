// The dialog to reset the second factor of a member who lost their device.
"use client";
import { useQueryClient } from "@tanstack/react-query";
import ConfirmByTyping from "../../parts/confirm-by-typing.tsx";
import { succeeded } from "../../parts/toast.tsx";
import { useTRPC, useTRPCClient } from "../../trpc.ts";

type Reset = { id: string; name: string; email: string };

export default function ResetSecondFactor({ member, onClose }: { member: Reset; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();

  async function reset() {
    await client.team.resetSecondFactor.mutate({ id: member.id });
    succeeded(`The second factor of ${member.name} was reset`);
    await queries.invalidateQueries(trpc.team.pathFilter());
  }

  return (
    <ConfirmByTyping
      onClose={onClose}
      title={`Reset the second factor of ${member.name}?`}
      name={member.email}
      confirm="Reset"
      onConfirm={reset}
    >
      Make sure that {member.name} asks for it, and not another person: until they set up a new one, their password
      alone signs in. All their sessions end, and they get a mail about it.
    </ConfirmByTyping>
  );
}
