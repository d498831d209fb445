// The procedures of suppressions: list, add, remove.
import { z } from "zod";
import { line, moment, page, pageInput } from "../../base/fields.ts";
import { encodeId } from "../../base/ids.ts";
import { callerProcedure, rest, router } from "../../procedures/procedures.ts";
import { addSuppression } from "./add.ts";
import { listSuppressions, type SuppressionRow } from "./list.ts";
import { removeSuppression } from "./remove.ts";
import { set_by_key, setByView } from "./set-by.ts";

// What the suppression endpoints take and return on the wire.
const ADDRESS_CHARS = 320;
const REASON_CHARS = 200;

const address = line(ADDRESS_CHARS).meta({ description: "The suppressed address.", example: "ann@shop.example" });

const suppression = z
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

const listSuppressionsInput = z.object({
  address: address.meta({ description: "Returns only entries of this address." }).optional(),
  contains: line(ADDRESS_CHARS)
    .min(1)
    .meta({ description: "Returns only addresses with this part.", example: "shop.example" })
    .optional(),
  ...pageInput,
});
const listSuppressionsOutput = page("SuppressionPage", suppression);
const addSuppressionInput = z.object({
  address,
  reason: line(REASON_CHARS).min(1).default("manual").meta({ description: "Why, for people.", example: "manual" }),
});
const removeSuppressionInput = z.object({ address });
const removeSuppressionOutput = z
  .object({
    address: z.string().meta({ description: "The address.", example: "ann@shop.example" }),
    deleted: z.literal(true).meta({ description: "Always true." }),
  })
  .meta({ id: "DeletedSuppression" });

const tags = ["suppressions"];

function view({ address, reason, inbox, message_id, created_at, ...setBy }: SuppressionRow) {
  const source = message_id === null ? null : encodeId("msg", message_id);
  return { address, reason, inbox, message_id: source, ...setByView(setBy), created_at: created_at.toISOString() };
}

export const suppressionsRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/suppressions", "listSuppressions", {
        tags,
        summary: "List suppressed addresses",
        description:
          "Returns suppressed addresses, newest first. Permanent bounces and complaints add an address, and so does a click on an unsubscribe link, for one mailbox.",
        successDescription: "A page of suppressions.",
        errors: ["insufficient_scope", "invalid_cursor"],
      }),
    )
    .input(listSuppressionsInput)
    .output(listSuppressionsOutput)
    .query(async ({ ctx, input }) => {
      const { rows, next_cursor } = await listSuppressions(ctx, input);
      return { data: rows.map(view), next_cursor };
    }),

  add: callerProcedure("mailbox:send", "member")
    .meta(
      rest("POST /v1/suppressions", "createSuppression", {
        tags,
        summary: "Suppress an address",
        description:
          "Stops all mail of the organization to the address: a send to it answers `422 recipient_suppressed`. Returns the existing entry if there is one; after a member added it, it is a member's.",
        successDescription: "The suppression.",
        idempotency: "stored",
        status: 201,
        errors: ["insufficient_scope", "too_many_suppressions"],
      }),
    )
    .input(addSuppressionInput)
    .output(suppression)
    .mutation(async ({ ctx, input }) => view(await addSuppression(ctx, input))),

  remove: callerProcedure("mailbox:send", "member")
    .meta(
      rest("DELETE /v1/suppressions/{address}", "deleteSuppression", {
        tags,
        summary: "Remove a suppression",
        description:
          "Lets the organization send to the address again. Removes the entries of single mailboxes too. Agents cannot remove an entry that a member added, or that the recipient caused by unsubscribing or complaining: a member does, in the dashboard.",
        successDescription: "The suppression is removed.",
        errors: ["insufficient_scope", "suppression_not_found"],
      }),
    )
    .input(removeSuppressionInput)
    .output(removeSuppressionOutput)
    .mutation(async ({ ctx, input }) => ({
      address: await removeSuppression(ctx, input.address),
      deleted: true as const,
    })),
});
