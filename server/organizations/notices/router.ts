// The procedures of notice routes: each member chooses which notices they get, and where.
import type { Ctx, Member } from "../../base/context.ts";
import { encodeId } from "../../base/ids.ts";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { addRoute } from "./add.ts";
import { changeTopics, removeRoute } from "./change.ts";
import { listRoutes, type Route } from "./find.ts";
import { readReach } from "./reach.ts";
import {
  addRouteInput,
  changeTopicsInput,
  removedOutput,
  route,
  routeInput,
  routesOutput,
  testRouteOutput,
} from "./schema.ts";
import { testRoute } from "./test.ts";

function view({ secrets, actor }: Ctx<Member>, { id, chatUrl, topics }: Route) {
  const to = chatUrl ? new URL(secrets.open(chatUrl, id)).origin : actor.email;
  return { id: encodeId("ntr", id), channel: chatUrl ? ("chat" as const) : ("mail" as const), to, topics };
}

export const noticesRouter = router({
  list: memberProcedure("member")
    .output(routesOutput)
    .query(async ({ ctx }) => {
      const [routes, reach] = await Promise.all([listRoutes(ctx), readReach(ctx)]);
      return { data: routes.map((each) => view(ctx, each)), ...reach };
    }),

  add: memberProcedure("member")
    .input(addRouteInput)
    .output(route)
    .mutation(async ({ ctx, input }) => view(ctx, await addRoute(ctx, input))),

  change: memberProcedure("member")
    .input(changeTopicsInput)
    .output(route)
    .mutation(async ({ ctx, input }) => view(ctx, await changeTopics(ctx, input.id, input.topics))),

  remove: memberProcedure("member")
    .input(routeInput)
    .output(removedOutput)
    .mutation(async ({ ctx, input }) => {
      await removeRoute(ctx, input.id);
      return { id: input.id, deleted: true as const };
    }),

  test: memberProcedure("member")
    .input(routeInput)
    .output(testRouteOutput)
    .mutation(({ ctx, input }) => testRoute(ctx, input.id)),
});
