// One organization holds a verified domain with everything below it; a pending claim blocks no other.
import { afterAll, describe, expect, test } from "vitest";
import { type Domain, loadZoneFile, recordOf, startDomains } from "./rig.ts";

/** Claims of two organizations. */
const CLAIMS = 200;

const rig = await startDomains();
const { service, client, clock, zone, path, claim, verify, zoneFile, own } = rig;
afterAll(rig.stop);

const [a, b] = [await service.newOrganization(), await service.newOrganization()];
const taken = { status: 409, body: { error: { code: "domain_taken" } } };

test("pending claims of two organizations stand side by side, each with its own token", async () => {
  const [ours, theirs] = [await claim(a.agentKey, "both.example"), await claim(b.agentKey, "both.example")];
  expect(recordOf(ours, "ownership").value).not.toBe(recordOf(theirs, "ownership").value);
  expect(recordOf(ours, "dkim").value).not.toBe(recordOf(theirs, "dkim").value);
});

test("the token of one organization does not verify the claim of another", async () => {
  await claim(a.agentKey, "token.example");
  await claim(b.agentKey, "token.example");
  loadZoneFile(zone, await zoneFile(a.agentKey, "token.example"));
  expect((await verify(b.agentKey, "token.example")).body.status).toBe("pending");
  expect((await verify(a.agentKey, "token.example")).body.status).toBe("verified");
});

describe("a verified domain", async () => {
  await own(a.agentKey, "held.example");
  await claim(b.agentKey, "later.held2.example");

  test.each(["held.example", "below.held.example", "deep.below.held.example"])("takes %s", async (domain) => {
    expect(await client.post("/v1/domains", { domain }, { key: b.agentKey })).toMatchObject(taken);
  });

  test("can be claimed in parts by its own organization", async () => {
    expect((await own(a.agentKey, "own.held.example")).status).toBe("verified");
  });

  test("cannot be verified by a claim that is older than it", async () => {
    await claim(b.agentKey, "race.example");
    await own(a.agentKey, "race.example");
    loadZoneFile(zone, await zoneFile(b.agentKey, "race.example"));
    expect(await verify(b.agentKey, "race.example")).toMatchObject(taken);
    const { body } = await client.get(path("race.example"), { key: b.agentKey });
    expect(body).toMatchObject({ status: "pending", ownership: { status: "failing" } });
  });

  test("is free after it was deleted", async () => {
    await own(a.agentKey, "free.example");
    await client.delete(path("free.example"), { key: a.agentKey });
    expect((await own(b.agentKey, "free.example")).status).toBe("verified");
  });

  test("cannot be deleted while it has live mailboxes, also below it", async () => {
    await own(a.agentKey, "used.example");
    const { agentKey: key } = await service.newEnrollment(a.organizationId, { allowedDomains: ["*.used.example"] });
    const { address } = await client.createInbox(key, { domain: "x.used.example" });
    const refused = await client.delete(path("used.example"), { key: a.agentKey });
    expect(refused).toMatchObject({ status: 409, body: { error: { code: "domain_in_use" } } });
    await client.delete(`/v1/inboxes/${encodeURIComponent(address)}`, { key });
    expect((await client.delete(path("used.example"), { key: a.agentKey })).status).toBe(200);
  });
});

test(`of ${CLAIMS} concurrent verifications by two organizations, neither gets what the other one holds`, async () => {
  // Each is below the one before it.
  const names = Array.from({ length: 20 }, (_, i) => `${"n.".repeat(i)}fight.example`);
  for (const key of [a.agentKey, b.agentKey]) {
    for (const name of names) await claim(key, name);
    for (const name of names) loadZoneFile(zone, await zoneFile(key, name));
  }
  const rounds = Math.ceil(CLAIMS / (2 * names.length));
  for (let round = 0; round < rounds; round += 1) {
    clock.advance(11_000);
    const answers = await Promise.all(
      names.flatMap((name) =>
        [a, b].map(({ agentKey: key }) => client.post<Domain>(path(name, "/verify"), undefined, { key })),
      ),
    );
    // A check that DNS did not answer in time is 200 too, and verifies nothing.
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  }
  const grants = await service.system.sql<{ organization_id: string; domain: string }[]>`
    select organization_id, domain from domain_grants where domain = any(${names}) order by id`;
  expect(grants.length).toBeGreaterThan(0);
  grants.forEach(({ organization_id, domain }, i) => {
    const before = grants.slice(0, i).filter((one) => domain === one.domain || domain.endsWith(`.${one.domain}`));
    const closest = before.sort((one, other) => other.domain.length - one.domain.length)[0];
    expect(closest?.organization_id ?? organization_id).toBe(organization_id);
  });
});
