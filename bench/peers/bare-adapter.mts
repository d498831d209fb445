// The floor of W7: trpc-to-openapi's own Node handler on node:http, with one procedure that has nothing to do.
import { createServer } from "node:http";
import { initTRPC } from "@trpc/server";
import { createOpenApiNodeHttpHandler, type OpenApiMeta } from "trpc-to-openapi";
import { z } from "zod";

const inbox = z.object({
  id: z.string(),
  address: z.string(),
  display_name: z.string(),
  domain: z.string(),
  status: z.literal("live"),
  created_at: z.string(),
  metadata: z.record(z.string(), z.string()),
});
const t = initTRPC.meta<OpenApiMeta>().create();
const router = t.router({
  get: t.procedure
    .meta({ openapi: { method: "GET", path: "/v1/inboxes/{addr}" } })
    .input(z.object({ addr: z.string() }))
    .output(inbox)
    .query(({ input }) => ({
      id: "inb_01jd3m9v5sf0b8j3mgz7qk2x4c",
      address: input.addr,
      display_name: "",
      domain: "mail.localhost",
      status: "live" as const,
      created_at: "2026-01-31T12:00:00.000Z",
      metadata: {},
    })),
});

const server = createServer(createOpenApiNodeHttpHandler({ router, createContext: undefined }));
server.listen(Number(process.env.PORT), "127.0.0.1", () => console.log("ready"));
process.on("SIGTERM", () => process.exit(0));
