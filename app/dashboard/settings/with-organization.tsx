// <WithOrganization>: loads the organization and shows its content; before that a skeleton, and on failure an error.
"use client";
import { Skeleton, VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Unloaded } from "../parts/unloaded.tsx";
import { type Outputs, useTRPC } from "../trpc.ts";
import classes from "./settings.module.css";

export type Organization = Outputs["organization"]["get"];

export function WithOrganization({ children }: { children: (organization: Organization) => ReactNode }) {
  const trpc = useTRPC();
  const found = useQuery(trpc.organization.get.queryOptions());
  if (found.data) return children(found.data);
  const skeleton = (
    <div role="status" className={classes.panel}>
      <VisuallyHidden>Loading the settings…</VisuallyHidden>
      <Skeleton height={16} width="30%" />
      <Skeleton height={36} mt="lg" maw="36rem" />
      <Skeleton height={16} mt="xl" width="24%" />
      <Skeleton height={36} mt="lg" maw="36rem" />
    </div>
  );
  return <Unloaded query={found} what="settings" skeleton={skeleton} />;
}
