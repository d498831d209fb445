// The dialog to issue an agent key, for a new agent or for one that exists, which then shows it once with calls that use it.
"use client";
import { Checkbox, Select, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Expiry, expiresAt, NEVER } from "../keys/expiry.tsx";
import { issueOf, SCOPES } from "../keys/issue-key.tsx";
import { CodeBlock } from "../parts/code-block.tsx";
import { DelayInput } from "../parts/delay-input.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { describeFailure } from "../parts/failure.ts";
import { DialogForm } from "../parts/form-dialog.tsx";
import SecretOnce from "../parts/secret-once.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";

const KEYS = 100;
const INBOXES_OFFERED = 100;
const INBOXES_MAX = 100;
const HANDLE_CHARS = 64;
const NAME_CHARS = 100;
/** The fields of the form, by their names in the call. */
const FIELDS = [
  "enrollment_key_id",
  "agent_handle",
  "agent_name",
  "scopes",
  "inboxes",
  "expires_at",
  "outgoing_delay_seconds",
];

type Key = Outputs["keys"]["list"]["data"][number];
type Agent = { id: string; handle: string; enrollment_key: { id: string } };
/** `agent`: who gets the key. Absent: a new agent, or one that is named. */
type Props = { agent?: Agent; onClose: () => void };

function samplesOf(key: string): Parameters<typeof CodeBlock>[0]["samples"] {
  const { origin } = location;
  return [
    { label: "curl", code: `curl ${origin}/v1/auth/me \\\n  -H "Authorization: Bearer ${key}"` },
    {
      label: "TypeScript",
      code: `import { createClient } from "@mailberth/client";

const mail = createClient({ url: "${origin}", key: "${key}" });
console.log(await mail.auth.me.query());`,
    },
    { label: "Environment", code: `MAILBERTH_URL=${origin}\nMAILBERTH_KEY=${key}` },
  ];
}

export default function IssueAgentKey({ agent, onClose }: Props) {
  const trpc = useTRPC();
  const [secret, setSecret] = useState<string | null>(null);
  const one = useQuery(trpc.keys.get.queryOptions({ id: agent?.enrollment_key.id ?? "" }, { enabled: Boolean(agent) }));
  const all = useQuery(trpc.keys.list.queryOptions({ limit: KEYS }, { enabled: !agent }));
  const found = agent ? one : all;
  if (secret !== null) {
    return (
      <SecretOnce secret={secret} title="The agent key is issued" what="the agent key" onStored={onClose}>
        <Stack gap="xs">
          <Text size="sm">The agent sends it with each call:</Text>
          <CodeBlock samples={samplesOf(secret)} what="a call with the agent key" />
        </Stack>
      </SecretOnce>
    );
  }
  const known: Key[] | undefined = agent ? one.data && [one.data] : all.data?.data;
  const keys = known?.filter(({ status }) => status === "active" || status === "exhausted");
  const [first] = keys ?? [];
  return (
    <Dialog onClose={onClose} title={agent ? `Issue a key for ${agent.handle}` : "Issue an agent key"}>
      <Unloaded query={found} what="enrollment keys" skeleton={<Text role="status">Loading enrollment keys…</Text>} />
      {keys && !first && <Text>No enrollment key can take an agent. Issue an enrollment key first, under Keys.</Text>}
      {keys && first && (
        <Form keys={[first, ...keys.slice(1)]} {...(agent && { agent })} onClose={onClose} onIssued={setSecret} />
      )}
    </Dialog>
  );
}

type FormProps = Props & { keys: [Key, ...Key[]]; onIssued: (key: string) => void };

