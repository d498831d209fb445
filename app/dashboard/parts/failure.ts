// Describes any error: what happened, what to do, and the request id for the service's log.
"use client";
import { isSessionError } from "../../session-error.ts";
import { isCallError } from "../trpc.ts";

export type Failure = {
  message: string;
  fix: string | undefined;
  /** `X-Request-Id` of the answer. */
  requestId: string | undefined;
  /** The service's error code; undefined if the error came from elsewhere. */
  code: string | undefined;
  /** Field problems by dotted path (`to.0`): for the `error` of an input. */
  issues: Record<string, string>;
};

const UNREACHED: Failure = {
  message: "The service did not answer.",
  fix: "Check your connection, then try again.",
  requestId: undefined,
  code: undefined,
  issues: {},
};

/** The service's fixes are for agents; these replace them where people must do something else. */
const FIXES: Record<string, string> = {
  unauthorized: "Sign in again.",
  rate_limited: "Wait a few seconds, then try again.",
  internal_error: "Try again. If it fails again, send the request ID to the operator.",
  unavailable: "Wait a few seconds, then try again.",
  invalid_request: "Correct the fields named above, then try again.",
  webhook_test_failed: "Make your endpoint answer with a 2xx status, then try again.",
  webhook_inactive: "Enable the webhook in its settings first.",
  domain_in_use: "Delete the inboxes at this domain and its subdomains first, then delete the domain.",
  domain_not_ready: "Open Domains, publish the missing record, then check the domain.",
  domain_not_verified: "Add the domain under Domains and publish its ownership record first.",
  too_many_domains: "Verify the domains that you added, or delete the ones you do not need.",
  enrollment_token_exhausted: "Choose another key, or issue one.",
};

const GONE = "It may have been deleted, or be in another organization.";

function fixOf({ code, fix }: { code: string; fix: string }): string {
  return FIXES[code] ?? (code.endsWith("_not_found") ? GONE : fix);
}

/** Messages about one field are not full sentences. */
function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function requestIdOf(meta: Record<string, unknown> | undefined): string | undefined {
  const response = meta?.response;
  return response instanceof Response ? (response.headers.get("X-Request-Id") ?? undefined) : undefined;
}

export function describeFailure(error: unknown): Failure {
  if (isSessionError(error)) {
    const fix = error.retryAfter === undefined ? "Try again." : `Wait ${error.retryAfter} seconds, then try again.`;
    return { ...UNREACHED, message: sentence(error.message), fix, code: error.code };
  }
  if (isCallError(error)) {
    const serviceError = error.data?.error;
    if (!serviceError) return UNREACHED;
    return {
      message: sentence(serviceError.message),
      fix: fixOf(serviceError),
      requestId: requestIdOf(error.meta),
      code: serviceError.code,
      issues: Object.fromEntries((serviceError.issues ?? []).map(({ path, message }) => [path, message])),
    };
  }
  return { ...UNREACHED, message: error instanceof Error ? error.message : "Something went wrong.", fix: "Try again." };
}
