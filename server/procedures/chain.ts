// Calls a procedure through all of its middleware, as tRPC does, for REST and MCP. tRPC copies all options and the whole context for
// each middleware, property by property: that was a seventh of a GET.
import { type AnyTRPCRouter, getTRPCErrorFromUnknown, TRPCError } from "@trpc/server";
import type { RequestContext } from "./procedures.ts";

type Result = { ok: true; data: unknown } | { ok: false; error: TRPCError };
type Next = { ctx?: object; input?: unknown; getRawInput?: GetRawInput };
type GetRawInput = () => Promise<unknown>;
type State = { ctx: object; input: unknown; getRawInput: GetRawInput };
type Middleware = (options: State & Call & { next(next?: Next): Promise<Result> }) => Promise<Result>;
type Call = { path: string; type: string; meta: unknown; signal: AbortSignal | undefined; batchIndex: number };

/** What `@trpc/server` keeps of a procedure (`_def`), which its types leave out. */
type Definition = { type: string; meta: unknown; middlewares: Middleware[] };

async function pass(middlewares: Middleware[], at: number, call: Call, state: State): Promise<Result> {
  try {
    return await (middlewares[at] as Middleware)({
      ...call,
      ...state,
      next: (next = {}) =>
        pass(middlewares, at + 1, call, {
          ctx: next.ctx ? { ...state.ctx, ...next.ctx } : state.ctx,
          input: "input" in next ? next.input : state.input,
          getRawInput: next.getRawInput ?? state.getRawInput,
        }),
    });
  } catch (cause) {
    return { ok: false, error: getTRPCErrorFromUnknown(cause) };
  }
}

type Asked = {
  /** Of the procedure: `inboxes.get`. */
  path: string;
  type: string;
  ctx: RequestContext;
  input: unknown;
  signal?: AbortSignal;
};

/**
 * @throws TRPCError as `callTRPCProcedure` of `@trpc/server`
 */
export async function callProcedure<Output = unknown>(
  router: AnyTRPCRouter,
  { path, type, ctx, input, signal }: Asked,
): Promise<Output> {
  const procedure: { _def: Definition } | undefined = router._def.procedures[path];
  if (procedure?._def.type !== type) {
    throw new TRPCError({ code: "NOT_FOUND", message: `There is no ${type} ${path}.` });
  }
  const { meta, middlewares } = procedure._def;
  const state = { ctx, input: undefined, getRawInput: async () => input };
  const result = await pass(middlewares, 0, { path, type, meta, signal, batchIndex: 0 }, state);
  if (!result.ok) throw result.error;
  return result.data as Output;
}
