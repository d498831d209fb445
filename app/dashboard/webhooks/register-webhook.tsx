// The dialog to register a webhook, and the dialog that shows its secret, once.
"use client";
import { Button, Radio, Select, Stack, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useTRPC } from "../trpc.ts";
import { DeliveredFields, deliveredInput, NOTHING_MORE } from "./events/delivered.tsx";
import { EventKinds, type Kind, receivable } from "./events/event-kinds.tsx";
import { webhookHref } from "./places.ts";
import { urlProblem } from "./url-field.ts";
import { WebhookSecret } from "./webhook-secret.tsx";

/** All are visible, because typing one more letter is easier than scrolling. */
const SHOWN_ROWS = 8;
const HEIGHT_PX = 400;
const TYPING_MS = 200;
const NAME_CHARS = 100;

type InboxSelectProps = {
  value: string | null;
  onChange: (address: string | null) => void;
  error?: string | undefined;
};

const DEFAULT_KINDS: Kind[] = ["message.received"];
/** Errors about the URL are shown at its field. */
const ABOUT_URL = "invalid_webhook_url";

function useRegister() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const sending = useRef(false);
  const register = useMutation(
    trpc.webhooks.register.mutationOptions({
      onSettled: () => {
        sending.current = false;
        return queries.invalidateQueries(trpc.webhooks.pathFilter());
      },
    }),
  );
  return { register, sending };
}

export default function RegisterWebhook({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const [url, setUrl] = useState("");
  const [name, setName] = useState("");
  const [scope, setScope] = useState("every");
  const [address, setAddress] = useState<string | null>(null);
  const [kinds, setKinds] = useState(DEFAULT_KINDS);
  const [delivered, setDelivered] = useState<typeof NOTHING_MORE>();
  const [asked, setAsked] = useState(false);
  const { register, sending } = useRegister();
  const problem = urlProblem(url.trim());
  const isMissing = scope === "one" && address === null;
  const events = receivable(kinds, scope === "one");
  const failure = register.error && describeFailure(register.error);

  function act() {
    setAsked(true);
    // A second click may arrive before the button is disabled.
    if (problem || isMissing || events.length === 0 || sending.current) return;
    sending.current = true;
    register.mutate({
      url: url.trim(),
      ...(name.trim() && { name: name.trim() }),
      events,
      ...(scope === "one" && address !== null && { address }),
      ...(delivered && deliveredInput(delivered)),
    });
  }

  if (register.data) {
    const { id, secret } = register.data;
    return (
      <WebhookSecret secret={secret} title="The webhook is registered" onStored={() => router.push(webhookHref(id))} />
    );
  }
  return (
    <FormDialog
      title="Register a webhook"
      size="lg"
      what="The webhook was not registered"
      hideFailure={failure?.code === ABOUT_URL}
      acting={register}
      action="Register webhook"
      noValidate
      onAct={act}
      onClose={onClose}
    >
      <TextInput
        label="URL"
        description="The service sends POST requests to this URL. Use https."
        placeholder="https://agent.example/hooks/mail"
        type="url"
        required
        autoComplete="off"
        value={url}
        onChange={(event) => {
          setUrl(event.currentTarget.value);
          register.reset();
        }}
        error={(asked && problem) || (failure?.code === ABOUT_URL && `${failure.message} ${failure.fix}`)}
        data-autofocus
      />
      <TextInput
        label="Name"
        description="What your team calls it. Without one, its URL names it."
        maxLength={NAME_CHARS}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Radio.Group label="Inboxes" value={scope} onChange={setScope}>
        <Stack gap="xs" mt={6}>
          <Radio value="every" label="Every inbox" description="Including inboxes created later." />
          <Radio value="one" label="One inbox" description="The webhook is deleted with the inbox." />
        </Stack>
      </Radio.Group>
      {scope === "one" && (
        <InboxSelect
          value={address}
          onChange={setAddress}
          error={asked && isMissing ? "Choose the inbox." : undefined}
        />
      )}
      <EventKinds
        value={kinds}
        onChange={setKinds}
        isOfOneInbox={scope === "one"}
        error={asked && events.length === 0 ? "Choose at least one." : undefined}
      />
      {delivered ? (
        <DeliveredFields value={delivered} onChange={setDelivered} />
      ) : (
        <Button variant="default" onClick={() => setDelivered(NOTHING_MORE)}>
          Filter, headers, message…
        </Button>
      )}
    </FormDialog>
  );
}

/** Chooses one of any number of mailboxes by typing. value, onChange, error */
function InboxSelect({ value, onChange, error }: InboxSelectProps) {
  const trpc = useTRPC();
  const [typed, setTyped] = useState("");
  // The field shows the chosen address, which is no search text.
  const [wanted] = useDebouncedValue(typed === value ? "" : typed.trim(), TYPING_MS);
  const found = useQuery(
    trpc.inboxes.summaries.queryOptions(
      { limit: SHOWN_ROWS, ...(wanted && { q: wanted }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const addresses = found.data?.data.map(({ address }) => address) ?? [];
  const data = value !== null && !addresses.includes(value) ? [value, ...addresses] : addresses;
  const nothing = found.isError ? "The inboxes could not be loaded." : "No inbox address contains this text.";
  return (
    <Select
      label="Inbox"
      placeholder="Type to find an address"
      required
      searchable
      clearable
      clearButtonProps={{ "aria-label": "Clear the inbox" }}
      data={data}
      maxDropdownHeight={HEIGHT_PX}
      // The service has already filtered.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={found.isFetching ? "Looking…" : nothing}
      error={error}
    />
  );
}
