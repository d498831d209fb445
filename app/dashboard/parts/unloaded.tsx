// <Unloaded query={found} what="key" />: in place of what has not been loaded. A skeleton, or what happened, with "Try again".
// Nothing once there is data. It needs no script of Mantine.
"use client";
import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";
import { TableSkeleton } from "./table-skeleton.tsx";

export type Query = { data: unknown; error: unknown; isFetching: boolean; refetch: () => unknown };
type UnloadedProps = {
  query: Query;
  /** For "The webhooks could not be loaded" and "Loading the webhooks". */
  what: string;
  /** In place of a table of this shape. */
  skeleton?: ReactNode;
  columns?: number;
  rows?: number;
};

export function Unloaded({ query: { data, error, isFetching, refetch }, what, skeleton, ...shape }: UnloadedProps) {
  if (data !== undefined) return null;
  if (!error) return skeleton ?? <TableSkeleton label={`Loading the ${what}`} {...shape} />;
  const retry = () => void refetch();
  return <Problem error={error} what={`The ${what} could not be loaded`} retry={retry} busy={isFetching} />;
}
