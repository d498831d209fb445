// Asks the notification addresses of an organization to decide on a held message, each with a link of its own.
import { and, eq, gt } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { notices } from "#db/schema/events.ts";
import type { messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { LINK, writeLetter } from "../../system-mail/write.ts";
import { reviewUrl } from "./link.ts";

/** Letters of one organization; beyond that, held messages are in the dashboard only. */
const LETTERS_MAX = 60;
const WINDOW_MS = 3_600_000;
const SHOWN_CHARS = 2_000;
const SHOWN_RECIPIENTS = 10;

type Message = typeof messages.$inferSelect;

export async function writeLetters(
  ctx: Pick<Services, "settings" | "secrets" | "now">,
  tx: Transaction,
  message: Message,
  { hash, expires_at }: { hash: Buffer; expires_at: Date },
): Promise<void> {
  const { organization_id, id } = message;
  const [organization] = await tx
    .select({ addresses: organizations.owner_emails })
    .from(organizations)
    .where(eq(organizations.id, organization_id));
  const addresses = organization?.addresses ?? [];
  if (addresses.length === 0) return;
  const since = new Date(ctx.now().getTime() - WINDOW_MS);
  const isRecent = and(
    eq(notices.organization_id, organization_id),
    eq(notices.kind, "review"),
    gt(notices.created_at, since),
  );
  if ((await tx.$count(notices, isRecent)) + addresses.length > LETTERS_MAX) return;
  const subject = `Approve a message of ${message.from_address}?`;
  const text = textOf(message, expires_at);
  for (const to_address of addresses) {
    const link = reviewUrl(ctx, { messageId: id, hash: hash.toString("hex"), address: to_address });
    await writeLetter(tx, ctx, { organization_id, kind: "review", to_address, subject, text, link });
  }
}

function textOf(message: Message, expiresAt: Date): string {
  const recipients = [...message.to_addresses, ...message.cc_addresses, ...message.bcc_addresses];
  const more = recipients.length - SHOWN_RECIPIENTS;
  const shown = `${recipients.slice(0, SHOWN_RECIPIENTS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const body = message.text ?? "(The message has only HTML. Open the link to see its text.)";
  const quoted = body.slice(0, SHOWN_CHARS).toWellFormed().replaceAll(LINK, "").replaceAll(/^/gm, "> ");
  return [
    `An agent wants to send this message from ${message.from_address}. It waits for your decision until ${expiresAt.toISOString()}.`,
    "",
    `To: ${shown}`,
    `Subject: ${message.subject}`,
    `Message: ${encodeId("msg", message.id)}`,
    "",
    `${quoted}${body.length > SHOWN_CHARS ? "\n> …" : ""}`,
    "",
    "Read the whole message, and approve or reject it:",
    LINK,
    "",
    "The link works until the decision, and only for exactly this content. Do not pass it on.",
  ].join("\n");
}
