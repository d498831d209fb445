// A mailbox that a process has just read, and that another process then deletes or that moves to another organization: what the
// first one remembers is never served.
import { afterAll, expect, test } from "vitest";
import { decodeId, encodeId } from "#server/base/ids.ts";
import { api, type Inbox, inboxPath, type Page } from "#test/support/api.ts";
import { reportedOf } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const second = await startTestService({ ROLES: "web,smtp" }, { database: service.database });
const processes = [service, second].map((each) => ({ mail: each.mail, client: api(each) })) as [Process, Process];
type Process = Pick<typeof service, "mail"> & { client: ReturnType<typeof api> };
afterAll(async () => {
  await Promise.all(processes.map(({ client }) => client.close()));
  await second.stop();
  await service.stop();
});

const [first, other] = processes;
const FROM = "someone@else.example";
const read = async ({ client }: Process, key: string, addr: string) => {
  const [inbox, messages] = await Promise.all([
    client.get<Inbox>(inboxPath(addr), { key }),
    client.get<Page<{ subject: string }>>(inboxPath(addr, "/messages"), { key }),
  ]);
  const subjects = messages.status === 200 ? messages.body.data.map(({ subject }) => subject) : [];
  return { status: [inbox.status, messages.status], subjects };
};
const SEEN = [200, 200];
const HIDDEN = [404, 404];

/** A mailbox with a mail, which both processes have read and mailed to. */
async function known(key: string): Promise<string> {
  const { address } = await first.client.createInbox(key);
  for (const each of processes) {
    await each.mail({ from: FROM, to: address, subject: "before" });
    expect((await read(each, key, address)).status).toEqual(SEEN);
  }
  return address;
}

test("deleted by one process: the other neither shows it nor takes mail for it", async () => {
  const { agentKey: key } = await service.newOrganization();
  const address = await known(key);
  expect((await first.client.delete(inboxPath(address), { key })).status).toBe(200);
  for (const each of processes) expect((await read(each, key, address)).status).toEqual(HIDDEN);
  await expect(other.mail({ from: FROM, to: address, subject: "after" })).rejects.toThrow(/550/);
});

test("moved to another organization: the former one sees neither it nor its new mail, on both processes", async () => {
  const [former, next] = [await service.newOrganization(), await service.newOrganization()];
  const address = await known(former.agentKey);
  const { sql } = service.system;
  await sql`update inboxes set organization_id = ${decodeId("org", next.organizationId) ?? null} where address = ${address}`;
  for (const each of processes) {
    expect((await read(each, former.agentKey, address)).status).toEqual(HIDDEN);
    await each.mail({ from: FROM, to: address, subject: "after" });
  }
  for (const each of processes) {
    expect(await read(each, next.agentKey, address)).toMatchObject({ status: SEEN });
    const events = await each.client.get<Page<{ event: string }>>("/v1/events", { key: former.agentKey });
    expect(reportedOf(events.body.data)).toHaveLength(2);
  }
  const rows = await sql`select organization_id from messages where subject = 'after'`;
  expect(rows.map((row) => encodeId("org", row.organization_id))).toEqual(Array(2).fill(next.organizationId));
});

test("a key that is restricted to another mailbox does not see what a key without limits has just read", async () => {
  const { agentKey: key, enrollmentKeyId } = await service.newOrganization();
  const [address, own] = [await known(key), await known(key)];
  const { key: restricted } = await service.newAgentKey(enrollmentKeyId, { inboxes: [own] });
  for (const each of processes) {
    expect((await read(each, restricted, own)).status).toEqual(SEEN);
    expect((await read(each, restricted, address)).status).toEqual(HIDDEN);
  }
});
