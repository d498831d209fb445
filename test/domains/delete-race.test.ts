// A domain is deleted while mailboxes are created on it: no mailbox is left on a deleted domain.
import { afterAll, expect, test } from "vitest";
import type { Failure, Inbox } from "#test/support/api.ts";
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
