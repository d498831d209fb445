// The dashboard at an address that has no page.
"use client";
import { Button } from "@mantine/core";
import { InBrowser } from "../design/in-browser.tsx";
import { NearLink } from "../design/near-link.tsx";
import { IconWorld } from "../design/shell-icons.tsx";
import { EmptyState } from "./parts/empty-state.tsx";
import { PageHeader } from "./parts/page-header.tsx";
import { Shell } from "./shell/shell.tsx";
import { ShellSkeleton } from "./shell/shell-skeleton.tsx";
import "../design/mantine.css";
import "../design/theme.css";
import "../design/thumbs.css";

export default function Lost() {
  return (
    <InBrowser skeleton={<ShellSkeleton />}>
      <Shell>
        <PageHeader title="Page not found" />
        <EmptyState
          icon={IconWorld}
          title="There is no page at this address"
          action={
            <Button component={NearLink} href="/dashboard">
              Go to the overview
            </Button>
          }
        >
          Choose one on the left, or find it with Ctrl+K.
        </EmptyState>
      </Shell>
    </InBrowser>
  );
}
