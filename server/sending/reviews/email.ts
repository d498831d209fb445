// Asks the notification addresses of an organization to decide on a held message, each with another link.
import type { Transaction } from "#db/client.ts";
import type { messages } from "#db/schema/mail.ts";
import type { reviews } from "#db/schema/reviews.ts";
import type { Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { foreignLine, foreignText, LINK } from "../../system-mail/foreign.ts";
import {
  addressesOf,
  dashboardUrl,
  type EmailNeeds,
  type Recipient,
  routesTo,
  writeEmail,
  writeNotices,
} from "../../system-mail/write.ts";
import { reviewUrl } from "./link.ts";

const SHOWN_CHARS = 2_000;
const SHOWN_RECIPIENTS = 10;
const ADDRESS_CHARS = 320;
const SUBJECT_CHARS = 200;

type Message = typeof messages.$inferSelect;
type Cause = (typeof reviews.$inferSelect)["cause"];

export async function writeEmails(
  ctx: EmailNeeds,
  tx: Transaction,
  message: Message,
  { hash, expires_at, cause }: { hash: Buffer; expires_at: Date; cause: Cause },
): Promise<void> {
  const { organization_id: organizationId, id } = message;
  const addresses = await addressesOf(tx, ctx, organizationId);
  const email = { organization_id: organizationId, kind: "review" as const, topic: "approval" as const };
  const text = textOf(message, expires_at, cause);
  for (const to_address of addresses) {
    const link = reviewUrl(ctx, { messageId: id, hash: hash.toString("hex"), address: to_address });
    await writeEmail(tx, ctx, { ...email, to_address, text, link });
  }
  const routes = await otherRoutes(ctx, tx, organizationId, addresses);
  const brief = briefOf(ctx, message, expires_at, cause);
  await writeNotices(
    tx,
    ctx,
    routes.map((route) => ({ ...email, ...route, text: brief })),
  );
}

/** Where members chose to get notices about approvals. They sign in to decide. Mail leaves only where mail leaves at all. */
async function otherRoutes(
  { settings }: Pick<Services, "settings">,
  tx: Transaction,
  organizationId: string,
  addresses: string[],
): Promise<Recipient[]> {
  const routes = await routesTo(tx, { organizationId, topic: "approval" }, addresses);
  return routes.filter(({ channel }) => channel === "chat" || settings.OUTBOUND !== "local");
}

/** Without the message and without a link that decides: a chat has other readers. */
function briefOf({ settings }: Pick<Services, "settings">, message: Message, expiresAt: Date, cause: Cause): string {
  const place = dashboardUrl(settings, message.organization_id, "approvals", encodeId("msg", message.id));
  return [
    `An agent wants to send a message from ${foreignLine(message.from_address, ADDRESS_CHARS)}. It waits for a decision until ${expiresAt.toISOString()}.`,
    ...whyOf(cause),
    "",
    `Read it, and approve or reject it: ${place}`,
  ].join("\n");
}

function whyOf(cause: Cause): string[] {
  return cause === "key_revoked" ? ["", "It was held because the key that wrote it was revoked."] : [];
}

function textOf(message: Message, expiresAt: Date, cause: Cause): string {
  const recipients = [...message.to_addresses, ...message.cc_addresses, ...message.bcc_addresses];
  const more = recipients.length - SHOWN_RECIPIENTS;
  const named = recipients.slice(0, SHOWN_RECIPIENTS).map((address) => foreignLine(address, ADDRESS_CHARS));
  const shown = `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const body = message.text ?? "(The message has only HTML. Open the link to see its text.)";
  const quoted = foreignText(body, SHOWN_CHARS).replaceAll(/^/gm, "> ");
  return [
    `An agent wants to send this message from ${foreignLine(message.from_address, ADDRESS_CHARS)}. It waits for your decision until ${expiresAt.toISOString()}.`,
    ...whyOf(cause),
    "",
    `To: ${shown}`,
    `Subject: ${foreignLine(message.subject, SUBJECT_CHARS)}`,
    `Message: ${encodeId("msg", message.id)}`,
    "",
    quoted,
    "",
    "Links and addresses of the message are shown with [.], [:] and [at].",
    "Read the whole message, and approve or reject it:",
    LINK,
    "",
    "The link works until the decision, and only for exactly this content. Do not pass it on.",
  ].join("\n");
}
