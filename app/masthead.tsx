// The header of the public pages: skip link, brand, and the links of the page.
import type { ReactNode } from "react";
import { Mark } from "./mark.tsx";

/** @param label names the links for screen readers */
export function Masthead({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="masthead">
        <a className="brand" href="/" aria-label="Mailberth, front page">
          <Mark />
          Mailberth
        </a>
        <nav aria-label={label}>{children}</nav>
      </header>
    </>
  );
}
