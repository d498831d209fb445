// The body of every error, as the OpenAPI document has it.
import { z } from "zod";

/** The most problems with fields in an answer. */
export const ISSUES_MAX = 100;

const issue = z
  .object({
    path: z.string().meta({ description: "Path of the field, such as `to.0`." }),
    message: z.string().meta({ description: "What is wrong with it." }),
  })
  .meta({ description: "One problem with one field." });
export type Issue = z.infer<typeof issue>;

/** Specification §7, with `fix` and `issues`. Some codes have more fields beside `error`. */
export const errorSchema = z
  .object({
    error: z
      .object({
        code: z.string().meta({ description: "What happened, for programs." }),
        message: z.string().meta({ description: "What happened, for people and agents." }),
        fix: z.string().optional().meta({ description: "What to do about it." }),
        issues: z.array(issue).optional().meta({ description: "Problems with single fields.", maxItems: ISSUES_MAX }),
        request_id: z.string().max(40).optional().meta({ description: "As in `X-Request-Id`." }),
      })
      .meta({ description: "What happened, and what to do." }),
  })
  .meta({ id: "Error", description: "The body of every error." });
