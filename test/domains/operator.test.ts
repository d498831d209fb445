// The operators' commands `domains list`, `show` and `revoke`: claims of organizations beside grants.
import { afterAll, expect, test } from "vitest";
import { type DnsRecord, startDomains } from "./rig.ts";

const rig = await startDomains();
const { service, client, path, claim, own } = rig;
afterAll(rig.stop);

const run = (...args: string[]) => rig.command(["domains", ...args]);

type Row = {
  domain: string;
  org_id: string;
  claim: string | null;
  granted_by: string | null;
  grants?: object[];
  records?: DnsRecord[];
};
async function rows(...args: string[]): Promise<Row[]> {
  const { code, text } = await run(...args, "--json");
  if (code !== 0) throw new Error(text);
  return (JSON.parse(text) as { data: Row[] }).data;
}

const [a, b] = [await service.newOrganization(), await service.newOrganization()];

test("list shows pending and verified claims, and granted domains", async () => {
  await own(a.agentKey, "held.example");
  await claim(b.agentKey, "wanted.example");
  await run("grant", "--organization", b.organizationId, "given.example");
  const listed = await rows("list");
  expect(listed.map(({ domain, org_id, claim: status, granted_by }) => [domain, org_id, status, granted_by])).toEqual([
    ["given.example", b.organizationId, "pending", "operator"],
    ["held.example", a.organizationId, "verified", "verification"],
    ["wanted.example", b.organizationId, "pending", null],
  ]);
});

test("show prints the claim, its records and the grants of each organization", async () => {
  await claim(b.agentKey, "both.example");
  await own(a.agentKey, "both.example");
  const shown = await rows("show", "Both.Example");
  expect(shown).toHaveLength(2);
  expect(shown.find(({ org_id }) => org_id === a.organizationId)).toMatchObject({
    domain: "both.example",
    claim: { status: "verified" },
    grants: [{ granted_by: "verification" }],
  });
  const pending = shown.find(({ org_id }) => org_id === b.organizationId);
  expect(pending).toMatchObject({ claim: { status: "pending" }, grants: [] });
  expect(pending?.records?.map(({ purpose }) => purpose)).toContain("ownership");
  expect((await run("show", "both.example")).text).toContain("both.example");
});

test("show refuses a domain without a claim and without a grant", async () => {
  expect(await run("show", "none.example")).toEqual({
    code: 1,
    text: "No organization claims or holds none.example. See npm run -s admin -- domains list\n",
  });
});

test("revoke also deletes the verified claim, and says so", async () => {
  const { id } = await own(a.agentKey, "ended.example");
  const { code, text } = await run("revoke", "ended.example", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(text)).toMatchObject({ domain: "ended.example", deleted_claim: id });
  expect((await client.get(path("ended.example"), { key: a.agentKey })).status).toBe(404);
  expect((await own(b.agentKey, "ended.example")).status).toBe("verified");
});
