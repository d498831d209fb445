// The procedures of webhooks: manage them, see what was delivered, send it again.

import { encodeId } from "../base/ids.ts";
import { callerProcedure, router } from "../procedures/procedures.ts";
import { listDeliveries, listMessageDeliveries, readDelivery } from "./deliveries.ts";
import { findWebhook, listWebhooks } from "./find.ts";
import { redeliver } from "./redeliver.ts";
import { registerWebhook } from "./register.ts";
import { removeWebhook } from "./remove.ts";
import { replay } from "./replay.ts";
import { rotateSecret } from "./rotate-secret.ts";
import {
  delivery,
  deliveryIdInput,
  listDeliveriesInput,
  listDeliveriesOutput,
  listMessageDeliveriesInput,
  listWebhooksInput,
  listWebhooksOutput,
  registerInput,
  registerOutput,
  removeWebhookOutput,
  replayInput,
  replayOutput,
  rotateSecretOutput,
  testOutput,
  updateWebhookInput,
  webhook,
  webhookIdInput,
  wholeDelivery,
} from "./schema.ts";
import { testWebhook } from "./test.ts";
import { updateWebhook } from "./update.ts";
import { deliveryView, registeredView, rotatedView, webhookView, wholeDeliveryView } from "./view.ts";

const tags = ["webhooks"];

