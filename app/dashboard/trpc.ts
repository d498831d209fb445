// The typed client of the dashboard. A page uses it like this:
// const trpc = useTRPC(); useQuery(trpc.webhooks.list.queryOptions({}));
"use client";
import {
  createTRPCClient,
  httpBatchLink,
  httpSubscriptionLink,
  splitLink,
  type TRPCClient,
  TRPCClientError,
} from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import { createTRPCContext } from "@trpc/tanstack-react-query";
import type { AppRouter } from "#server/api/router.ts";
import { reachLink } from "./reach.ts";
import type { SessionEnd } from "./session/session-end.ts";
import { sessionLink } from "./session/session-link.ts";

/** The service accepts 20 calls in a batch, and 32 KiB of headers. */
const BATCH_MAX_CALLS = 20;
const URL_MAX_CHARS = 8_000;

export const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<AppRouter>();

/** The outputs of the procedures: `Outputs["webhooks"]["list"]`. */
export type Outputs = inferRouterOutputs<AppRouter>;
export type Inputs = inferRouterInputs<AppRouter>;
/** The error of a failed call; the service's part is `error.data?.error` (`code`, `message`, `fix`, `issues`). */
export type CallError = TRPCClientError<AppRouter>;

export function isCallError(error: unknown): error is CallError {
  return error instanceof TRPCClientError;
}

/** @param organization `org_…` that the member chose; null: the first one they joined */
export function createDashboardClient(organization: string | null, sessionEnd: SessionEnd): TRPCClient<AppRouter> {
  const url = organization === null ? "/trpc" : `/trpc?organization=${encodeURIComponent(organization)}`;
  return createTRPCClient<AppRouter>({
    links: [
      sessionLink(sessionEnd),
      reachLink(),
      splitLink({
        condition: ({ type }) => type === "subscription",
        true: httpSubscriptionLink({ url }),
        false: httpBatchLink({ url, maxItems: BATCH_MAX_CALLS, maxURLLength: URL_MAX_CHARS }),
      }),
    ],
  });
}
