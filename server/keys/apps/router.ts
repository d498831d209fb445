// The procedures of connected apps, for members in the dashboard.
import { z } from "zod";
import { SCOPES } from "../../base/context.ts";
import { line, moment } from "../../base/fields.ts";
import { APP_SCOPES } from "../../organizations/oauth.ts";
import { memberProcedure, router } from "../../procedures/procedures.ts";
import { approveApp, refuseApp } from "./answer.ts";
import { revokeApp } from "./end.ts";
import { findClient } from "./find-client.ts";
import { listApps } from "./list.ts";

const ID_CHARS = 100;
/** A signed request is as long as the URL that the app opened. */
const REQUEST_CHARS = 8_000;

const client_id = line(ID_CHARS);
/** The query of the page, which the service signed. */
const request = line(REQUEST_CHARS);

const clientInput = z.object({ client_id });
const clientOutput = z.object({
  name: z.string(),
  /** Scopes that the member's role may grant. */
  scopes: z.array(z.enum(APP_SCOPES)),
});

const approveInput = z.object({
  client_id,
  request,
  /** `ekey_…`: mailboxes that the app creates count against its quota. */
  enrollment_key_id: z.string().max(ID_CHARS),
  scopes: z.array(z.enum(APP_SCOPES)).min(1),
});
const refuseInput = z.object({ client_id, request });
/** Where the browser goes next: back to the app. */
const answerOutput = z.object({ url: z.string() });

const listAppsOutput = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      person: z.object({ name: z.string(), email: z.string() }),
      scopes: z.array(z.enum(SCOPES)),
      created_at: moment(),
      /** When the app last got a token; it needs a new one each hour. */
      last_token_at: moment().nullable(),
    }),
  ),
});
const revokeInput = z.object({ id: z.string().max(ID_CHARS) });

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
