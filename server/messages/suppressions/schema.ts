// What the suppression endpoints take and return on the wire.
import { z } from "zod";
import { line, moment, page, pageInput } from "../../base/fields.ts";
import { set_by_key } from "./set-by.ts";

const ADDRESS_CHARS = 320;
const REASON_CHARS = 200;

const address = line(ADDRESS_CHARS).meta({ description: "The suppressed address.", example: "ann@shop.example" });

export const suppression = z
  .object({
    address: address.meta({ description: "The suppressed address, in lower case." }),
    reason: z.string().meta({
      description: "`bounced`, `complained`, `unsubscribed`, or the text that was given.",
      example: "bounced",
    }),
    inbox: z.string().nullable().meta({
      description: "The one mailbox that may not send to the address. Null: all mailboxes of the organization.",
      example: null,
    }),
    message_id: z.string().nullable().meta({
      description: "Id of the message whose outcome suppressed the address. Null: it was added by hand.",
      example: "msg_01jd3m9v5sf0b8j3mgz7qk2x4c",
    }),
    set_by: z.enum(["member", "agent", "service"]).meta({
      description: "Who added it. `service`: a bounce, a complaint or an unsubscription did.",
      example: "service",
    }),
    set_by_key,
    created_at: moment("When the address was suppressed."),
  })
  .meta({ id: "Suppression" });

export const listSuppressionsInput = z.object({
  address: address.meta({ description: "Returns only entries of this address." }).optional(),
  ...pageInput,
});
export const listSuppressionsOutput = page("SuppressionPage", suppression);
export const addSuppressionInput = z.object({
  address,
  reason: line(REASON_CHARS).min(1).default("manual").meta({ description: "Why, for people.", example: "manual" }),
});
export const removeSuppressionInput = z.object({ address });
export const removeSuppressionOutput = z
  .object({
    address: z.string().meta({ description: "The address.", example: "ann@shop.example" }),
    deleted: z.literal(true).meta({ description: "Always true." }),
  })
  .meta({ id: "DeletedSuppression" });
