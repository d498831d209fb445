// The procedures of the send limit and of pauses: read the limit, pause sending, and resume it. Only members resume.
import { addrInput } from "../../base/fields.ts";
import { findInbox } from "../../base/tenancy.ts";
import { agentProcedure, callerProcedure, memberProcedure, rest, router } from "../../procedures/procedures.ts";
import { inboxTarget, keyTarget, listPauses, organizationTarget, pause, resume, resumeInbox } from "./pause.ts";
import {
  keyInput,
  pauseInboxInput,
  pauseKeyInput,
  pauseOrganizationInput,
  pauseOutput,
  pausesOutput,
  resumeOrganizationInput,
  resumeOutput,
} from "./pause-schema.ts";
import { sendLimitOutput } from "./schema.ts";
import { sendLimit } from "./send-cap.ts";

export const sendLimitRouter = router({
  sendLimit: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/inboxes/{addr}/send-limit", "getSendLimit", {
        tags: ["messages"],
        summary: "Get the daily send cap of a mailbox",
        description:
          "Returns the daily cap and its use, in recipients; what makes the cap grow; the caps of the domain and of the organization, which also apply; and whether sending is paused. A recipient counts as a reply if mail from that address to this mailbox passed SPF or DKIM with alignment, came from a mailbox of this service, or answered a message that this mailbox sent to it.",
        successDescription: "The daily cap.",
        mcp: "get_send_limit",
        errors: ["insufficient_scope", "inbox_not_found"],
      }),
    )
    .input(addrInput)
    .output(sendLimitOutput)
    .query(async ({ ctx, input }) => sendLimit(ctx, await findInbox(ctx, input.addr))),
});

const STAYS =
  "Within a second nothing more of it begins to leave. What is queued or scheduled stays so until a member resumes sending, and new sends get `403 sending_paused`. Mail is still received. What is paused already keeps its first pause. An agent cannot resume.";

export const inboxPausesRouter = router({
  pauseSending: callerProcedure("list:manage", "member")
    .meta(
      rest("POST /v1/inboxes/{addr}/pause", "pauseInbox", {
        tags: ["inboxes"],
        summary: "Pause the sending of a mailbox",
        description: STAYS,
        successDescription: "The pause, what waits, and what is in flight.",
        mcp: "pause_inbox",
        errors: ["insufficient_scope", "inbox_not_found"],
      }),
    )
    .input(pauseInboxInput)
    .output(pauseOutput)
    .mutation(async ({ ctx, input }) => pause(ctx, await inboxTarget(ctx, input.addr), input.reason)),

  resumeSending: callerProcedure("mailbox:read", "member")
    .meta(
      rest("POST /v1/inboxes/{addr}/resume", "resumeInbox", {
        tags: ["inboxes"],
        summary: "Ask to resume the sending of a mailbox",
        description:
          "Only people resume: members in the dashboard, and the operator where the operator paused it. Over REST, which takes agent keys, the call changes nothing. It returns the send limit if nothing is paused. Otherwise it fails with `403 sending_paused`, which says who paused it and who can resume it.",
        successDescription: "Nothing is paused. The daily cap.",
        errors: ["insufficient_scope", "sending_paused", "inbox_not_found"],
      }),
    )
    .input(addrInput)
    .output(sendLimitOutput)
    .mutation(({ ctx, input }) => resumeInbox(ctx, input.addr)),
});

export const issuedKeyPausesRouter = router({
  pause: agentProcedure("key:issue")
    .meta(
      rest("POST /v1/keys/{id}/pause", "pauseKey", {
        tags: ["keys"],
        summary: "Pause the sending of an issued key",
        description: `Pauses all mail of a key below this key, and of the keys that it issued. ${STAYS}`,
        successDescription: "The pause, what waits, and what is in flight.",
        errors: ["insufficient_scope", "agent_key_not_found"],
      }),
    )
    .input(pauseKeyInput)
    .output(pauseOutput)
    .mutation(async ({ ctx, input }) => pause(ctx, await keyTarget(ctx, input.id), input.reason)),
});

export const keyPausesRouter = router({
  pauseAgentKey: memberProcedure("admin")
    .input(pauseKeyInput)
    .output(pauseOutput)
    .mutation(async ({ ctx, input }) => pause(ctx, await keyTarget(ctx, input.id), input.reason)),

  resumeAgentKey: memberProcedure("admin")
    .input(keyInput)
    .output(resumeOutput)
    .mutation(async ({ ctx, input }) => resume(ctx, await keyTarget(ctx, input.id))),
});

export const organizationPausesRouter = router({
  pauses: memberProcedure("member")
    .output(pausesOutput)
    .query(async ({ ctx }) => ({ data: await listPauses(ctx) })),

  pauseSending: memberProcedure("admin")
    .input(pauseOrganizationInput)
    .output(pauseOutput)
    .mutation(({ ctx, input }) => pause(ctx, organizationTarget(ctx.actor.organizationId), input.reason)),

  resumeSending: memberProcedure("admin")
    .input(resumeOrganizationInput)
    .output(resumeOutput)
    .mutation(({ ctx }) => resume(ctx, organizationTarget(ctx.actor.organizationId))),
});
