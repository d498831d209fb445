// The service's router as its clients see it: what each procedure takes and gives, and how it refuses. Types only.
/// <reference lib="esnext.disposable" preserve="true" />
// For tRPC's declarations, in projects that compile for an older `lib`.
import type {
  TRPC_ERROR_CODE_KEY,
  TRPC_ERROR_CODE_NUMBER,
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from "@trpc/server";
import type { AppRouter as ServiceRouter } from "#server/api/router.ts";

type ServiceErrorShape = ServiceRouter["_def"]["_config"]["$types"]["errorShape"];

// `infer` everywhere: it makes the declaration of `appRouter` contain plain objects. The names of the server's types
// would lead a client's compiler to the service's context and its database driver.
type Seen<Procedures> = Procedures extends infer P
  ? {
      [Name in keyof P]: P[Name] extends { _def: { type: infer Kind; $types: { input: infer I; output: infer O } } }
        ? Kind extends "query"
          ? TRPCQueryProcedure<{ input: I; output: O; meta: unknown }>
          : Kind extends "mutation"
            ? TRPCMutationProcedure<{ input: I; output: O; meta: unknown }>
            : O extends AsyncIterable<{ id: string; data: infer Data }>
              ? TRPCSubscriptionProcedure<{
                  input: I;
                  output: AsyncIterable<{ id: string; data: Data }>;
                  meta: unknown;
                }>
              : never
        : Seen<P[Name]>;
    }
  : never;

function seen<Router extends { _def: { record: unknown } }, Code>() {
  return undefined as unknown as TRPCBuiltRouter<
    {
      ctx: object;
      meta: object;
      errorShape: {
        code: TRPC_ERROR_CODE_NUMBER;
        message: string;
        data: {
          code: TRPC_ERROR_CODE_KEY;
          httpStatus: number;
          path?: string;
          error: {
            code: Code;
            message: string;
            fix: string;
            issues?: { path: string; message: string }[];
            request_id?: string;
          };
        };
      };
      transformer: false;
    },
    Seen<Router["_def"]["record"]>
  >;
}

// A value, because a declaration writes out the type of a value and only repeats a type alias.
const appRouter = seen<ServiceRouter, ServiceErrorShape["data"]["error"]["code"]>();

export type AppRouter = typeof appRouter;
