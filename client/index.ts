// What `mailberth/client` exports: a typed client of the service, its errors, a `fetch` that
// pays, and the verifier of webhook deliveries.
import { createTRPCClient, httpLink, isTRPCClientError } from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "./router.ts";
import { subscriptionsBeside } from "./subscriptions.ts";

export {
  type PayingAccount,
  type PayingFetchOptions,
  type PaymentAsset,
  PaymentRefusedError,
  type PaymentRefusedReason,
  type PaymentTypedData,
  payingFetch,
  USDC_BASE,
  USDC_BASE_SEPOLIA,
} from "./paying-fetch.ts";
export type { AppRouter } from "./router.ts";
export {
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from "./verify-webhook.ts";

/** What each procedure takes: `RouterInputs["inboxes"]["create"]`. */
export type RouterInputs = inferRouterInputs<AppRouter>;
/** What each procedure gives: `RouterOutputs["messages"]["get"]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
/** New mail, as `events.onMessage` and `events.list` give it: what a webhook delivers, with the event's id and time. */
export type MailEvent = RouterOutputs["events"]["onMessage"] extends AsyncIterable<{ data: infer Data }> ? Data : never;

type Call<Input, Output> = (input: Input, options?: { signal?: AbortSignal }) => Promise<Output>;

/** What is called as a subscription goes on. A lost connection is no error: the client comes back by itself. */
export type Subscriber<Item> = {
  onData(item: Item): void;
  /** The service refuses to go on, and `serviceError` tells why: the key was revoked, the mailbox is gone. It is over. */
  onError?(error: unknown): void;
  /** The service has answered; again after each lost connection. What comes from then on is not missed. */
  onStarted?(): void;
  onComplete?(): void;
  /** `connecting`: not connected (any more), with the cause if there is one; `pending`: connected; `idle`: over. */
  onConnectionStateChange?(change: { state: "connecting" | "pending" | "idle"; error: Error | null }): void;
  signal?: AbortSignal;
};

type Subscribe<Input, Item> = (input: Input, subscriber: Subscriber<Item>) => { unsubscribe(): void };

type Calls<Procedures> = {
  [Name in keyof Procedures]: Procedures[Name] extends {
    _def: { type: infer Kind; $types: { input: infer Input; output: infer Output } };
  }
    ? Kind extends "query"
      ? { query: Call<Input, Output> }
      : Kind extends "mutation"
        ? { mutate: Call<Input, Output> }
        : Output extends AsyncIterable<infer Item>
          ? { subscribe: Subscribe<Input, Item> }
          : never
    : Calls<Procedures[Name]>;
};

/**
 * A tRPC client, `TRPCClient<AppRouter>` in what it does. The type is spelled out because tRPC's own declaration has a
 * compiler look for the types of Node and of a WebSocket server.
 */
export type Client = Calls<AppRouter["_def"]["record"]>;

export type ClientOptions = {
  /** Where the service is: `https://mail.example.com`, or a path below which it is reached. */
  url: string;
  /** The agent key, `mb_agent_…`. Without one only `enroll.redeem` is open. */
  key?: string;
  /** Stands in for the global `fetch`. */
  fetch?: typeof globalThis.fetch;
};

/**
 * A client of the service: `client.<noun>.<verb>.query(…)` or `.mutate(…)`, one HTTP request a call, and `.subscribe(…)`,
 * one that stays open. A call that fails throws; `serviceError` tells why.
 */
export function createClient({ url, key, fetch = globalThis.fetch }: ClientOptions): Client {
  const service = {
    url: `${url.replace(/\/+$/, "")}/trpc`,
    headers: (key === undefined ? {} : { Authorization: `Bearer ${key}` }) as Record<string, string>,
    // Some runtimes refuse a `fetch` that is called as a method, which is how the links call what they are given.
    fetch: ((input, init) => fetch(input, init)) as typeof fetch,
  };
  const calls = httpLink<AppRouter>({
    ...service,
    fetch: (input, init) => service.fetch(input as string | URL, init as RequestInit),
  });
  return createTRPCClient<AppRouter>({ links: subscriptionsBeside(calls, service) });
}

/** Why the service refused a call. */
export type ServiceError = AppRouter["_def"]["_config"]["$types"]["errorShape"]["data"]["error"];

/**
 * The service's own account of a failed call: a `code` to act on, a `message`, what to do about it (`fix`), and for bad
 * input its `issues`. Undefined when the error is not the service's: it was not reached, or the call was aborted.
 */
export function serviceError(error: unknown): ServiceError | undefined {
  return isTRPCClientError<AppRouter>(error) ? error.data?.error : undefined;
}
