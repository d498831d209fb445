// Asks the notification addresses of an organization to decide on a held message, each with a link of its own.
import { and, eq, gt, isNotNull, isNull, type SQL } from "drizzle-orm";
import type { Transaction } from "#db/client.ts";
import { organizations } from "#db/schema/enrollment.ts";
import { notices } from "#db/schema/events.ts";
import type { messages } from "#db/schema/mail.ts";
import type { Services } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { LINK, type Recipient, routesTo, writeLetter, writeNotices } from "../../system-mail/write.ts";
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
  const { organization_id: organizationId, id } = message;
  const [organization] = await tx
    .select({ addresses: organizations.owner_emails })
    .from(organizations)
    .where(eq(organizations.id, organizationId));
  const addresses = organization?.addresses ?? [];
  const letter = { organization_id: organizationId, kind: "review" as const, subject: subjectOf(message) };
  if (await isWithinLimit(ctx, tx, { organizationId, recipients: addresses, group: isNull(notices.route_id) })) {
    const text = textOf(message, expires_at);
    for (const to_address of addresses) {
      const link = reviewUrl(ctx, { messageId: id, hash: hash.toString("hex"), address: to_address });
      await writeLetter(tx, ctx, { ...letter, to_address, text, link });
    }
  }
  const routes = await otherRoutes(ctx, tx, organizationId, addresses);
  if (await isWithinLimit(ctx, tx, { organizationId, recipients: routes, group: isNotNull(notices.route_id) })) {
    const text = briefOf(ctx, message, expires_at);
    const written = routes.map((route) => ({ ...letter, ...route, text }));
    await writeNotices(tx, written, ctx.now());
  }
}

function subjectOf({ from_address }: Message): string {
  return `Approve a message of ${from_address}?`;
}

/** Letters, and the notices that members chose, have a limit each: the latter never displace a letter. */
async function isWithinLimit(
  { now }: Pick<Services, "now">,
  tx: Transaction,
  { organizationId, recipients, group }: { organizationId: string; recipients: unknown[]; group: SQL },
): Promise<boolean> {
  if (recipients.length === 0) return false;
  const isRecent = and(
    eq(notices.organization_id, organizationId),
    eq(notices.kind, "review"),
    group,
    gt(notices.created_at, new Date(now().getTime() - WINDOW_MS)),
  );
  return (await tx.$count(notices, isRecent)) + recipients.length <= LETTERS_MAX;
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
function briefOf({ settings }: Pick<Services, "settings">, message: Message, expiresAt: Date): string {
  const place = new URL("/dashboard/approvals", settings.PUBLIC_URL);
  place.searchParams.set("id", encodeId("msg", message.id));
  return [
    `An agent wants to send a message from ${message.from_address}. It waits for a decision until ${expiresAt.toISOString()}.`,
    "",
    `Read it, and approve or reject it: ${place.href}`,
  ].join("\n");
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
