// Shown when a page of the dashboard fails, inside the shell.
"use client";
import { Problem } from "./parts/problem.tsx";

export default function DashboardPageFailed({ error, reset }: { error: Error; reset: () => void }) {
  return <Problem error={error} what="This page failed" retry={reset} />;
}
