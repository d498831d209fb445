// The scheduled messages and the drafts, below each other: one file, so that none appears above the other and moves it.
"use client";
import { Title } from "@mantine/core";
import type { ComponentProps } from "react";
import { LoadMore, rowsOf } from "../parts/listing.tsx";
import type { Outputs } from "../trpc.ts";
import { DraftTable } from "./draft-table.tsx";
import classes from "./outbox.module.css";
import { ScheduledTable } from "./scheduled-table.tsx";

type List<Page> = ComponentProps<typeof LoadMore>["list"] & { data: { pages: Page[] } | undefined };
type Props = {
  scheduled: List<Outputs["messages"]["listScheduled"]>;
  drafts: List<Outputs["drafts"]["list"]>;
};

export default function OutboxTables({ scheduled, drafts }: Props) {
  const [waiting, written] = [rowsOf(scheduled.data), rowsOf(drafts.data)];
  return (
    <>
      {waiting.length > 0 && (
        <>
          <Title order={2} size="h4" className={classes.section}>
            Scheduled
          </Title>
          <ScheduledTable messages={waiting} />
          <LoadMore list={scheduled} what="scheduled messages" />
        </>
      )}
      {written.length > 0 && (
        <>
          <Title order={2} size="h4" className={classes.section}>
            Drafts
          </Title>
          <DraftTable drafts={written} />
          <LoadMore list={drafts} what="drafts" />
        </>
      )}
    </>
  );
}
