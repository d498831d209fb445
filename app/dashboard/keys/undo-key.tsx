// The dialog that undoes what an agent key did, or one of the keys of an agent: first what an undo would do, then the undo, then what is left.
"use client";
import { Anchor, Button, Code, List, Select, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { InlineCode } from "../../design/inline-code.tsx";
import { NearLink } from "../../design/near-link.tsx";
import { Dialog, DialogActions } from "../parts/dialog.tsx";
import { DialogForm } from "../parts/form-dialog.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { wordsFor } from "../settings/audit/action-words.ts";
import { type Outputs, useTRPC, useTRPCClient } from "../trpc.ts";
import { keyOption } from "./key-status.tsx";
import { agentHref } from "./places.ts";

type Undone = Outputs["keys"]["undo"];

const HOUR_MS = 3_600_000;
const PERIODS = [
  { value: "1", label: "The last hour" },
  { value: "24", label: "The last 24 hours" },
  { value: "168", label: "The last 7 days" },
  { value: "all", label: "Everything that is recorded" },
];
const LISTED = 20;
/** Of so many of the newest changes the names are shown, of older ones the ids. */
const NAMED_MAX = 100;

type Of = { agentKeyId: string } | { agent: { id: string; handle: string } };
type Agent = Outputs["agents"]["get"];

/** The key with the newest change, then the keys of the list. Which key was used last, the agent decides by any call. */
function choicesOf({ keys, last_changed_key: last }: Agent): { id: string; active: boolean }[] {
  return last ? [last, ...keys.filter(({ id }) => id !== last.id)] : keys;
}

/** The working keys of the agent that an undo of the key does not revoke. */
function countOthers(agent: Agent, keyId: string): number {
  const parents = new Map(agent.keys.map(({ id, parent_id }) => [id, parent_id]));
  const isRevoked = (id: string | null | undefined): boolean => id === keyId || (!!id && isRevoked(parents.get(id)));
  return agent.working_keys - choicesOf(agent).filter(({ id, active }) => active && isRevoked(id)).length;
}

export default function UndoKey({ onClose, ...of }: Of & { onClose: () => void }) {
  const trpc = useTRPC();
  const agent = "agent" in of ? of.agent : undefined;
  const found = useQuery(trpc.agents.get.queryOptions({ id: agent?.id ?? "" }, { enabled: agent !== undefined }));
  const keys = found.data ? choicesOf(found.data) : [];
  const [agentKeyId, setAgentKeyId] = useState("agentKeyId" in of ? of.agentKeyId : "");
  // Once: a key that changes something while the dialog is open must not take the place of the shown one.
  if (agentKeyId === "" && keys[0]) setAgentKeyId(keys[0].id);
  const client = useTRPCClient();
  const queries = useQueryClient();
  const [period, setPeriod] = useState("24");
  const [opened] = useState(() => Date.now());
  const since = new Date(period === "all" ? 0 : opened - Number(period) * HOUR_MS).toISOString();
  const dry = useQuery({
    queryKey: ["undo", agentKeyId, since],
    queryFn: () => client.keys.undo.mutate({ id: agentKeyId, since, dry_run: true }),
    enabled: agentKeyId !== "",
    staleTime: 0,
    gcTime: 0,
  });
  const recent = useQuery(
    trpc.keys.activity.queryOptions({ id: agentKeyId, limit: NAMED_MAX }, { enabled: agentKeyId !== "" }),
  );
  const names = namesIn(recent.data?.data ?? []);
  const undo = useMutation(
    trpc.keys.undo.mutationOptions({
      onSuccess({ not_undone_count: left }) {
        succeeded(
          left === 0 ? "What the key did was undone" : `Undone. ${counted(left, "change")} could not be taken back`,
        );
        void queries.invalidateQueries();
      },
    }),
  );
  if (undo.data) {
    return (
      <Dialog title="Undone" size="lg" onClose={onClose}>
        <Stack>
          <Text>The key is revoked, with the keys that it issued.</Text>
          {found.isSuccess && !found.isFetching && <Others agent={found.data} keyId={agentKeyId} />}
          <Result undone={undo.data} names={names} />
          <DialogActions>
            <Button onClick={onClose} data-autofocus>
              Close
            </Button>
          </DialogActions>
        </Stack>
      </Dialog>
    );
  }
  const isRevoked = dry.data?.revoked === true;
  return (
    <Dialog
      title={`Undo what ${agent ? `one key of ${agent.handle}` : "this key"} did?`}
      size="lg"
      onClose={undo.isPending ? () => {} : onClose}
    >
      <DialogForm
        what="The undo did not end. Repeat it: it continues"
        acting={undo}
        action={isRevoked ? "Undo" : "Undo and revoke the key"}
        color="red"
        disabled={!dry.data}
        onAct={() => undo.mutate({ id: agentKeyId, since })}
        onClose={onClose}
      >
        {agent && agentKeyId && (
          <Text>
            Only what <Code>{agentKeyId}</Code> did is taken back.
          </Text>
        )}
        {found.data && <Others agent={found.data} keyId={agentKeyId} />}
        {keys.length > 1 && (
          <Select
            label="Key"
            description="The key with the newest change is chosen at first. Undo the changes of each key by itself."
            data={keys.map(keyOption)}
            value={agentKeyId}
            onChange={(id) => id && setAgentKeyId(id)}
            allowDeselect={false}
          />
        )}
        <Select
          label="Changes of"
          data={PERIODS}
          value={period}
          onChange={(value) => value && setPeriod(value)}
          allowDeselect={false}
        />
        {dry.data ? (
          <Result undone={dry.data} names={names} />
        ) : (
          <Unloaded
            query={found.isError ? found : dry}
            what="effects of the undo"
            skeleton={<Text role="status">Loading what an undo does…</Text>}
          />
        )}
        <Text size="sm" c="dimmed">
          {isRevoked ? "The key is already revoked." : "The key and the keys that it issued are revoked."} Mail of the
          key that waits is cancelled. What others changed since stays.
        </Text>
      </DialogForm>
    </Dialog>
  );
}

/** Says how many keys of the agent work after the undo. */
function Others({ agent, keyId }: { agent: Agent; keyId: string }) {
  const others = countOthers(agent, keyId);
  if (others === 0) return null;
  const [work, they] = others === 1 ? ["key works", "it"] : ["keys work", "they"];
  return (
    <Text fw={600}>
      {others.toLocaleString("en")} other {work} on, and what {they} did stays:{" "}
      <Anchor component={NearLink} href={`${agentHref(agent.id)}&tab=keys`} inherit underline="always">
        keys of {agent.handle}
      </Anchor>
    </Text>
  );
}

function counted(count: number, one: string): string {
  return `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;
}

const thing = ({ kind, id }: { kind: string; id: string | null }) => `${kind} ${id}`;

/** The addresses, subjects and other names of the things that the newest changes are about. */
function namesIn(entries: Outputs["keys"]["activity"]["data"]): Map<string, string> {
  const changes = entries.flatMap((entry) => entry.changes);
  return new Map(changes.flatMap((change) => (change.name ? [[thing(change), change.name]] : [])));
}

function Result({ undone, names }: { undone: Undone; names: Map<string, string> }) {
  const { dry_run, operations, not_undone, not_undone_count, more } = undone;
  const calls = operations.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap="xs">
      <Text fw={600}>
        {calls === 0 ? "The key changed nothing." : `The key made changes with ${counted(calls, "call")}:`}
      </Text>
      <List size="sm" spacing={2}>
        {operations.map(({ verb, count }) => (
          <List.Item key={verb}>
            {wordsFor(verb)}: {count.toLocaleString("en")}
          </List.Item>
        ))}
      </List>
      {calls > 0 && (
        <Text fw={600}>
          {not_undone_count === 0
            ? `All of it ${dry_run ? "can be" : "was"} taken back.`
            : `${counted(not_undone_count, "change")} ${dry_run ? "cannot" : "could not"} be taken back:`}
        </Text>
      )}
      {not_undone.length > 0 && (
        <List size="sm" spacing={2}>
          {not_undone.slice(0, LISTED).map((each) => (
            <List.Item key={`${each.activity_id} ${each.id}`}>
              {wordsFor(each.verb)}, {names.get(thing(each)) ?? each.id}: <InlineCode text={each.reason} />
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
