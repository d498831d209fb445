// The procedures of enrollment: redeeming a key, and asking who one is.
import { agentProcedure, publicProcedure, router } from "../api/trpc.ts";
import { me } from "./me.ts";
import { redeem } from "./redeem.ts";
import { enrollInput, enrollOutput, meOutput } from "./schema.ts";

export const enrollRouter = router({
  redeem: publicProcedure
    .meta({
      openapi: {
        method: "POST",
        path: "/v1/enroll",
        tags: ["enrollment"],
        summary: "Redeem an enrollment key",
        description:
          "Gives the agent of that handle a fresh agent key. Its earlier keys live on until they expire or are revoked.",
        protect: false,
        successDescription: "The agent and its key, shown only here.",
      },
      status: 201,
      errors: ["unauthorized"],
    })
    .input(enrollInput)
    .output(enrollOutput)
    .mutation(({ ctx, input }) => redeem(ctx, input)),
});

export const authRouter = router({
  me: agentProcedure()
    .meta({
      openapi: {
        method: "GET",
        path: "/v1/auth/me",
        tags: ["enrollment"],
        summary: "Who am I",
        description: "The agent behind the key, its scopes and domains, and what is left of its quota.",
        successDescription: "The calling agent.",
      },
    })
    .output(meOutput)
    .query(({ ctx }) => me(ctx)),
});
