// What the dashboard shows of the whole organization: its overview, and what the palette finds.
import { memberProcedure, router } from "../procedures/procedures.ts";
import { findByName } from "./find.ts";
import { readNeeds } from "./needs.ts";
import { readOverview } from "./overview.ts";
import { findInput, findOutput, needsOutput, overviewOutput } from "./schema.ts";

export const overviewRouter = router({
  get: memberProcedure("member")
    .output(overviewOutput)
    .query(({ ctx }) => readOverview(ctx)),

  needs: memberProcedure("member")
    .output(needsOutput)
    .query(async ({ ctx }) => ({ data: await readNeeds(ctx) })),

  find: memberProcedure("member")
    .input(findInput)
    .output(findOutput)
    .query(({ ctx, input }) => findByName(ctx, input.q)),
});
