// The quotas that an organization's agents create mailboxes from: of keys that are neither revoked nor expired.
import type { Ctx, Member } from "../base/context.ts";
import { type KeyRow, keyView } from "../keys/keys.ts";
import { createdLately } from "../keys/usage.ts";

/** The newest that are looked at, for quotas and for problems. */
const KEYS_MAX = 1_000;
const SHOWN_MAX = 8;

export async function readUsableKeys({ sql, actor, now }: Ctx<Member>): Promise<KeyRow[]> {
  return sql<KeyRow[]>`
    select id, name, max_mailboxes, used_count, prepaid, allowed_domains, expires_at, revoked_at, created_at
    from enrollment_keys
    where organization_id = ${actor.organizationId} and revoked_at is null
      and (expires_at is null or expires_at > ${now()})
    order by id desc limit ${KEYS_MAX}`;
}

/** How full a key is, from 0 to 1 (and beyond, should its quota have shrunk). */
export function fullness({ used_count, max_mailboxes }: KeyRow): number {
  return max_mailboxes > 0 ? used_count / max_mailboxes : 1;
}

/** The fullest, with their forecasts. */
export async function quotasOf(ctx: Ctx<Member>, keys: KeyRow[]) {
  const fullest = keys.toSorted((a, b) => fullness(b) - fullness(a)).slice(0, SHOWN_MAX);
  const lately = await createdLately(
    ctx,
    fullest.map(({ id }) => id),
  );
  return fullest.map((key) => keyView(key, lately.get(key.id) ?? 0, ctx.now()));
}
