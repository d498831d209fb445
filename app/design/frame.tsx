// The frame of the pages made of Mantine: its CSS, the colour scheme before the first paint, the provider.
import { ColorSchemeScript } from "@mantine/core";
import type { ReactNode } from "react";
import { InBrowser } from "./in-browser.tsx";
import "./mantine.css";
import "./theme.css";

/** @param skeleton plain HTML (no Mantine component), shown until the browser runs the page: it is all that is prerendered */
export function DesignFrame({ skeleton, children }: { skeleton: ReactNode; children: ReactNode }) {
  return (
    <>
      <ColorSchemeScript defaultColorScheme="auto" />
      <InBrowser skeleton={skeleton}>{children}</InBrowser>
    </>
  );
}
