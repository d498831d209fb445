// The filters of the audit log: text, person, kind of action, result and time. Stored in the address. On a narrow screen a button shows them.
"use client";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";
import { IconFilter } from "../../../design/icons.tsx";
import { setQuery } from "../../parts/query-filters.ts";
import { SearchField, useSearch } from "../../parts/search-field.tsx";
import { useTRPC } from "../../trpc.ts";
import { fromLocal, toLocal, viewersZone } from "../../webhooks/local-time.ts";
import classes from "./audit.module.css";

const NAMES = ["who", "member", "noun", "outcome", "after", "before"] as const;
const WHO = ["members", "agents"] as const;
const QUERY_CHARS = 200;
const FILTERS_ID = "audit-filters";
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
  { value: "uploads", label: "Files" },
  { value: "apps", label: "Connected apps" },
];

export type Filters = {
  q?: string;
  who?: (typeof WHO)[number];
  member?: string;
  noun?: string;
  outcome?: (typeof OUTCOMES)[number];
  after?: string;
  before?: string;
};

/** The filters of the address for the API. */
export function useAuditFilters(): Filters {
  const parameters = useSearchParams();
  const [who, member, noun, outcome, after, before] = NAMES.map((name) => parameters.get(name) ?? "");
  const knownWho = WHO.find((each) => each === who);
  const q = parameters.get("q")?.trim().slice(0, QUERY_CHARS);
  const knownOutcome = OUTCOMES.find((each) => each === outcome);
  const knownNoun = NOUN_CHOICES.find(({ value }) => value !== "" && value === noun)?.value;
  const [since, until] = [after && fromLocal(after), before && fromLocal(before)];
  return {
    ...(q && { q }),
    ...(knownWho && { who: knownWho }),
    ...(member && { member }),
    ...(knownNoun && { noun: knownNoun }),
    ...(knownOutcome && { outcome: knownOutcome }),
    ...(since && { after: since }),
    ...(until && { before: until }),
  };
}

export function clearFilters() {
  setQuery({ q: "", who: "", member: "", noun: "", outcome: "", after: "", before: "" });
}

export function AuditFilters() {
  const search = useSearch("q");
  const [isOpen, filters] = useDisclosure(false);
  return (
    <search aria-label="Audit log">
      <div className={classes.first}>
        <SearchField
          search={search}
          label="Find in the audit log"
          placeholder="Find a name, a person or an address"
          clear="Show all entries"
        />
        <Button
          variant="default"
          className={classes.toggle}
          leftSection={<IconFilter size={17} aria-hidden />}
          aria-expanded={isOpen}
          aria-controls={FILTERS_ID}
          onClick={filters.toggle}
        >
          Filters
        </Button>
      </div>
      <Choices isOpen={isOpen} clear={search.clear} />
    </search>
  );
}

function Choices({ isOpen, clear }: { isOpen: boolean; clear: () => void }) {
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
    <div id={FILTERS_ID} className={classes.filters} data-open={isOpen}>
      <NativeSelect
        label="Person"
        data={[
          { value: "", label: "Everyone" },
          { value: "members", label: "All members" },
          { value: "agents", label: "All agents" },
          ...people,
        ]}
        value={parameters.get("member") || (parameters.get("who") ?? "")}
        onChange={({ currentTarget: { value } }) => {
          const isWho = WHO.some((each) => each === value);
          setQuery({ who: isWho ? value : "", member: isWho ? "" : value });
        }}
      />
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
        <Button
          variant="subtle"
          onClick={() => {
            clear();
            clearFilters();
          }}
        >
          Clear
        </Button>
      )}
    </div>
  );
}
