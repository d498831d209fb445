// The filters of deliveries: status, event or message, and time. Stored in the address, so that "back" restores them.
"use client";
import { Button, SegmentedControl, TextInput } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import { useState } from "react";
import { setQuery } from "../parts/query-filters.ts";
import { NAMES, STATUSES } from "./delivery-query.ts";
import { fromLocal, toLocal, viewersZone } from "./local-time.ts";
import classes from "./webhooks.module.css";

const CHOICES = [
  { value: "", label: "All" },
  { value: "pending", label: "Pending" },
  { value: "retrying", label: "Retrying" },
  { value: "succeeded", label: "Succeeded" },
  { value: "failed", label: "Failed" },
];
export function clearFilters() {
  setQuery({ status: "", of: "", after: "", before: "" });
}

export function DeliveryFilters() {
  const parameters = useSearchParams();
  const [of, setOf] = useState(parameters.get("of") ?? "");
  const shown = (name: "after" | "before") => {
    const text = parameters.get(name);
    return text && fromLocal(text) ? toLocal(new Date(text)) : "";
  };
  const isFiltered = NAMES.some((name) => parameters.get(name));
  return (
    <search className={classes.filters} aria-label="Deliveries">
      <SegmentedControl
        aria-label="Status"
        data={CHOICES}
        value={STATUSES.find((each) => each === parameters.get("status")) ?? ""}
        onChange={(status) => setQuery({ status })}
      />
      <TextInput
        wrapperProps={{ "data-grow": true }}
        label="Event or message"
        placeholder="evt_… or msg_…"
        autoComplete="off"
        spellCheck={false}
        value={of}
        onChange={(event) => {
          setOf(event.currentTarget.value);
          setQuery({ of: event.currentTarget.value.trim() });
        }}
      />
      <TextInput
        label="After"
        type="datetime-local"
        title={`In your time zone, ${viewersZone()}`}
        value={shown("after")}
        onChange={(event) => setQuery({ after: event.currentTarget.value })}
      />
      <TextInput
        label="Before"
        type="datetime-local"
        title={`In your time zone, ${viewersZone()}`}
        value={shown("before")}
        onChange={(event) => setQuery({ before: event.currentTarget.value })}
      />
      {isFiltered && (
        <Button
          variant="subtle"
          onClick={() => {
            setOf("");
            clearFilters();
          }}
        >
          Clear
        </Button>
      )}
    </search>
  );
}
