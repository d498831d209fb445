// POST /v1/webhooks: registers an endpoint; its signing secret is created here and shown once.
import { and, eq } from "drizzle-orm";
import { plainOf } from "#db/client.ts";
import type { WebhookFormat, WebhookKind } from "#db/event-kinds.ts";
import { inboxes } from "#db/schema/mail.ts";
import { record } from "../activity/record.ts";
import type { Caller, Ctx, Services } from "../base/context.ts";
import { ServiceError } from "../base/errors.ts";
import { commitKeyed } from "../base/idempotency.ts";
import { newId } from "../base/ids.ts";
import { newSigningSecret } from "../base/secrets.ts";
import { findInbox } from "../base/tenancy.ts";
import { EVENT_KIND } from "../events/record.ts";
import { capReached, lockRegistered } from "./caps.ts";
import { type CustomHeaders, checkHeaders, sealHeaders } from "./delivery/custom-headers.ts";
import { checkFilter, type Filter, storedFilter } from "./delivery/filter.ts";
import { checkKinds } from "./delivery/formats.ts";
import { checkInclude, type Include } from "./delivery/included.ts";
import { nameOf } from "./find.ts";
import { insertWebhooks, type NewWebhook } from "./insert.ts";
import { checkWebhookUrl } from "./targets/target.ts";

const DEFAULT_EVENTS: readonly WebhookKind[] = ["message.received"];

/**
 * Prepares a webhook for its row: checks the URL, creates and encrypts the secret.
 * @throws ServiceError `invalid_webhook_url`, `invalid_request` for a kind that the format does not have
 */
export function newWebhook(
  ctx: Services,
  wish: {
    url: string;
    name?: string | undefined;
    inboxId: string | null;
    agentId?: string | null;
    events?: readonly WebhookKind[];
    filter?: Filter | undefined;
    headers?: CustomHeaders | undefined;
    include?: Include | undefined;
    format?: WebhookFormat | undefined;
  },
): NewWebhook {
  const {
    url,
    name,
    inboxId,
    agentId = null,
    events = DEFAULT_EVENTS,
    filter: asked = {},
    headers: given = {},
    include = [],
    format,
  } = wish;
  checkWebhookUrl(url, ctx);
  checkKinds(format, events);
  const filter = storedFilter(asked);
  checkFilter(filter, events);
  checkHeaders(ctx, given);
  const includeMessage = include.length > 0;
  checkInclude(includeMessage, events, format);
  const id = newId();
  const secret = newSigningSecret();
  const sealed = ctx.secrets.seal(secret, id);
  const headers = sealHeaders(ctx, id, given);
  return {
    id,
    url,
    name,
    events: [...new Set(events)],
    secret,
    sealed,
    inboxId,
    agentId,
    filter,
    headers,
    includeMessage,
    format,
    createdAt: ctx.now(),
  };
}

/**
 * Refuses to an agent key what it may not read itself. Received mail is what every key with webhook:write may subscribe to.
 * @throws ServiceError `insufficient_scope`
 */
export function requireReading({ actor }: Ctx<Caller>, events: readonly WebhookKind[], include: boolean): void {
  const what = include ? "`include`" : events.find((each) => each !== EVENT_KIND);
  if (!what || mayRead(actor)) return;
  throw new ServiceError(
    "insufficient_scope",
    `This key does not have the scope mailbox:read, which webhooks with ${what} need.`,
  );
}

export function mayRead(actor: Caller): boolean {
  return actor.kind !== "agent" || actor.scopes.includes("mailbox:read");
}

/**
 * Registers a webhook for one mailbox (`address`, or its id), or for all that the caller reaches: those of the organization, or
 * those that its agent has created and will create.
 * @throws ServiceError `inbox_not_found`, `invalid_webhook_url`, `too_many_webhooks`; `insufficient_scope` if the key
 * is restricted to some inboxes and `address` is missing, or may not read what it subscribes to
 */
export async function registerWebhook(
  ctx: Ctx<Caller>,
  input: {
    url: string;
    name?: string | undefined;
    events: WebhookKind[];
    address?: string | undefined;
    filter?: Filter | undefined;
    headers?: CustomHeaders | undefined;
    include?: Include | undefined;
    format?: WebhookFormat | undefined;
  },
): Promise<NewWebhook> {
  if (input.address === undefined && ctx.actor.inboxIds) {
    throw new ServiceError(
      "insufficient_scope",
      "This key is restricted to some inboxes. Pass one of them as `address`.",
    );
  }
  requireReading(ctx, input.events, Boolean(input.include?.length));
  const inbox = input.address === undefined ? undefined : await findInbox(ctx, input.address);
  const agentId = inbox ? null : ctx.actor.madeBy;
  const webhook = newWebhook(ctx, { ...input, inboxId: inbox?.id ?? null, agentId });
  const { organizationId } = ctx.actor;
  await ctx.db.transaction(async (tx) => {
    const registered = await lockRegistered(plainOf(tx), [organizationId], ctx);
    const refusal = capReached(ctx.settings, registered, organizationId, webhook);
    if (refusal) throw refusal;
    // The lock makes a concurrent delete of the mailbox wait, which then deletes this webhook too.
    const [live] = inbox
      ? await tx
          .select({ id: inboxes.id })
          .from(inboxes)
          .where(and(eq(inboxes.id, inbox.id), eq(inboxes.status, "live")))
          .for("share")
      : [true];
    if (!live) throw new ServiceError("inbox_not_found", "The inbox does not exist.");
    await insertWebhooks(plainOf(tx), [{ organizationId, webhook }]);
    const after = { url: webhook.url, events: webhook.events };
    const change = { kind: "webhook" as const, id: webhook.id, name: nameOf(webhook), before: null, after };
    await record(ctx, tx, [change], { inbox_id: webhook.inboxId });
    await commitKeyed(ctx, tx);
  });
  return webhook;
}
