// The `webhooks` section: the signed delivery that the service posts to registered endpoints (specification §6).
import { z } from "zod";
import { createDocument } from "zod-openapi";
import { exampleId, id } from "../../base/fields.ts";
import {
  domainChanged,
  inboxChanged,
  messageChanged,
  messageOutcome,
  messageReceived,
  reviewDecided,
  sendingChanged,
  suppressionChanged,
} from "../../events/schema.ts";
import { message } from "../../messages/message-schema.ts";
import { OMITTED } from "../../webhooks/delivery/included.ts";
import { webhookEvents } from "../../webhooks/registered-schema.ts";
import type { Document } from "./parts.ts";
import { isRef } from "./parts.ts";

const SIGNATURE_CHARS = 200;
const ID_CHARS = 100;

const omittedMessage = z
  .object({
    id: id("msg", "Id of the message."),
    omitted: z.enum(OMITTED).meta({
      description:
        "Why the message is not here. `too_large`: it has more than 256 KiB as JSON. `not_ready`: it was not parsed within two minutes. `deleted`: it was deleted, or is in the trash, or the delivery is a test.",
    }),
  })
  .meta({ id: "OmittedMessage" });
const includedMessage = z.object({
  message: z.union([message, omittedMessage]).meta({ description: "The message when the attempt was made." }),
});
const receivedDelivery = messageReceived
  .extend({ data: includedMessage.optional().meta({ description: "Only for webhooks with `include`." }) })
  .meta({ id: "MessageReceived" });

/** What each kind is called, and its body. */
const WEBHOOKS = {
  "message.received": { id: "receiveMessage", summary: "Receive an inbound message", body: receivedDelivery },
  "message.delivered": {
    id: "receiveDelivered",
    summary: "A recipient's provider delivered a message",
    body: messageOutcome,
  },
  "message.bounced": { id: "receiveBounced", summary: "A message bounced for a recipient", body: messageOutcome },
  "message.complained": {
    id: "receiveComplained",
    summary: "A recipient reported a message as spam",
    body: messageOutcome,
  },
  "message.failed": { id: "receiveFailed", summary: "A message failed", body: messageOutcome },
  "message.approved": { id: "receiveApproved", summary: "A member approved a held message", body: reviewDecided },
  "message.rejected": {
    id: "receiveRejected",
    summary: "A held message was rejected or expired",
    body: reviewDecided,
  },
  "message.sent": { id: "receiveSent", summary: "A message left", body: messageChanged },
  "message.held": { id: "receiveHeld", summary: "A message waits for a member", body: messageChanged },
  "message.restored": { id: "receiveRestored", summary: "A deleted message was restored", body: messageChanged },
  "message.unanswered": {
    id: "receiveUnanswered",
    summary: "No one replied to a message by its `reply_by`",
    body: messageChanged,
  },
  "suppression.added": { id: "receiveSuppressed", summary: "An address was suppressed", body: suppressionChanged },
  "suppression.removed": {
    id: "receiveUnsuppressed",
    summary: "A suppression was removed",
    body: suppressionChanged,
  },
  "inbox.created": { id: "receiveInboxCreated", summary: "A mailbox was created", body: inboxChanged },
  "inbox.deleted": { id: "receiveInboxDeleted", summary: "A mailbox was deleted", body: inboxChanged },
  "domain.verified": { id: "receiveDomainVerified", summary: "A domain was verified", body: domainChanged },
  "domain.lost": { id: "receiveDomainLost", summary: "A domain was lost", body: domainChanged },
  "sending.paused": { id: "receiveSendingPaused", summary: "Sending was paused", body: sendingChanged },
  "sending.resumed": { id: "receiveSendingResumed", summary: "Sending was resumed", body: sendingChanged },
};
type Kind = keyof typeof WEBHOOKS;

const DESCRIPTION = (
  service: string,
) => `The service posts each event to the registered \`url\` of the webhooks that subscribe to its kind.

To verify a delivery:

1. Read \`t\` and every \`v1\` from \`X-${service}-Signature\`. After a rotation of the secret there are two \`v1\` for 24 hours.
2. Compute the hex HMAC-SHA256 of \`<t>.<raw body>\`, keyed with the whole secret, \`whsec_\` included. Use the bytes of the body as received, not re-serialized JSON.
3. Compare it with each \`v1\` in constant time. Refuse the delivery if none is equal.
4. Refuse the delivery if \`t\` is more than five minutes from your clock.

Libraries of Standard Webhooks, such as \`standardwebhooks\` and \`svix\`, verify the delivery with \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` instead. They need standard base64 after \`whsec_\`: rotate an older secret, which may have \`-\` and \`_\` there.

Answer 2xx within 15 s. The service retries other answers, redirects and timeouts: after 5 s, 1 min, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h. 410 disables the webhook. Deliveries can arrive more than once and in any order: use \`X-${service}-Event-Id\` to find duplicates.`;

