// The settings: a tab for each of their pages.
"use client";
import { usePathname } from "next/navigation";
import type { ReactNode } from "react";
import { NearLink } from "../../design/near-link.tsx";
import classes from "./settings.module.css";

const HOME = "/dashboard/settings";
const PAGES = [
  { href: HOME, label: "Organization" },
  { href: `${HOME}/team`, label: "Team" },
  { href: `${HOME}/notices`, label: "Notices" },
  { href: `${HOME}/apps`, label: "Connected apps" },
  { href: `${HOME}/audit`, label: "Audit log" },
  { href: `${HOME}/service`, label: "Service" },
];

export default function SettingsLayout({ children }: { children: ReactNode }) {
  const path = usePathname();
  return (
    <>
      <nav aria-label="Settings">
        <ul className={classes.tabs}>
          {PAGES.map(({ href, label }) => (
            <li key={href}>
              <NearLink href={href} className={classes.tab} aria-current={path === href ? "page" : undefined}>
                {label}
              </NearLink>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </>
  );
}
