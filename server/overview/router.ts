// The one procedure of the dashboard's overview.
import { memberProcedure, router } from "../procedures/procedures.ts";
import { readOverview } from "./overview.ts";
import { overviewOutput } from "./schema.ts";

export const overviewRouter = router({
  get: memberProcedure("member")
    .output(overviewOutput)
    .query(({ ctx }) => readOverview(ctx)),
});
