// Counts all stored mail again, for the operators' command `storage recount`.

import { count, ne, sql } from "drizzle-orm";
import { EVERY_INBOX } from "#db/conditions.ts";
import { messages, storageUsage, trashedMessages } from "#db/schema/mail.ts";
import { drafts, draftVersions, uploads } from "#db/schema/outbox.ts";
import type { Services } from "../../base/context.ts";
import { STORED_MIN_BYTES } from "./count.ts";

/**
 * Counts all stored mail again. Mail that arrives during the count waits.
 * @returns how many mailboxes have stored mail, and its total bytes
 */
export async function recountStorage({ db }: Pick<Services, "db">) {
  return db.transaction(async (tx) => {
    // The lock waits for running changes of counters and blocks new ones: each message is counted once.
    await tx.execute(sql`lock table ${storageUsage} in exclusive mode`);
    await tx.delete(storageUsage);
    const { organization_id, inbox_id, size } = messages;
    // The same sum: db/transfer/settle.ts.
    await tx.execute(sql`
      insert into storage_usage (organization_id, inbox_id, bytes)
      select organization_id, coalesce(inbox_id, ${EVERY_INBOX}), sum(greatest(size, ${STORED_MIN_BYTES}::bigint))
      from (select ${organization_id}, ${inbox_id}, ${size} from ${messages} union all
        select ${trashedMessages.organization_id}, ${trashedMessages.inbox_id}, ${trashedMessages.size} from ${trashedMessages} union all
        select ${drafts.organization_id}, ${drafts.inbox_id}, ${drafts.size} from ${drafts}
        where ${drafts.sent_message_id} is null union all
        select ${draftVersions.organization_id}, ${draftVersions.inbox_id}, ${draftVersions.size} from ${draftVersions} union all
        select ${uploads.organization_id}, null, ${uploads.size} from ${uploads}) stored
      group by grouping sets ((organization_id, inbox_id), (organization_id))
      having grouping(inbox_id) = 1 or inbox_id is not null`);
    const [row = { mailboxes: 0, bytes: 0 }] = await tx
      .select({ mailboxes: count(), bytes: sql<number>`coalesce(sum(${storageUsage.bytes}), 0)::float8` })
      .from(storageUsage)
      .where(ne(storageUsage.inbox_id, EVERY_INBOX));
    return row;
  });
}
