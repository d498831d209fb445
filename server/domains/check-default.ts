// Checks the DNS records of DEFAULT_DOMAIN, for the operators' command.
import type { Ctx, System } from "../base/context.ts";
import { defaultKey } from "./dkim/signing-key.ts";
import { checkRecords } from "./dns/check.ts";
import { expectedRecords } from "./dns/expected.ts";

/** Makes the DKIM key of DEFAULT_DOMAIN if it has none.\n@returns each record with its state and what to do */
export async function checkDefaultDomain(ctx: Ctx<System>) {
  const { settings } = ctx;
  const domain = settings.DEFAULT_DOMAIN;
  // A mail provider signs with its own key.
  const keys = settings.OUTBOUND === "resend" ? [] : [await defaultKey(ctx)];
  const expected = expectedRecords(settings, { domain, token: null, keys, provider: undefined });
  const records = await checkRecords(ctx, expected, []);
  return records.map(({ purpose, type, name, value, priority, status, observed, fix }) => {
    return { purpose, type, name, value, priority, status, observed, fix };
  });
}
