// Mantine's provider, in the browser only: its components carry style attributes, and the Content-Security-Policy refuses
// those in HTML, while it lets a script set them.
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
