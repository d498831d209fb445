// The table of the audit log: person, action, object, result, time.
"use client";
import { Badge } from "@mantine/core";
import shared from "../../../design/shared.module.css";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "../settings.module.css";
import { wordsFor } from "./action-words.ts";
import type { Entry } from "./lines.ts";

const ACTOR = /^(.*) <([^<>]*)>$/;

const COLUMNS: Column<Entry>[] = [
  { name: "What", kind: "title", show: (entry) => <What entry={entry} /> },
  { name: "Who", show: ({ actor }) => <Who actor={actor} /> },
  { name: "Result", show: ({ outcome }) => <Outcome outcome={outcome} /> },
  { name: "When", show: ({ created_at }) => <Time at={created_at} plain /> },
];

export function AuditTable({ entries }: { entries: Entry[] }) {
  return <DataTable label="Audit log" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />;
}

function What({ entry: { action, subject } }: { entry: Entry }) {
  return (
    <>
      <span className={classes.person} title={action}>
        {wordsFor(action)}
      </span>
      {subject && <span className={shared.hint}>{subject}</span>}
    </>
  );
}

function Who({ actor }: { actor: string }) {
  const [, name = actor, email = ""] = ACTOR.exec(actor) ?? [];
  return (
    <>
      <span className={classes.person}>{name}</span>
      <span className={shared.hint}>{email}</span>
    </>
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
        <span className={shared.hint}>Started; the outcome is unknown.</span>
      </>
    );
  }
  return (
    <>
      <Badge variant="light" color="red">
        Refused
      </Badge>
      <span className={shared.hint}>{outcome.replaceAll("_", " ")}</span>
    </>
  );
}
