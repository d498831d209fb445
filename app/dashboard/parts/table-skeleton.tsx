// <TableSkeleton>: shown while a table loads.
// label ("Loading the webhooks"), columns (4), rows (5)
"use client";
import { Skeleton, VisuallyHidden } from "@mantine/core";
import classes from "./table-skeleton.module.css";

const WIDTHS = ["70%", "45%", "60%", "35%", "52%"];

function keys(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

type Props = { label: string; columns?: number; rows?: number };

export function TableSkeleton({ label, columns = 4, rows = 5 }: Props) {
  return (
    <div role="status">
      <VisuallyHidden>{label}…</VisuallyHidden>
      <div className={classes.table} aria-hidden>
        {keys(rows, "row").map((row, at) => (
          <div key={row} className={classes.row}>
            {keys(columns, "column").map((column, index) => (
              <div key={column} className={classes.cell}>
                <Skeleton height={12} width={WIDTHS[(index + at) % WIDTHS.length]} />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
