// Names the parameters that several operations share once in `components.parameters`.
import type { Document, Parameter } from "./parts.ts";
import { isRef } from "./parts.ts";

/** A path parameter `id` is called by what its path names. */
const NOUNS: Record<string, string> = {
  messages: "Message",
  threads: "Thread",
  drafts: "Draft",
  webhooks: "Webhook",
  purchase: "Payment",
};

/** Parameters of all lists; others of the lists of messages are filters, and other lists have some of the same name. */
const EVERYWHERE = new Set(["limit", "cursor"]);

type Use = { parameters: Parameter[]; index: number; path: string };

/** What the schema says of the parameter is said by the parameter: renderers look there. */
export function describeParameters({ paths, webhooks }: Document): void {
  for (const { parameters, index } of uses({ ...paths, ...webhooks })) {
    const parameter = parameters[index];
    if (!parameter) continue;
    const { description, example, ...schema } = parameter.schema;
    parameters[index] = {
      ...parameter,
      ...(description !== undefined && { description }),
      ...(example !== undefined && { example }),
      schema,
    };
  }
}

export function nameParameters({ paths, components }: Document): void {
  const groups = Map.groupBy(uses(paths), ({ parameters, index }) => JSON.stringify(parameters[index]));
  for (const group of groups.values()) {
    const [first] = group;
    const parameter = first?.parameters[first.index];
    if (!first || !parameter || group.length < 2) continue;
    const name = nameOf(parameter, first.path);
    if (components.parameters[name]) throw new Error(`two parameters are called ${name}`);
    components.parameters[name] = parameter;
    for (const { parameters, index } of group) {
      Object.assign(parameters, { [index]: { $ref: `#/components/parameters/${name}` } });
    }
  }
}

function uses(paths: Document["paths"]): Use[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters = [] }) => {
      const own = parameters.filter((parameter) => !isRef(parameter));
      return own.map((_, index) => ({ parameters: parameters as Parameter[], index, path }));
    }),
  );
}

function nameOf({ name }: Parameter, path: string): string {
  const noun = NOUNS[path.split("/")[2] ?? ""];
  if (name === "id" && noun) return `${noun}Id`;
  if (name === "Idempotency-Key") return "IdempotencyKey";
  if (name === "addr") return "InboxAddress";
  if (name === "inbox" && path.startsWith("/v1/lists/")) return "ListInbox";
  const named = name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return path.endsWith("/messages") && !EVERYWHERE.has(name) ? `Message${named}Filter` : named;
}
