// The connection to the service: one client and one cache for each organization.
"use client";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useChosenOrganization } from "../session/chosen-organization.ts";
import { createSessionEnd, type SessionEnd, SessionEndContext } from "../session/session-end.ts";
import { createTeamEvents, TeamEventsContext } from "../session/team-events.ts";
import { createDashboardClient, isCallError, TRPCProvider } from "../trpc.ts";

const RETRIES = 2;
const FRESH_FOR_MS = 5_000;
/** Errors that may be temporary. */
const WORTH_RETRYING_STATUS = 500;

/** An error by the service is final; no answer, or an internal error, may be temporary. */
function retry(failures: number, error: Error): boolean {
  const status = isCallError(error) ? error.data?.httpStatus : undefined;
  return failures < RETRIES && (status === undefined || status >= WORTH_RETRYING_STATUS);
}

function connect(organization: string | null, sessionEnd: SessionEnd) {
  const trpc = createDashboardClient(organization, sessionEnd);
  return {
    trpc,
    events: createTeamEvents(trpc),
    queries: new QueryClient({ defaultOptions: { queries: { retry, staleTime: FRESH_FOR_MS } } }),
  };
}

export function Connection({ children }: { children: ReactNode }) {
  const organization = useChosenOrganization();
  return (
    <OneOrganization key={organization} organization={organization}>
      {children}
    </OneOrganization>
  );
}

function OneOrganization({ organization, children }: { organization: string | null; children: ReactNode }) {
  const [sessionEnd] = useState(createSessionEnd);
  const [{ trpc, events, queries }] = useState(() => connect(organization, sessionEnd));
  return (
    <QueryClientProvider client={queries}>
      <TRPCProvider trpcClient={trpc} queryClient={queries}>
        <SessionEndContext value={sessionEnd}>
          <TeamEventsContext value={events}>{children}</TeamEventsContext>
        </SessionEndContext>
      </TRPCProvider>
    </QueryClientProvider>
  );
}
