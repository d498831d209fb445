// The procedures that create mailboxes: an agent's, and the one of members, who name the enrollment key.
import { actAsAgent } from "../keys/act-as-agent.ts";
import { PAYMENT_ERRORS, RECEIPT_HEADERS } from "../payments/schema.ts";
import { agentProcedure, memberProcedure, noteReplayed, rest, router, withKey } from "../procedures/procedures.ts";
import { registeredView } from "../webhooks/view.ts";
import { createInbox } from "./create.ts";
import { createInput, createOutput, createWithInput, inbox } from "./schema.ts";
import { inboxView } from "./view.ts";

const tags = ["inboxes"];

export const createRouter = router({
  create: agentProcedure("mailbox:create")
    .meta(
      rest("POST /v1/inboxes", "createInbox", {
        tags,
        summary: "Create a mailbox",
        description:
          "Creates a mailbox and counts it against the quota of the enrollment key. Deleting a mailbox does not restore quota. If the organization pays for mailboxes and has no prepaid ones left (POST /v1/purchase), the first answer is 402: repeat the request with the signed payload in `PAYMENT-SIGNATURE` or `X-PAYMENT`. A repeated payload returns the same mailbox.",
        successDescription: "The mailbox.",
        idempotency: "field",
        mcp: "create_inbox",
        status: 201,
        responseHeaders: RECEIPT_HEADERS,
        errors: [
          ...PAYMENT_ERRORS,
          "insufficient_scope",
          "domain_not_allowed",
          "invalid_webhook_url",
          "too_many_webhooks",
          "enrollment_token_exhausted",
          "address_taken",
          "inbox_deleted",
        ],
      }),
    )
    .input(createInput)
    .output(createOutput)
    .mutation(async ({ ctx, input }) => {
      const created = noteReplayed(ctx, await createInbox(ctx, withKey(ctx, input, "client_id"), ctx.request.payment));
      Object.assign(ctx.request.headers, created.receipt);
      return { ...inboxView(created.inbox), ...(created.webhook && { webhook: registeredView(created.webhook) }) };
    }),

  createWith: memberProcedure("member")
    .input(createWithInput)
    .output(inbox)
    .mutation(async ({ ctx, input: { enrollment_key_id, ...wish } }) => {
      const actor = await actAsAgent(ctx, enrollment_key_id);
      return inboxView((await createInbox({ ...ctx, actor }, wish)).inbox);
    }),
});
