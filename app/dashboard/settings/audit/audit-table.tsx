// The table of the audit log: action with its thing and settings, person or agent, result, time.
"use client";
import { Anchor, Badge, Text } from "@mantine/core";
import { NearLink } from "../../../design/near-link.tsx";
import shared from "../../../design/shared.module.css";
import { domainHref } from "../../domains/places.ts";
import { activityHref, keyHref } from "../../keys/places.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Time } from "../../parts/time.tsx";
import { mailHref, webhookHref } from "../../webhooks/places.ts";
import classes from "../settings.module.css";
import { wordsFor } from "./action-words.ts";
import type { Entry } from "./lines.ts";

const ACTOR = /^(.*) <([^<>]*)>$/;
const exactly = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "medium", hourCycle: "h23" });

const COLUMNS: Column<Entry>[] = [
  { name: "What", kind: "title", isTall: true, show: (entry) => <What entry={entry} /> },
  { name: "Who", show: (entry) => <Who entry={entry} /> },
  { name: "Result", minWidth: 9, show: ({ outcome }) => <Outcome outcome={outcome} /> },
  {
    name: "When",
    minWidth: 14,
    show: ({ created_at }) => (
      <>
        <span>{exactly.format(new Date(created_at))}</span>
        <span className={shared.hint}>
          <Time at={created_at} plain />
        </span>
      </>
    ),
  },
];

export function AuditTable({ entries }: { entries: Entry[] }) {
  return <DataTable label="Audit log" columns={COLUMNS} rows={entries} keyOf={({ id }) => id} />;
}

function What({ entry }: { entry: Entry }) {
  const { action, subject, object, more, changes, outcome } = entry;
  const href = hrefOf(entry);
  const name = object
    ? object.name || (object.name === "" && !object.id?.startsWith("ekey_") ? "(no subject)" : object.id)
    : several(subject);
  return (
    <>
      <span className={classes.person} title={action}>
        {wordsFor(action, outcome)}
      </span>
      {name && (
        <span className={shared.hint}>
          {href ? (
            <Anchor component={NearLink} href={href} inherit>
              {name}
            </Anchor>
          ) : (
            name
          )}
          {more > 0 && ` and ${more.toLocaleString("en")} more`}
        </span>
      )}
      {changes.map((change) => (
        <Text key={change.name} size="xs" c="dimmed" className={classes.fromTo}>
          {change.name.replaceAll("_", " ")}: {action !== "keys.enroll" && <Before value={change.from} />}
          {change.to || "nothing"}
        </Text>
      ))}
    </>
  );
}

function Before({ value }: { value: string | null }) {
  return (
    <>
      <s>{value || "nothing"}</s> →{" "}
    </>
  );
}

/** "3 conversations" for the ids of several; other texts stay. */
function several(subject: string | null): string | null {
  const ids = subject?.split(", ") ?? [];
  if (ids.length < 2 || !ids.every((id) => id.startsWith("thr_"))) return subject;
  return `${ids.length.toLocaleString("en")} conversations`;
}

const PLACES: Record<string, string> = {
  team: "/dashboard/settings/team",
  organization: "/dashboard/settings",
  reviews: "/dashboard/approvals",
  lists: "/dashboard/lists",
  suppressions: "/dashboard/suppressions",
  notices: "/dashboard/settings/notices",
  apps: "/dashboard/settings/apps",
};

/** The page that shows the thing, if one does. */
function hrefOf({ action, object }: Entry): string | undefined {
  const [noun = ""] = action.split(".");
  if (object?.gone) return undefined;
  if (!object?.id) return PLACES[noun];
  const { id, inbox, thread_id, enrollment_key_id } = object;
  const [kind = ""] = id.split("_");
  if (kind === "ekey") return keyHref(id);
  if (kind === "akey" && enrollment_key_id) return activityHref(enrollment_key_id, id);
  if (kind === "agt" && enrollment_key_id) return keyHref(enrollment_key_id);
  if (kind === "whk") return webhookHref(id);
  if (kind === "dom") return domainHref(id);
  if (kind === "drf") return "/dashboard/outbox";
  if (inbox === null) return PLACES[noun];
  return thread_id === null ? `/dashboard/mail?${new URLSearchParams({ inbox })}` : mailHref(inbox, thread_id);
}

function Who({ entry: { actor, agent } }: { entry: Entry }) {
  if (agent) {
    return (
      <>
        <Anchor
          component={NearLink}
          size="sm"
          href={activityHref(agent.enrollment_key_id, agent.agent_key_id)}
          className={classes.person}
        >
          {actor}
        </Anchor>
        <span className={shared.hint}>Agent{actor === agent.handle ? "" : ` ${agent.handle}`}</span>
      </>
    );
  }
  const [, name = actor, email = ""] = ACTOR.exec(actor) ?? [];
  return (
    <>
      <span className={`${classes.person} ${classes.oneLine}`} title={name}>
        {name}
      </span>
      <span className={`${shared.hint} ${classes.oneLine}`} title={email}>
        {email}
      </span>
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
