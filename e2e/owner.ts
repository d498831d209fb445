// The owner of the service that the browser tests see: made by the link of the first start, by whichever test comes first.
import { type BrowserContext, expect } from "@playwright/test";

const OWNER = { email: "owner@e2e.example", name: "Olive Owner", password: "correct horse battery" };

type Cookies = Awaited<ReturnType<BrowserContext["cookies"]>>;
/** One session for all tests: the service takes ten attempts to sign in a minute. */
let session: Cookies | undefined;

/** Signs the context in as the owner. */
export async function signInAsOwner(context: BrowserContext, baseURL: string): Promise<void> {
  if (!session) {
    await becomeOwner(context, baseURL, process.env.E2E_OWNER_LINK);
    session = await context.cookies();
  }
  await context.addCookies(session);
}

/** Joins by the link of the first start, or signs in if that was done before. */
export async function becomeOwner(context: BrowserContext, baseURL: string, link: string | undefined): Promise<void> {
  const { email, password } = OWNER;
  const headers = { Origin: baseURL };
  const signIn = () => context.request.post(`${baseURL}/auth/sign-in/email`, { headers, data: { email, password } });
  if ((await signIn()).ok()) return;
  const token = link?.split("#")[1];
  const joined = await context.request.post(`${baseURL}/trpc/team.join`, { headers, data: { token, ...OWNER } });
  expect(joined.ok(), await joined.text()).toBe(true);
  expect((await signIn()).ok()).toBe(true);
}

/** Calls a procedure of the tRPC door as who is signed in, and gives its answer. */
export async function call<Output>(context: BrowserContext, baseURL: string, path: string, input: object) {
  const answer = await context.request.post(`${baseURL}/trpc/${path}`, { headers: { Origin: baseURL }, data: input });
  expect(answer.ok(), await answer.text()).toBe(true);
  return ((await answer.json()) as { result: { data: Output } }).result.data;
}

/** As `call`, for a query. */
export async function ask<Output>(context: BrowserContext, baseURL: string, path: string, input: object) {
  const answer = await context.request.get(
    `${baseURL}/trpc/${path}?input=${encodeURIComponent(JSON.stringify(input))}`,
  );
  expect(answer.ok(), await answer.text()).toBe(true);
  return ((await answer.json()) as { result: { data: Output } }).result.data;
}
