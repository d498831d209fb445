// A domain is deleted while mailboxes are created on it: no mailbox is left on a deleted domain.
import { afterAll, expect, onTestFinished, test } from "vitest";
import { connect } from "#db/client.ts";
import { decodeId, newId } from "#server/base/ids.ts";
import { CLAIM_LOCK } from "#server/grants/domain-grants.ts";
import { ADDRESS_LOCK } from "#server/grants/hosted.ts";
import type { Failure, Inbox } from "#test/support/api.ts";
import { waitingForLocks } from "#test/support/locks.ts";
import { newOwner } from "#test/support/team.ts";
import { startDomains } from "./rig.ts";

const CREATES = 50;
/** How many of the creates are sent before the deletion. */
const BEFORE = [0, 1, 10, CREATES];

const rig = await startDomains();
const { service, client, path, own } = rig;
afterAll(rig.stop);

test(`of ${CREATES} concurrent creates and the deletion of their domain, either side wins as a whole`, async () => {
  const organization = await service.newOrganization();
  const owner = await newOwner(service, organization.organizationId);
  for (const before of BEFORE) {
    const domain = `deleted${before}.example`;
    await own(organization.agentKey, domain);
    const wish = { name: "x", max_mailboxes: CREATES, allowed_domains: [domain] };
    const { agent_key: key } = await service.enroll((await owner.trpc.keys.issue.mutate(wish)).key);
    const create = () => client.post<Inbox & Failure>("/v1/inboxes", { domain }, { key });
    const first = Array.from({ length: before }, create);
    const deletion = client.delete<Failure>(path(domain), { key: organization.agentKey });
    const creates = await Promise.all([...first, ...Array.from({ length: CREATES - before }, create)]);
    const { status, body } = await deletion;
    const made = creates.filter((answer) => answer.status === 201).length;
    for (const answer of creates.filter((each) => each.status !== 201)) {
      expect({ status: answer.status, code: answer.body.error.code }).toEqual({
        status: 403,
        code: "domain_not_allowed",
      });
    }
    if (status === 200) expect(made).toBe(0);
    else expect({ status, code: body.error.code }).toEqual({ status: 409, code: "domain_in_use" });
    const [left] = await service.system.sql`
      select count(*)::int as n from inboxes where domain = ${domain} and status <> 'deleted'`;
    expect(left).toEqual({ n: made });
    expect(made > 0).toBe(status === 409);
  }
});

test("a domain that is verified, and gets a mailbox, while its deletion waits is not deleted", async () => {
  const { agentKey: key } = await service.newOrganization();
  const [{ id }, inbox] = [await rig.claim(key, "verified-late.example"), await client.createInbox(key)];
  const sql = connect(service.database.url, { max: 2 });
  onTestFinished(() => sql.end());
  const { deletion } = await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${CLAIM_LOCK})`;
    const deletion = client.delete<Failure>(path("verified-late.example"), { key });
    await expect.poll(() => waitingForLocks(sql)).toBe(1);
    await tx`update domains set status = 'verified' where id = ${decodeId("dom", id) ?? ""}`;
    await tx`
      insert into inboxes select (jsonb_populate_record(i, jsonb_build_object('id', ${newId()}::text,
        'address', 'late@verified-late.example', 'domain', 'verified-late.example'))).*
      from inboxes i where id = ${decodeId("inb", inbox.id) ?? ""}`;
    return { deletion };
  });
  expect([(await deletion).status, (await deletion).body.error.code]).toEqual([409, "domain_in_use"]);
});

test("the deletion of a pending domain waits for no creates of mailboxes, and holds none up", async () => {
  const { agentKey: key } = await service.newOrganization();
  await rig.claim(key, "pending.example");
  const sql = connect(service.database.url, { max: 2 });
  onTestFinished(() => sql.end());
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock_shared(${ADDRESS_LOCK})`;
    expect((await client.delete<Failure>(path("pending.example"), { key })).status).toBe(200);
  });
});
