// The dialog to create a mailbox: its key and its address.
"use client";
import { Alert, Anchor, Button, Select, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { IconAlertTriangle } from "../../design/shell-icons.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { describeFailure } from "../parts/failure.ts";
import { DialogForm } from "../parts/form-dialog.tsx";
import { Problem } from "../parts/problem.tsx";
import { succeeded } from "../parts/toast.tsx";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import { mailOf } from "./inbox-table.tsx";

const ADVICE: Record<string, string> = {
  payment_required:
    "Your organization pays for each inbox, and no prepaid inbox is left. An agent with a wallet must create the inbox, or buy inboxes first, as Payments shows.",
  enrollment_token_exhausted:
    "Choose another key, or ask an admin to issue one. Deleting an inbox does not free quota.",
  enrollment_key_not_found: "Choose another key.",
  address_taken: "Choose another name before the @. An address is never issued again, even after it was deleted.",
  domain_not_allowed: "Choose one of the domains that the key allows.",
  payment_pending: "A payment for this inbox is being settled. Wait a few seconds, then try again.",
};

const FIELDS = ["username", "domain", "display_name"];
/** Of the service's message about a name before the @ that nobody may have on the domain. */
const RESERVED = "reserved name";
/** As RESERVED_ELSEWHERE of server/inboxes/address.ts. */
const RESERVED_EVERYWHERE = ["postmaster", "abuse", "mailer-daemon"];

type Key = Outputs["keys"]["list"]["data"][number];
const KEYS = 100;

export default function CreateInbox({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Create an inbox">
      <Keys onClose={onClose} />
    </Dialog>
  );
}

/** The keys with quota left; without one there is no form. */
function Keys({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const found = useQuery(trpc.keys.list.queryOptions({ limit: KEYS }));
  if (!found.data) return <Unloaded query={found} what="keys" skeleton={<Text role="status">Loading keys…</Text>} />;
  const usable = found.data.data.filter(({ status }) => status === "active");
  const [first] = usable;
  if (first) return <Form keys={[first, ...usable.slice(1)]} onClose={onClose} />;
  return (
    <Stack>
      <Text>No enrollment key has quota left. Every inbox counts against the key that creates it.</Text>
      <Button component={NearLink} href="/dashboard/keys">
        Go to the keys
      </Button>
    </Stack>
  );
}

function roomOf({ name, id, used_count, max_mailboxes }: Key): string {
  const left = max_mailboxes - used_count;
  return `${name || id} (${left.toLocaleString("en")} left)`;
}

/** The domains to choose from; `*.example.com` stands for subdomains, which must be typed. */
function plainDomains(key: Key): string[] {
  return key.allowed_domains.filter((domain) => !domain.startsWith("*."));
}

function Form({ keys, onClose }: { keys: [Key, ...Key[]]; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  // One per open dialog: a second click, or a retry after a lost answer, creates no second inbox.
  const [clientId] = useState(() => `dashboard-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`);
  const [keyId, setKeyId] = useState(keys[0].id);
  const [username, setUsername] = useState("");
  const [tried, setTried] = useState("");
  const [domain, setDomain] = useState<string | null>(null);
  const [displayName, setDisplayName] = useState("");
  const key = keys.find(({ id }) => id === keyId) ?? keys[0];
  const domains = plainDomains(key);
  const wildcards = key.allowed_domains.filter((allowed) => allowed.startsWith("*."));
  const create = useMutation(
    trpc.inboxes.createWith.mutationOptions({
      async onSuccess({ address }) {
        onClose();
        succeeded(`${address} can receive mail now`);
        void queries.invalidateQueries(trpc.inboxes.pathFilter());
        void queries.invalidateQueries(trpc.keys.pathFilter());
        router.push(mailOf(address));
      },
    }),
  );
  const issues = create.error ? describeFailure(create.error).issues : {};
  const refused = FIELDS.some((field) => issues[field]);
  const isReserved = issues.username?.includes(RESERVED) ?? false;

  function act() {
    setTried(username.trim());
    create.mutate({
      enrollment_key_id: key.id,
      client_id: clientId,
      ...(username.trim() && { username: username.trim() }),
      ...(domain?.trim() && { domain: domain.trim() }),
      ...(displayName.trim() && { display_name: displayName.trim() }),
    });
  }

  return (
    <DialogForm hideFailure acting={create} action="Create inbox" onAct={act} onClose={onClose}>
      {create.error && !refused && <CreateProblem error={create.error} />}
      <Select
        label="Enrollment key"
        description="The inbox counts against its quota."
        data={keys.map((each) => ({ value: each.id, label: roomOf(each) }))}
        value={key.id}
        onChange={(id) => {
          setKeyId(id ?? key.id);
          setDomain(null);
        }}
        allowDeselect={false}
      />
      <TextInput
        label="Name before the @"
        description="Letters, digits, dots and dashes. If empty, a readable name is generated."
        placeholder="quiet-otter-4821"
        value={username}
        onChange={(event) => setUsername(event.currentTarget.value)}
        error={isReserved ? <Reserved name={tried} onTake={setUsername} /> : issues.username}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
      />
      {wildcards.length > 0 ? (
        <TextInput
          label="Domain"
          description={`This key allows ${key.allowed_domains.join(", ")}.`}
          placeholder={domains[0] ?? wildcards[0]?.replace("*", "sub")}
          required={domains.length === 0}
          value={domain ?? ""}
          onChange={(event) => setDomain(event.currentTarget.value)}
          error={issues.domain}
          spellCheck={false}
        />
      ) : (
        <Select
          label="Domain"
          data={domains}
          value={domain ?? domains[0] ?? null}
          onChange={setDomain}
          allowDeselect={false}
          error={issues.domain}
        />
      )}
      <TextInput
        label="Display name"
        description="Shown next to the address on mail that this inbox sends."
        value={displayName}
        onChange={(event) => setDisplayName(event.currentTarget.value)}
        maxLength={100}
        error={issues.display_name}
      />
      <Anchor component={NearLink} href="/dashboard/keys" size="sm" data-thumb>
        See the keys
      </Anchor>
    </DialogForm>
  );
}

/** @param props.name what was refused */
function Reserved({ name, onTake }: { name: string; onTake: (name: string) => void }) {
  const isReservedEverywhere = RESERVED_EVERYWHERE.includes(name.toLowerCase());
  const other = `${name.toLowerCase()}-desk`;
  return (
    <>
      {name} is reserved on {isReservedEverywhere ? "every" : "this"} domain.{" "}
      <Anchor component="button" type="button" inherit underline="always" onClick={() => onTake(other)}>
        Take {other}
      </Anchor>
      {isReservedEverywhere ? "." : ", or choose a domain of your own."}
    </>
  );
}

/** Explains to people why an inbox was not created, and what to do: the service's own fixes are for agents. */
function CreateProblem({ error }: { error: unknown }) {
  const { code, message } = describeFailure(error);
  const advice = code && ADVICE[code];
  if (!advice) return <Problem error={error} />;
  return (
    <Alert color="red" role="alert" icon={<IconAlertTriangle aria-hidden />} title={message}>
      <Stack gap="xs">
        <Text size="sm">{advice}</Text>
      </Stack>
    </Alert>
  );
}
