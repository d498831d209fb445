// The floor of W3: the statements of server/sending/send.ts for one message.
import { connect } from "#db/client.ts";
import { type Agent, SCOPES } from "#server/base/context.ts";
import { readSettings } from "#server/base/env.ts";
import { newId } from "#server/base/ids.ts";
import { createQueuing } from "#server/sending/batch.ts";
import { sendMessage } from "#server/sending/send.ts";
import { freshId, idsIn, record, writeScript } from "./support/floor.ts";
import { DOMAIN } from "./support/site.ts";

/** Mailboxes of the floor's own: their ids and addresses can be computed by the script. */
const BOX_PREFIX = "00000000-0000-7000-9000-";
const SET_BOX = "\\set box random(1, :boxes)";
const BOX = `('${BOX_PREFIX}' || lpad(to_hex(:box::bigint), 12, '0'))`;
const ADDRESS = `('floor-' || :box::bigint || '@${DOMAIN}')`;

/** @returns ids of the organization and of the first mailbox */
async function prepareBoxes(databaseUrl: string, boxes: number) {
  const sql = connect(databaseUrl, { max: 1 });
  const [like] = await sql<{ organization_id: string }[]>`select organization_id from inboxes limit 1`;
  await sql`
    insert into inboxes (id, organization_id, enrollment_key_id, agent_id, address, domain, display_name, metadata, status,
      identity_status, created_at)
    select (${BOX_PREFIX}::text || lpad(to_hex(n), 12, '0'))::uuid, organization_id, enrollment_key_id, agent_id,
      'floor-' || n || '@' || domain, domain, '', '{}', status, identity_status, created_at
    from (select * from inboxes limit 1) i cross join generate_series(1, ${boxes}::int) n`;
  await sql.end();
  return { organizationId: like?.organization_id ?? "", boxId: `${BOX_PREFIX}000000000001` };
}

/**
 * Writes a pgbench script of one send: wants the variable `boxes` (mailboxes to choose from).
 * @param environment settings of the service that is measured
 */
export async function writeSendScript(
  databaseUrl: string,
  path: string,
  { boxes, environment, text }: { boxes: number; environment: Record<string, string>; text: string },
): Promise<void> {
  const { organizationId, boxId } = await prepareBoxes(databaseUrl, boxes);
  const actor: Agent = {
    kind: "agent",
    organizationId,
    enrollmentKeyId: newId(),
    agentId: newId(),
    keyId: newId(),
    scopes: SCOPES,
    allowedDomains: [DOMAIN],
    inboxIds: null,
    madeBy: null,
    ancestorIds: [],
    budgetKeyIds: [],
  };
  const settings = readSettings({ DEFAULT_DOMAIN: DOMAIN, ...environment });
  const addr = `floor-1@${DOMAIN}`;
  const mail = { to: "ann@sink.example", cc: [], bcc: [], subject: "bench", text, attachments: [] };
  const { statements } = await record(databaseUrl, settings, (system) =>
    sendMessage({ ...system, actor, queuing: createQueuing(system) }, { addr, ...mail }),
  );
  const fresh = idsIn(statements, [organizationId, boxId]);
  await writeScript(databaseUrl, path, {
    statements,
    replacements: [...fresh.map((id, kind): [string, string] => [id, freshId(kind)]), [boxId, BOX], [addr, ADDRESS]],
    set: [SET_BOX],
  });
}
