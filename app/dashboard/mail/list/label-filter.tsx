// The filter by label. It loads after the page: what opens at a place is a large part of its script.
"use client";
import { Select } from "@mantine/core";
import { goTo } from "../place.ts";
import classes from "./list.module.css";

export default function LabelFilter({ label, labels }: { label: string; labels: string[] }) {
  return (
    <Select
      size="xs"
      className={classes.labelFilter}
      aria-label="Only with the label"
      placeholder="Any label"
      data={labels}
      value={label || null}
      onChange={(value) => goTo({ label: value ?? "" })}
      clearable
    />
  );
}
