// A database, the services on it and an agent with a mailbox: what a test of the send queue needs.
import type { Agent, Ctx } from "#server/base/context.ts";
import { readSettings } from "#server/base/env.ts";
import { newId } from "#server/base/ids.ts";
import { createLog } from "#server/base/log.ts";
import { assemble } from "#server/boot/assemble.ts";
import { createInbox } from "#server/inboxes/create.ts";
import { sendInput } from "#server/messages/schema.ts";
import { sendMessage } from "#server/sending/send.ts";
import { createTestDatabase } from "#test/support/database.ts";
import { startProxy } from "#test/support/proxy.ts";

export type Rig = Awaited<ReturnType<typeof startRig>>;
const DOMAIN = "mail.example.com";

/**
 * @param environment settings beside those of a test: OUTBOUND and its own
 * @param proxied the services reach their database by way of `proxy`
 */
export async function startRig(environment: Record<string, string>, { proxied = false } = {}) {
  const database = await createTestDatabase();
  const proxy = await startProxy(database.url);
  const settings = readSettings({
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    DEFAULT_DOMAIN: DOMAIN,
    SEND_CAP_RAMP: "1000000",
    ...environment,
  });
  const clock = { aheadMs: 0 };
  const now = () => new Date(Date.now() + clock.aheadMs);
  const assembled = await assemble(settings, createLog("fatal", false), proxied ? proxy.url : database.url, { now });
  const { system } = assembled;
  const { sql } = system;
  const [organizationId, enrollmentKeyId] = [newId(), newId()];
  await sql`insert into organizations (id, name, created_at) values (${organizationId}, 'Acme', now())`;
  await sql`
    insert into enrollment_keys (id, organization_id, name, secret_hash, allowed_domains, scopes, max_mailboxes, created_at)
    values (${enrollmentKeyId}, ${organizationId}, 'k', ${Buffer.alloc(32)}, ${[DOMAIN, "second.example.com"]}, '{}', 1000, now())`;
  await sql`
    insert into domain_grants (id, domain, organization_id, created_at)
    values (${newId()}, 'second.example.com', ${organizationId}, now())`;
  const actor: Agent = {
    kind: "agent",
    organizationId,
    enrollmentKeyId,
    agentId: newId(),
    keyId: newId(),
    scopes: ["mailbox:create", "mailbox:send", "mailbox:delete"],
    allowedDomains: [DOMAIN, "second.example.com"],
    inboxIds: null,
    madeBy: null,
    ancestorIds: [],
    budgetKeyIds: [],
  };
  const agent: Ctx<Agent> = { ...system, actor };

  return {
    system,
    databaseUrl: database.url,
    sql,
    agent,
    proxy,
    /** How far the services' clock is ahead of the machine's. */
    clock,
    async inbox(username: string, domain = DOMAIN): Promise<{ id: string; address: string }> {
      return (await createInbox(agent, { username, domain, display_name: "Support" })).inbox;
    },
    /** @returns the message's UUID */
    async send(from: string, message: Record<string, unknown> = {}): Promise<string> {
      const body = { addr: from, to: "ada@elsewhere.example", subject: "Hello", text: "A line.", ...message };
      return (await sendMessage(agent, sendInput.parse(body))).id;
    },
    async message(id: string) {
      const [row] = await sql`select * from messages where id = ${id}`;
      return row;
    },
    /** The recipients of a message, in order. */
    async recipients(id: string) {
      return sql`select * from message_recipients where message_id = ${id} order by index`;
    },
    async inboxRow(id: string) {
      const [row] = await sql`select * from inboxes where id = ${id}`;
      return row;
    },
    async close() {
      await assembled.close();
      await proxy.cut();
      await database.drop();
    },
  };
}
