// The exports of `@mailberth/client`: a typed client of the service, its errors, a `fetch` that pays, and verification
// of webhook deliveries.
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
  type DomainWebhookEvent,
  type InboxWebhookEvent,
  type MessageWebhookEvent,
  type OutcomeWebhookEvent,
  type ReceivedWebhookEvent,
  type ReviewWebhookEvent,
  type SendingWebhookEvent,
  type SuppressionWebhookEvent,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from "./verify-webhook.ts";

/** The input of each procedure: `RouterInputs["inboxes"]["create"]`. */
export type RouterInputs = inferRouterInputs<AppRouter>;
/** The output of each procedure: `RouterOutputs["messages"]["get"]`. */
export type RouterOutputs = inferRouterOutputs<AppRouter>;
/** New mail of `events.onMessage` and `events.list`: the body of a webhook delivery, with the event's id and time. */
export type MailEvent = RouterOutputs["events"]["onMessage"] extends AsyncIterable<{ data: infer Data }> ? Data : never;

type Call<Input, Output> = (input: Input, options?: { signal?: AbortSignal }) => Promise<Output>;

/** Callbacks of a subscription. A lost connection is no error: the client reconnects. */
export type Subscriber<Item> = {
  onData(item: Item): void;
  /**
   * The service ended the subscription, and `serviceError` returns the reason: the key was revoked, the mailbox was
   * deleted.
   */
  onError?(error: unknown): void;
  /** The service has answered; again after each lost connection. No later event is missed. */
  onStarted?(): void;
  onComplete?(): void;
  /** `connecting`: not connected, with the cause if there is one; `pending`: connected; `idle`: ended. */
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
 * A tRPC client, equivalent to `TRPCClient<AppRouter>`. The type is written out because tRPC's own declaration needs
 * the types of Node and of a WebSocket server.
 */
export type Client = Calls<AppRouter["_def"]["record"]>;

export type ClientOptions = {
  /** The service's URL: `https://mail.example.com`, with a path if it has one. */
  url: string;
  /** The agent key, `mb_agent_…`. Only `enroll.redeem` works without one. */
  key?: string;
  /** Replaces the global `fetch`. */
  fetch?: typeof globalThis.fetch;
};

/**
 * Creates a client of the service: `client.<noun>.<verb>.query(…)` or `.mutate(…)`, one HTTP request per call, and
 * `.subscribe(…)`, one that stays open. A failed call throws; `serviceError` returns the reason.
 */
export function createClient({ url, key, fetch = globalThis.fetch }: ClientOptions): Client {
  const service = {
    url: `${url.replace(/\/+$/, "")}/trpc`,
    headers: (key === undefined ? {} : { Authorization: `Bearer ${key}` }) as Record<string, string>,
    // Some runtimes reject a `fetch` that is called as a method, which the links do.
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
 * The service's error of a failed call: a `code` for programs, a `message`, what to do (`fix`), and `issues` for
 * invalid input. Undefined if the error is not the service's: it could not be reached, or the call was aborted.
 */
export function serviceError(error: unknown): ServiceError | undefined {
  return isTRPCClientError<AppRouter>(error) ? error.data?.error : undefined;
}
