// What the endpoints of the trash take and return on the wire.
import { z } from "zod";
import { addr, givenTime, id, moment, page, pageInput } from "../../base/fields.ts";
import { summary } from "../message-schema.ts";

export const listTrashInput = z.object({
  inbox: addr.meta({ description: "Returns only mail of this mailbox, by address or id." }).optional(),
  ...pageInput,
});

const { thread_id, inbox, direction, from, from_name, to, subject, preview, attachment_count, size } = summary.shape;
export const listTrashOutput = page(
  "TrashPage",
  z
    .object({
      id: id("msg", "Id of the message. It has it again after POST /v1/messages/{id}/restore."),
      thread_id,
      inbox,
      direction,
      from,
      from_name,
      to,
      subject,
      preview,
      attachment_count,
      size,
      created_at: moment("When it was accepted or queued."),
      deleted_at: moment("When it was deleted."),
      expires_at: moment("When it is erased at the latest."),
    })
    .meta({ id: "TrashedMessage" }),
);

/** `deleted_until`: when the last message was deleted, for `emptyTrashInput`; null: the trash is empty. */
export const sizeOutput = z.object({ count: z.int(), deleted_until: moment().nullable() });
/** `deleted_until`: mail that was deleted later stays. */
export const emptyTrashInput = z.object({ deleted_until: givenTime() });
/** `more`: more mail is left than one call erases. */
export const emptyTrashOutput = z.object({ erased: z.int(), more: z.boolean() });
