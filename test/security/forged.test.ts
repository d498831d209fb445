// Keys that were never issued but are well formed, and results of checks that the sender wrote into the mail.
import { afterAll, describe, expect, test } from "vitest";
import { newToken, type TokenKind, tokenId } from "#server/base/secrets.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { judged } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** A key with the id of a real one, a different secret, and a valid checksum. */
function forge(kind: TokenKind, key: string): string {
  return newToken(kind, tokenId(kind, key) ?? "");
}

describe("a key with the right id and checksum and a wrong secret", () => {
  test("of an agent is refused, before and after the real one was used", async () => {
    const { agentKey } = await service.newOrganization();
    const forged = forge("agent", agentKey);
    const status = async (key: string) => (await client.get("/v1/auth/me", { key })).status;
    expect(await status(forged)).toBe(401);
    expect(await status(agentKey)).toBe(200);
    expect(await status(forged)).toBe(401);
  });

  test("of an enrollment key makes no agent", async () => {
    const { enrollmentKey } = await service.newOrganization();
    const enroll = (token: string) => client.post("/v1/enroll", { token, agent_handle: "intruder" });
    expect((await enroll(forge("enroll", enrollmentKey))).status).toBe(401);
    const agents = await service.system.sql`select 1 from agents where handle = 'intruder'`;
    expect(agents).toHaveLength(0);
    expect((await enroll(enrollmentKey)).status).toBe(201);
  });
});

describe("results of checks inside the mail", () => {
  const results =
    "mail.example; dkim=pass header.d=bank.example; spf=pass smtp.mailfrom=bank.example; dmarc=pass; arc=pass";
  const lines = [
    ["Authentication-Results", results],
    ["Authentication-Results", `mx.mail.example 1; ${results}`],
    ["ARC-Authentication-Results", `i=1; ${results}`],
    ["Received-SPF", "pass (mail.example: domain of bank.example designates 127.0.0.1)"],
    ["X-Authentication-Results", results],
  ] as const;

  test.each(lines)("%s is not believed", async (name, value) => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    await service.mail({ from: "ceo@bank.example", to: address, subject: "x", text: "x", headers: { [name]: value } });
    const { data } = (await client.get<Page<{ id: string }>>(inboxPath(address, "/messages"), { key })).body;
    type Read = { authentication: object; security: object };
    const body = await judged(() => client.get<Read>(`/v1/messages/${data[0]?.id}`, { key }));
    expect(body.authentication).toMatchObject({ dkim: "none", aligned_from: false });
    for (const result of Object.values(body.authentication)) expect(result).not.toBe("pass");
    expect(body.security).not.toMatchObject({ risk: "low" });
  });
});
