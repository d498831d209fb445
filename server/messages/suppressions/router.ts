// The procedures of suppressions: list, add, remove.
import { encodeId } from "../../base/ids.ts";
import { callerProcedure, rest, router } from "../../procedures/procedures.ts";
import { addSuppression } from "./add.ts";
import { listSuppressions, type SuppressionRow } from "./list.ts";
import { removeSuppression } from "./remove.ts";
import {
  addSuppressionInput,
  listSuppressionsInput,
  listSuppressionsOutput,
  removeSuppressionInput,
  removeSuppressionOutput,
  suppression,
} from "./schema.ts";
import { setByView } from "./set-by.ts";

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
        status: 201,
        errors: ["insufficient_scope"],
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
