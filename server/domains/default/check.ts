// Checks the DNS records of DEFAULT_DOMAIN: all of them for the operators' command, and for the worker the record of a DKIM
// key that waits to sign.
import { and, eq } from "drizzle-orm";
import type { DomainRecord } from "#db/domain-records.ts";
import { dkimKeys } from "#db/schema/domains.ts";
import type { Ctx, Services, System } from "../../base/context.ts";
import { keysOf, publishedKeys } from "../dkim/published-keys.ts";
import { promoteNextKey } from "../dkim/rotate-key.ts";
import { defaultKey } from "../dkim/signing-key.ts";
import { checkRecords } from "../dns/check.ts";
import { type Expected, expectedRecords } from "../dns/expected.ts";

function ownerOf({ settings }: Pick<Services, "settings">) {
  return { id: null, domain: settings.DEFAULT_DOMAIN };
}

async function expectedOfDefault(ctx: Ctx<System>): Promise<Expected[]> {
  const { settings, db } = ctx;
  // A mail provider signs with its own key.
  const keys = settings.OUTBOUND === "resend" ? [] : await publishedKeys(db, ctx, ownerOf(ctx));
  return expectedRecords(settings, { domain: settings.DEFAULT_DOMAIN, token: null, keys, provider: undefined });
}

/** Signs with the next key from now on, if its record was found. */
async function checkAndPromote(ctx: Ctx<System>, expected: Expected[]): Promise<DomainRecord[]> {
  const records = await checkRecords(ctx, expected, []);
  await ctx.db.transaction((tx) => promoteNextKey(tx, ctx, ownerOf(ctx), records));
  return records;
}

/** Makes the DKIM key of DEFAULT_DOMAIN if it has none.\n@returns each record with its state and what to do */
export async function checkDefaultDomain(ctx: Ctx<System>) {
  if (ctx.settings.OUTBOUND !== "resend") await defaultKey(ctx);
  const records = await checkAndPromote(ctx, await expectedOfDefault(ctx));
  return records.map(({ purpose, type, name, value, priority, status, observed, fix }) => {
    return { purpose, type, name, value, priority, status, observed, fix };
  });
}

/** Worker job: looks for the record of the next key while one waits.\n@returns 0, because nothing else is due then */
export async function checkNextDefaultKey(ctx: Ctx<System>): Promise<number> {
  const [next] = await ctx.db
    .select({ selector: dkimKeys.selector })
    .from(dkimKeys)
    .where(and(keysOf(ownerOf(ctx)), eq(dkimKeys.state, "next")));
  if (!next) return 0;
  const name = `${next.selector}._domainkey.${ctx.settings.DEFAULT_DOMAIN}`;
  const expected = (await expectedOfDefault(ctx)).filter((record) => record.name === name);
  await checkAndPromote(ctx, expected);
  return 0;
}
