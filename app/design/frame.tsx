// The frame of pages with Mantine: its CSS, the colour scheme before the first paint, the provider.
import { ColorSchemeScript } from "@mantine/core";
import type { ReactNode } from "react";
import { InBrowser } from "./in-browser.tsx";
import "./mantine.css";
import "./theme.css";
import "./thumbs.css";

/** @param skeleton plain HTML (no Mantine component), prerendered, and shown until the page runs */
export function DesignFrame({ skeleton, children }: { skeleton: ReactNode; children: ReactNode }) {
  return (
    <>
      <ColorSchemeScript defaultColorScheme="auto" />
      <InBrowser skeleton={skeleton}>{children}</InBrowser>
    </>
  );
}
