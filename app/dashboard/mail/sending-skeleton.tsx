// Shown while the send cap of an inbox loads.
"use client";
import { Skeleton, VisuallyHidden } from "@mantine/core";
import classes from "./mail.module.css";

export function SendingSkeleton() {
  return (
    <div role="status" className={classes.sending}>
      <VisuallyHidden>Loading the send cap…</VisuallyHidden>
      <div className={classes.sendingLine}>
        <Skeleton height={16} width="min(100%, 24rem)" />
      </div>
    </div>
  );
}
