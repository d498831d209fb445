// The navigation links of the sidebar, and of the drawer on narrow screens.
"use client";
import { useQuery } from "@tanstack/react-query";
import { usePathname } from "next/navigation";
import { NearLink } from "../../design/near-link.tsx";
import { IconBook2, IconNotebook, IconSearch } from "../../design/shell-icons.tsx";
import { useMe } from "../session/member.tsx";
import { useReadAfterEvents } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import { openPalette } from "./keyboard/keyboard.tsx";
import classes from "./navigation.module.css";
import { GROUPS, HOME, type Need, type Place } from "./places.ts";

const COUNT_AGAIN_MS = 60_000;
/** The counts of a busy organization are slow to read. */
const GATHER_MS = 5_000;
const SHOWN_MAX = 99;

/** The work that waits for the member, counted. */
function useNeeds(): Need[] {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.overview.needs.queryOptions(undefined, { refetchInterval: COUNT_AGAIN_MS }));
  useReadAfterEvents([trpc.overview.needs.pathFilter()], GATHER_MS);
  return data?.data ?? [];
}

/**
 * For inside a <nav>.
 * @param onGo called when a link is followed: closes the drawer
 */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const path = usePathname();
  const { payments } = useMe();
  const isShown = ({ label }: Place) => payments || label !== "Payments";
  const needs = useNeeds();
  const isHere = (href: string, within?: string) =>
    path === href || path === within || (href !== HOME && path.startsWith(`${href}/`));
  const item = ({ href, within, label, Shape, needs: kinds }: Place) => (
    <li key={href}>
      <NearLink
        href={href}
        className={classes.place}
        aria-current={isHere(href, within) ? "page" : undefined}
        onClick={onGo}
      >
        <Shape size={19} stroke={1.7} aria-hidden />
        {label}
        <Count number={needs.reduce((sum, { kind, count }) => (kinds?.includes(kind) ? sum + count : sum), 0)} />
      </NearLink>
    </li>
  );
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
        <kbd className="of-keyboards">Ctrl K</kbd>
      </button>
      <div className={classes.groups}>
        {GROUPS.map(({ label, places }) => (
          <div key={places[0]?.href}>
            {label && <p className={classes.group}>{label}</p>}
            <ul className={classes.places} aria-label={label}>
              {places.filter(isShown).map(item)}
            </ul>
          </div>
        ))}
      </div>
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

function Count({ number }: { number: number }) {
  if (number === 0) return null;
  return (
    <span className={classes.count}>
      {number > SHOWN_MAX ? `${SHOWN_MAX}+` : number}
      <span className={classes.said}>{number === 1 ? " needs you" : " need you"}</span>
    </span>
  );
}
