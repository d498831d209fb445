// The procedures that check a message without sending it. In REST, they are the sends with `?dry_run=true`.
import { dryRunPath } from "../../procedures/meta.ts";
import { callerProcedure, type Meta, router } from "../../procedures/procedures.ts";
import { prepareForward } from "../outbound/forward.ts";
import { prepareReply } from "../outbound/reply.ts";
import { forwardInput, replyInput } from "../outbound/schema.ts";
import { prepareSend } from "../outbound/send.ts";
import { MAX_SEND_BYTES, sendInput, withIdempotencyKey } from "../schema.ts";
import { dryRunView, refusalsOf } from "./refusals.ts";
import { dryRunOutput } from "./schema.ts";

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
      dryRunView(await refusalsOf(ctx, await prepareSend(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey)))),
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
      dryRunView(await refusalsOf(ctx, await prepareReply(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey)))),
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
      dryRunView(
        await refusalsOf(ctx, await prepareForward(ctx, withIdempotencyKey(input, ctx.request.idempotencyKey))),
      ),
    ),
});
