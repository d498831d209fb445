// The button to check the DNS records of a domain now, at most every 10 seconds.
"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { IconRefresh } from "../../design/shell-icons.tsx";
import { failed, succeeded } from "../parts/toast.tsx";
import { AdminButton } from "../session/admin-button.tsx";
import { useTRPC } from "../trpc.ts";
import type { Domain } from "./domain-state.tsx";

/** The service refuses checks within this time after the last one. */
const PAUSE_MS = 10_000;
const TICK_MS = 1_000;

/** Seconds until the service accepts a check. A wrong clock of the browser makes it wait 10 seconds at most. */
function useWait(last: string | null): number {
  const [seen, setSeen] = useState(() => ({ last, since: Date.now() }));
  const [now, setNow] = useState(() => Date.now());
  if (seen.last !== last) setSeen({ last, since: Date.now() });
  const until = last === null ? 0 : Math.min(Date.parse(last), seen.since) + PAUSE_MS;
  const isWaiting = until > now;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [isWaiting]);
  return isWaiting ? Math.ceil(Math.min(PAUSE_MS, until - now) / TICK_MS) : 0;
}

export function CheckNow({ domain: { id, domain, status, last_checked_at } }: { domain: Domain }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const wait = useWait(last_checked_at);
  const verify = useMutation(
    trpc.domains.verify.mutationOptions({
      onSuccess(checked) {
        if (checked.status === "verified" && status !== "verified") succeeded(`${domain} is verified`);
      },
      onError: (error) => failed(error, "The check did not succeed"),
      onSettled: () => queries.invalidateQueries(trpc.domains.pathFilter()),
    }),
  );
  const mustWait = wait > 0 && !verify.isPending;
  return (
    <AdminButton
      what="check domains"
      leftSection={<IconRefresh size={17} aria-hidden />}
      loading={verify.isPending}
      data-disabled={mustWait || undefined}
      aria-disabled={mustWait}
      onClick={() => !mustWait && verify.mutate({ domain: id })}
    >
      {mustWait ? `Check again in ${wait} s` : "Check now"}
    </AdminButton>
  );
}
