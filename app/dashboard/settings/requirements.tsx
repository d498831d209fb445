// What an owner requires of how members sign in: a second factor, a company account. Only owners can change it.
"use client";
import { Button, Text, Title, Tooltip } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { failed, succeeded } from "../parts/toast.tsx";
import { useMayAct } from "../session/member.tsx";
import { useTRPC } from "../trpc.ts";
import classes from "./settings.module.css";

export function SecondFactor({ isRequired }: { isRequired: boolean }) {
  return (
    <Requirement
      title="Second factor"
      field="require_second_factor"
      isRequired={isRequired}
      required={{
        text: "Members must have a second factor, or sign in with their company account. Those without one set it up when they next open the dashboard.",
        end: "Do not require it",
        ended: "A second factor is the choice of each member",
      }}
      free={{
        text: "Each member turns it on in their menu. If you require it, members without one set it up when they next open the dashboard, and must connect their apps again. Agents and their keys are not affected.",
        begin: "Require a second factor",
        begun: "Members must have a second factor",
      }}
    />
  );
}

/** Nothing where the service has no company sign-in, and the organization does not require it. */
export function CompanySignIn({ isRequired }: { isRequired: boolean }) {
  const company = useQuery(useTRPC().team.companyButton.queryOptions());
  if (!company.data?.name && !isRequired) return null;
  return (
    <Requirement
      title="Company sign-in"
      field="require_company_sign_in"
      isRequired={isRequired}
      required={{
        text: "Members must sign in with their company account. Sessions of passwords have no access to this organization.",
        end: "Allow passwords",
        ended: "Members can sign in with a password",
      }}
      free={{
        text: "Members can sign in with a password or with their company account. If you require the company account, sessions of passwords lose access, and connected apps must be connected again.",
        begin: "Require company sign-in",
        begun: "Members must sign in with their company account",
      }}
    />
  );
}

/** `text`: what holds now. `end`, `begin`: the button. `ended`, `begun`: what holds after it. */
type Props = {
  title: string;
  field: "require_second_factor" | "require_company_sign_in";
  isRequired: boolean;
  required: { text: string; end: string; ended: string };
  free: { text: string; begin: string; begun: string };
};

function Requirement({ title, field, isRequired, required, free }: Props) {
  const isOwner = useMayAct("owner");
  const trpc = useTRPC();
  const queries = useQueryClient();
  const change = useMutation(
    trpc.organization.update.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries(trpc.organization.pathFilter());
        succeeded(isRequired ? required.ended : free.begun);
      },
      onError: (error) => failed(error, "The requirement was not changed"),
    }),
  );
  return (
    <section className={classes.panel} aria-label={title}>
      <Title order={2} mb="sm">
        {title}
      </Title>
      <Text size="sm" mb="sm">
        {isRequired ? required.text : free.text}
      </Text>
      <Tooltip label="Only an owner can change this." disabled={isOwner}>
        <Button
          variant="default"
          data-disabled={!isOwner || undefined}
          aria-disabled={!isOwner}
          loading={change.isPending}
          onClick={() => isOwner && change.mutate({ [field]: !isRequired })}
        >
          {isRequired ? required.end : free.begin}
        </Button>
      </Tooltip>
    </section>
  );
}
