// Names tools in the texts of descriptions and errors, in place of the REST calls that do the same.
import type { RestMeta } from "../../procedures/meta.ts";
import { flagsOf, TOOLS } from "../../procedures/tools.ts";

/** A method and a path, without the punctuation behind it. */
const CALL = /\b(GET|POST|PATCH|DELETE) (\/v1\/[^\s`'"),;]*[^\s`'"),;.:])/g;
const PARAMETER = /\{\w+\}/g;

export type InTools = (text: string) => string;

/** Calls without a tool keep their name. A path in a text may have values or names of parameters. */
export function inTools(metas: Map<string, RestMeta>): InTools {
  const callOf = ({ openapi: { method, path } }: RestMeta) => `${method} ${path}`;
  const calls = [...metas.values()].flatMap((meta) => {
    if (!meta.mcp) return [];
    const name = meta.mcp;
    const own = [callOf(meta), ...(TOOLS[name].alike ?? [])].map((call) => ({ call, name: `${name}` }));
    const others = flagsOf(TOOLS[name]).flatMap(([flag, procedure]) => {
      const other = metas.get(procedure);
      return other ? [{ call: callOf(other), name: `${name} with \`${flag}\`` }] : [];
    });
    return [...own, ...others];
  });
  const known = calls.map(({ call, name }) => {
    return {
      name,
      expression: new RegExp(`^${call.replace(PARAMETER, "[^/]+")}$`),
      parameters: call.split("{").length,
    };
  });
  // `/v1/messages/search` is a literal before it is a parameter.
  known.sort((a, b) => a.parameters - b.parameters);
  return (text) => text.replace(CALL, (call) => known.find(({ expression }) => expression.test(call))?.name ?? call);
}
