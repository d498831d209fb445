// The procedures of quarantine: "not spam", and for members the policy.
import { z } from "zod";
import { addr } from "../../base/fields.ts";
import { callerProcedure, memberProcedure, rest, router } from "../../procedures/procedures.ts";
import { message } from "../message-schema.ts";
import { messageIdInput, spamPolicy } from "../schema.ts";
import { messageView } from "../view.ts";
import { markNotSpam } from "./not-spam.ts";
import { readSpamPolicy, setSpamPolicy } from "./policy.ts";

const policyInput = z.object({ inbox: addr.optional() });
/** `policy` null, for a mailbox: what applies to the organization. */
const setPolicyInput = policyInput.extend({ policy: spamPolicy.nullable() });
const policyOutput = z.object({ own: spamPolicy.nullable(), organization: spamPolicy });

export const quarantineRouter = router({
  notSpam: callerProcedure("list:manage", "member")
    .meta(
      rest("POST /v1/messages/{id}/not-spam", "markNotSpam", {
        tags: ["messages"],
        summary: "Mark a message as not spam",
        description:
          "Sets the verdict to `ham`. A quarantined message is delivered now, with its event and webhooks. An authenticated sender is added to the list `trusted` of the mailbox, so that their mail is not quarantined again.",
        successDescription: "The message.",
        errors: ["insufficient_scope", "message_not_found", "too_many_list_entries"],
      }),
    )
    .input(messageIdInput)
    .output(message)
    .mutation(async ({ ctx, input }) => messageView(await markNotSpam(ctx, input.id))),

  spamPolicy: memberProcedure("member")
    .input(policyInput)
    .output(policyOutput)
    .query(({ ctx, input }) => readSpamPolicy(ctx, input.inbox)),

  setSpamPolicy: memberProcedure("admin")
    .input(setPolicyInput)
    .output(policyOutput)
    .mutation(({ ctx, input }) => setSpamPolicy(ctx, input)),
});
