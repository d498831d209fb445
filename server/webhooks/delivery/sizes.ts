// Reads the sizes that received mail has in deliveries of a form that needs them.
import { and, desc, eq, isNull, lte } from "drizzle-orm";
import type { WebhookFormat } from "#db/event-kinds.ts";
import { messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { decodeId } from "../../base/ids.ts";
import { EVENT_KIND } from "../../events/record.ts";
import type { Sizes } from "./formats.ts";

/** Newest messages of a thread that are counted. */
const COUNTED = 1_000;

type Delivered = { organization_id: string; event_kind: string; body: string };

/** Counts the thread up to the message, so that later mail changes nothing. @returns undefined if the form has no sizes, or the message is gone */
export async function sizesOf(
  { db }: Pick<Services, "db">,
  format: WebhookFormat | null,
  { organization_id, event_kind, body }: Delivered,
): Promise<Sizes | undefined> {
  if (format !== "agentmail" || event_kind !== EVENT_KIND) return;
  const { message } = JSON.parse(body) as { message: { id: string; thread_id: string } };
  const [id, threadId] = [decodeId("msg", message.id), decodeId("thr", message.thread_id)];
  if (!id || !threadId) return;
  const isCounted = and(
    eq(messages.thread_id, threadId),
    eq(messages.organization_id, organization_id),
    isNull(messages.quarantine),
    lte(messages.id, id),
  );
  const rows = await db
    .select({ id: messages.id, size: messages.size })
    .from(messages)
    .where(isCounted)
    .orderBy(desc(messages.id))
    .limit(COUNTED);
  const [newest] = rows;
  if (newest?.id !== id) return;
  const thread = { message_count: rows.length, size: rows.reduce((sum, { size }) => sum + Number(size), 0) };
  return { size: Number(newest.size), thread };
}
