// A program with only an enrollment key signs up at the sample site with two calls for each sign-up: none gets a code of another.
import { afterAll, describe, expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { startTestService } from "#test/support/service.ts";
import { startSite } from "../../../examples/site.ts";
import { VARIANTS } from "./site-languages.ts";

const PARALLEL = size("PARALLEL_VERIFICATIONS");

const service = await startTestService();
/** The variant of the mail for each address that signs up. */
const variantOf = new Map<string, number>();
const site = await startSite({
  port: 0,
  smtp: { host: "127.0.0.1", port: service.smtpPort },
  write: (code, email) => (VARIANTS[variantOf.get(email) ?? 0] as (typeof VARIANTS)[number]).write(code),
});
afterAll(async () => {
  site.stop();
  await service.stop();
});

type Verification = { address: string; wait_url: string };

async function call<Body>(url: string, init: { headers?: Record<string, string>; json?: object } = {}): Promise<Body> {
  const { json, headers } = init;
  const answer = await fetch(url, {
    method: json ? "POST" : "GET",
    headers: { ...headers, ...(json && { "Content-Type": "application/json" }) },
    ...(json && { body: JSON.stringify(json) }),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Body;
}

async function newAgent(maxMailboxes: number) {
  const { enrollmentKey } = await service.newOrganization({ maxMailboxes });
  const { agent_key } = await call<{ agent_key: string }>(`${service.url}/v1/enroll`, {
    json: { token: enrollmentKey, agent_handle: "signs-up" },
  });
  const headers = { authorization: `Bearer ${agent_key}` };
  return {
    quota: async () => (await call<{ quota: object }>(`${service.url}/v1/auth/me`, { headers })).quota,
    /** The two calls, and what the site answers. The public URL of the service is another one here. */
    async signUp(variant: number) {
      const { address, wait_url } = await call<Verification>(`${service.url}/v1/verifications`, {
        headers,
        json: { from: "site.example" },
      });
      variantOf.set(address, variant);
      await call(`${site.url}/sign-up`, { json: { email: address } });
      const { otp } = await call<{ otp: string | null }>(wait_url.replace("http://mailberth.example", service.url));
      const answer = await call<object>(`${site.url}/confirm`, { json: { email: address, code: otp } });
      return { address, answer };
    },
  };
}

describe("with two calls for each sign-up", () => {
  test(`${VARIANTS.length} variants of the site in twelve languages`, async () => {
    const agent = await newAgent(VARIANTS.length);
    const failed: string[] = [];
    for (const [index, { name }] of VARIANTS.entries()) {
      const { address, answer } = await agent.signUp(index).catch((error: Error) => ({ address: "", answer: error }));
      if (address === "") failed.push(`${name}: ${answer}`);
      else expect(answer).toEqual({ email: address, confirmed: true, refused: 0 });
    }
    expect(failed).toEqual([]);
    expect(await agent.quota()).toMatchObject({ used_count: VARIANTS.length, remaining: 0 });
  });

  test(`${PARALLEL} concurrently: none stale, none mixed up, and the quota is exact`, async () => {
    const agent = await newAgent(PARALLEL);
    const results = await Promise.all(
      Array.from({ length: PARALLEL }, (_, index) => agent.signUp(index % VARIANTS.length)),
    );
    expect(new Set(results.map(({ address }) => address)).size).toBe(PARALLEL);
    for (const { address, answer } of results) {
      expect(answer).toEqual({ email: address, confirmed: true, refused: 0 });
    }
    expect(await agent.quota()).toMatchObject({ used_count: PARALLEL, remaining: 0 });
    await expect(agent.signUp(0)).rejects.toThrow(/409.*enrollment_token_exhausted/);
  });
});
