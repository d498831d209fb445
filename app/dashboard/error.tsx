// Shown when a page of the dashboard fails, inside the shell. A page whose files could not be loaded opens by itself when
// the service can be reached.
"use client";
import { useEffect } from "react";
import { isUnloaded } from "./parts/later.ts";
import { Problem } from "./parts/problem.tsx";
import { reach } from "./reach.ts";

const RELOADS = "mailberth.reloads";
/** A file that is missing although the service answers must not reload the page again and again. */
const RELOADS_MAX = 3;
const COUNTED_FOR_MS = 60_000;

function reloadSometimes(): void {
  const since = Date.now() - COUNTED_FOR_MS;
  const recent = (sessionStorage.getItem(RELOADS) ?? "").split(" ").filter((at) => Number(at) > since);
  if (recent.length >= RELOADS_MAX) return;
  sessionStorage.setItem(RELOADS, [...recent, Date.now()].join(" "));
  location.reload();
}

export default function DashboardPageFailed({ error, reset }: { error: Error; reset: () => void }) {
  const isWaiting = isUnloaded(error);
  useEffect(() => {
    if (isWaiting) void reach.lost().then(reloadSometimes);
  }, [isWaiting]);
  if (!isWaiting) return <Problem error={error} what="This page failed" retry={reset} />;
  const lost = new Error(
    "The connection was lost before this page was loaded. It opens when the service answers again.",
  );
  return <Problem error={lost} what="This page is not loaded yet" retry={() => location.reload()} />;
}
