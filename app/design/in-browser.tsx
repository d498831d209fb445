// Renders Mantine's provider only in the browser: its components use style attributes, which the
// Content-Security-Policy blocks in HTML but not in scripts.
"use client";
import { MantineProvider } from "@mantine/core";
import { type ReactNode, useSyncExternalStore } from "react";
import { theme } from "./theme.ts";

const neverChanges = () => () => {};

export function InBrowser({ skeleton, children }: { skeleton: ReactNode; children: ReactNode }) {
  const inBrowser = useSyncExternalStore(
    neverChanges,
    () => true,
    () => false,
  );
  if (!inBrowser) return skeleton;
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      {children}
    </MantineProvider>
  );
}
