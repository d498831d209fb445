// The dialog to add a domain; it leads to the DNS records of the domain.
"use client";
import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";
import { describeFailure } from "../parts/failure.ts";
import { Problem } from "../parts/problem.tsx";
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

  function submit(event: SubmitEvent) {
    event.preventDefault();
    // A repeated call returns the domain that the first one added.
    add.mutate({ domain: domain.trim() });
  }

  return (
    <Modal opened onClose={add.isPending ? () => {} : onClose} title="Add a domain">
      <form onSubmit={submit}>
        <Stack>
          {add.error && !issue && <Problem error={add.error} what="The domain was not added" />}
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
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose} disabled={add.isPending}>
              Cancel
            </Button>
            <Button type="submit" loading={add.isPending}>
              Add domain
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
