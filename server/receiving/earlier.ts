// Loads the messages of a thread that a reply may quote.
import { and, desc, eq, isNotNull, isNull, lt, or, sql } from "drizzle-orm";
import { messages } from "#db/schema/mail.ts";
import type { Services } from "../base/context.ts";
import { EARLIER_CHARS } from "../extraction/repeated.ts";
import type { Leased } from "./parse-lease.ts";
import type { Earlier } from "./reading.ts";

const EARLIER_MESSAGES = 6;
/** Of so many the latest that are parsed are loaded: a thread may have thousands that are not. */
const RECENT_MESSAGES = 24;
/** HTML is longer than what is seen of it. */
const EARLIER_HTML_CHARS = 2 * EARLIER_CHARS;

/**
 * The latest messages before a mail in its thread, which is of one mailbox; none for a mail that answers nothing. One that is not
 * parsed yet is left out.
 */
export async function loadEarlier({ db }: Pick<Services, "db">, mail: Leased): Promise<Earlier[]> {
  if (mail.in_reply_to === null && mail.references.length === 0) return [];
  const { id, inbox_id, organization_id, thread_id, text, html, safe_text, from_address, rfc_message_id } = messages;
  const thread = db.select({ thread_id }).from(messages).where(eq(id, mail.id));
  const recent = db
    .select({ id, text, html, safe_text, from_address, rfc_message_id })
    .from(messages)
    .where(
      and(
        eq(thread_id, thread),
        eq(inbox_id, mail.inbox_id),
        eq(organization_id, mail.organization_id),
        lt(id, mail.id),
        isNull(messages.quarantine),
      ),
    )
    .orderBy(desc(id))
    .limit(RECENT_MESSAGES)
    .as("recent");
  const seen = sql`coalesce(${recent.safe_text}, ${recent.text})`;
  return db
    .select({
      text: sql<string | null>`left(${seen}, ${EARLIER_CHARS})`,
      html: sql<string | null>`case when ${seen} is null then left(${recent.html}, ${EARLIER_HTML_CHARS}) end`,
      from: recent.from_address,
      isAnswered: sql<boolean>`coalesce(${recent.rfc_message_id} = ${mail.in_reply_to}, false)`,
    })
    .from(recent)
    .where(or(isNotNull(recent.safe_text), isNotNull(recent.text), isNotNull(recent.html)))
    .orderBy(desc(recent.id))
    .limit(EARLIER_MESSAGES);
}
