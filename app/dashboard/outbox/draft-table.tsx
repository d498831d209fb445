// The table of drafts, each with a button that opens it.
"use client";
import { Button, Table, Text } from "@mantine/core";
import dynamic from "next/dynamic";
import { useState } from "react";
import { patient } from "../parts/patient.ts";
import { Time } from "../parts/time.tsx";
import type { Outputs } from "../trpc.ts";
import classes from "./outbox.module.css";

type DraftRow = Outputs["drafts"]["list"]["data"][number];

const EditDraft = dynamic(() => patient(() => import("./edit-draft.tsx").then((module) => module.EditDraft)), {
  ssr: false,
});

export function DraftTable({ drafts }: { drafts: DraftRow[] }) {
  const [opened, setOpened] = useState<string>();
  return (
    <>
      <Table.ScrollContainer minWidth={720} type="native" className={classes.framed}>
        <Table aria-label="Drafts">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Subject</Table.Th>
              <Table.Th>To</Table.Th>
              <Table.Th>From</Table.Th>
              <Table.Th>Changed</Table.Th>
              <Table.Th aria-label="Actions" />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {drafts.map(({ id, subject, to, inbox, in_reply_to, updated_at }) => (
              <Table.Tr key={id}>
                <Table.Td className={classes.words}>{subject || (in_reply_to ? "(a reply)" : "(no subject)")}</Table.Td>
                <Table.Td className={classes.words}>
                  {to.length > 0 ? (
                    to.join(", ")
                  ) : (
                    <Text span c="dimmed" inherit>
                      {in_reply_to ? "The sender" : "No recipient yet"}
                    </Text>
                  )}
                </Table.Td>
                <Table.Td className={classes.words}>{inbox}</Table.Td>
                <Table.Td>
                  <Time at={updated_at} plain />
                </Table.Td>
                <Table.Td className={classes.end}>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={`Open ${subject || "the draft"}`}
                    onClick={() => setOpened(id)}
                  >
                    Open
                  </Button>
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {opened && <EditDraft id={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}
