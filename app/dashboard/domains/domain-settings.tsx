// What admins change at a domain: rotate its DKIM key, delete it. Members see why they cannot.
"use client";
import { List } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import ConfirmByTyping from "../parts/confirm-by-typing.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Setting, Settings } from "../parts/setting.tsx";
import { succeeded } from "../parts/toast.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC } from "../trpc.ts";
import type { Domain } from "./domain-state.tsx";
import { DOMAINS } from "./places.ts";

export function DomainSettings({ domain }: { domain: Domain }) {
  const [dialog, setDialog] = useState<"rotate" | "delete">();
  const close = () => setDialog(undefined);
  return (
    <>
      <Settings>
        <Setting
          title="DKIM key"
          action={
            <AdminButton what="rotate DKIM keys" variant="default" onClick={() => setDialog("rotate")}>
              Rotate DKIM key
            </AdminButton>
          }
        >
          A second key is made, with a record to publish. The first key signs until the second is found in DNS.
        </Setting>
        <Setting
          title="Delete"
          action={
            <AdminButton what="delete domains" color="red" variant="light" onClick={() => setDialog("delete")}>
              Delete domain
            </AdminButton>
          }
        >
          Its DKIM keys are deleted too, and other organizations can verify the domain. Delete its inboxes first.
        </Setting>
      </Settings>
      {dialog === "rotate" && <RotateDkim domain={domain} onClose={close} />}
      {dialog === "delete" && <DeleteDomain domain={domain} onClose={close} />}
    </>
  );
}

function RotateDkim({ domain: { id }, onClose }: { domain: Domain; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const rotate = useMutation(
    trpc.domains.rotateDkim.mutationOptions({
      onSuccess() {
        succeeded("The record of the new key is below");
        onClose();
      },
      onSettled: () => queries.invalidateQueries(trpc.domains.pathFilter()),
    }),
  );
  return (
    <FormDialog
      title="Rotate the DKIM key?"
      size="lg"
      what="The key was not rotated"
      acting={rotate}
      action="Rotate DKIM key"
      onAct={() => rotate.mutate({ domain: id })}
      onClose={onClose}
    >
      <List spacing="xs">
        <List.Item>The page then shows a second DKIM record. Publish it.</List.Item>
        <List.Item>The first key signs all mail until the service finds the second record in DNS.</List.Item>
        <List.Item>
          Keep the first record for 7 days after that, so that mail that is still on its way can be verified.
        </List.Item>
      </List>
    </FormDialog>
  );
}

function DeleteDomain({ domain, onClose }: { domain: Domain; onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const remove = useMutation(trpc.domains.remove.mutationOptions());

  async function confirm() {
    await remove.mutateAsync({ domain: domain.id });
    // Loaded again, because the cached list still has it.
    queries.removeQueries(trpc.domains.list.pathFilter());
    router.replace(DOMAINS);
    succeeded("Domain deleted");
  }

  return (
    <ConfirmByTyping
      onClose={onClose}
      title="Delete this domain?"
      name={domain.domain}
      confirm="Delete domain"
      onConfirm={confirm}
    >
      Its DKIM keys are deleted permanently. Keys of your organization can no longer create inboxes at{" "}
      <strong>{domain.domain}</strong> or its subdomains.
    </ConfirmByTyping>
  );
}
