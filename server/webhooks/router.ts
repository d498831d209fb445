// The procedures of webhooks: manage them, see what was delivered, send it again.
import { encodeId } from "../base/ids.ts";
import { callerProcedure, memberProcedure, rest, router } from "../procedures/procedures.ts";
import { listDeliveries, listMessageDeliveries, readDelivery } from "./deliveries.ts";
import { diagnose, mailOf } from "./diagnosis.ts";
import { findWebhook, listWebhooks } from "./find.ts";
import { readHealth } from "./health.ts";
import { redeliver } from "./redeliver.ts";
import { registerWebhook } from "./register.ts";
import { removeWebhook } from "./remove.ts";
import { replay } from "./replay.ts";
import { retry } from "./retry.ts";
import { rotateSecret } from "./rotate-secret.ts";
import {
  delivery,
  deliveryIdInput,
  deliveryLogOutput,
  diagnosisOutput,
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
  retryInput,
  retryOutput,
  rotateSecretOutput,
  testOutput,
  updateWebhookInput,
  webhook,
  webhookHealthOutput,
  webhookIdInput,
  wholeDelivery,
} from "./schema.ts";
import { testWebhook } from "./test.ts";
import { updateWebhook } from "./update.ts";
import {
  deliveryView,
  diagnosisView,
  healthView,
  registeredView,
  rotatedView,
  webhookView,
  wholeDeliveryView,
} from "./view.ts";

const tags = ["webhooks"];

