// <WithOrganization>: loads the organization and shows its content; before that a skeleton, and on failure an error.
"use client";
import { Skeleton, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem } from "../parts/problem.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./settings.module.css";

export type Organization = Outputs["organization"]["get"];

export function WithOrganization({ children }: { children: (organization: Organization) => ReactNode }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(trpc.organization.get.queryOptions());
  if (data) return children(data);
  if (error) {
    const retry = () => void refetch();
    return <Problem error={error} what="The settings could not be loaded" retry={retry} busy={isFetching} />;
  }
  return (
    <div role="status" className={classes.panel}>
      <VisuallyHidden>Loading the settings…</VisuallyHidden>
      <Skeleton height={16} width="30%" />
      <Skeleton height={36} mt="lg" maw="36rem" />
      <Skeleton height={16} mt="xl" width="24%" />
      <Skeleton height={36} mt="lg" maw="36rem" />
    </div>
  );
}
