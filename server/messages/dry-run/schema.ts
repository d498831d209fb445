// What a dry run answers.
import { z } from "zod";

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

export const dryRunOutput = z
  .object({
    would_send: z.boolean().meta({ description: "Whether nothing refuses the message now.", example: false }),
    refusals: z.array(refusal).meta({ description: "Everything that refuses it, one entry for each error code." }),
  })
  .meta({ id: "DryRun" });
