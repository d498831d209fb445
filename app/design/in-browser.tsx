// Renders Mantine's provider only in the browser: its components use style attributes, which the
// Content-Security-Policy blocks in HTML but not in scripts.
"use client";
import { createTheme, MantineProvider, type MantineThemeOverride } from "@mantine/core";
import type { ReactNode } from "react";
import { useInBrowser } from "../in-browser.ts";
import { KeptButton } from "./kept-button.tsx";

// Locking the page's scroll would write a <style>, which the Content-Security-Policy blocks; theme.css does it.
const dialog = {
  lockScroll: false,
  overlayProps: { backgroundOpacity: 0.45 },
  closeButtonProps: { "aria-label": "Close" },
  // Mantine makes it a <header>, which screen readers take for a second one of the page.
  attributes: { header: { role: "presentation" } },
};

const SHOW_PASSWORD = { "aria-label": "Show what is typed" };

/** By name, not by `Modal.extend`, so that pages without a dialog do not load one. */
const components: MantineThemeOverride["components"] = {
  ActionIcon: { defaultProps: { component: KeptButton } },
  Button: { defaultProps: { component: KeptButton } },
  Modal: { defaultProps: { ...dialog, centered: true, radius: "lg", padding: "lg" } },
  Drawer: { defaultProps: dialog },
  // The placeholder would be an invalid child of a menu (WCAG 1.3.1), so the first item gets the focus.
  Menu: { defaultProps: { shadow: "md", position: "bottom-end", radius: "md", withInitialFocusPlaceholder: false } },
  Notification: { defaultProps: { closeButtonProps: { "aria-label": "Dismiss" } } },
  // Mantine leaves the button that shows the password out of the order of Tab.
  PasswordInput: { defaultProps: { visibilityToggleFocusable: true, visibilityToggleButtonProps: SHOW_PASSWORD } },
  Skeleton: { defaultProps: { radius: "sm" } },
  Table: { defaultProps: { verticalSpacing: "sm", highlightOnHover: true } },
  Tooltip: { defaultProps: { events: { hover: true, focus: true, touch: true }, openDelay: 250 } },
};

/** Mantine settings that must be in JavaScript: defaults of components. Colours and sizes are in theme.css. */
const theme = createTheme({ respectReducedMotion: true, cursorType: "pointer", components });

export function InBrowser({ skeleton, children }: { skeleton: ReactNode; children: ReactNode }) {
  if (!useInBrowser()) return skeleton;
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      {children}
    </MantineProvider>
  );
}
