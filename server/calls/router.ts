// The procedure of the log of API calls, for members.
import { z } from "zod";
import { pageInput } from "../base/fields.ts";
import { memberProcedure, router } from "../procedures/procedures.ts";
import { listCalls } from "./list.ts";

const ID_CHARS = 100;

const callsInput = z.object({
  key: z.string().max(ID_CHARS).optional(),
  result: z.enum(["succeeded", "refused", "failed"]).optional(),
  request_id: z.string().max(ID_CHARS).optional(),
  ...pageInput,
});

const callsOutput = z.object({
  data: z.array(
    z.object({
      at: z.string(),
      key: z.string(),
      agent: z.string().nullable(),
      door: z.string(),
      method: z.string(),
      route: z.string(),
      path: z.string(),
      status: z.int(),
      error: z.string().nullable(),
      ms: z.int(),
      request_id: z.string(),
      remote: z.string(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export const callsRouter = router({
  list: memberProcedure("member")
    .input(callsInput)
    .output(callsOutput)
    .query(({ ctx, input }) => listCalls(ctx, input)),
});
