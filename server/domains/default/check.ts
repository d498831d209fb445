// Checks the DNS records of DEFAULT_DOMAIN: all of them for the operators' command, and for the worker the record of a DKIM
// key that waits to sign.
import { and, eq } from "drizzle-orm";
import type { DomainRecord, ProviderDomain } from "#db/domain-records.ts";
import { dkimKeys } from "#db/schema/domains.ts";
import type { Ctx, Services, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { keysOf, publishedKeys } from "../dkim/published-keys.ts";
import { promoteNextKey } from "../dkim/rotate-key.ts";
import { defaultKey } from "../dkim/signing-key.ts";
import { checkRecords } from "../dns/check.ts";
import { type Expected, expectedRecords } from "../dns/expected.ts";
import { askProvider, startVerification } from "../provider/ask.ts";
import { notFound, SENDING } from "../view.ts";

function ownerOf({ settings }: Pick<Services, "settings">) {
  return { id: null, domain: settings.DEFAULT_DOMAIN };
}

/** @param provider the domain at a mail provider, which signs with its own key; null: mail is sent by ourselves */
async function expectedOfDefault(ctx: Ctx<System>, provider: ProviderDomain | null): Promise<Expected[]> {
  const { domain } = ownerOf(ctx);
  const keys = provider ? [] : await publishedKeys(ctx.db, ctx, ownerOf(ctx));
  return expectedRecords(ctx.settings, { domain, token: null, keys, provider: provider?.records });
}

/** Signs with the next key from now on, if its record was found. */
async function checkAndPromote(ctx: Ctx<System>, expected: Expected[]): Promise<DomainRecord[]> {
  const records = await checkRecords(ctx, expected, []);
  await ctx.db.transaction((tx) => promoteNextKey(tx, ctx, ownerOf(ctx), records));
  return records;
}

/**
 * Makes the DKIM key of DEFAULT_DOMAIN if it has none. Registers the domain with a mail provider, which then checks DNS too.
 * @returns each record with its state and what to do
 * @throws ServiceError `unavailable` if the mail provider did not show the domain
 */
export async function checkDefaultDomain(ctx: Ctx<System>) {
  const { domain } = ownerOf(ctx);
  const provider = await askProvider(ctx, { domain, status: "verified", provider: null });
  if (provider?.reason && provider.records.length === 0) throw new ServiceError("unavailable", provider.reason);
  if (!provider) await defaultKey(ctx);
  const records = await checkAndPromote(ctx, await expectedOfDefault(ctx, provider));
  if (notFound(records, SENDING).length === 0) await startVerification(ctx, provider);
  return records.map(({ purpose, type, name, value, priority, status, observed, fix }) => {
    return { purpose, type, name, value, priority, status, observed, fix };
  });
}

/**
 * Worker job: looks for the record of the next key while one waits.
 * @returns 0, because nothing else is due then
 */
export async function checkNextDefaultKey(ctx: Ctx<System>): Promise<number> {
  const [next] = await ctx.db
    .select({ selector: dkimKeys.selector })
    .from(dkimKeys)
    .where(and(keysOf(ownerOf(ctx)), eq(dkimKeys.state, "next")));
  if (!next) return 0;
  const name = `${next.selector}._domainkey.${ctx.settings.DEFAULT_DOMAIN}`;
  const expected = (await expectedOfDefault(ctx, null)).filter((record) => record.name === name);
  await checkAndPromote(ctx, expected);
  return 0;
}
