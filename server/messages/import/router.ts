// The procedure that imports mail: POST /v1/inboxes/{addr}/import.
import { z } from "zod";
import { addr, id, moment } from "../../base/fields.ts";
import { encodeId } from "../../base/ids.ts";
import { jsonBytesFor } from "../../procedures/meta.ts";
import { callerProcedure, rest, router } from "../../procedures/procedures.ts";
import { IMPORT_MAX_BYTES, importMail } from "./import.ts";

const importInput = z.object({
  addr,
  read: z.boolean().meta({ description: "Whether the message is marked as read. Default: true." }).optional(),
  content_base64: z
    .base64()
    .meta({ description: "The mail in base64 (RFC 4648 §4). Over REST, the body is the mail." })
    .optional(),
});

const imported = z
  .object({
    id: id("msg", "Id of the message."),
    thread_id: id("thr", "Id of its thread."),
    received_at: moment("Its time, from its header."),
    repeated: z.boolean().meta({ description: "Whether the mailbox already had these octets.", example: false }),
  })
  .meta({ id: "ImportedMessage" });

export const importRouter = router({
  importMail: callerProcedure("mailbox:import", "admin")
    .meta(
      rest("POST /v1/inboxes/{addr}/import", "importMail", {
        tags: ["messages"],
        summary: "Import a mail",
        description:
          "Stores one raw mail (RFC 5322) that another service had received, with its date and in its thread. The message says `imported`. There is no event, and its sender is not checked. The same octets are stored once.",
        successDescription: "The message.",
        maxBodyBytes: jsonBytesFor(IMPORT_MAX_BYTES),
        consumesBytes: IMPORT_MAX_BYTES,
        errors: ["insufficient_scope", "inbox_not_found", "storage_quota_exceeded"],
      }),
    )
    .input(importInput)
    .output(imported)
    .mutation(async ({ ctx, input: { addr: named, read = true, content_base64 = "" } }) => {
      const { octets } = ctx.request;
      const stored = await importMail(ctx, {
        addr: named,
        isRead: read,
        read: async () => (octets ? octets.read(IMPORT_MAX_BYTES) : Buffer.from(content_base64, "base64")),
      });
      return {
        id: encodeId("msg", stored.id),
        thread_id: encodeId("thr", stored.thread_id),
        received_at: stored.created_at.toISOString(),
        repeated: stored.repeated,
      };
    }),
});
