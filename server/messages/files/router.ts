// The procedures that give bytes: a mail as it was received, and attachments.
import { z } from "zod";
import { callerProcedure, downloadOutput, router } from "../../procedures/procedures.ts";
import { messageIdInput } from "../schema.ts";
import { attachmentFile } from "./attachments.ts";
import { rawMessage } from "./raw.ts";

const tags = ["messages"];
const attachmentInput = messageIdInput.extend({
  attachment_id: z.string().max(100).meta({ example: "att_01jd3m9v5sf0b8j3mgz7qk2x4c" }),
});

export const filesRouter = router({
  raw: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/messages/{id}/raw",
        tags,
        summary: "Get a message's raw bytes",
        description: "Exactly the bytes that were received; there are none of messages that went out.",
        successDescription: "The mail (RFC 5322).",
      },
      produces: "message/rfc822",
      errors: ["insufficient_scope", "message_not_found"],
    })
    .input(messageIdInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await rawMessage(ctx, input.id))),

  attachment: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/messages/{id}/attachments/{attachment_id}",
        tags,
        summary: "Get an attachment",
        description:
          "Its bytes, with the media type that the mail says, to be saved and not shown. The file name is made harmless.",
        successDescription: "The file.",
      },
      produces: "*/*",
      errors: ["insufficient_scope", "message_not_found", "attachment_not_found"],
    })
    .input(attachmentInput)
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await attachmentFile(ctx, input.id, input.attachment_id))),
});
