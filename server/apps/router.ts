// The procedures of connected apps, for members in the dashboard.
import { memberProcedure, router } from "../procedures/procedures.ts";
import { approveApp, refuseApp } from "./answer.ts";
import { revokeApp } from "./end.ts";
import { findClient } from "./find-client.ts";
import { listApps } from "./list.ts";
import {
  answerOutput,
  approveInput,
  clientInput,
  clientOutput,
  listAppsOutput,
  refuseInput,
  revokeInput,
} from "./schema.ts";

export const appsRouter = router({
  client: memberProcedure("member")
    .input(clientInput)
    .output(clientOutput)
    .query(({ ctx, input }) => findClient(ctx, input.client_id)),

  approve: memberProcedure("member")
    .input(approveInput)
    .output(answerOutput)
    .mutation(({ ctx, input }) => approveApp(ctx, input, ctx.request)),

  refuse: memberProcedure("member")
    .input(refuseInput)
    .output(answerOutput)
    .mutation(({ ctx, input }) => refuseApp(ctx, input, ctx.request)),

  list: memberProcedure("member")
    .output(listAppsOutput)
    .query(({ ctx }) => listApps(ctx)),

  revoke: memberProcedure("member")
    .input(revokeInput)
    .mutation(({ ctx, input }) => revokeApp(ctx, input.id)),
});
