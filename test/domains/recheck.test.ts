// The worker's checks: domains become verified without a call, and are lost when their ownership record is gone for 72 hours.
import { afterAll, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { recheckDomains } from "#server/domains/recheck.ts";
import { setOwners } from "#server/organizations/organizations.ts";
import type { Page } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { newOwner } from "#test/support/team.ts";
import { type Domain, loadZoneFile, startDomains } from "./rig.ts";

const HOUR_MS = 3_600_000;
const SERVFAIL = { fails: "ESERVFAIL" as const };

const rig = await startDomains();
const { service, client, clock, zone, path, claim, zoneFile, own } = rig;
const { system } = service;
afterAll(rig.stop);

const get = async (key: string, domain: string) => (await client.get<Domain>(path(domain), { key })).body;

/** Lets time pass, and runs the checks that are due. */
async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  while ((await recheckDomains(system)) > 0);
}

type Event = {
  event: string;
  inbox: null;
  domain?: { id: string; domain: string; status: string; reason: string | null };
};
const eventsOf = async (key: string) => reportedOf((await client.get<Page<Event>>("/v1/events", { key })).body.data);

test("a claim is checked within a minute of each record, and recorded as an event", async () => {
  const { agentKey: key } = await service.newOrganization();
  const { id } = await claim(key, "auto.example");
  await pass(61_000);
  expect((await get(key, "auto.example")).status).toBe("pending");
  loadZoneFile(zone, await zoneFile(key, "auto.example"));
  await pass(61_000);
  expect(await get(key, "auto.example")).toMatchObject({ status: "verified", sending: { status: "ready" } });
  expect((await eventsOf(key)).map(({ event, domain }) => [event, domain])).toEqual([
    ["domain.verified", { id, domain: "auto.example", status: "verified", reason: null }],
  ]);
});

test("checks grow rarer: every minute for an hour, at most every 6 hours", async () => {
  const { agentKey: key } = await service.newOrganization();
  await claim(key, "rare.example");
  const pause = async () => {
    const { next_check_at: next, last_checked_at: last } = await get(key, "rare.example");
    return (new Date(next).getTime() - new Date(last ?? 0).getTime()) / 60_000;
  };
  await pass(61_000);
  expect(await pause()).toBeLessThanOrEqual(1);
  for (let hours = 1; hours <= 10; hours += 1) await pass(HOUR_MS);
  expect(await pause()).toBeGreaterThan(5);
  await pass(40 * 24 * HOUR_MS);
  expect(await pause()).toBeGreaterThan(300);
  expect(await pause()).toBeLessThanOrEqual(360);
});

test("one organization's many domains do not delay another's", async () => {
  const [many, one] = [await service.newOrganization(), await service.newOrganization()];
  await system.sql`
    insert into domains (id, organization_id, domain, token, status, records, next_check_at, created_at)
    select gen_random_uuid(), ${decodeId("org", many.organizationId) ?? ""}, 'm' || n || '.many.example', '', 'pending', '[]',
      ${clock.now()}, ${clock.now()} from generate_series(1, 50) n`;
  await claim(one.agentKey, "fair.example");
  clock.advance(61_000);
  await recheckDomains(system);
  expect((await get(one.agentKey, "fair.example")).last_checked_at).not.toBeNull();
  while ((await recheckDomains(system)) > 0);
});

test("without its ownership record a domain is lost after 72 hours: no new mailboxes, an event, a notice", async () => {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  await setOwners(system, organization.organizationId, ["owner@people.example"]);
  const { id } = await own(key, "lost.example");
  const { agentKey: user } = await service.newEnrollment(organization.organizationId, {
    allowedDomains: ["mail.example"],
  });
  const record = zone["_mailberth.lost.example"] ?? {};
  delete zone["_mailberth.lost.example"];
  await pass(7 * HOUR_MS);
  expect(await get(key, "lost.example")).toMatchObject({ status: "verified", ownership: { status: "failing" } });
  // An outage of the name servers proves nothing.
  zone["_mailberth.lost.example"] = SERVFAIL;
  await pass(80 * HOUR_MS);
  expect((await get(key, "lost.example")).status).toBe("verified");
  delete zone["_mailberth.lost.example"];
  await pass(7 * HOUR_MS);
  expect((await get(key, "lost.example")).status).toBe("lost");
  const events = (await eventsOf(user)).map(({ event, domain }) => [event, domain?.id, domain?.status]);
  expect(events).toContainEqual(["domain.lost", id, "lost"]);
  const notices = await system.sql`select subject, text from notices where to_address = 'owner@people.example'`;
  expect(notices).toHaveLength(1);
  expect(notices[0]?.subject).toBe("A domain is lost");
  expect(notices[0]?.text).toContain("no longer holds the domain lost[.]example");
  // Its reader may be in several organizations.
  expect(notices[0]?.text).toMatch(new RegExp(`/dashboard/domains\\?id=${id}&organization=org_\\w+`));
  // Another organization may verify it now; the first one, with its record back, too.
  const other = await service.newOrganization();
  expect((await client.post("/v1/domains", { domain: "lost.example" }, { key: other.agentKey })).status).toBe(201);
  zone["_mailberth.lost.example"] = record;
  await pass(7 * HOUR_MS);
  expect((await get(key, "lost.example")).status).toBe("verified");
});

test("the overview lists domains whose records are gone, and no others", async () => {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { trpc } = await newOwner(service, organization.organizationId);
  const problems = async () => (await trpc.overview.get.query()).problems.map(({ text, where }) => [text, where]);
  const { id } = await own(key, "shown.example");
  await claim(key, "waiting.example");
  expect(await problems()).toEqual([]);
  const where = { kind: "domain", id };
  const [spf, ownership] = [zone["shown.example"] ?? {}, zone["_mailberth.shown.example"] ?? {}];
  delete zone["shown.example"];
  await pass(7 * HOUR_MS);
  expect(await problems()).toEqual([[expect.stringContaining("shown.example sends no mail: The TXT record"), where]]);
  zone["shown.example"] = spf;
  delete zone["_mailberth.shown.example"];
  await pass(7 * HOUR_MS);
  expect(await problems()).toEqual([[expect.stringContaining("ownership record of shown.example is missing"), where]]);
  await pass(80 * HOUR_MS);
  expect(await problems()).toEqual([[expect.stringContaining("The domain shown.example is lost"), where]]);
  zone["_mailberth.shown.example"] = ownership;
  await pass(7 * HOUR_MS);
  expect(await problems()).toEqual([]);
});

test("the time without a record starts again after it was found", async () => {
  const { agentKey: key } = await service.newOrganization();
  await own(key, "wavering.example");
  const record = zone["_mailberth.wavering.example"] ?? {};
  for (let round = 0; round < 3; round += 1) {
    delete zone["_mailberth.wavering.example"];
    for (let hours = 0; hours < 60; hours += 6) await pass(6 * HOUR_MS);
    zone["_mailberth.wavering.example"] = record;
    await pass(7 * HOUR_MS);
    expect((await get(key, "wavering.example")).status).toBe("verified");
  }
});
