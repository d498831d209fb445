// Whether the script of the page runs: false in prerendered HTML, until React has taken it over.
"use client";
import { useSyncExternalStore } from "react";

const neverChanges = () => () => {};

export function useInBrowser(): boolean {
  return useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
}
