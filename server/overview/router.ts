// What the dashboard shows of the whole organization: its overview, its tables of mailboxes and agents, and what the palette finds.
import { memberProcedure, router } from "../procedures/procedures.ts";
import { getAgent, listAgentsOfAll, readAgentDays } from "./agents.ts";
import { findByName } from "./find.ts";
import { summarizeInboxes } from "./inboxes.ts";
import { readNeeds } from "./needs.ts";
import { readOverview } from "./overview.ts";
import {
  agentDaysOutput,
  agentInput,
  agentOutput,
  agentsInput,
  agentsOutput,
  findInput,
  findOutput,
  needsOutput,
  overviewOutput,
  summariesInput,
  summariesOutput,
} from "./schema.ts";

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

export const inboxSummariesRouter = router({
  summaries: memberProcedure("member")
    .input(summariesInput)
    .output(summariesOutput)
    .query(({ ctx, input }) => summarizeInboxes(ctx, input)),
});

export const agentsRouter = router({
  list: memberProcedure("member")
    .input(agentsInput)
    .output(agentsOutput)
    .query(({ ctx, input }) => listAgentsOfAll(ctx, input)),

  get: memberProcedure("member")
    .input(agentInput)
    .output(agentOutput)
    .query(({ ctx, input }) => getAgent(ctx, input.id)),

  days: memberProcedure("member")
    .input(agentInput)
    .output(agentDaysOutput)
    .query(({ ctx, input }) => readAgentDays(ctx, input.id)),
});
