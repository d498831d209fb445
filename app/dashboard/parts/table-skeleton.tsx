// <TableSkeleton>: shown while a table loads. It needs no script of Mantine, because it is in the first script of a page.
// label ("Loading the webhooks"), columns (4), rows (5)
"use client";
import shared from "../../design/shared.module.css";
import classes from "./table-skeleton.module.css";

const WIDTHS = ["70%", "45%", "60%", "35%", "52%"];

function keys(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

type Props = { label: string; columns?: number; rows?: number };

export function TableSkeleton({ label, columns = 4, rows = 5 }: Props) {
  return (
    <div role="status" aria-busy="true">
      <span className="visually-hidden">{label}…</span>
      <div className={classes.table} aria-hidden>
        {keys(rows, "row").map((row, at) => (
          <div key={row} className={classes.row}>
            {keys(columns, "column").map((column, index) => (
              <div key={column} className={classes.cell}>
                <div
                  className={`${shared.bone} ${classes.bone}`}
                  style={{ width: WIDTHS[(index + at) % WIDTHS.length] }}
                />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
