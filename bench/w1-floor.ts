// The floor of W1: the statements of server/inboxes/create.ts for one mailbox.
import { connect } from "#db/client.ts";
import { type Agent, SCOPES } from "#server/base/context.ts";
import { readSettings } from "#server/base/env.ts";
import { newId } from "#server/base/ids.ts";
import { createInbox, createInboxCreates } from "#server/inboxes/create.ts";
import { FRESH_TEXT, freshId, record, writeScript } from "./support/floor.ts";
import { DOMAIN } from "./support/site.ts";

/** Quota rows of the floor's own: their ids can be computed by the script. */
const KEY_PREFIX = "00000000-0000-7000-8000-";
const KEY_ID = (key: number) => `${KEY_PREFIX}${key.toString(16).padStart(12, "0")}`;
const MAILBOXES = 10_000_000;
const SET_KEY = "\\set key random(1, :keys)";
const KEY = `('${KEY_PREFIX}' || lpad(to_hex(:key::bigint), 12, '0'))`;

async function prepareKeys(databaseUrl: string, keys: number): Promise<string> {
  const sql = connect(databaseUrl, { max: 1 });
  const [organization] = await sql<{ id: string }[]>`select id from organizations limit 1`;
  const organizationId = organization?.id ?? "";
  const ids = Array.from({ length: keys }, (_, i) => KEY_ID(i + 1));
  await sql`
    insert into enrollment_keys (id, organization_id, name, secret_hash, allowed_domains, scopes, max_mailboxes, created_at)
    select id, ${organizationId}, 'floor', '', ${[DOMAIN]}, '{}', ${MAILBOXES}, now() from unnest(${ids}::uuid[]) as k(id)`;
  await sql.end();
  return organizationId;
}

/**
 * Writes a pgbench script of one create: wants the variable `keys` (quota rows to choose from).
 * @param keys quota rows to make
 */
export async function writeCreateScript(databaseUrl: string, keys: number, path: string): Promise<void> {
  const actor: Agent = {
    kind: "agent",
    organizationId: await prepareKeys(databaseUrl, keys),
    enrollmentKeyId: KEY_ID(1),
    agentId: newId(),
    keyId: newId(),
    scopes: SCOPES,
    allowedDomains: [DOMAIN],
    inboxIds: null,
    madeBy: null,
    ancestorIds: [],
    budgetKeyIds: [],
  };
  const settings = readSettings({ DEFAULT_DOMAIN: DOMAIN });
  const { result, statements } = await record(databaseUrl, settings, (system) =>
    createInbox({ ...system, inboxCreates: createInboxCreates(system), actor }, {}),
  );
  const { id, address } = result.inbox;
  await writeScript(databaseUrl, path, {
    statements,
    replacements: [
      [id, freshId()],
      [address.slice(0, address.indexOf("@")), FRESH_TEXT],
      [KEY_ID(1), KEY],
    ],
    set: [SET_KEY],
  });
}
