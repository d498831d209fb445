// Whether members must have a second factor. Only owners can change it.
"use client";
import { Button, Text, Title, Tooltip } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./settings.module.css";

export function SecondFactor({ isRequired }: { isRequired: boolean }) {
  const isOwner = useMayAct("owner");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const change = useMutation(
    trpc.organization.update.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries(trpc.organization.pathFilter());
        succeeded(isRequired ? "A second factor is the choice of each member" : "Members must have a second factor");
      },
      onError: (error) => failed(error, "The requirement was not changed"),
    }),
  );
  return (
    <section className={classes.panel} aria-label="Second factor">
      <Title order={2} mb="sm">
        Second factor
      </Title>
      <Text size="sm" mb="sm">
        {isRequired
          ? "Members must have a second factor, or sign in with their company account. Those without one set it up when they next open the dashboard."
          : "Each member turns it on in their menu. If you require it, members without one set it up when they next open the dashboard, and must connect their apps again. Agents and their keys are not affected."}
      </Text>
      <Tooltip label="Only an owner can change this." disabled={isOwner}>
        <Button
          variant="default"
          data-disabled={!isOwner || undefined}
          aria-disabled={!isOwner}
          loading={change.isPending}
          onClick={() => isOwner && change.mutate({ require_second_factor: !isRequired })}
        >
          {isRequired ? "Do not require it" : "Require a second factor"}
        </Button>
      </Tooltip>
    </section>
  );
}
