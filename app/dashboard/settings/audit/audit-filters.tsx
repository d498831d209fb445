// The filters of the audit log: person, kind of action, result and time. Stored in the address.
"use client";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { setQuery } from "../../parts/query-filters.ts";
import { useTRPC } from "../../trpc.ts";
import { fromLocal, toLocal, viewersZone } from "../../webhooks/local-time.ts";
import classes from "./audit.module.css";

const NAMES = ["member", "noun", "outcome", "after", "before"] as const;
const OUTCOMES = ["done", "refused", "begun"] as const;
const OUTCOME_CHOICES = [
  { value: "", label: "Every result" },
  { value: "done", label: "Done" },
  { value: "refused", label: "Refused" },
  { value: "begun", label: "Unknown" },
];
const NOUN_CHOICES = [
  { value: "", label: "Every kind" },
  { value: "session", label: "Sign-ins" },
  { value: "account", label: "Passwords" },
  { value: "team", label: "Team" },
  { value: "organization", label: "Organization" },
  { value: "keys", label: "Keys" },
  { value: "inboxes", label: "Inboxes" },
  { value: "messages", label: "Mail" },
  { value: "threads", label: "Conversations" },
  { value: "drafts", label: "Drafts" },
  { value: "reviews", label: "Approvals" },
  { value: "lists", label: "Lists" },
  { value: "suppressions", label: "Suppressions" },
  { value: "domains", label: "Domains" },
  { value: "webhooks", label: "Webhooks" },
  { value: "apps", label: "Connected apps" },
];

export type Filters = {
  member?: string;
  noun?: string;
  outcome?: (typeof OUTCOMES)[number];
  after?: string;
  before?: string;
};

/** The filters of the address for the API. */
export function useAuditFilters(): Filters {
  const parameters = useSearchParams();
  const [member, noun, outcome, after, before] = NAMES.map((name) => parameters.get(name) ?? "");
  const knownOutcome = OUTCOMES.find((each) => each === outcome);
  const knownNoun = NOUN_CHOICES.find(({ value }) => value !== "" && value === noun)?.value;
  const [since, until] = [after && fromLocal(after), before && fromLocal(before)];
  return {
    ...(member && { member }),
    ...(knownNoun && { noun: knownNoun }),
    ...(knownOutcome && { outcome: knownOutcome }),
    ...(since && { after: since }),
    ...(until && { before: until }),
  };
}

export function clearFilters() {
  setQuery({ member: "", noun: "", outcome: "", after: "", before: "" });
}

export function AuditFilters() {
  const trpc = useTRPC();
  const parameters = useSearchParams();
  const team = useQuery(trpc.team.members.queryOptions());
  const people = (team.data?.members ?? []).map(({ id, name }) => ({ value: id, label: name }));
  const shown = (name: "after" | "before") => {
    const text = parameters.get(name);
    return text && fromLocal(text) ? toLocal(new Date(text)) : "";
  };
  const choose = (name: (typeof NAMES)[number], label: string, data: { value: string; label: string }[]) => (
    <NativeSelect
      label={label}
      data={data}
      value={parameters.get(name) ?? ""}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    />
  );
  return (
    <search className={classes.filters} aria-label="Audit log">
      {choose("member", "Person", [{ value: "", label: "Everyone" }, ...people])}
      {choose("noun", "Kind", NOUN_CHOICES)}
      {choose("outcome", "Result", OUTCOME_CHOICES)}
      {(["after", "before"] as const).map((name) => (
        <TextInput
          key={name}
          label={name === "after" ? "After" : "Before"}
          type="datetime-local"
          title={`In your time zone, ${viewersZone()}`}
          value={shown(name)}
          onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
        />
      ))}
      {NAMES.some((name) => parameters.get(name)) && (
        <Button variant="subtle" onClick={clearFilters}>
          Clear
        </Button>
      )}
    </search>
  );
}
