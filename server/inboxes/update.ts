// PATCH /v1/inboxes/{addr}: changes the display name and the outgoing delay, merges metadata, and makes a mailbox the catch-all of its domain.
import { isDeepStrictEqual } from "node:util";
import { and, eq, not, sql } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { anyOf } from "#db/conditions.ts";
import { domains } from "#db/schema/domains.ts";
import { inboxes } from "#db/schema/mail.ts";
import { record } from "../activity/record.ts";
import { type Caller, type Ctx, hasScope } from "../base/context.ts";
import { invalidField, ServiceError } from "../base/errors.ts";
import { findInbox, type InboxRow, inboxColumns, whyNarrow } from "../base/tenancy.ts";
import { METADATA_KEYS } from "./schema.ts";

type Patch = {
  addr: string;
  display_name?: string | undefined;
  metadata?: Record<string, string | number | boolean | null> | undefined;
  catch_all?: boolean | undefined;
  outgoing_delay_seconds?: number | undefined;
};

const { catch_all, outgoing_delay_seconds } = inboxes;
const changeable = { ...inboxColumns, catch_all, outgoing_delay_seconds };
type ChangeableRow = InboxRow & Pick<typeof inboxes.$inferSelect, "catch_all" | "outgoing_delay_seconds">;

/**
 * @throws ServiceError `inbox_not_found`; `invalid_request` if more than METADATA_KEYS keys would remain; for `catch_all`
 * `insufficient_scope`, `insufficient_role`, `invalid_request`, `domain_not_verified`, `catch_all_taken`
 */
export async function updateInbox(ctx: Ctx<Caller>, patch: Patch): Promise<InboxRow> {
  const inbox = await findInbox(ctx, patch.addr);
  const { id } = inbox;
  if (patch.catch_all !== undefined) refuseNarrow(ctx);
  return ctx.db.transaction(async (tx) => {
    if (patch.catch_all) await takeDomain(tx, ctx, inbox);
    // jsonb_strip_nulls deletes the keys that the caller set to null.
    const merged = sql`${inboxes.metadata} || ${JSON.stringify(patch.metadata ?? {})}::text::jsonb`;
    const own = and(eq(inboxes.id, id), eq(inboxes.organization_id, ctx.actor.organizationId));
    const isLive = and(own, eq(inboxes.status, "live"));
    const [before] = await tx.select(changeable).from(inboxes).where(isLive).for("update");
    const [row] = await tx
      .update(inboxes)
      .set({
        display_name: patch.display_name,
        metadata: sql`jsonb_strip_nulls(${merged})`,
        catch_all: patch.catch_all,
        outgoing_delay_seconds: patch.outgoing_delay_seconds,
      })
      .where(isLive)
      .returning(changeable);
    if (!row || !before) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
    if (Object.keys(row.metadata).length > METADATA_KEYS) {
      throw invalidField("metadata", `at most ${METADATA_KEYS} keys`);
    }
    await record(ctx, tx, [{ kind: "inbox", id, ...changed(before, row) }], { inbox_id: id });
    return row;
  });
}

/** A catch-all reads the mail of a whole domain: only those may set it who may manage the domain. */
function refuseNarrow({ actor }: Ctx<Caller>): void {
  if (actor.kind === "member") {
    if (actor.role !== "member") return;
    throw new ServiceError("insufficient_role", "Setting a catch-all mailbox needs the role admin.");
  }
  if (!hasScope(actor.scopes, "domain:manage")) {
    throw new ServiceError("insufficient_scope", "Setting `catch_all` needs the scope domain:manage.");
  }
  const why = whyNarrow(actor);
  if (why) throw new ServiceError("insufficient_scope", `${why} It cannot set \`catch_all\`.`);
}

/** The lock of the claim makes calls for one domain wait for each other. */
async function takeDomain(tx: Transaction, { settings, actor }: Ctx<Caller>, { id, domain }: InboxRow): Promise<void> {
  if (domain === settings.DEFAULT_DOMAIN) {
    throw invalidField("catch_all", `not at ${domain}, which all organizations of this service share`);
  }
  const { organizationId } = actor;
  const [claim] = await tx
    .select({ id: domains.id })
    .from(domains)
    .where(and(eq(domains.organization_id, organizationId), eq(domains.domain, domain), eq(domains.status, "verified")))
    .for("update");
  if (!claim) {
    throw new ServiceError(
      "domain_not_verified",
      `Your organization has not verified ${domain}. A catch-all mailbox needs a verified domain.`,
    );
  }
  const other = await catchAllOf(tx, { organizationId, domain, except: [id] });
  if (other) throw new ServiceError("catch_all_taken", `${other} is the catch-all mailbox of ${domain} already.`);
}

/** The live catch-all mailbox of a domain of the organization, except these. */
export async function catchAllOf(
  tx: Transaction,
  { organizationId, domain, except }: { organizationId: string; domain: string; except: string[] },
): Promise<string | undefined> {
  const isIt = and(eq(inboxes.catch_all, true), eq(inboxes.status, "live"), not(anyOf(inboxes.id, except)));
  const [row] = await tx
    .select({ address: inboxes.address })
    .from(inboxes)
    .where(and(eq(inboxes.organization_id, organizationId), eq(inboxes.domain, domain), isIt));
  return row?.address;
}

function changed(from: ChangeableRow, to: ChangeableRow) {
  const names = (["display_name", "metadata", "catch_all", "outgoing_delay_seconds"] as const).filter(
    (name) => !isDeepStrictEqual(from[name], to[name]),
  );
  const only = (row: ChangeableRow) => Object.fromEntries(names.map((name) => [name, row[name]]));
  return { before: only(from), after: only(to) };
}
