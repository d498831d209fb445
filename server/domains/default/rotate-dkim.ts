// The operators' command `domains rotate-dkim`: adds a DKIM key for DEFAULT_DOMAIN, which signs when its record is found.
import type { Ctx, System } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { addNextKey } from "../dkim/rotate-key.ts";
import { defaultKey } from "../dkim/signing-key.ts";
import { checkDefaultDomain } from "./check.ts";

/**
 * @returns the records of the keys: the first one signs until the second is found in DNS
 * @throws ServiceError `invalid_request` if a mail provider has the keys, `rate_limited` within 7 days of the last rotation
 */
export async function rotateDefaultDkim(ctx: Ctx<System>) {
  if (ctx.outbound.identities) {
    throw new ServiceError("invalid_request", "Resend makes and rotates the DKIM keys of DEFAULT_DOMAIN.");
  }
  await defaultKey(ctx);
  await addNextKey(ctx, { id: null, domain: ctx.settings.DEFAULT_DOMAIN }, null);
  return (await checkDefaultDomain(ctx)).filter(({ purpose }) => purpose === "dkim");
}
