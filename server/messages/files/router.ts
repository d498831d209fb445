// The procedures that give the bytes of attachments.
import { z } from "zod";
import { givenId, moment } from "../../base/fields.ts";
import { callerProcedure, downloadOutput, publicProcedure, rest, router } from "../../procedures/procedures.ts";
import { messageIdInput } from "../schema.ts";
import { attachmentFile } from "./attachments.ts";
import { linkAttachment, linkedFile } from "./link.ts";

const tags = ["messages"];
const attachmentInput = messageIdInput.extend({
  attachment_id: givenId("att", "Id of the attachment."),
});

const linkOutput = z
  .object({
    url: z.string().meta({
      description: "GET or HEAD it, without a key.",
      example: "https://mail.example.com/v1/attachments/01jd3m9v5sf0b8j3mgz7qk2x4c.…",
    }),
    expires_at: moment("When it ends: 15 minutes after the call, or earlier with its message."),
  })
  .meta({ id: "AttachmentLink" });

export const filesRouter = router({
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

  attachmentLink: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/messages/{id}/attachments/{attachment_id}/link", "getAttachmentLink", {
        tags,
        summary: "Link to an attachment",
        description: "Returns a signed URL of the file for another tool or person. It works for 15 minutes.",
        successDescription: "The link.",
        errors: ["insufficient_scope", "message_not_found", "attachment_not_found"],
      }),
    )
    .input(attachmentInput)
    .output(linkOutput)
    .query(async ({ ctx, input }) => {
      const { url, expires_at } = await linkAttachment(ctx, input.id, input.attachment_id);
      return { url, expires_at: expires_at.toISOString() };
    }),

  linkedAttachment: publicProcedure
    .meta(
      rest("GET /v1/attachments/{link}", "getLinkedAttachment", {
        tags,
        summary: "Download an attachment by its link",
        description:
          "Returns the bytes as the download of the attachment does. The link is the `url` of an attachment.",
        protect: false,
        successDescription: "The file.",
        produces: "*/*",
        errors: ["attachment_not_found", "content_unreadable", "rate_limited"],
      }),
    )
    .input(z.object({ link: z.string().max(200).meta({ description: "The end of the URL." }) }))
    .output(downloadOutput)
    .query(async ({ ctx, input }) => ctx.request.send(await linkedFile(ctx, input.link))),
});
