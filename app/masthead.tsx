// The head of the pages that are open to everybody: the way past it, the brand, and the links of the page.
import type { ReactNode } from "react";
import { Mark } from "./mark.tsx";

/** @param label names the links for those who hear the page */
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
