// The procedure of uploads: POST /v1/uploads.
import { z } from "zod";
import { id, line, moment } from "../base/fields.ts";
import { encodeId } from "../base/ids.ts";
import { MEDIA_TYPE } from "../base/media-type.ts";
import { jsonBytesFor } from "../procedures/meta.ts";
import { callerProcedure, rest, router } from "../procedures/procedures.ts";
import { createUpload, UPLOAD_MAX_BYTES } from "./create.ts";

const uploadInput = z.object({
  filename: line(255).min(1).meta({ description: "File name that recipients see.", example: "invoice.pdf" }),
  content_type: z
    .string()
    .max(255)
    .regex(MEDIA_TYPE, "a media type such as application/pdf")
    .meta({ description: "Media type. Default: the Content-Type of the request." })
    .optional(),
  content_base64: z
    .base64()
    .meta({ description: "Content in base64 (RFC 4648 §4). Over REST, the body is the content." })
    .optional(),
});

const upload = z
  .object({
    id: id("upl", "Id of the upload."),
    filename: z.string().meta({ description: "File name that recipients see.", example: "invoice.pdf" }),
    content_type: z.string().meta({ description: "Media type.", example: "application/pdf" }),
    size: z.int().meta({ description: "Size in bytes.", example: 1_024 }),
    sha256: z.string().meta({
      description: "SHA-256 of the file, in hexadecimal.",
      example: "9f86d081…",
    }),
    expires_at: moment("When it is deleted."),
  })
  .meta({ id: "Upload" });

export const uploadsRouter = router({
  create: callerProcedure("mailbox:draft", "member")
    .meta(
      rest("POST /v1/uploads", "createUpload", {
        tags: ["uploads"],
        summary: "Upload a file",
        description:
          "Stores a file for 24 hours. Until then, the agent that made it can attach it to messages (`upload_id`). It counts against the storage quota of the organization.",
        successDescription: "The upload.",
        status: 201,
        maxBodyBytes: jsonBytesFor(UPLOAD_MAX_BYTES),
        consumesBytes: UPLOAD_MAX_BYTES,
        errors: ["insufficient_scope", "too_many_uploads", "storage_quota_exceeded"],
      }),
    )
    .input(uploadInput)
    .output(upload)
    .mutation(async ({ ctx, input: { filename, content_type, content_base64 = "" } }) => {
      const { octets } = ctx.request;
      const {
        organization_id: _1,
        owner_id: _2,
        created_at: _3,
        ...made
      } = await createUpload(ctx, {
        filename,
        content_type: content_type ?? octets?.contentType,
        read: async () => (octets ? octets.read(UPLOAD_MAX_BYTES) : Buffer.from(content_base64, "base64")),
      });
      return { ...made, id: encodeId("upl", made.id), expires_at: made.expires_at.toISOString() };
    }),
});
