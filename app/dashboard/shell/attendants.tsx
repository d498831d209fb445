// <Attendants>: what every page has and shows only when something happens: the session ended, an event for a notification of the browser, a toast, a change that the overview shows. One script, which loads after the page.
"use client";
import { Notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { setQuery } from "../parts/query-filters.ts";
import { closePassing } from "../parts/toast.tsx";
import { useBrowserNotices } from "../session/browser-notices.ts";
import { SessionEnded } from "../session/session-ended.tsx";
import { type TeamEvent, useEachTeamEvent } from "../session/team-events.ts";
import { useTRPC } from "../trpc.ts";
import classes from "./toasts.module.css";

type Shown = { title: string; body: string; href: string };

const TOASTS_AT_ONCE = 4;

export default function Attendants() {
  const showsNotices = useBrowserNotices();
  useOverviewAfterChanges();
  // The next choice of the member counts when the page is loaded again.
  useEffect(() => {
    if (new URLSearchParams(location.search).has("organization")) setQuery({ organization: "" });
  }, []);
  // Where an action itself shows another page, its toast stays.
  useEffect(() => {
    const close = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest("a[href]")) closePassing();
    };
    document.addEventListener("click", close);
    return () => document.removeEventListener("click", close);
  }, []);
  return (
    <>
      <SessionEnded />
      {showsNotices && <ShowNotices />}
      {/* Screen readers say what is added to a status that is there already. */}
      <Notifications className={classes.toasts ?? ""} position="bottom-right" limit={TOASTS_AT_ONCE} role="status" />
    </>
  );
}

/** After each change, the next visit of the overview reads it again: what the member did is ticked, and needs them no more. */
function useOverviewAfterChanges(): void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  useEffect(
    () =>
      queries.getMutationCache().subscribe((event) => {
        if (event.type !== "updated" || event.action.type !== "success") return;
        void queries.invalidateQueries({ ...trpc.overview.pathFilter(), refetchType: "none" });
      }),
    [queries, trpc],
  );
}

function openInbox(): string | null {
  return location.pathname === "/dashboard/mail" ? new URLSearchParams(location.search).get("inbox") : null;
}

function noticeOf(event: TeamEvent): Shown | undefined {
  switch (event.event) {
    case "message.received": {
      const { inbox, message } = event;
      if (openInbox()?.toLowerCase() !== inbox) return undefined;
      const place = new URLSearchParams({ inbox, thread: message.thread_id });
      return { title: message.from, body: message.subject, href: `/dashboard/mail?${place}` };
    }
    case "webhook.disabled": {
      const { id, url } = event.webhook;
      const place = new URLSearchParams({ id });
      return { title: "A webhook was disabled", body: url, href: `/dashboard/webhooks?${place}` };
    }
    case "domain.lost": {
      const { id, domain } = event.domain;
      const place = new URLSearchParams({ id });
      return { title: "A domain was lost", body: domain, href: `/dashboard/domains?${place}` };
    }
    case "sending.paused":
      return { title: "Sending is paused", body: event.inbox ?? event.pause.by, href: "/dashboard" };
    default:
      return undefined;
  }
}

/**
 * Shows events as notifications of the browser while the member does not look at the page: new mail in the inbox that is
 * open, and what concerns the team.
 */
function ShowNotices() {
  const router = useRouter();
  useEachTeamEvent((event) => {
    if (document.hasFocus()) return;
    const notice = noticeOf(event);
    if (!notice) return;
    const { title, body, href } = notice;
    // Two tabs show the same event once.
    const shown = new Notification(title, { body, tag: event.id });
    shown.onclick = () => {
      window.focus();
      shown.close();
      router.push(href);
    };
  });
  return null;
}
