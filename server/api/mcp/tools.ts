// The table of tools: every procedure that is marked for MCP, with its schemas and hints.
import type { Tool as Definition } from "@modelcontextprotocol/server";
import type { AnyTRPCRouter } from "@trpc/server";
import type { Scope } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { type RestMeta, restMetas } from "../../procedures/meta.ts";
import type { RequestContext } from "../../procedures/procedures.ts";
import { TOOLS, type ToolName, type ToolTexts } from "../../procedures/tools.ts";
import type { Document } from "../openapi/parts.ts";
import { inputSchema, outputSchema, type ToolSchema } from "./schemas.ts";

export type Tool = ToolTexts & {
  name: ToolName;
  /** Its path in the router: `inboxes.create`. */
  procedure: string;
  type: "query" | "mutation";
  scope: Scope | undefined;
  needsKey: boolean;
  /** Whether a repeated request is carried out once. */
  takesKey: boolean;
  input: ToolSchema;
  definition: Definition;
};

export type Tools = Map<string, Tool>;

/** The tools by name, in the order of the router. */
export function toolTable(router: AnyTRPCRouter, document: Document): Tools {
  const tools = [...restMetas(router)].flatMap(([procedure, meta]) =>
    meta.mcp ? [toolOf(procedure, meta, meta.mcp, document)] : [],
  );
  const table = new Map(tools.map((tool) => [tool.name, tool]));
  if (table.size < tools.length) throw new Error("two tools have the same name");
  return table;
}

function toolOf(procedure: string, meta: RestMeta, name: ToolName, document: Document): Tool {
  const { description, hints } = TOOLS[name];
  const input = inputSchema(document, meta, TOOLS[name]);
  return {
    ...TOOLS[name],
    name,
    procedure,
    type: meta.openapi.method === "GET" ? "query" : "mutation",
    scope: meta.scope,
    needsKey: !meta.open,
    takesKey: meta.idempotency === "found" || input.properties?.idempotency_key !== undefined,
    input,
    definition: {
      name,
      title: meta.openapi.summary ?? name,
      description,
      inputSchema: input as Definition["inputSchema"],
      outputSchema: outputSchema(document, meta, TOOLS[name]) as Definition["outputSchema"],
      annotations: {
        readOnlyHint: hints.readOnly ?? false,
        destructiveHint: hints.destructive ?? false,
        idempotentHint: hints.idempotent ?? false,
      },
    },
  };
}

/** The tools that the key allows; without a key, those that need none. */
export function toolsFor(tools: Tools, actor: RequestContext["actor"]): Definition[] {
  const isAgent = !(actor instanceof ServiceError) && actor.kind === "agent";
  const allows = ({ needsKey, scope }: Tool) =>
    isAgent ? needsKey && (!scope || actor.scopes.includes(scope)) : !needsKey;
  return [...tools.values()].filter(allows).map(({ definition }) => definition);
}
