// Calls better-auth's endpoints below /auth with plain fetch. The browser keeps their cookie.
"use client";
import type { SessionError } from "./session-error.ts";

const DEFAULT_WAIT_SECONDS = 60;
export const PASSWORD_MIN_CHARS = 12;
export const PASSWORD_MAX_CHARS = 128;

const COMPANY_NAME = "/trpc/team.companyButton";
const COMPANY_BEGIN = "/trpc/team.companySignIn";

type Told = { code?: string; message?: string };
/** Of tRPC, of the service, or of better-auth. */
type Refused = Told & { error?: Told & { data?: { error?: Told } } };

function refusal(message: string, more: Pick<SessionError, "code" | "status" | "retryAfter">): SessionError {
  return Object.assign(new Error(message), more);
}

async function readTold(response: Response): Promise<Told> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.includes("json")) return {};
  const told = JSON.parse(text) as Refused;
  return told.error?.data?.error ?? told.error ?? told;
}

async function post(path: string, body: object): Promise<void> {
  await send(`/auth${path}`, body);
}

/** @throws SessionError */
async function send(url: string, body: object): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      credentials: "same-origin",
      body: JSON.stringify(body),
    });
  } catch {
    throw refusal("The service did not answer.", { code: "network", status: 0, retryAfter: undefined });
  }
  if (response.ok) return response;
  const told = await readTold(response);
  const { status } = response;
  const wait = Number(response.headers.get("Retry-After"));
  throw refusal(told.message ?? `The service answered ${status}.`, {
    code: told.code ?? `${status}`,
    status,
    retryAfter: status === 429 ? wait || DEFAULT_WAIT_SECONDS : undefined,
  });
}

/**
 * @param code of the second factor; empty: not asked yet
 * @throws SessionError `INVALID_EMAIL_OR_PASSWORD`, `second_factor_required`, `wrong_code`
 */
export function signIn(email: string, password: string, code: string): Promise<void> {
  return post("/sign-in/email", { email, password, ...(code && { code }) });
}

/** The name of the company account; null where the service has no company sign-in, or does not answer. */
export async function readCompanyName(): Promise<string | null> {
  const response = await fetch(COMPANY_NAME).catch(() => undefined);
  if (!response?.ok) return null;
  return ((await response.json()) as { result: { data: { name: string | null } } }).result.data.name;
}

/**
 * @param input `next`: the page to open afterwards; `token`: of a link to join
 * @returns the page of the company, to go to
 * @throws SessionError
 */
export async function beginCompanySignIn(input: { next?: string | undefined; token?: string }): Promise<string> {
  const response = await send(COMPANY_BEGIN, input);
  return ((await response.json()) as { result: { data: { url: string } } }).result.data.url;
}

export function signOut(): Promise<void> {
  return post("/sign-out", {});
}

/** Answers the same whether or not the account exists. */
export function requestPasswordReset(email: string): Promise<void> {
  return post("/request-password-reset", { email, redirectTo: "/reset-password" });
}

/** @throws SessionError `link_not_found` if the reset link was used, has expired, or is not complete */
export async function checkResetLink(token: string): Promise<true> {
  await send("/trpc/team.resetLink", { token });
  return true;
}

/** @throws SessionError `INVALID_TOKEN` (used or expired), `PASSWORD_TOO_SHORT` */
export function resetPassword(token: string, newPassword: string): Promise<void> {
  return post("/reset-password", { newPassword, token });
}

/** Ends all other sessions of this person. @throws SessionError `INVALID_PASSWORD` (the current one is wrong) */
export function changePassword(currentPassword: string, newPassword: string): Promise<void> {
  return post("/change-password", { currentPassword, newPassword });
}
