// The procedures of keys: redeeming an enrollment key, asking who one is, and the keys and agents of an organization.
import { offeredDomains } from "../grants/allowed-domains.ts";
import { agentProcedure, memberProcedure, publicProcedure, rest, router } from "../procedures/procedures.ts";
import { enroll } from "./enroll.ts";
import { issueAsMember } from "./issue-agent-key.ts";
import { issueEnrollmentKey, MAILBOXES_MAX } from "./issue-enrollment-key.ts";
import { listAgents } from "./list-agents.ts";
import { getEnrollmentKey, listEnrollmentKeys } from "./list-enrollment-keys.ts";
import { me } from "./me.ts";
import {
  getKeyOutput,
  issueKeyInput,
  issueKeyOutput,
  keyDefaultsOutput,
  keyIdInput,
  keyPageInput,
  ledgerOutput,
  listAgentsOutput,
  listKeysInput,
  listKeysOutput,
  memberIssueInput,
  memberIssueOutput,
  revokedAgentKeyOutput,
  updateKeyInput,
} from "./members-schema.ts";
import { readLedger } from "./read-ledger.ts";
import { revokeAgentKey, revokeEnrollmentKey } from "./revoke.ts";
import { enrollInput, enrollOutput, meOutput } from "./schema.ts";
import { updateEnrollmentKey } from "./update-enrollment-key.ts";

export const enrollRouter = router({
  redeem: publicProcedure
    .meta(
      rest("POST /v1/enroll", "redeemEnrollmentKey", {
        tags: ["enrollment"],
        summary: "Redeem an enrollment key",
        description:
          "Creates the agent with this handle, or finds it, and issues a new agent key. Earlier keys of the agent stay valid until they expire or are revoked. An agent has at most 100 active keys by default: beyond that, a redemption revokes its oldest one, so an agent may enroll at each start. All agents of an enrollment key have at most 10,000; then a new agent gets 409.",
        protect: false,
        successDescription: "The agent and its new key.",
        mcp: "redeem_enrollment_key",
        status: 201,
        ignoresUnknown: true,
        errors: ["unauthorized", "too_many_agent_keys", "rate_limited"],
      }),
    )
    .input(enrollInput)
    .output(enrollOutput)
    .mutation(({ ctx, input }) => {
      const { requestId, client, takeEnrollment: admit } = ctx.request;
      return enroll(ctx, input, { requestId, remote: client.address, admit });
    }),
});

export const authRouter = router({
  me: agentProcedure()
    .meta(
      rest("GET /v1/auth/me", "getCaller", {
        tags: ["enrollment"],
        summary: "Get the calling agent",
        description: "Returns the agent behind the key, with its scopes, domains, remaining quota and send budget.",
        successDescription: "The calling agent.",
        mcp: "get_account",
      }),
    )
    .output(meOutput)
    .query(({ ctx }) => me(ctx)),
});

export const keysRouter = router({
  list: memberProcedure("member")
    .input(listKeysInput)
    .output(listKeysOutput)
    .query(({ ctx, input }) => listEnrollmentKeys(ctx, input)),

  get: memberProcedure("member")
    .input(keyIdInput)
    .output(getKeyOutput)
    .query(({ ctx, input }) => getEnrollmentKey(ctx, input.id)),

  defaults: memberProcedure("member")
    .output(keyDefaultsOutput)
    .query(async ({ ctx }) => ({ domains: await offeredDomains(ctx), max_mailboxes_max: MAILBOXES_MAX })),

  issue: memberProcedure("admin")
    .input(issueKeyInput)
    .output(issueKeyOutput)
    .mutation(({ ctx, input }) => issueEnrollmentKey(ctx, input)),

  update: memberProcedure("admin")
    .input(updateKeyInput)
    .output(getKeyOutput)
    .mutation(({ ctx, input }) => updateEnrollmentKey(ctx, input)),

  revoke: memberProcedure("admin")
    .input(keyIdInput)
    .output(getKeyOutput)
    .mutation(({ ctx, input }) => revokeEnrollmentKey(ctx, input.id)),

  agents: memberProcedure("member")
    .input(keyPageInput)
    .output(listAgentsOutput)
    .query(({ ctx, input }) => listAgents(ctx, input)),

  issueAgentKey: memberProcedure("admin")
    .input(memberIssueInput)
    .output(memberIssueOutput)
    .mutation(({ ctx, input }) => issueAsMember(ctx, input)),

  revokeAgentKey: memberProcedure("admin")
    .input(keyIdInput)
    .output(revokedAgentKeyOutput)
    .mutation(({ ctx, input }) => revokeAgentKey(ctx, input.id)),

  ledger: memberProcedure("member")
    .input(keyPageInput)
    .output(ledgerOutput)
    .query(({ ctx, input }) => readLedger(ctx, input)),
});
