// What the send limit of a mailbox is on the wire.
import { z } from "zod";
import { moment } from "../../base/fields.ts";

const rate = (what: string, example: number) =>
  z.number().meta({ description: `Share of the last recipients that ${what}, from 0 to 1.`, example });

const total = {
  limit: z.int().meta({ description: "Recipients allowed on this UTC day, without replies.", example: 200 }),
  used: z.int().meta({ description: "Recipients counted on this UTC day, without replies.", example: 12 }),
  remaining: z.int().meta({ description: "Recipients left on this UTC day, without replies.", example: 188 }),
  step: z.int().meta({ description: "Step of the ramp, from 1.", example: 1 }),
  next_step_at: moment().nullable().meta({ description: "When the limit rises. Null: this is the last step." }),
};

export const sendLimitOutput = z
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
      example: "The cap grows after a UTC day with less than 5 % bounces and less than 0.1 % complaints.",
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
          example: "Of its last 100 recipients, 12 (12 %) bounced and 0 (0 %) complained.",
        }),
      })
      .nullable()
      .meta({
        description:
          "Not null: sending is paused, because too many of the last 100 recipients bounced (10 %) or complained (0.5 %), or because someone paused it. A member resumes it in the dashboard, or the operator if the operator paused it. The rates are 0 unless the cause is `bounces`.",
        example: null,
      }),
  })
  .meta({ id: "SendLimit" });
