// <Go>: opens the page of a letter that was pressed after "g". letter, onDone
"use client";
import { useRouter } from "next/navigation";
import { useEffect } from "react";

/** In the order of the navigation. */
export const PAGES = [
  { letter: "o", label: "Overview", href: "/dashboard" },
  { letter: "i", label: "Inboxes", href: "/dashboard/inboxes" },
  { letter: "m", label: "All mail", href: "/dashboard/all-mail" },
  { letter: "b", label: "Outbox", href: "/dashboard/outbox" },
  { letter: "a", label: "Approvals", href: "/dashboard/approvals" },
  { letter: "t", label: "Trash", href: "/dashboard/trash" },
  { letter: "l", label: "Lists", href: "/dashboard/lists" },
  { letter: "s", label: "Suppressions", href: "/dashboard/suppressions" },
  { letter: "d", label: "Domains", href: "/dashboard/domains" },
  { letter: "e", label: "Agents", href: "/dashboard/agents" },
  { letter: "w", label: "Webhooks", href: "/dashboard/webhooks" },
  { letter: "k", label: "Keys", href: "/dashboard/keys" },
  { letter: "c", label: "API calls", href: "/dashboard/calls" },
  { letter: ",", label: "Settings", href: "/dashboard/settings" },
];

export default function Go({ letter, onDone }: { letter: string; onDone: () => void }) {
  const router = useRouter();
  useEffect(() => {
    const page = PAGES.find((each) => each.letter === letter);
    if (page) {
      router.push(page.href);
      // As after a link of the page: the next Tab goes to its content.
      document.getElementById("main")?.focus({ preventScroll: true });
    }
    onDone();
  }, [letter, router, onDone]);
  return null;
}
