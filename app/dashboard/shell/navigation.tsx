// The navigation links of the sidebar, and of the drawer on narrow screens.
"use client";
import Link from "next/link";
import { usePathname } from "next/navigation";
import {
  IconBan,
  IconBook2,
  IconCircleCheck,
  IconCoins,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconMailClock,
  IconMailOff,
  IconSettings,
  IconWebhook,
  IconWorld,
} from "../../design/icons.tsx";
import { useMe } from "../session/member.tsx";
import classes from "./navigation.module.css";

const HOME = "/dashboard";
/** `within`: another path that belongs to this item. */
const PLACES = [
  { href: HOME, label: "Overview", Shape: IconLayoutDashboard },
  { href: "/dashboard/inboxes", within: "/dashboard/mail", label: "Inboxes", Shape: IconInbox },
  { href: "/dashboard/outbox", label: "Drafts and scheduled", Shape: IconMailClock },
  { href: "/dashboard/approvals", label: "Approvals", Shape: IconCircleCheck },
  { href: "/dashboard/lists", label: "Lists", Shape: IconBan },
  { href: "/dashboard/suppressions", label: "Suppressions", Shape: IconMailOff },
  { href: "/dashboard/domains", label: "Domains", Shape: IconWorld },
  { href: "/dashboard/webhooks", label: "Webhooks", Shape: IconWebhook },
  { href: "/dashboard/keys", label: "Keys", Shape: IconKey },
  { href: "/dashboard/payments", label: "Payments", Shape: IconCoins },
  { href: "/dashboard/settings", label: "Settings", Shape: IconSettings },
];

/** For inside a <nav>.\n@param onGo called when a link is followed: closes the drawer */
export function Navigation({ onGo }: { onGo?: () => void }) {
  const path = usePathname();
  const { payments } = useMe();
  const places = PLACES.filter(({ label }) => payments || label !== "Payments");
  const isHere = (href: string, within?: string) =>
    path === href || path === within || (href !== HOME && path.startsWith(`${href}/`));
  return (
    <div className={classes.navigation}>
      <ul className={classes.places}>
        {places.map(({ href, within, label, Shape }) => (
          <li key={href}>
            <Link
              href={href}
              className={classes.place}
              aria-current={isHere(href, within) ? "page" : undefined}
              onClick={onGo}
            >
              <Shape size={19} stroke={1.7} aria-hidden />
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <a href="/docs" className={classes.place}>
        <IconBook2 size={19} stroke={1.7} aria-hidden />
        API reference
      </a>
    </div>
  );
}