function Form({ keys, agent, onClose, onIssued }: FormProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [keyId, setKeyId] = useState(keys[0].id);
  const [handle, setHandle] = useState(agent?.handle ?? "");
  const [name, setName] = useState("");
  const [unchecked, setUnchecked] = useState<string[]>(() =>
    SCOPES.flatMap(({ scope, chosen }) => (chosen ? [] : scope)),
  );
  const [inboxes, setInboxes] = useState<string[]>([]);
  const [expiry, setExpiry] = useState(NEVER);
  const [delay, setDelay] = useState<number | string>(0);
  const key = keys.find(({ id }) => id === keyId) ?? keys[0];
  const offered = SCOPES.filter(({ scope }) => key.scopes.includes(scope));
  const scopes = offered.flatMap(({ scope }) => (unchecked.includes(scope) ? [] : scope));
  const reachesOwn = key.inbox_access === "own";
  const issue = useMutation(
    trpc.keys.issueAgentKey.mutationOptions({
      onSuccess({ key: secret }) {
        onIssued(secret);
        void queries.invalidateQueries(trpc.agents.pathFilter());
        void queries.invalidateQueries(trpc.keys.pathFilter());
      },
    }),
  );
  const issues = issue.error ? describeFailure(issue.error).issues : {};

  function act() {
    const expires_at = expiresAt(expiry);
    issue.mutate({
      enrollment_key_id: key.id,
      agent_handle: handle.trim(),
      scopes,
      ...(name.trim() && { agent_name: name.trim() }),
      ...(inboxes.length > 0 && { inboxes }),
      ...(expires_at && { expires_at }),
      ...(Number(delay) > 0 && { outgoing_delay_seconds: Number(delay) }),
    });
  }

  return (
    <DialogForm
      what="The key was not issued"
      hideFailure={FIELDS.some((field) => issueOf(issues, field))}
      acting={issue}
      action="Issue agent key"
      disabled={scopes.length === 0}
      onAct={act}
      onClose={onClose}
    >
      {!agent && (
        <>
          <TextInput
            label="Handle"
            description="Names the agent. The same handle is always the same agent."
            placeholder="billing-bot"
            required
            maxLength={HANDLE_CHARS}
            value={handle}
            onChange={(event) => setHandle(event.currentTarget.value)}
            error={issueOf(issues, "agent_handle")}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <TextInput
            label="Name (optional)"
            description="For people."
            placeholder="Billing bot"
            maxLength={NAME_CHARS}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={issueOf(issues, "agent_name")}
            autoComplete="off"
          />
          <Select
            label="Enrollment key"
            description="Its quota, domains and scopes limit the agent, and revoking it ends the agent key."
            data={keys.map(({ id, name: keyName }) => ({ value: id, label: keyName || id }))}
            value={key.id}
            onChange={(id) => {
              setKeyId(id ?? key.id);
              setInboxes([]);
            }}
            allowDeselect={false}
          />
        </>
      )}
      <Checkbox.Group
        label="Scopes"
        description="What the key may do, within the scopes of its enrollment key."
        required
        value={scopes}
        onChange={(chosen) => setUnchecked(SCOPES.flatMap(({ scope }) => (chosen.includes(scope) ? [] : scope)))}
        error={issueOf(issues, "scopes")}
      >
        <Stack gap="xs" mt="xs">
          {offered.map(({ scope, does }) => (
            <Checkbox key={scope} value={scope} label={scope} description={does} />
          ))}
        </Stack>
      </Checkbox.Group>
      {reachesOwn && !agent ? (
        <Text size="sm" c="dimmed">
          The key reaches the inboxes that the agent creates, and no inbox that exists. To give it one, choose an
          enrollment key whose agents reach all inboxes of the organization.
        </Text>
      ) : (
        <Inboxes
          value={inboxes}
          onChange={setInboxes}
          error={issueOf(issues, "inboxes")}
          {...(reachesOwn && agent && { agent: agent.id })}
        />
      )}
      <Expiry
        description="After this, calls with the key are refused."
        value={expiry}
        onChange={setExpiry}
        error={issueOf(issues, "expires_at")}
      />
      <DelayInput
        description="What the key sends stays in the outbox so long, where it can be cancelled. If the inbox has a delay too, the longer one counts."
        value={delay}
        onChange={setDelay}
        error={issueOf(issues, "outgoing_delay_seconds")}
      />
    </DialogForm>
  );
}

type InboxesProps = { agent?: string; value: string[]; onChange: (value: string[]) => void; error: string | undefined };

/** @param props.agent only the inboxes that it created */
function Inboxes({ agent, value, onChange, error }: InboxesProps) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.inboxes.summaries.queryOptions({ limit: INBOXES_OFFERED, sort: "address", ...(agent && { agent }) }),
  );
  const reached = agent ? "every inbox that the agent creates" : "every inbox of the organization";
  return (
    <TagsInput
      label="Inboxes (optional)"
      description={`Restricts the key to these addresses. If empty, it reaches ${reached}.`}
      data={data?.data.map(({ address }) => address) ?? []}
      value={value}
      onChange={onChange}
      maxTags={INBOXES_MAX}
      acceptValueOnBlur
      error={error}
    />
  );
}
