// The buttons of the first steps: each does its step with the calls that the pages make too.
"use client";
import { Anchor, Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { NearLink } from "../../design/near-link.tsx";
import { KEYS } from "../keys/places.ts";
import { useAnnounceSend } from "../mail/announce-send.ts";
import { placeHref } from "../mail/place.ts";
import { later } from "../parts/later.ts";
import { Problem } from "../parts/problem.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC } from "../trpc.ts";
import { WEBHOOKS } from "../webhooks/places.ts";
import { StartReceiver } from "../webhooks/receiver/start-receiver.tsx";

const SecretOnce = later(() => import("../parts/secret-once.tsx"));

const FIRST_KEY = { name: "First agents", max_mailboxes: 100 };
/** A second click, or another member at the same time, makes no second inbox and no second mail. */
const ONCE = "first-steps";
const MAIL = { subject: "Your first mail", text: "This inbox works. Your code is 482913." };

/** Reads the overview again, so that the step is ticked by what the service says. */
function useReadAgain(): () => void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () => {
    void queries.invalidateQueries(trpc.overview.pathFilter());
    void queries.invalidateQueries(trpc.keys.pathFilter());
    void queries.invalidateQueries(trpc.inboxes.pathFilter());
  };
}

export function IssueFirst({ onIssued }: { onIssued: (secret: string) => void }) {
  const trpc = useTRPC();
  const readAgain = useReadAgain();
  const [secret, setSecret] = useState<string | null>(null);
  const issue = useMutation(
    trpc.keys.issue.mutationOptions({
      onSuccess({ key }) {
        setSecret(key);
        onIssued(key);
      },
    }),
  );
  return (
    <>
      {issue.error && <Problem error={issue.error} what="The key was not issued" />}
      <Group mt="sm">
        <AdminButton what="issue keys" loading={issue.isPending} onClick={() => issue.mutate(FIRST_KEY)}>
          Issue a key
        </AdminButton>
        <Anchor component={NearLink} href={KEYS} size="sm" data-thumb>
          Choose its limits
        </Anchor>
      </Group>
      {secret !== null && (
        <SecretOnce
          secret={secret}
          title="The key is issued"
          what="the enrollment key"
          onStored={() => {
            setSecret(null);
            readAgain();
          }}
        >
          It allows 100 mailboxes. The next step uses it.
        </SecretOnce>
      )}
    </>
  );
}

export function CreateFirst({ keyId }: { keyId: string | undefined }) {
  const trpc = useTRPC();
  const readAgain = useReadAgain();
  const create = useMutation(trpc.inboxes.createWith.mutationOptions({ onSuccess: readAgain }));
  return (
    <>
      {create.error && <Problem error={create.error} what="The inbox was not created" />}
      <Button
        mt="sm"
        loading={create.isPending}
        disabled={keyId === undefined}
        onClick={() => keyId !== undefined && create.mutate({ enrollment_key_id: keyId, client_id: ONCE })}
      >
        Create an inbox
      </Button>
    </>
  );
}

export function SendFirst({ address }: { address: string | undefined }) {
  const trpc = useTRPC();
  const readAgain = useReadAgain();
  const announce = useAnnounceSend();
  const send = useMutation(
    trpc.messages.send.mutationOptions({
      onSuccess(sent) {
        readAgain();
        void announce("Test mail", sent);
      },
    }),
  );
  if (address === undefined) return null;
  return (
    <>
      {send.error && <Problem error={send.error} what="The test mail was not sent" />}
      <Group mt="sm">
        <Button
          loading={send.isPending}
          disabled={send.isSuccess}
          onClick={() => send.mutate({ addr: address, to: address, idempotency_key: ONCE, ...MAIL })}
        >
          Send a test mail
        </Button>
        <Anchor component={NearLink} href={placeHref(address)} size="sm" data-thumb>
          Open {address}
        </Anchor>
      </Group>
    </>
  );
}

export function RegisterFirst() {
  return (
    <Group mt="sm">
      <Button component={NearLink} href={WEBHOOKS}>
        Go to webhooks
      </Button>
      <StartReceiver variant="default" />
    </Group>
  );
}

export function InviteFirst({ onClick }: { onClick: () => void }) {
  return (
    <AdminButton what="invite people" mt="sm" onClick={onClick}>
      Invite a person
    </AdminButton>
  );
}

export function ChooseFirst() {
  return (
    <Button component={NearLink} href="/dashboard/settings/notices" mt="sm">
      Choose your notices
    </Button>
  );
}
