// What the dashboard shows of the whole organization: its overview, and what the palette finds.
import { memberProcedure, router } from "../procedures/procedures.ts";
import { findByName } from "./find.ts";
import { readOverview } from "./overview.ts";
import { findInput, findOutput, overviewOutput } from "./schema.ts";

export const overviewRouter = router({
  get: memberProcedure("member")
    .output(overviewOutput)
    .query(({ ctx }) => readOverview(ctx)),

  find: memberProcedure("member")
    .input(findInput)
    .output(findOutput)
    .query(({ ctx, input }) => findByName(ctx, input.q)),
});
