// <DataTable>: a table that becomes a list of cards on narrow screens, each value with the name of its column.
// label ("Webhooks"), columns, rows, keyOf (the key of a row), minWidth (in rem, for the table; narrower, it scrolls), hasRowLinks, isDense
"use client";
import { Table, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "./data-table.module.css";

export type Column<Row> = {
  /** The heading; on cards it stands before the value. */
  name: string;
  show: (row: Row) => ReactNode;
  /** `title`: heads the card. `actions`: buttons, with a heading for screen readers only. `number`: aligned right. */
  kind?: "title" | "actions" | "number" | undefined;
  /** `rem`: the column is at least so wide. */
  minWidth?: number;
  /** On dense cards, it takes a whole line. */
  isWhole?: boolean;
  /** It has as many lines as it needs; others have two in a table. */
  isTall?: boolean;
};

type Props<Row> = {
  label: string;
  columns: Column<Row>[];
  rows: Row[];
  keyOf: (row: Row) => string;
  minWidth?: number;
  /** A click anywhere in a row follows the first link of its title. */
  hasRowLinks?: boolean;
  /** On cards, two values share a line and empty ones are left out. */
  isDense?: boolean;
};

const DEFAULT_MIN_REM = 40;

export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  minWidth = DEFAULT_MIN_REM,
  hasRowLinks,
  isDense,
}: Props<Row>) {
  return (
    <div className={classes.frame} data-row-links={hasRowLinks} data-dense={isDense}>
      <Table
        aria-label={label}
        className={classes.table}
        horizontalSpacing="sm"
        __vars={{ "--table-min": `${minWidth}rem` }}
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ name, kind, minWidth: least }) => (
              <Table.Th key={name} scope="col" data-kind={kind} style={least ? { minWidth: `${least}rem` } : undefined}>
                {kind === "actions" ? <VisuallyHidden>{name}</VisuallyHidden> : name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={keyOf(row)}>
              {columns.map(({ name, kind, isWhole, isTall, show }) => (
                <Table.Td key={name} data-kind={kind} data-whole={isWhole} data-tall={isTall} data-label={name}>
                  <div className={classes.value}>{show(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
