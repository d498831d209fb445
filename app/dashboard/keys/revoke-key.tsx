// The dialogs to revoke an enrollment key, with its effects, or one agent key.
"use client";
import { List, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import ConfirmByTyping from "../parts/confirm-by-typing.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";
import { isPartial } from "./counted.ts";

type Key = Outputs["keys"]["get"];
type AgentKey = Outputs["keys"]["agents"]["data"][number]["keys"][number];

function count(number: number, one: string, many: string): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** The effects are loaded when the dialog opens, because agents may enroll at any time. */
function Stops({ keyId }: { keyId: string }) {
  const trpc = useTRPC();
  const found = useQuery(trpc.keys.get.queryOptions({ id: keyId }, { staleTime: 0 }));
  const { data } = found;
  if (!data) {
    const skeleton = <Text role="status">Loading what revoking affects…</Text>;
    return <Unloaded query={found} what="effects of revoking" skeleton={skeleton} />;
  }
  const { agents, agent_keys, live_inboxes, orphaned_inboxes } = data.stops;
  return (
    <List size="sm" spacing={4}>
      <List.Item>
        {count(agents, "agent", "agents")} with {count(agent_keys, "working key", "working keys")} will be refused
        within a second.
      </List.Item>
      <List.Item>
        {isPartial(data) && "At least "}
        {count(live_inboxes, "live inbox keeps", "live inboxes keep")} receiving mail, and webhooks keep being
        delivered.
      </List.Item>
      {orphaned_inboxes > 0 && (
        <List.Item>
          {isPartial(data) && "At least "}
          {count(orphaned_inboxes, "of them is", "of them are")} read by no other key’s agents: only your team will see
          that mail.
        </List.Item>
      )}
      <List.Item>
        Mail of these agents that is queued or scheduled waits under Approvals, for you to release or reject.
      </List.Item>
      <List.Item>No agent can enroll with it again. This cannot be undone.</List.Item>
    </List>
  );
}

export function RevokeKey({ enrollment, onClose }: { enrollment: Key; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();

  async function revoke() {
    await client.keys.revoke.mutate({ id: enrollment.id });
    succeeded("The key was revoked");
    void queries.invalidateQueries(trpc.keys.pathFilter());
    void queries.invalidateQueries(trpc.overview.pathFilter());
  }

  return (
    <ConfirmByTyping
      onClose={onClose}
      title="Revoke this key?"
      name={enrollment.name || enrollment.id}
      confirm="Revoke key"
      onConfirm={revoke}
    >
      <Stops keyId={enrollment.id} />
    </ConfirmByTyping>
  );
}

type RevokeAgentKeyProps = { handle: string; agentKey: AgentKey; onClose: () => void };

export function RevokeAgentKey({ handle, agentKey, onClose }: RevokeAgentKeyProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const revoke = useMutation(
    trpc.keys.revokeAgentKey.mutationOptions({
      onSuccess() {
        onClose();
        succeeded(`A key of ${handle} was revoked`);
        void queries.invalidateQueries(trpc.keys.pathFilter());
        void queries.invalidateQueries(trpc.agents.pathFilter());
      },
    }),
  );
  return (
    <FormDialog
      title={`Revoke this key of ${handle}?`}
      what="The key was not revoked"
      acting={revoke}
      action="Revoke key"
      color="red"
      onAct={() => revoke.mutate({ id: agentKey.id })}
      onClose={onClose}
    >
      <Text>
        Requests with this key are refused within a second, and so are those with the keys that it issued. The agent’s
        other keys keep working, and it can enroll again with the enrollment key. Mail of the key that is queued or
        scheduled waits under Approvals, for you to release or reject. The revocation cannot be undone. What the key
        changed stays: Undo, in its activity, takes that back.
      </Text>
    </FormDialog>
  );
}
