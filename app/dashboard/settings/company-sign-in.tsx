// Whether members must sign in with their company account. Only owners can change it.
"use client";
import { Button, Text, Title, Tooltip } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./settings.module.css";

/** Nothing where the service has no company sign-in, and the organization does not require it. */
export function CompanySignIn({ isRequired }: { isRequired: boolean }) {
  const isOwner = useMayAct("owner");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const company = useQuery(trpc.team.companyButton.queryOptions());
  const change = useMutation(
    trpc.organization.update.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries(trpc.organization.pathFilter());
        succeeded(
          isRequired ? "Members can sign in with a password" : "Members must sign in with their company account",
        );
      },
      onError: (error) => failed(error, "The requirement was not changed"),
    }),
  );
  if (!company.data?.name && !isRequired) return null;
  return (
    <section className={classes.panel} aria-label="Company sign-in">
      <Title order={2} mb="sm">
        Company sign-in
      </Title>
      <Text size="sm" mb="sm">
        {isRequired
          ? "Members must sign in with their company account. Sessions of passwords have no access to this organization."
          : "Members can sign in with a password or with their company account. If you require the company account, sessions of passwords lose access, and connected apps must be connected again."}
      </Text>
      <Tooltip label="Only an owner can change this." disabled={isOwner}>
        <Button
          variant="default"
          data-disabled={!isOwner || undefined}
          aria-disabled={!isOwner}
          loading={change.isPending}
          onClick={() => isOwner && change.mutate({ require_company_sign_in: !isRequired })}
        >
          {isRequired ? "Allow passwords" : "Require company sign-in"}
        </Button>
      </Tooltip>
    </section>
  );
}
