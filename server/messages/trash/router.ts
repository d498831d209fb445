// The procedures of the trash: list, restore, empty.
import { callerProcedure, memberProcedure, rest, router } from "../../procedures/procedures.ts";
import { message } from "../message-schema.ts";
import { messageIdInput } from "../schema.ts";
import { messageView } from "../view.ts";
import { emptyTrash, sizeOfTrash } from "./empty.ts";
import { listTrash } from "./list.ts";
import { restoreMessage } from "./restore.ts";
import { emptyTrashInput, emptyTrashOutput, listTrashInput, listTrashOutput, sizeOutput } from "./schema.ts";
import { trashedView } from "./view.ts";

const tags = ["messages"];

export const trashRouter = router({
  list: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/trash", "listTrash", {
        tags,
        summary: "List deleted mail",
        description:
          "Returns deleted mail of all mailboxes that the key may read, or of `inbox`, the last deleted first. It counts against the storage quota until it is erased.",
        successDescription: "A page of deleted mail.",
        errors: ["insufficient_scope", "inbox_not_found", "invalid_cursor"],
      }),
    )
    .input(listTrashInput)
    .output(listTrashOutput)
    .query(async ({ ctx, input: { inbox, ...asked } }) => {
      const { rows, next_cursor } = await listTrash(ctx, inbox, asked);
      return { data: rows.map((row) => trashedView(ctx, row)), next_cursor };
    }),

  restore: callerProcedure("mailbox:delete", "member")
    .meta(
      rest("POST /v1/messages/{id}/restore", "restoreMessage", {
        tags,
        summary: "Restore a deleted message",
        description:
          "Takes the message out of the trash: it is in its thread again, with its id and labels. Mail that waited to be sent when it was deleted is not sent: its status is `failed`.",
        successDescription: "The message.",
        mcp: "restore_message",
        errors: ["insufficient_scope", "message_not_found"],
      }),
    )
    .input(messageIdInput)
    .output(message)
    .mutation(async ({ ctx, input }) => messageView(await restoreMessage(ctx, input.id))),

  size: memberProcedure("member")
    .output(sizeOutput)
    .query(async ({ ctx }) => {
      const { count, deleted_until } = await sizeOfTrash(ctx);
      return { count, deleted_until: deleted_until?.toISOString() ?? null };
    }),

  empty: memberProcedure("member")
    .input(emptyTrashInput)
    .output(emptyTrashOutput)
    .mutation(({ ctx, input }) => emptyTrash(ctx, new Date(input.deleted_until))),
});