export const webhooksRouter = router({
  register: callerProcedure("webhook:write", "admin")
    .meta(
      rest("POST /v1/webhooks", "createWebhook", {
        tags,
        summary: "Register a webhook",
        description:
          "Registers an endpoint. The service posts the events that `events` names, of the mailbox or of all mailboxes, to `url` and signs them with `secret`. Webhooks with `address` receive no `domain.*`, `inbox.*` and `suppression.*` events. Kinds other than `message.received` need the scope `mailbox:read` too.",
        successDescription: "The webhook with its secret.",
        idempotency: "stored",
        status: 201,
        errors: ["insufficient_scope", "invalid_webhook_url", "inbox_not_found", "too_many_webhooks"],
      }),
    )
    .input(registerInput)
    .output(registerOutput)
    .mutation(async ({ ctx, input }) => registeredView(await registerWebhook(ctx, input))),

  list: callerProcedure("webhook:write", "member")
    .meta(
      rest("GET /v1/webhooks", "listWebhooks", {
        tags,
        summary: "List webhooks",
        description: "Returns webhooks without their secrets, newest first.",
        successDescription: "A page of webhooks.",
        errors: ["insufficient_scope", "invalid_cursor"],
      }),
    )
    .input(listWebhooksInput)
    .output(listWebhooksOutput)
    .query(async ({ ctx, input }) => {
      const page = await listWebhooks(ctx, input);
      return { data: page.rows.map(webhookView), next_cursor: page.next_cursor };
    }),

  health: memberProcedure("member")
    .output(webhookHealthOutput)
    .query(async ({ ctx }) => {
      const { rows, total } = await readHealth(ctx);
      return { data: rows.map(healthView), total };
    }),

  get: callerProcedure("webhook:write", "member")
    .meta(
      rest("GET /v1/webhooks/{id}", "getWebhook", {
        tags,
        summary: "Get a webhook",
        description: "Returns one webhook without its secret.",
        successDescription: "The webhook.",
        errors: ["insufficient_scope", "webhook_not_found"],
      }),
    )
    .input(webhookIdInput)
    .output(webhook)
    .query(async ({ ctx, input }) => webhookView(await findWebhook(ctx, input.id))),

  update: callerProcedure("webhook:write", "admin")
    .meta(
      rest("PATCH /v1/webhooks/{id}", "updateWebhook", {
        tags,
        summary: "Update a webhook",
        description:
          "Changes the URL and the kinds of events, disables or enables the webhook. `active: false` fails the pending deliveries and creates no new ones. `active: true` on an inactive webhook first posts a signed test event (to the new `url` if there is one); if the endpoint does not answer 2xx, nothing changes. POST /v1/webhooks/{id}/replay sends the missed events.",
        successDescription: "The updated webhook.",
        errors: [
          "insufficient_scope",
          "webhook_not_found",
          "invalid_webhook_url",
          "webhook_test_failed",
          "too_many_webhooks",
        ],
      }),
    )
    .input(updateWebhookInput)
    .output(webhook)
    .mutation(async ({ ctx, input }) => webhookView(await updateWebhook(ctx, input))),

  remove: callerProcedure("webhook:write", "admin")
    .meta(
      rest("DELETE /v1/webhooks/{id}", "deleteWebhook", {
        tags,
        summary: "Delete a webhook",
        description: "Deletes the webhook. Pending deliveries and retries are not sent.",
        successDescription: "The webhook is deleted.",
        errors: ["insufficient_scope", "webhook_not_found"],
      }),
    )
    .input(webhookIdInput)
    .output(removeWebhookOutput)
    .mutation(async ({ ctx, input }) => ({
      id: encodeId("whk", await removeWebhook(ctx, input.id)),
      deleted: true as const,
    })),

  rotateSecret: callerProcedure("webhook:write", "admin")
    .meta(
      rest("POST /v1/webhooks/{id}/rotate-secret", "rotateWebhookSecret", {
        tags,
        summary: "Rotate the secret of a webhook",
        description:
          "Creates a new secret. For 24 hours deliveries carry one signature (`v1`) for each secret. Another rotation within that time ends the older of the two immediately.",
        successDescription: "The new secret.",
        idempotency: "stored",
        errors: ["insufficient_scope", "webhook_not_found"],
      }),
    )
    .input(webhookIdInput)
    .output(rotateSecretOutput)
    .mutation(async ({ ctx, input }) => rotatedView(await rotateSecret(ctx, input.id))),

  test: callerProcedure("webhook:write", "member")
    .meta(
      rest("POST /v1/webhooks/{id}/test", "testWebhook", {
        tags,
        summary: "Test a webhook",
        description:
          "Posts a signed `message.received` event with invented ids and the header `X-Service-Test: true`, and waits at most 15 s for the answer. Where the operator has set SERVICE_NAME, it replaces `Service` in header names. Works for an inactive webhook too, and changes nothing.",
        successDescription: "What the endpoint answered.",
        errors: ["insufficient_scope", "webhook_not_found"],
      }),
    )
    .input(webhookIdInput)
    .output(testOutput)
    .mutation(({ ctx, input }) => testWebhook(ctx, input.id)),

  listDeliveries: callerProcedure("webhook:write", "member")
    .meta(
      rest("GET /v1/webhooks/{id}/deliveries", "listDeliveries", {
        tags,
        summary: "List the deliveries of a webhook",
        description: "Returns the deliveries of the last 30 days (RETENTION_DAYS_DELIVERIES), newest first.",
        successDescription: "A page of deliveries.",
        errors: ["insufficient_scope", "webhook_not_found", "invalid_cursor"],
      }),
    )
    .input(listDeliveriesInput)
    .output(listDeliveriesOutput)
    .query(async ({ ctx, input }) => {
      const page = await listDeliveries(ctx, input);
      return { data: page.rows.map(deliveryView), next_cursor: page.next_cursor };
    }),

  deliveryLog: memberProcedure("member")
    .input(listDeliveriesInput)
    .output(deliveryLogOutput)
    .query(async ({ ctx, input }) => {
      const page = await listDeliveries(ctx, input);
      const mail = await mailOf(ctx, page.rows);
      const data = page.rows.map((row) => ({ ...deliveryView(row), mail: mail.get(row.message_id ?? "") ?? null }));
      return { data, next_cursor: page.next_cursor };
    }),

  diagnosis: memberProcedure("member")
    .input(webhookIdInput)
    .output(diagnosisOutput)
    .query(async ({ ctx, input }) => diagnosisView(await diagnose(ctx, input.id))),

  listMessageDeliveries: callerProcedure("webhook:write", "member")
    .meta(
      rest("GET /v1/messages/{id}/deliveries", "listMessageDeliveries", {
        tags,
        summary: "List the deliveries of a message",
        description: "Returns the deliveries of this message to the webhooks that the key may read, newest first.",
        successDescription: "A page of deliveries.",
        errors: ["insufficient_scope", "message_not_found", "invalid_cursor"],
      }),
    )
    .input(listMessageDeliveriesInput)
    .output(listDeliveriesOutput)
    .query(async ({ ctx, input }) => {
      const page = await listMessageDeliveries(ctx, input);
      return { data: page.rows.map(deliveryView), next_cursor: page.next_cursor };
    }),

  getDelivery: callerProcedure("webhook:write", "member")
    .meta(
      rest("GET /v1/webhooks/{id}/deliveries/{delivery_id}", "getDelivery", {
        tags,
        summary: "Get a delivery",
        description: "Returns the delivery with the body that was sent, and every attempt with its answer.",
        successDescription: "The delivery with its attempts.",
        errors: ["insufficient_scope", "webhook_not_found", "delivery_not_found"],
      }),
    )
    .input(deliveryIdInput)
    .output(wholeDelivery)
    .query(async ({ ctx, input }) => wholeDeliveryView(await readDelivery(ctx, input.id, input.delivery_id))),

  redeliver: callerProcedure("webhook:write", "member")
    .meta(
      rest("POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver", "redeliverDelivery", {
        tags,
        summary: "Redeliver a delivery",
        description:
          "Sends the delivery again with the same ids and a new signature. A finished delivery is then retried like a new one. A pending delivery gets one extra attempt.",
        successDescription: "The delivery is due.",
        idempotency: "stored",
        status: 202,
        errors: ["insufficient_scope", "webhook_not_found", "delivery_not_found", "webhook_inactive"],
      }),
    )
    .input(deliveryIdInput)
    .output(delivery)
    .mutation(async ({ ctx, input }) => deliveryView(await redeliver(ctx, input.id, input.delivery_id))),

  retry: callerProcedure("webhook:write", "member")
    .meta(
      rest("POST /v1/webhooks/{id}/retry", "retryDeliveries", {
        tags,
        summary: "Retry pending deliveries",
        description:
          "Attempts now the pending deliveries with a failed attempt, oldest first. Their retry schedule stays. Those that are being attempted or due are left out. POST /v1/webhooks/{id}/replay sends finished deliveries.",
        successDescription: "How many deliveries are due.",
        idempotency: "stored",
        status: 202,
        errors: ["insufficient_scope", "webhook_not_found", "webhook_inactive", "invalid_cursor"],
      }),
    )
    .input(retryInput)
    .output(retryOutput)
    .mutation(({ ctx, input }) => retry(ctx, input)),

  replay: callerProcedure("webhook:write", "member")
    .meta(
      rest("POST /v1/webhooks/{id}/replay", "replayEvents", {
        tags,
        summary: "Replay events",
        description:
          "Sends the events of a period, of the kinds that the webhook subscribes to, to the webhook. Finished deliveries are sent again, as `redeliver` does; pending ones stay as they are. Unless `only_failed` is set, events from before the registration, or from a time when the webhook was disabled, are delivered too.",
        successDescription: "How many deliveries are due.",
        idempotency: "stored",
        status: 202,
        errors: ["insufficient_scope", "webhook_not_found", "webhook_inactive", "invalid_cursor"],
      }),
    )
    .input(replayInput)
    .output(replayOutput)
    .mutation(async ({ ctx, input }) => {
      const { replayed, until, next_cursor } = await replay(ctx, input);
      return { replayed, until: until.toISOString(), next_cursor };
    }),
});
