// <Attendants>: what every page has and shows only when something happens: the session ended, an event for a notification of the browser, a toast. One script, which loads after the page.
"use client";
import { Notifications } from "@mantine/notifications";
import { useBrowserNotices } from "../session/browser-notices.ts";
import { SessionEnded } from "../session/session-ended.tsx";
import { ShowNotices } from "./show-notices.tsx";

const TOASTS_AT_ONCE = 4;

export default function Attendants() {
  const showsNotices = useBrowserNotices();
  return (
    <>
      <SessionEnded />
      {showsNotices && <ShowNotices />}
      <Notifications position="bottom-right" limit={TOASTS_AT_ONCE} />
    </>
  );
}
