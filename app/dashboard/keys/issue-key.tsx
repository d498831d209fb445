// The dialog to issue an enrollment key, which then shows it once with the call that uses it.
"use client";
import { Checkbox, NumberInput, Radio, Stack, TagsInput, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CodeBlock } from "../parts/code-block.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { describeFailure } from "../parts/failure.ts";
import { DialogForm } from "../parts/form-dialog.tsx";
import SecretOnce from "../parts/secret-once.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Inputs, type Outputs, useTRPC } from "../trpc.ts";
import { Expiry, expiresAt, NEVER } from "./expiry.tsx";

type Defaults = Outputs["keys"]["defaults"];

const MAILBOXES = 100;
const NAME_CHARS = 100;

type InboxAccess = NonNullable<Inputs["keys"]["issue"]["inbox_access"]>;
type KeyScope = NonNullable<Inputs["keys"]["issue"]["scopes"]>[number];

/** What the agents of the key may do; `chosen`: without a choice of the member, as for the operator's command. */
export const SCOPES: { scope: KeyScope; does: string; chosen?: true }[] = [
  { scope: "mailbox:create", does: "Create mailboxes.", chosen: true },
  { scope: "mailbox:read", does: "Read mail.", chosen: true },
  { scope: "mailbox:draft", does: "Write drafts, which others send." },
  { scope: "mailbox:send", does: "Write drafts and send mail.", chosen: true },
  {
    scope: "mailbox:delete",
    does: "Delete mailboxes with their mail, which cannot be restored, and move mail to the trash.",
    chosen: true,
  },
  { scope: "mailbox:purge", does: "Erase mail without the trash." },
  { scope: "mailbox:import", does: "Import mail that another service had received." },
  { scope: "webhook:write", does: "Register and change webhooks.", chosen: true },
  { scope: "payment:write", does: "Buy mailboxes in advance." },
  { scope: "domain:manage", does: "Add and remove domains." },
  { scope: "list:manage", does: "Change allow and block lists." },
  { scope: "key:issue", does: "Issue narrower keys to other agents." },
];

function enrolCall(key: string): string {
  return `curl ${location.origin}/v1/enroll \\
  -H "Content-Type: application/json" \\
  -d '{"token":"${key}","agent_handle":"my-agent"}'`;
}

export default function IssueKey({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const [secret, setSecret] = useState<string | null>(null);
  const defaults = useQuery(trpc.keys.defaults.queryOptions());
  if (secret !== null) {
    return (
      <SecretOnce secret={secret} title="The key is issued" what="the enrollment key" onStored={onClose}>
        <Stack gap="xs">
          <Text size="sm">An agent redeems it for its own agent key:</Text>
          <CodeBlock samples={[{ label: "curl", code: enrolCall(secret) }]} what="the call that enrolls an agent" />
        </Stack>
      </SecretOnce>
    );
  }
  return (
    <Dialog onClose={onClose} title="Issue a key">
      <Unloaded
        query={defaults}
        what="allowed domains"
        skeleton={<Text role="status">Loading allowed domains…</Text>}
      />
      {defaults.data && <Form defaults={defaults.data} onClose={onClose} onIssued={setSecret} />}
    </Dialog>
  );
}

type FormProps = { defaults: Defaults; onClose: () => void; onIssued: (key: string) => void };

/** The first problem of a field, or of one of its parts (`allowed_domains.1`). */
export function issueOf(issues: Record<string, string>, field: string): string | undefined {
  return Object.entries(issues).find(([path]) => path === field || path.startsWith(`${field}.`))?.[1];
}

function Form({ defaults, onClose, onIssued }: FormProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const [mailboxes, setMailboxes] = useState<number | string>(MAILBOXES);
  const [domains, setDomains] = useState(defaults.domains.slice(0, 1));
  const [scopes, setScopes] = useState(SCOPES.flatMap(({ scope, chosen }) => (chosen ? scope : [])));
  const [inboxAccess, setInboxAccess] = useState<InboxAccess>("own");
  const [expiry, setExpiry] = useState(NEVER);
  const issue = useMutation(
    trpc.keys.issue.mutationOptions({
      onSuccess({ key }) {
        onIssued(key);
        void queries.invalidateQueries(trpc.keys.pathFilter());
        void queries.invalidateQueries(trpc.overview.pathFilter());
      },
    }),
  );
  const issues = issue.error ? describeFailure(issue.error).issues : {};
  const ofField = ["name", "max_mailboxes", "allowed_domains", "scopes", "expires_at"].some((field) =>
    issueOf(issues, field),
  );

  function act() {
    const expires_at = expiresAt(expiry);
    issue.mutate({
      name,
      max_mailboxes: Number(mailboxes),
      allowed_domains: domains,
      scopes,
      inbox_access: inboxAccess,
      ...(expires_at && { expires_at }),
    });
  }

  return (
    <DialogForm
      what="The key was not issued"
      hideFailure={ofField}
      acting={issue}
      action="Issue key"
      onAct={act}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        description="What the key is for. Only your team sees it."
        placeholder="Support agents"
        required
        maxLength={NAME_CHARS}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={issueOf(issues, "name")}
        autoComplete="off"
        data-autofocus
      />
      <NumberInput
        label="Mailboxes"
        description="How many mailboxes the key may create. Deleting a mailbox does not free quota."
        required
        min={1}
        max={defaults.max_mailboxes_max}
        allowDecimal={false}
        thousandSeparator=","
        value={mailboxes}
        onChange={setMailboxes}
        error={issueOf(issues, "max_mailboxes")}
      />
      <TagsInput
        label="Domains"
        description="The shared domain, verified domains of your organization, and domains that the operator granted to it. *.example.com allows every domain below it."
        data={defaults.domains}
        value={domains}
        onChange={setDomains}
        acceptValueOnBlur
        error={issueOf(issues, "allowed_domains")}
      />
      <Checkbox.Group
        label="Scopes"
        description="What agents that enroll with the key may do."
        required
        value={scopes}
        onChange={(chosen) => setScopes(SCOPES.flatMap(({ scope }) => (chosen.includes(scope) ? scope : [])))}
        error={issueOf(issues, "scopes")}
      >
        <Stack gap="xs" mt="xs">
          {SCOPES.map(({ scope, does }) => (
            <Checkbox key={scope} value={scope} label={scope} description={does} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Radio.Group
        label="Inboxes"
        description="Which inboxes an agent that enrolls with the key reaches. Members reach all of them."
        value={inboxAccess}
        onChange={(value) => setInboxAccess(value as InboxAccess)}
      >
        <Stack gap="xs" mt="xs">
          <Radio
            value="own"
            label="Its own"
            description="Those that the agent creates. Agents do not read each other's mail."
          />
          <Radio
            value="organization"
            label="All of the organization"
            description="Also those of other agents, and those that members create."
          />
        </Stack>
      </Radio.Group>
      <Expiry
        description="After this, no new agents can enroll. Existing agents keep working."
        value={expiry}
        onChange={setExpiry}
        error={issueOf(issues, "expires_at")}
      />
    </DialogForm>
  );
}
