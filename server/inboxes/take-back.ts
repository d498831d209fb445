// Takes back what a key did with mailboxes: created mailboxes are deleted, unless others wrote to them.
import { and, eq } from "drizzle-orm";
import { anyOf } from "#db/conditions.ts";
import { inboxes, messages, trashedMessages } from "#db/schema/mail.ts";
import { asJson, type Reasons, settingBack, type TakeBack } from "../activity/net.ts";
import { removeInboxes } from "./remove.ts";
import { catchAllOf } from "./update.ts";

const GOT_MAIL = "It received mail. Delete it if you do not need the mail.";
const OTHER_CATCH_ALL = "Another mailbox is the catch-all of the domain now.";

/** After the commit, call `announceRemoved`. */
export const takeBackInboxes: TakeBack = async (ctx, tx, nets, isDry, events) => {
  const reasons: Reasons = new Map();
  const { organizationId } = ctx.actor;
  const ids = nets.map(({ id }) => id);
  const own = and(anyOf(inboxes.id, ids), eq(inboxes.organization_id, organizationId));
  const live = and(own, eq(inboxes.status, "live"));
  const rows = await tx
    .select()
    .from(inboxes)
    .where(live)
    .orderBy(inboxes.id)
    .for(isDry ? "share" : "update");
  const written = await tx
    .selectDistinct({ id: messages.inbox_id })
    .from(messages)
    .where(and(anyOf(messages.inbox_id, ids), eq(messages.direction, "inbound")));
  const trashed = await tx
    .selectDistinct({ id: trashedMessages.inbox_id })
    .from(trashedMessages)
    .where(and(anyOf(trashedMessages.inbox_id, ids), eq(trashedMessages.direction, "inbound")));
  const gotMail = new Set([...written, ...trashed].map(({ id }) => id));
  const current = new Map(rows.map((row) => [row.id, row]));
  const extra: string[] = [];
  const released: string[] = [];
  const taking: (typeof rows)[number][] = [];
  for (const net of nets) {
    const row = current.get(net.id);
    if (net.final) reasons.set(net.id, net.final);
    if (!row) continue;
    if (net.was === null) {
      if (gotMail.has(net.id)) reasons.set(net.id, GOT_MAIL);
      else extra.push(net.id);
      continue;
    }
    const { set, reason } = settingBack(net, asJson(row));
    if (reason) reasons.set(net.id, reason);
    if (set.catch_all === false) released.push(net.id);
    if (set.catch_all === true) {
      delete set.catch_all;
      taking.push(row);
    }
    if (!isDry && Object.keys(set).length > 0) await tx.update(inboxes).set(set).where(eq(inboxes.id, net.id));
  }
  if (!isDry && extra.length > 0) {
    events.push(...(await removeInboxes(tx, ctx, organizationId, extra)));
  }
  // Last: a domain has one catch-all mailbox.
  for (const { id, domain } of taking) {
    const isTaken = await catchAllOf(tx, { organizationId, domain, except: [id, ...released, ...extra] });
    if (isTaken) reasons.set(id, OTHER_CATCH_ALL);
    else if (!isDry) await tx.update(inboxes).set({ catch_all: true }).where(eq(inboxes.id, id));
  }
  return reasons;
};
