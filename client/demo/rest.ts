// The demo's REST calls, as from any language, and its assertions.
import type { RouterOutputs } from "../index.ts";
import type { DemoService } from "./service.ts";
import { step } from "./steps.ts";

const CALL_MAX_MS = 30_000;

export type Call = <Answer>(expected: number, method: string, path: string, body?: object) => Promise<Answer>;

/** Any answer, with its headers and its text. */
export async function ask(url: string, method: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method,
    headers: { ...headers, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(CALL_MAX_MS),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** JSON answers of one status. */
export function restOf(url: string, key?: string): Call {
  return async <Answer>(expected: number, method: string, path: string, body?: object) => {
    const { status, text } = await ask(url + path, method, body, key ? { Authorization: `Bearer ${key}` } : {});
    if (status !== expected) throw new Error(`${method} ${path} answered ${status} in place of ${expected}: ${text}`);
    return JSON.parse(text) as Answer;
  };
}

export function expectEqual(what: string, came: unknown, expected: unknown): void {
  if (came !== expected) throw new Error(`${what}: ${JSON.stringify(came)} in place of ${JSON.stringify(expected)}`);
}

export async function enrol(service: DemoService): Promise<string> {
  const rest = restOf(service.url);
  return step("Enroll an agent", async () => {
    const body = { token: service.enrollmentKey, agent_handle: "demo" };
    const agent = await rest<RouterOutputs["enroll"]["redeem"]>(201, "POST", "/v1/enroll", body);
    return [agent.agent_key, `POST /v1/enroll → ${agent.agent_id}, ${agent.quota.remaining} mailboxes to create`];
  });
}