const SAME = "Verify, answer and deduplicate it like `message.received`.";

const ANSWERS = {
  "2XX": { description: "The endpoint accepted the delivery." },
  "410": { description: "The endpoint is gone. The service disables the webhook." },
  "4XX": { description: "The endpoint refused the delivery. The service retries it." },
  "5XX": { description: "The endpoint failed. The service retries the delivery." },
};

const header = (description: string, example: string, maxLength = ID_CHARS) =>
  z.string().meta({ description, example, maxLength });

/**
 * The section with its schemas, made apart from the operations: the library gives the names of schemas that the service
 * returns an ending when another operation takes them.
 * @param service the operator's word for `Service` in header names
 */
export function webhookDocument(service: string): ReturnType<typeof createDocument> {
  const kinds = webhookEvents.element.options;
  const webhooks = Object.fromEntries(kinds.map((kind) => [kind, webhookOperation(service, kind)]));
  return createDocument({ openapi: "3.1.0", info: { title: "", version: "" }, webhooks });
}

function webhookOperation(service: string, kind: Kind) {
  const { id, summary, body } = WEBHOOKS[kind];
  return {
    post: {
      operationId: id,
      summary,
      description: kind === "message.received" ? DESCRIPTION(service) : SAME,
      tags: ["webhooks"],
      security: [],
      requestParams: {
        header: z.object({
          [`X-${service}-Signature`]: header(
            "`t=<Unix time in seconds>,v1=<hex HMAC-SHA256>`, with one `v1` for each secret.",
            "t=1795166400,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
            SIGNATURE_CHARS,
          ),
          [`X-${service}-Event`]: z.literal(kind).meta({ description: "Kind of the event." }),
          [`X-${service}-Delivery`]: header("Id of the delivery, the same in all attempts.", exampleId("dlv")),
          [`X-${service}-Event-Id`]: header(
            "Id of the event, the same in all deliveries of it. Absent from a test.",
            exampleId("evt"),
          ).optional(),
          "webhook-id": header("Id of the event; of the delivery in a test.", exampleId("evt")),
          "webhook-timestamp": header("Unix time of the attempt in seconds.", "1795166400"),
          "webhook-signature": header(
            "`v1,<base64 HMAC-SHA256>` (Standard Webhooks), one for each secret, separated by spaces.",
            "v1,K5oZfzN95Z9UVu1EsfQmfVNQ…",
            SIGNATURE_CHARS,
          ),
        }),
      },
      requestBody: {
        description: "The event. Verify the signature before you read it.",
        required: true,
        content: { "application/json": { schema: body } },
      },
      responses: ANSWERS,
    },
  };
}

/** Names in `components` of what all kinds of deliveries share. */
const ANSWER_NAMES: Record<string, string> = {
  "2XX": "DeliveryAccepted",
  "410": "EndpointGone",
  "4XX": "DeliveryRefused",
  "5XX": "DeliveryFailed",
};
/** By the end of the header's name, whose beginning has the operator's word. `X-…-Event` is another for each kind. */
const HEADER_NAMES: Record<string, string> = {
  "-Signature": "DeliverySignature",
  "-Delivery": "DeliveryIdHeader",
  "-Event-Id": "DeliveryEventId",
  "webhook-id": "StandardWebhookId",
  "webhook-timestamp": "StandardWebhookTimestamp",
  "webhook-signature": "StandardWebhookSignature",
};

/** Moves the headers and answers of the deliveries to `components`. */
export function nameDeliveryParts({ webhooks, components }: Document): void {
  for (const { post } of Object.values(webhooks)) {
    for (const [index, parameter] of post?.parameters?.entries() ?? []) {
      const [, name] =
        Object.entries(HEADER_NAMES).find(([end]) => !isRef(parameter) && parameter.name.endsWith(end)) ?? [];
      if (!name || isRef(parameter)) continue;
      components.parameters[name] = parameter;
      Object.assign(post?.parameters ?? [], { [index]: { $ref: `#/components/parameters/${name}` } });
    }
    for (const [status, answer] of Object.entries(post?.responses ?? {})) {
      const name = ANSWER_NAMES[status];
      if (!post || !name || isRef(answer)) continue;
      components.responses[name] = answer;
      post.responses[status] = { $ref: `#/components/responses/${name}` };
    }
  }
}
