// The procedures of the send limit and of pauses: read the limit, pause sending, and resume it. Only members resume.
import { z } from "zod";
import { addrInput, moment } from "../../base/fields.ts";
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
import { sendLimit } from "./send-cap.ts";

// What the send limit of a mailbox is on the wire.
const rate = (what: string, example: number) =>
  z.number().meta({ description: `Share of the last recipients that ${what}, from 0 to 1.`, example });

const total = {
  limit: z.int().meta({ description: "Recipients allowed on this UTC day, without replies.", example: 200 }),
  used: z.int().meta({ description: "Recipients counted on this UTC day, without replies.", example: 12 }),
  remaining: z.int().meta({ description: "Recipients left on this UTC day, without replies.", example: 188 }),
  step: z.int().meta({ description: "Step of the ramp, from 1.", example: 1 }),
  next_step_at: moment().nullable().meta({ description: "When the limit rises. Null: this is the last step." }),
};

const sendLimitOutput = z
  .object({
    limit: z.int().meta({ description: "Recipients allowed on this UTC day, without replies.", example: 20 }),
    used: z.int().meta({ description: "Recipients counted on this UTC day, without replies.", example: 3 }),
    remaining: z.int().meta({ description: "Recipients left on this UTC day, without replies.", example: 17 }),
    replies_used: z.int().meta({
      description: "Recipients on this UTC day who provably wrote to the mailbox before.",
      example: 4,
    }),
    replies_limit: z.int().meta({ description: "Such recipients allowed on this UTC day.", example: 200 }),
    resets_at: moment("The next UTC midnight, when `used` and `replies_used` are 0 again."),
    step: z.int().meta({ description: "Step of the ramp, from 1.", example: 1 }),
    next_step_at: moment().nullable().meta({
      description: "When the limit rises at the earliest. Null: this is the last step.",
    }),
    next_step_needs: z.string().nullable().meta({
      description: "What makes the limit rise, as a sentence. Null: this is the last step.",
      example: "The cap grows after a UTC day with less than 5% bounces and less than 0.1% complaints.",
    }),
    held: z.boolean().meta({
      description:
        "Whether bounces or complaints hold the ramp: the limit did not rise today because of yesterday's, or will not rise tomorrow because of today's.",
      example: false,
    }),
    domain: z
      .object({
        name: z.string().meta({ description: "The registrable domain of the mailbox.", example: "example.com" }),
        ...total,
      })
      .meta({ description: "The cap of all mailboxes of the organization at this domain and below it, together." }),
    organization: z.object(total).meta({ description: "The cap of all mailboxes of the organization, together." }),
    paused: z
      .object({
        since: moment("When sending was paused."),
        bounce_rate: rate("bounced", 0.12),
        complaint_rate: rate("complained", 0),
        cause: z.enum(["bounces", "organization", "operator"]).meta({
          description:
            "Why. `bounces`: too many recipients bounced or complained. `organization`: a member or an agent paused it. `operator`: the operator of the service paused it.",
        }),
        scope: z.enum(["organization", "inbox", "agent_key"]).meta({
          description: "What is paused: the whole organization, this mailbox, or the calling key or a key above it.",
        }),
        paused_by: z.string().nullable().meta({ description: "Who paused it. Null: the service.", example: null }),
        reason: z.string().meta({
          description: "The figures of the bounces, or who paused it and why, as a sentence.",
          example: "Of its last 100 recipients, 12 (12%) bounced and 0 (0%) complained.",
        }),
      })
      .nullable()
      .meta({
        description:
          "Not null: sending is paused, because too many of the last 100 recipients bounced (10%) or complained (0.5%), or because someone paused it. A member resumes it in the dashboard, or the operator if the operator paused it. The rates are 0 unless the cause is `bounces`.",
        example: null,
      }),
  })
  .meta({ id: "SendLimit" });

export const sendLimitRouter = router({
  sendLimit: callerProcedure("mailbox:read", "member")
    .meta(
      rest("GET /v1/inboxes/{addr}/send-limit", "getSendLimit", {
        tags: ["messages"],
        summary: "Get the daily send cap of a mailbox",
        description:
          "Returns the daily cap and its use, in recipients; what makes the cap grow; the caps of the domain and of the organization, which also apply; and whether sending is paused. A recipient counts as a reply if mail from that address to this mailbox passed SPF or DKIM with alignment, came from a mailbox of this service, or answered a message that this mailbox sent to it.",
        successDescription: "The daily cap.",
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
