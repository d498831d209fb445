// Names of organizations: owners choose any, and an operator's command never takes one organization for another.
import { afterAll, expect, test } from "vitest";
import { findOrganization } from "#server/organizations/organizations.ts";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web" });
afterAll(() => service.stop());

async function team() {
  const { organizationId } = await service.newOrganization();
  return { organizationId, owner: await newOwner(service, organizationId) };
}
const rename = ({ owner }: Awaited<ReturnType<typeof team>>, name: string) =>
  owner.trpc.organization.update.mutate({ name });
const found = async (text: string) => (await findOrganization(service.system, text)).name;

test("an owner does not learn whether another organization has a name", async () => {
  const [victim, curious] = [await team(), await team()];
  await rename(victim, "Secret Project");
  const [taken, free] = [await rename(curious, "Secret Project"), await rename(curious, "Nobody has this")];
  expect({ ...taken, name: "" }).toEqual({ ...free, name: "" });
});

test("a name of two organizations names neither, and the refusal has their ids", async () => {
  const [one, two] = [await team(), await team()];
  await rename(one, "Twins");
  expect(await found("Twins")).toBe("Twins");
  await rename(two, "Twins");
  const refusal = await found("Twins").catch((error: Error) => error.message);
  expect(refusal).toContain(one.organizationId);
  expect(refusal).toContain(two.organizationId);
  expect(await found(one.organizationId)).toBe("Twins");
});

test("a name that is the id of another organization does not stand for it", async () => {
  const [victim, attacker] = [await team(), await team()];
  await rename(victim, "The victim");
  await rename(attacker, victim.organizationId);
  expect(await found(victim.organizationId)).toBe("The victim");
});
