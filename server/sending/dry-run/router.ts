// The procedures that check a message without sending it. In REST, they are the sends with `?dry_run=true`.
import { z } from "zod";
import { MAX_SEND_BYTES, sendInput } from "../../messages/schema.ts";
import { dryRunPath } from "../../procedures/meta.ts";
import { callerProcedure, type Meta, router, withKey } from "../../procedures/procedures.ts";
import { prepareForward } from "../forward.ts";
import { prepareReply } from "../reply.ts";
import { forwardInput, replyInput } from "../schema.ts";
import { prepareSend } from "../send.ts";
import { dryRunView, refusalsOf } from "./refusals.ts";

// What a dry run answers.
const refusal = z.object({
  code: z.string().meta({ description: "Error code of the refusal.", example: "daily_send_cap_exceeded" }),
  status: z.int().meta({ description: "HTTP status that the send would answer.", example: 429 }),
  message: z.string().meta({
    description: "What is refused, and why.",
    example:
      "2 recipients of this message count against the daily cap, and 1 of 20 such recipients are left today (UTC).",
  }),
  fix: z.string().meta({ description: "What to do about it.", example: "Wait until the next UTC day." }),
  retry_after_seconds: z.int().nullable().meta({ description: "When to try again. Null: not stated.", example: 3_600 }),
});

const dryRunOutput = z
  .object({
    would_send: z.boolean().meta({ description: "Whether nothing refuses the message now.", example: false }),
    refusals: z.array(refusal).meta({ description: "Everything that refuses it, one entry for each error code." }),
  })
  .meta({ id: "DryRun" });

const tags = ["messages"];
const checks = { maxBodyBytes: MAX_SEND_BYTES } satisfies Omit<Meta, "openapi">;
const checked = "What would refuse the message. Nothing was stored, sent or counted.";

export const dryRunRouter = router({
  checkSend: callerProcedure("mailbox:send", "member")
    .meta({
      isAct: () => false,
      openapi: {
        method: "POST",
        path: dryRunPath("/v1/inboxes/{addr}/send"),
        tags,
        summary: "Check a message",
        successDescription: checked,
      },
      ...checks,
      errors: ["insufficient_scope", "inbox_not_found"],
    })
    .input(sendInput)
    .output(dryRunOutput)
    .mutation(async ({ ctx, input }) =>
      dryRunView(await refusalsOf(ctx, await prepareSend(ctx, withKey(ctx, input, "idempotency_key")))),
    ),

  checkReply: callerProcedure("mailbox:send", "member")
    .meta({
      isAct: () => false,
      openapi: {
        method: "POST",
        path: dryRunPath("/v1/messages/{id}/reply"),
        tags,
        summary: "Check a reply",
        successDescription: checked,
      },
      ...checks,
      errors: ["insufficient_scope", "message_not_found", "content_unreadable"],
    })
    .input(replyInput)
    .output(dryRunOutput)
    .mutation(async ({ ctx, input }) =>
      dryRunView(await refusalsOf(ctx, await prepareReply(ctx, withKey(ctx, input, "idempotency_key")))),
    ),

  checkForward: callerProcedure("mailbox:send", "member")
    .meta({
      isAct: () => false,
      openapi: {
        method: "POST",
        path: dryRunPath("/v1/messages/{id}/forward"),
        tags,
        summary: "Check a forward",
        successDescription: checked,
      },
      ...checks,
      errors: ["insufficient_scope", "message_not_found", "content_unreadable"],
    })
    .input(forwardInput)
    .output(dryRunOutput)
    .mutation(async ({ ctx, input }) =>
      dryRunView(await refusalsOf(ctx, await prepareForward(ctx, withKey(ctx, input, "idempotency_key")))),
    ),
});
