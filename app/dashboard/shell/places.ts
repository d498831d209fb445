// The pages of the navigation, in its order.
import { IconTrash } from "../../design/icons.tsx";
import {
  IconBan,
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
} from "../../design/shell-icons.tsx";

export const HOME = "/dashboard";
/** `within`: another path that belongs to this item. */
export const PLACES = [
  { href: HOME, label: "Overview", Shape: IconLayoutDashboard },
  { href: "/dashboard/inboxes", within: "/dashboard/mail", label: "Inboxes", Shape: IconInbox },
  { href: "/dashboard/outbox", label: "Outbox", Shape: IconMailClock },
  { href: "/dashboard/approvals", label: "Approvals", Shape: IconCircleCheck },
  { href: "/dashboard/trash", label: "Trash", Shape: IconTrash },
  { href: "/dashboard/lists", label: "Lists", Shape: IconBan },
  { href: "/dashboard/suppressions", label: "Suppressions", Shape: IconMailOff },
  { href: "/dashboard/domains", label: "Domains", Shape: IconWorld },
  { href: "/dashboard/webhooks", label: "Webhooks", Shape: IconWebhook },
  { href: "/dashboard/keys", label: "Keys", Shape: IconKey },
  { href: "/dashboard/payments", label: "Payments", Shape: IconCoins },
  { href: "/dashboard/settings", label: "Settings", Shape: IconSettings },
];
