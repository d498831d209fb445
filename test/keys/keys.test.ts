// Agent keys over time and over processes: revocation, expiry, and the scopes each endpoint asks for.
import { afterAll, describe, expect, test, vi } from "vitest";
import { revokeAgentKey, revokeEnrollmentKey } from "#server/keys/revoke.ts";
import { api } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const ONE_SECOND_MS = 1_000;
const clock = adjustableClock();
const service = await startTestService({}, { now: clock.now });
const second = await startTestService({ ROLES: "web" }, { database: service.database, now: clock.now });
const clients = [api(service), api(second)];
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await second.stop();
  await service.stop();
});

const statuses = (key: string) =>
  Promise.all(clients.map(async (client) => (await client.get("/v1/auth/me", { key })).status));
const creates = (key: string) =>
  Promise.all(clients.map(async (client) => (await client.post("/v1/inboxes", {}, { key })).status));

describe("revocation acts within a second on every process", () => {
  test("of an agent key", async () => {
    const { enrollmentKeyId } = await service.newOrganization();
    const { id, key } = await service.newAgentKey(enrollmentKeyId);
    expect(await statuses(key)).toEqual([200, 200]);
    await revokeAgentKey(service.system, id);
    await vi.waitFor(async () => expect(await statuses(key)).toEqual([401, 401]), { timeout: ONE_SECOND_MS });
  });

  test("of the enrollment key behind it; a create is refused immediately", async () => {
    const { agentKey, enrollmentKeyId } = await service.newOrganization();
    expect(await statuses(agentKey)).toEqual([200, 200]);
    await revokeEnrollmentKey(service.system, enrollmentKeyId);
    expect(await creates(agentKey)).toEqual([401, 401]);
    await vi.waitFor(async () => expect(await statuses(agentKey)).toEqual([401, 401]), { timeout: ONE_SECOND_MS });
  });
});

describe("expiry", () => {
  test("is exact, also for a key that was just used", async () => {
    const { enrollmentKeyId } = await service.newOrganization();
    const expiresAt = new Date(clock.now().getTime() + 60_000);
    const { key } = await service.newAgentKey(enrollmentKeyId, { expiresAt });
    expect(await statuses(key)).toEqual([200, 200]);
    clock.set(expiresAt);
    expect(await statuses(key)).toEqual([401, 401]);
  });
});

describe("a key that was never issued", () => {
  test("with the right form and checksum, or another key's id, is refused", async () => {
    const [a, b] = [await service.newOrganization(), await service.newOrganization()];
    const other = await startTestService({ ROLES: "web" });
    const elsewhere = await other.newOrganization();
    await other.stop();
    expect(await statuses(elsewhere.agentKey)).toEqual([401, 401]);
    const swapped = a.agentKey.slice(0, 35) + b.agentKey.slice(35);
    expect(await statuses(swapped)).toEqual([401, 401]);
  });
});