export const webhooksRouter = router({
  register: callerProcedure("webhook:write", "admin")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/webhooks",
        tags,
        summary: "Register a webhook",
        description: "Every inbound mail of the mailbox (or of all) is posted to `url`, signed with `secret`.",
        successDescription: "The webhook, and its secret, shown only here.",
      },
      status: 201,
      errors: ["insufficient_scope", "invalid_webhook_url", "inbox_not_found", "too_many_webhooks"],
    })
    .input(registerInput)
    .output(registerOutput)
    .mutation(async ({ ctx, input }) => registeredView(await registerWebhook(ctx, input))),

  list: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/webhooks",
        tags,
        summary: "List webhooks",
        description: "Newest first, without their secrets.",
        successDescription: "A page of webhooks; a null `next_cursor` means there is no further page.",
      },
      errors: ["insufficient_scope", "invalid_cursor"],
    })
    .input(listWebhooksInput)
    .output(listWebhooksOutput)
    .query(async ({ ctx, input }) => {
      const page = await listWebhooks(ctx, input);
      return { data: page.rows.map(webhookView), next_cursor: page.next_cursor };
    }),

  get: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/webhooks/{id}",
        tags,
        summary: "Get a webhook",
        successDescription: "The webhook, without its secret.",
      },
      errors: ["insufficient_scope", "webhook_not_found"],
    })
    .input(webhookIdInput)
    .output(webhook)
    .query(async ({ ctx, input }) => webhookView(await findWebhook(ctx, input.id))),

  update: callerProcedure("webhook:write", "admin")
    .meta({
      openapi: {
        method: "PATCH",
        path: "/v1/webhooks/{id}",
        tags,
        summary: "Change, disable or enable a webhook",
        description:
          "`active: false`: new mail owes it nothing, and what is still owed fails. `active: true` where it is inactive: a signed test event is posted to it first (to the new `url`, if one is given), and unless that is answered with 2xx nothing changes. What it missed can be replayed.",
        successDescription: "The webhook as it is now.",
      },
      errors: [
        "insufficient_scope",
        "webhook_not_found",
        "invalid_webhook_url",
        "webhook_test_failed",
        "too_many_webhooks",
      ],
    })
    .input(updateWebhookInput)
    .output(webhook)
    .mutation(async ({ ctx, input }) => webhookView(await updateWebhook(ctx, input))),

  remove: callerProcedure("webhook:write", "admin")
    .meta({
      openapi: {
        method: "DELETE",
        path: "/v1/webhooks/{id}",
        tags,
        summary: "Delete a webhook",
        description: "Nothing more is delivered to it, retries included.",
        successDescription: "The webhook is gone.",
      },
      errors: ["insufficient_scope", "webhook_not_found"],
    })
    .input(webhookIdInput)
    .output(removeWebhookOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("whk", await removeWebhook(ctx, input.id)),
      deleted: true as const,
    })),

  rotateSecret: callerProcedure("webhook:write", "admin")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/webhooks/{id}/rotate-secret",
        tags,
        summary: "Rotate a webhook's secret",
        description:
          "Deliveries carry a signature (`v1`) by each of both secrets for 24 hours. Rotated again within that time, the older of the two ends at once.",
        successDescription: "The new secret, shown only here.",
      },
      errors: ["insufficient_scope", "webhook_not_found"],
    })
    .input(webhookIdInput)
    .output(rotateSecretOutput)
    .mutation(async ({ ctx, input }) => rotatedView(await rotateSecret(ctx, input.id))),

  test: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/webhooks/{id}/test",
        tags,
        summary: "Test a webhook",
        description:
          "Posts a signed `message.received` with invented ids, marked by the header `X-Service-Test: true` (with the operator's word for `Service`, as in `X-Service-Signature`), and waits for the answer, 15 s at most. Works for an inactive webhook too, and changes nothing.",
        successDescription: "What came back, if anything.",
      },
      errors: ["insufficient_scope", "webhook_not_found"],
    })
    .input(webhookIdInput)
    .output(testOutput)
    .mutation(({ ctx, input }) => testWebhook(ctx, input.id)),

  listDeliveries: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/webhooks/{id}/deliveries",
        tags,
        summary: "List a webhook's deliveries",
        description: "Newest first, of the last 30 days.",
        successDescription: "A page of deliveries; a null `next_cursor` means there is no further page.",
      },
      errors: ["insufficient_scope", "webhook_not_found", "invalid_cursor"],
    })
    .input(listDeliveriesInput)
    .output(listDeliveriesOutput)
    .query(async ({ ctx, input }) => {
      const page = await listDeliveries(ctx, input);
      return { data: page.rows.map(deliveryView), next_cursor: page.next_cursor };
    }),

  listMessageDeliveries: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/messages/{id}/deliveries",
        tags,
        summary: "List a message's deliveries",
        description: "To every webhook that this key can see, newest first.",
        successDescription: "A page of deliveries; a null `next_cursor` means there is no further page.",
      },
      errors: ["insufficient_scope", "message_not_found", "invalid_cursor"],
    })
    .input(listMessageDeliveriesInput)
    .output(listDeliveriesOutput)
    .query(async ({ ctx, input }) => {
      const page = await listMessageDeliveries(ctx, input);
      return { data: page.rows.map(deliveryView), next_cursor: page.next_cursor };
    }),

  getDelivery: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/webhooks/{id}/deliveries/{delivery_id}",
        tags,
        summary: "Get a delivery",
        successDescription: "The delivery with what was sent, and every attempt with what came back.",
      },
      errors: ["insufficient_scope", "webhook_not_found", "delivery_not_found"],
    })
    .input(deliveryIdInput)
    .output(wholeDelivery)
    .query(async ({ ctx, input }) => wholeDeliveryView(await readDelivery(ctx, input.id, input.delivery_id))),

  redeliver: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver",
        tags,
        summary: "Send a delivery again",
        description:
          "Sends the delivery now, with its present ids and a new signature. A finished delivery is then retried like a new one. A pending delivery gets one extra attempt; its next automatic retry stays when it was, unless the extra attempt succeeds.",
        successDescription: "The delivery is due.",
      },
      status: 202,
      errors: ["insufficient_scope", "webhook_not_found", "delivery_not_found", "webhook_inactive"],
    })
    .input(deliveryIdInput)
    .output(delivery)
    .mutation(async ({ ctx, input }) => deliveryView(await redeliver(ctx, input.id, input.delivery_id))),

  replay: callerProcedure("webhook:write", "member")
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/webhooks/{id}/replay",
        tags,
        summary: "Replay events",
        description:
          "Every `message.received` of a time that the webhook covers: what was delivered or failed is sent again as by `redeliver`, what is pending is left alone, and those from before it was registered, or while it was disabled, are delivered too, unless `only_failed`.",
        successDescription: "How many deliveries are due; with `next_cursor` when there is more.",
      },
      status: 202,
      errors: ["insufficient_scope", "webhook_not_found", "webhook_inactive", "invalid_cursor"],
    })
    .input(replayInput)
    .output(replayOutput)
    .mutation(async ({ ctx, input }) => {
      const { replayed, until, next_cursor } = await replay(ctx, input);
      return { replayed, until: until.toISOString(), next_cursor };
    }),
});
