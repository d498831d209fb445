// Says at start when secrets in the database were encrypted with another ENCRYPTION_KEY, what still works, and what to do.
import { asc } from "drizzle-orm";
import { dkimKeys } from "#db/schema/domains.ts";
import { webhooks } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";

const LOST =
  "ENCRYPTION_KEY: this is not the key with which secrets in the database were encrypted. Webhooks with such secrets are not delivered, " +
  "and mail from domains with such DKIM keys is not sent by OUTBOUND=smtp. All other work goes on: mail is received, read and waited for. " +
  "Set the former key in every process. If it is lost, rotate the secret of each webhook, and the DKIM key of each domain";

/** Looks at the oldest secret of each kind. */
export async function checkKey({ db, secrets, log }: Ctx<System>): Promise<void> {
  const [[webhook], [domain]] = await Promise.all([
    db.select({ sealed: webhooks.secret }).from(webhooks).orderBy(asc(webhooks.id)).limit(1),
    db.select({ sealed: dkimKeys.private_key }).from(dkimKeys).orderBy(asc(dkimKeys.id)).limit(1),
  ]);
  const found = { "webhook secrets": webhook, "DKIM keys": domain };
  const kinds = Object.entries(found).filter(([, row]) => row && !secrets.isOwn(row.sealed));
  if (kinds.length > 0) log.error({ encrypted_with_another_key: kinds.map(([kind]) => kind) }, LOST);
}
