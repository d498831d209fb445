// The procedures that give bytes: a mail as it was received, and attachments.
import { givenId } from "../../base/fields.ts";
import { callerProcedure, downloadOutput, rest, router } from "../../procedures/procedures.ts";
import { messageIdInput } from "../schema.ts";
import { attachmentFile } from "./attachments.ts";
import { rawMessage } from "./raw.ts";

const tags = ["messages"];
const attachmentInput = messageIdInput.extend({
  attachment_id: givenId("att", "Id of the attachment."),
});

export const filesRouter = router({
  raw: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/messages/{id}/raw", "getRawMessage", {
        tags,
        summary: "Download a message as received",
        description: "Returns the exact bytes that the service received. Outbound messages have none.",
        successDescription: "The mail (RFC 5322).",
        produces: "message/rfc822",
        errors: ["insufficient_scope", "message_not_found", "content_unreadable"],
      }),
    )
    .input(messageIdInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await rawMessage(ctx, input.id))),

  attachment: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/messages/{id}/attachments/{attachment_id}", "getAttachment", {
        tags,
        summary: "Download an attachment",
        description:
          "Returns the bytes of the attachment, with the media type that the mail declares. The answer tells browsers to save the file and not to show it. The service sanitizes the file name.",
        successDescription: "The file.",
        produces: "*/*",
        errors: ["insufficient_scope", "message_not_found", "attachment_not_found", "content_unreadable"],
      }),
    )
    .input(attachmentInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await attachmentFile(ctx, input.id, input.attachment_id))),
});
