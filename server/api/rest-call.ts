// Calls the procedure of a route, and makes an answer of what it returns or throws.
import { callProcedure } from "../procedures/chain.ts";
import { errorBody, errorHeaders, refusalOf } from "../procedures/errors.ts";
import type { Download, RequestContext } from "../procedures/procedures.ts";
import { downloadElsewhere } from "./download.ts";
import { appRouter } from "./router.ts";
import type { Route } from "./routes.ts";

export type Answer = {
  status: number;
  headers: Record<string, string>;
  body: string | Buffer;
  download?: Download | undefined;
};

export function refuse(error: unknown, context: RequestContext): Answer {
  const failure = refusalOf(context, error, context.signal.aborted);
  return {
    status: failure.status,
    headers: { ...context.headers, ...errorHeaders(failure) },
    body: JSON.stringify(errorBody(failure, context.requestId)),
  };
}

/** Calls the procedure with all of its middleware, as tRPC and MCP do. The answer may be binary, or late. */
export async function call(route: Route, input: object, context: RequestContext): Promise<Answer> {
  try {
    const { output, download, work } = await run(route, input, context);
    const body = download ? "" : JSON.stringify(work ? await work() : output);
    return { status: route.status, headers: context.headers, body, download };
  } catch (error) {
    return refuse(error, context);
  }
}

async function run({ procedure, type, pathFields }: Route, input: object, context: RequestContext) {
  let download: Download | undefined;
  let work: (() => Promise<unknown>) | undefined;
  const output: unknown = await callProcedure(appRouter, {
    path: procedure,
    type,
    input,
    ctx: {
      ...context,
      checkInput: (path, given) => context.checkInput(path, given, pathFields),
      async send(what) {
        download = what;
        return downloadElsewhere(what);
      },
      async later(what, placeholder) {
        work = what;
        return placeholder;
      },
    } satisfies RequestContext,
  });
  return { output, download, work };
}
