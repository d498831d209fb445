// The table of tools: every procedure that is marked for MCP, with its schemas and hints.
import type { Tool as Definition } from "@modelcontextprotocol/server";
import type { AnyTRPCRouter } from "@trpc/server";
import { hasScope, type Scope } from "../../base/context.ts";
import { ServiceError } from "../../base/errors.ts";
import { type RestMeta, restMetas } from "../../procedures/meta.ts";
import type { RequestContext } from "../../procedures/procedures.ts";
import { TOOLS, type ToolName, type ToolTexts } from "../../procedures/tools.ts";
import type { Document } from "../openapi/parts.ts";
import { inputSchema, outputSchema, type ToolSchema } from "./schemas.ts";
import { type InTools, inTools } from "./texts.ts";

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
  /** Names tools in a text of its errors. */
  say: InTools;
};

export type Tools = Map<string, Tool>;

/** The tools by name, in the order of the router. */
export function toolTable(router: AnyTRPCRouter, document: Document): Tools {
  const metas = restMetas(router);
  const say = inTools(metas);
  const tools = [...metas].flatMap(([procedure, meta]) =>
    meta.mcp ? [toolOf(procedure, meta, meta.mcp, { document, say })] : [],
  );
  const table = new Map(tools.map((tool) => [tool.name, tool]));
  if (table.size < tools.length) throw new Error("two tools have the same name");
  return table;
}

type Shared = { document: Document; say: InTools };

function toolOf(procedure: string, meta: RestMeta, name: ToolName, { document, say }: Shared): Tool {
  const texts = TOOLS[name];
  const { description, hints } = texts;
  const input = inputSchema(document, meta, texts, say);
  return {
    ...texts,
    name,
    procedure,
    type: meta.openapi.method === "GET" ? "query" : "mutation",
    scope: texts.scope ?? meta.scope,
    needsKey: !meta.open || texts.scope !== undefined,
    takesKey: meta.idempotency === "found" || input.properties?.idempotency_key !== undefined,
    input,
    say,
    definition: {
      name,
      title: meta.openapi.summary ?? name,
      description,
      inputSchema: input as Definition["inputSchema"],
      outputSchema: outputSchema(document, meta, texts) as Definition["outputSchema"],
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
    isAgent ? needsKey && (!scope || hasScope(actor.scopes, scope)) : !needsKey;
  return [...tools.values()].filter(allows).map(({ definition }) => definition);
}
