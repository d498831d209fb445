// The table of the audit log: person, action, object, result, time.
"use client";
import { Badge, Table } from "@mantine/core";
import { Time } from "../../parts/time.tsx";
import type { Outputs } from "../../trpc.ts";
import classes from "../settings.module.css";
import { wordsFor } from "./action-words.ts";

type Entry = Outputs["team"]["audit"]["data"][number];

const ACTOR = /^(.*) <([^<>]*)>$/;

export function AuditTable({ entries }: { entries: Entry[] }) {
  return (
    <div className={classes.frame}>
      <Table horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col" className={classes.wide}>
              Who
            </Table.Th>
            <Table.Th scope="col">What</Table.Th>
            <Table.Th scope="col">Outcome</Table.Th>
            <Table.Th scope="col" className={classes.wide}>
              When
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {entries.map((entry) => (
            <Row key={entry.id} entry={entry} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function Row({ entry }: { entry: Entry }) {
  const { actor, action, subject, outcome, created_at } = entry;
  const [, name = actor, email = ""] = ACTOR.exec(actor) ?? [];
  return (
    <Table.Tr>
      <Table.Td className={classes.wide}>
        <span className={classes.person}>{name}</span>
        <span className={classes.hint}>{email}</span>
      </Table.Td>
      <Table.Td>
        <span className={classes.person} title={action}>
          {wordsFor(action)}
        </span>
        {subject && <span className={classes.hint}>{subject}</span>}
        <span className={classes.narrow}>
          <span className={classes.hint}>
            {name}, <Time at={created_at} plain />
          </span>
        </span>
      </Table.Td>
      <Table.Td>
        <Outcome outcome={outcome} />
      </Table.Td>
      <Table.Td className={classes.wide}>
        <Time at={created_at} plain />
      </Table.Td>
    </Table.Tr>
  );
}

function Outcome({ outcome }: { outcome: string }) {
  if (outcome === "done")
    return (
      <Badge variant="light" color="green">
        Done
      </Badge>
    );
  if (outcome === "begun") {
    return (
      <>
        <Badge variant="light" color="yellow">
          Unknown
        </Badge>
        <span className={classes.hint}>Started; the outcome is unknown.</span>
      </>
    );
  }
  return (
    <>
      <Badge variant="light" color="red">
        Refused
      </Badge>
      <span className={classes.hint}>{outcome.replaceAll("_", " ")}</span>
    </>
  );
}
