// Follows subscriptions: server-sent events with the caller's key, through restarts of the service and of proxies.
import { httpSubscriptionLink, type Operation, retryLink, splitLink, type TRPCLink } from "@trpc/client";
import { EventSource } from "eventsource";
import type { AppRouter } from "./router.ts";

/** The statuses of a proxy while the service is unavailable. A browser's EventSource would stop there. */
const AWAY = new Set([502, 503, 504]);
/** Jitter, so that many disconnected clients do not reconnect at the same time. */
const BACK_AFTER_MS = 1_000;
const BACK_WITHIN_MS = 3_000;
const LAST_EVENT_ID = "Last-Event-ID";

type Service = { url: string; headers: Record<string, string>; fetch: typeof globalThis.fetch };

/** Sends subscriptions over server-sent events, and everything else through `calls`. */
export function subscriptionsBeside(calls: TRPCLink<AppRouter>, service: Service): TRPCLink<AppRouter>[] {
  return [
    retryLink({
      retry: ({ op, error }) => op.type === "subscription" && error.data?.error.code === "rate_limited",
      retryDelayMs: () => BACK_AFTER_MS + Math.random() * BACK_WITHIN_MS,
    }),
    splitLink({
      condition: ({ type }) => type === "subscription",
      true: httpSubscriptionLink({
        url: service.url,
        EventSource,
        eventSourceOptions: ({ op }) => ({ fetch: eventsOf(op, service) }),
      }),
      false: calls,
    }),
  ];
}

/** The requests of one subscription: the first, and one after each disconnect. */
function eventsOf({ context }: Operation, { headers, fetch }: Service) {
  return async (url: string | URL, init: { headers: Record<string, string> }): Promise<Response> => {
    // The start of the stream, from the service's first answer, until an event arrives: after that, requests contain
    // that event's id, in the header or in the input.
    const seen = String(url).includes("lastEventId") || LAST_EVENT_ID in init.headers;
    const sent: Record<string, string> = { ...init.headers, ...headers };
    if (!seen && typeof context.start === "string") sent[LAST_EVENT_ID] = context.start;
    const answer = await fetch(url, { ...init, headers: sent });
    context.start ??= answer.headers.get(LAST_EVENT_ID) ?? undefined;
    // Simulates a broken connection: the EventSource retries after a delay.
    if (AWAY.has(answer.status)) throw new Error(`The service is not available: ${answer.status}`);
    return answer;
  };
}
