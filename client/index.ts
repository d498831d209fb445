// What `mailberth/client` exports: a typed client of the service, its errors, and the verifier of webhook deliveries.
import { createTRPCClient, httpLink, isTRPCClientError } from "@trpc/client";
import type { inferRouterInputs, inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "./router.ts";

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

type Call<Input, Output> = (input: Input, options?: { signal?: AbortSignal }) => Promise<Output>;

type Calls<Procedures> = {
  [Name in keyof Procedures]: Procedures[Name] extends {
    _def: { type: infer Kind; $types: { input: infer Input; output: infer Output } };
  }
    ? Kind extends "query"
      ? { query: Call<Input, Output> }
      : { mutate: Call<Input, Output> }
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
 * A client of the service: `client.<noun>.<verb>.query(…)` or `.mutate(…)`, one HTTP request a call.
 * A call that fails throws; `serviceError` tells why.
 */
export function createClient({ url, key, fetch }: ClientOptions): Client {
  const link = httpLink<AppRouter>({
    url: `${url.replace(/\/+$/, "")}/trpc`,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    // Some runtimes refuse a `fetch` that is called as a method, which is how the link calls what it is given.
    ...(fetch && { fetch: (input, init) => fetch(input as string | URL, init as RequestInit) }),
  });
  return createTRPCClient<AppRouter>({ links: [link] });
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
