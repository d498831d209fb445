// The procedures of webhooks: register, list, get, delete.
import { agentProcedure, router } from "../api/trpc.ts";
import { encodeId } from "../ids.ts";
import { findWebhook, listWebhooks } from "./find.ts";
import { registerWebhook } from "./register.ts";
import { removeWebhook } from "./remove.ts";
import {
  listWebhooksInput,
  listWebhooksOutput,
  registerInput,
  registerOutput,
  removeWebhookOutput,
  webhook,
  webhookIdInput,
} from "./schema.ts";
import { registeredView, webhookView } from "./view.ts";

const tags = ["webhooks"];

export const webhooksRouter = router({
  register: agentProcedure("webhook:write")
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
      errors: ["insufficient_scope", "invalid_webhook_url", "inbox_not_found"],
    })
    .input(registerInput)
    .output(registerOutput)
    .mutation(async ({ ctx, input }) => registeredView(await registerWebhook(ctx, input))),

  list: agentProcedure("webhook:write")
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

  get: agentProcedure("webhook:write")
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

  remove: agentProcedure("webhook:write")
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
});
