// The procedures of the send limit: read it, and end a pause.
import { addrInput } from "../../base/fields.ts";
import { findInbox } from "../../base/tenancy.ts";
import { callerProcedure, memberProcedure, router } from "../../procedures/procedures.ts";
import { resumeSending } from "./resume.ts";
import { sendLimitOutput } from "./schema.ts";
import { sendLimit } from "./send-cap.ts";

export const sendLimitRouter = router({
  sendLimit: callerProcedure("mailbox:read", "member")
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/inboxes/{addr}/send-limit",
        operationId: "getSendLimit",
        tags: ["messages"],
        summary: "Get the daily send cap of a mailbox",
        description:
          "Returns the daily cap and its use, in recipients; what makes the cap grow; the caps of the domain and of the organization, which also apply; and whether sending is paused. A recipient counts as a reply if mail from that address to this mailbox passed SPF or DKIM with alignment, came from a mailbox of this service, or answered a message that this mailbox sent to it.",
        successDescription: "The daily cap.",
      },
      mcp: "get_send_limit",
      errors: ["insufficient_scope", "inbox_not_found"],
    })
    .input(addrInput)
    .output(sendLimitOutput)
    .query(async ({ ctx, input }) => sendLimit(ctx, await findInbox(ctx, input.addr))),
});

export const resumeRouter = router({
  resumeSending: memberProcedure("member")
    .input(addrInput)
    .output(sendLimitOutput)
    .mutation(({ ctx, input }) => resumeSending(ctx, input.addr)),
});
