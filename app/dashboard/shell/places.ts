// The pages of the navigation, in its order and groups.
import {
  IconBan,
  IconCircleCheck,
  IconCoins,
  IconInbox,
  IconKey,
  IconLayoutDashboard,
  IconList,
  IconMailClock,
  IconMailOff,
  IconRobot,
  IconSettings,
  IconTrash,
  IconWebhook,
  IconWorld,
} from "../../design/shell-icons.tsx";
import type { Outputs } from "../trpc.ts";

export type Need = Outputs["overview"]["needs"]["data"][number];
/** `within`: another path that belongs to this item. `needs`: the kinds of work that its number counts. */
export type Place = { href: string; within?: string; label: string; Shape: typeof IconInbox; needs?: Need["kind"][] };
type Group = { label?: string; places: Place[] };

export const HOME = "/dashboard";
export const GROUPS: Group[] = [
  {
    places: [{ href: HOME, label: "Overview", Shape: IconLayoutDashboard }],
  },
  {
    label: "Mail",
    places: [
      {
        href: "/dashboard/inboxes",
        within: "/dashboard/mail",
        label: "Inboxes",
        Shape: IconInbox,
        needs: ["inbox", "storage", "message"],
      },
      { href: "/dashboard/all-mail", label: "All mail", Shape: IconList },
      { href: "/dashboard/outbox", label: "Outbox", Shape: IconMailClock },
      { href: "/dashboard/approvals", label: "Approvals", Shape: IconCircleCheck, needs: ["approval"] },
      { href: "/dashboard/trash", label: "Trash", Shape: IconTrash },
    ],
  },
  {
    label: "Rules",
    places: [
      { href: "/dashboard/lists", label: "Lists", Shape: IconBan },
      { href: "/dashboard/suppressions", label: "Suppressions", Shape: IconMailOff },
      { href: "/dashboard/domains", label: "Domains", Shape: IconWorld, needs: ["domain", "pending_domain"] },
    ],
  },
  {
    label: "Build",
    places: [
      { href: "/dashboard/agents", label: "Agents", Shape: IconRobot },
      { href: "/dashboard/webhooks", label: "Webhooks", Shape: IconWebhook, needs: ["webhook"] },
      { href: "/dashboard/keys", label: "Keys", Shape: IconKey, needs: ["key"] },
      { href: "/dashboard/calls", label: "API calls", Shape: IconList },
      { href: "/dashboard/payments", label: "Payments", Shape: IconCoins },
    ],
  },
  {
    places: [{ href: "/dashboard/settings", label: "Settings", Shape: IconSettings }],
  },
];
export const PLACES = GROUPS.flatMap(({ places }) => places);
