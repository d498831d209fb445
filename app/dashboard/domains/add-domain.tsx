// The dialog to add a domain; it leads to the DNS records of the domain.
"use client";
import { TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useTRPC } from "../trpc.ts";
import { domainHref } from "./places.ts";

const NAME_CHARS = 300;

export default function AddDomain({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const [domain, setDomain] = useState("");
  const add = useMutation(
    trpc.domains.create.mutationOptions({
      onSuccess({ id }) {
        void queries.invalidateQueries(trpc.domains.pathFilter());
        router.push(domainHref(id));
      },
    }),
  );
  const failure = add.error && describeFailure(add.error);
  const issue = failure?.issues.domain;

  return (
    <FormDialog
      title="Add a domain"
      what="The domain was not added"
      hideFailure={issue !== undefined}
      acting={add}
      action="Add domain"
      // A repeated call returns the domain that the first one added.
      onAct={() => add.mutate({ domain: domain.trim() })}
      onClose={onClose}
    >
      <TextInput
        label="Domain"
        description="A subdomain keeps the mail of your main domain where it is. At the domain that you add, all mail arrives here once its MX record is published."
        placeholder="agents.example.com"
        required
        maxLength={NAME_CHARS}
        value={domain}
        onChange={(event) => {
          setDomain(event.currentTarget.value);
          add.reset();
        }}
        error={issue && `The domain ${issue}.`}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
      />
    </FormDialog>
  );
}
