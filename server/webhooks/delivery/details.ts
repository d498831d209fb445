// Reads what deliveries in a form of another service say of a message beyond its event.
import { and, desc, eq, isNull, lte } from "drizzle-orm";
import type { WebhookFormat } from "#db/event-kinds.ts";
import { messages } from "#db/schema/mail.ts";
import { writeRecipient } from "../../base/addresses.ts";
import type { Services } from "../../base/context.ts";
import { decodeId } from "../../base/ids.ts";
import { EVENT_KIND } from "../../events/record.ts";
import { type Details, KINDS_OF } from "./formats.ts";

/** Newest messages of a thread that are counted. */
const COUNTED = 1_000;

type Delivered = { organization_id: string; event_kind: string; body: string };
type Needs = Pick<Services, "db">;

/**
 * Of a message that arrived or left, or of an outcome: what later mail and the reading of the message do not change.
 * @returns undefined if the form needs nothing, or the message is gone
 */
export async function detailsOf(
  ctx: Needs,
  format: WebhookFormat | null,
  { organization_id, event_kind, body }: Delivered,
): Promise<Details | undefined> {
  const isTheirs = format === "resend" && Object.hasOwn(KINDS_OF.resend, event_kind);
  if (format === null || !(event_kind === EVENT_KIND || isTheirs)) return;
  const id = decodeId("msg", (JSON.parse(body) as { message: { id: string } }).message.id);
  if (!id) return;
  const { from_address, from_name, to_addresses, cc_addresses, rfc_message_id, size, thread_id } = messages;
  const [message] = await ctx.db
    .select({ id: messages.id, from_address, from_name, to_addresses, cc_addresses, rfc_message_id, size, thread_id })
    .from(messages)
    .where(and(eq(messages.id, id), eq(messages.organization_id, organization_id)));
  if (!message) return;
  return {
    from: writeRecipient({ address: message.from_address, name: message.from_name ?? "" }),
    to: message.to_addresses,
    cc: message.cc_addresses,
    ...(message.rfc_message_id !== null && { messageId: `<${message.rfc_message_id}>` }),
    ...(format === "agentmail" && {
      sizes: { size: Number(message.size), thread: await threadOf(ctx, organization_id, message) },
    }),
  };
}

/** Counts the thread up to the message. */
async function threadOf({ db }: Needs, organizationId: string, { id, thread_id }: { id: string; thread_id: string }) {
  const isCounted = and(
    eq(messages.thread_id, thread_id),
    eq(messages.organization_id, organizationId),
    isNull(messages.quarantine),
    lte(messages.id, id),
  );
  const rows = await db
    .select({ size: messages.size })
    .from(messages)
    .where(isCounted)
    .orderBy(desc(messages.id))
    .limit(COUNTED);
  return { message_count: rows.length, size: rows.reduce((sum, { size }) => sum + Number(size), 0) };
}
