// What deliveries of webhooks with `include` have beside their event: the message, as GET /v1/messages/{id} gives it.
import type { WebhookFormat, WebhookKind } from "#db/event-kinds.ts";
import { invalidField } from "../../base/errors.ts";
import { decodeId } from "../../base/ids.ts";
import { EVENT_KIND } from "../../events/record.ts";

export const INCLUDED = ["message"] as const;
export type Include = readonly (typeof INCLUDED)[number][];
/** Why a delivery has only the id of its message. */
export const OMITTED = ["too_large", "not_ready", "deleted"] as const;
type Omitted = (typeof OMITTED)[number];

/** `json`: the message. `release` ends what it counts in the memory of the process, after the attempt. */
export type Included = { json: string; release(): void } | { omitted: Omitted };
/** @returns undefined if the message is not parsed yet, or deliveries hold too much: the delivery is to return later */
export type ReadMessage = (wanted: { id: string; organizationId: string }) => Promise<Included | undefined>;

/** @throws ServiceError `invalid_request` for a webhook whose deliveries never have a message */
export function checkInclude(
  include: boolean,
  events: readonly WebhookKind[],
  format: WebhookFormat | null | undefined,
): void {
  if (!include) return;
  if (!events.includes(EVENT_KIND))
    throw invalidField("include", `is for ${EVENT_KIND}, which \`events\` does not have`);
  if (format) throw invalidField("include", `the format ${format} has no place for the message`);
}

/** @param body of a received message. @returns its UUID */
export function messageOf(body: string): string | null {
  const { message } = JSON.parse(body) as { message: { id: string } };
  return decodeId("msg", message.id) ?? null;
}

/** @param body the event as it is stored. @returns the body of the delivery */
export function withMessage(body: string, included: Included): string {
  const { message } = JSON.parse(body) as { message: { id: string } };
  const json = "json" in included ? included.json : JSON.stringify({ id: message.id, omitted: included.omitted });
  return `${body.slice(0, -1)},"data":{"message":${json}}}`;
}
