// The dialog that undoes what an agent key did: first what an undo would do, then the undo, then what is left.
"use client";
import { List, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";

type Undone = Outputs["keys"]["undo"];

const HOUR_MS = 3_600_000;
const PERIODS = [
  { value: "1", label: "The last hour" },
  { value: "24", label: "The last 24 hours" },
  { value: "168", label: "The last 7 days" },
  { value: "all", label: "Everything that is recorded" },
];
const LISTED = 20;

export default function UndoKey({ agentKeyId, onClose }: { agentKeyId: string; onClose: () => void }) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [period, setPeriod] = useState("24");
  const [opened] = useState(() => Date.now());
  const since = new Date(period === "all" ? 0 : opened - Number(period) * HOUR_MS).toISOString();
  const dry = useQuery({
    queryKey: ["undo", agentKeyId, since],
    queryFn: () => client.keys.undo.mutate({ id: agentKeyId, since, dry_run: true }),
    staleTime: 0,
    gcTime: 0,
  });
  const undo = useMutation(
    trpc.keys.undo.mutationOptions({
      onSuccess() {
        succeeded("What the key did was undone");
        void queries.invalidateQueries();
      },
    }),
  );
  if (undo.data) {
    return (
      <Dialog title="Undone" size="lg" onClose={onClose}>
        <DialogForm acting={{ error: null, isPending: false }} action="Close" onAct={onClose} onClose={onClose}>
          <Text>The key is revoked, with the keys that it issued.</Text>
          <Result undone={undo.data} />
        </DialogForm>
      </Dialog>
    );
  }
  return (
    <Dialog title="Undo what this key did?" size="lg" onClose={undo.isPending ? () => {} : onClose}>
      <DialogForm
        what="The undo did not end. Repeat it: it continues"
        acting={undo}
        action="Undo and revoke the key"
        color="red"
        disabled={!dry.data}
        onAct={() => undo.mutate({ id: agentKeyId, since })}
        onClose={onClose}
      >
        <Select
          label="Changes of"
          data={PERIODS}
          value={period}
          onChange={(value) => value && setPeriod(value)}
          allowDeselect={false}
        />
        {dry.data ? (
          <Result undone={dry.data} />
        ) : (
          <Unloaded
            query={dry}
            what="effects of the undo"
            skeleton={<Text role="status">Loading what an undo does…</Text>}
          />
        )}
        <Text size="sm" c="dimmed">
          The key and the keys that it issued are revoked. Mail of the key that waits is cancelled. What others changed
          since stays.
        </Text>
      </DialogForm>
    </Dialog>
  );
}

function Result({ undone: { dry_run, operations, not_undone, not_undone_count, more } }: { undone: Undone }) {
  const calls = operations.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {calls.toLocaleString("en")} {calls === 1 ? "call" : "calls"} {dry_run ? "would be undone" : "processed"}
      </Text>
      <List size="sm" spacing={2}>
        {operations.map(({ verb, count }) => (
          <List.Item key={verb}>
            {verb}: {count.toLocaleString("en")}
          </List.Item>
        ))}
      </List>
      <Text fw={600}>
        {not_undone_count === 0
          ? "Everything can be taken back"
          : `${not_undone_count.toLocaleString("en")} ${dry_run ? "cannot be" : "were not"} taken back`}
      </Text>
      {not_undone.length > 0 && (
        <List size="sm" spacing={2}>
          {not_undone.slice(0, LISTED).map(({ activity_id, verb, id, reason }) => (
            <List.Item key={`${activity_id} ${id}`}>
              {verb} {id}: {reason}
            </List.Item>
          ))}
        </List>
      )}
      {not_undone_count > LISTED && (
        <Text size="sm" c="dimmed">
          The activity of the key has all of them.
        </Text>
      )}
      {more && (
        <Text size="sm" c="dimmed">
          There are older changes, which are not counted here.
        </Text>
      )}
    </Stack>
  );
}
