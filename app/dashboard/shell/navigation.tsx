// The navigation links of the sidebar, and of the drawer on narrow screens.
"use client";
import { usePathname } from "next/navigation";
import { NearLink } from "../../design/near-link.tsx";
import { IconBook2, IconNotebook, IconSearch } from "../../design/shell-icons.tsx";
import { useMe } from "../session/member.tsx";
import { openPalette } from "./keyboard/keyboard.tsx";
import classes from "./navigation.module.css";
import { HOME, PLACES } from "./places.ts";

/**
 * For inside a <nav>.
 * @param onGo called when a link is followed: closes the drawer
 */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const path = usePathname();
  const { payments } = useMe();
  const places = PLACES.filter(({ label }) => payments || label !== "Payments");
  const isHere = (href: string, within?: string) =>
    path === href || path === within || (href !== HOME && path.startsWith(`${href}/`));
  return (
    <div className={classes.navigation}>
      <button
        type="button"
        className={classes.find}
        onClick={() => {
          onGo?.();
          openPalette();
        }}
      >
        <IconSearch size={17} stroke={1.8} aria-hidden />
        Find
        <kbd>Ctrl K</kbd>
      </button>
      <ul className={classes.places}>
        {places.map(({ href, within, label, Shape }) => (
          <li key={href}>
            <NearLink
              href={href}
              className={classes.place}
              aria-current={isHere(href, within) ? "page" : undefined}
              onClick={onGo}
            >
              <Shape size={19} stroke={1.7} aria-hidden />
              {label}
            </NearLink>
          </li>
        ))}
      </ul>
      <div className={classes.help}>
        <a href="/guides" className={classes.place}>
          <IconNotebook size={19} stroke={1.7} aria-hidden />
          Guides
        </a>
        <a href="/docs" className={classes.place}>
          <IconBook2 size={19} stroke={1.7} aria-hidden />
          API reference
        </a>
      </div>
    </div>
  );
}
