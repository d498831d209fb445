// The update of a database that has keys of two organizations: it refuses them, and the guide's statements find and delete them.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { connect } from "#db/client.ts";
import { migrate } from "#db/migrate.ts";
import journal from "#db/migrations/meta/_journal.json" with { type: "json" };
import { createEmptyDatabase } from "#test/support/database.ts";
import type { TestDatabase } from "#test/support/database-server.ts";

const GUIDE = readFileSync(new URL("../../docs/guides/backup.md", import.meta.url), "utf8");
const [find = "", remove = ""] = [...GUIDE.matchAll(/```sql\n([\s\S]+?)```/g)].map(([, block = ""]) => block);
const BEFORE =
  journal.entries[journal.entries.findIndex(({ tag }) => tag.endsWith("_keys_within_one_organization")) - 1]?.when;

let database: TestDatabase;
let sql: ReturnType<typeof connect>;
const own = { organization: randomUUID(), enrollment: randomUUID(), agent: randomUUID(), key: randomUUID() };
const theirs = { organization: randomUUID(), enrollment: randomUUID(), agent: randomUUID(), key: randomUUID() };
const forged = { agent: randomUUID(), keyOfAgent: randomUUID(), key: randomUUID(), grant: randomUUID() };

const addAgent = (id: string, organization: string, enrollment: string) => sql`
  insert into agents (id, organization_id, enrollment_key_id, handle, created_at)
  values (${id}, ${organization}, ${enrollment}, ${id}, now())`;
const addKey = (id: string, organization: string, agent: string) => sql`
  insert into agent_keys (id, organization_id, agent_id, secret_hash, scopes, created_at)
  values (${id}, ${organization}, ${agent}, ${Buffer.from(id)}, '{}', now())`;

beforeEach(async () => {
  database = await createEmptyDatabase();
  await migrate({ url: database.url, upTo: BEFORE });
  sql = connect(database.url, { max: 1, onnotice: () => {} });
  for (const { organization, enrollment, agent, key } of [own, theirs]) {
    await sql`insert into organizations (id, name, created_at) values (${organization}, ${organization}, now())`;
    await sql`
      insert into enrollment_keys (id, organization_id, name, allowed_domains, scopes, secret_hash, max_mailboxes, created_at)
      values (${enrollment}, ${organization}, 'key', '{}', '{}', ${Buffer.from(enrollment)}, 1, now())`;
    await addAgent(agent, organization, enrollment);
    await addKey(key, organization, agent);
  }
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

/** Each in the organization `theirs`, and for a row of the organization `own`. */
const FORGERIES: [string, string, () => Promise<unknown>][] = [
  [
    "agent_keys",
    "agent_keys_agent_fk",
    async () => {
      await addKey(forged.key, theirs.organization, own.agent);
      await sql`
        insert into mailbox_leases (id, organization_id, agent_key_id, expires_at, created_at)
        values (gen_random_uuid(), ${theirs.organization}, ${forged.key}, now(), now())`;
    },
  ],
  [
    "agents",
    "agents_enrollment_key_fk",
    async () => {
      await addAgent(forged.agent, theirs.organization, own.enrollment);
      await addKey(forged.keyOfAgent, theirs.organization, forged.agent);
    },
  ],
  [
    "domain_grants",
    "domain_grants_enrollment_key_fk",
    () => sql`
      insert into domain_grants (id, domain, organization_id, enrollment_key_id, created_at)
      values (${forged.grant}, 'own.example', ${theirs.organization}, ${own.enrollment}, now())`,
  ],
];

it.each(FORGERIES)("a forged row of %s is refused, found and deleted", async (table, constraint, forge) => {
  await forge();
  await expect(migrate({ url: database.url })).rejects.toThrow(
    `The migration 0006_keys_within_one_organization failed, and nothing was changed. PostgreSQL answered: insert or update on table "${table}" violates foreign key constraint "${constraint}".`,
  );
  const found = await sql.unsafe(find);
  expect(found).toMatchObject([{ table, organization_id: theirs.organization, refers_to: own.organization }]);
  await sql.unsafe(remove);
  expect([...(await sql.unsafe(find))]).toEqual([]);
  await migrate({ url: database.url });
  const keys = await sql<{ id: string }[]>`select id from agent_keys`;
  expect(keys.map(({ id }) => id).sort()).toEqual([own.key, theirs.key].sort());
  const agents = await sql<{ id: string }[]>`select id from agents`;
  expect(agents.map(({ id }) => id).sort()).toEqual([own.agent, theirs.agent].sort());
});
