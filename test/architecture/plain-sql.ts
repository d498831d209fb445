// Which files may have SQL outside drizzle.
import { childrenOf, isFunction, isNode, type Node, namesOf, type Sources, textOf, treesOf, visit } from "./source.ts";

/**
 * The files of server/ that may have SQL outside drizzle: statements whose speed was measured, and probes of the connection.
 * ARCHITECTURE.md lists the same files.
 */
export const PLAIN_SQL = [
  "server/base/sampling/probe.ts",
  "server/base/tenancy.ts",
  "server/events/feed.ts",
  "server/events/record.ts",
  "server/grants/ungranted.ts",
  "server/inboxes/insert.ts",
  "server/inboxes/look.ts",
  "server/inboxes/storage/count.ts",
  "server/keys/quota.ts",
  "server/messages/erase.ts",
  "server/receiving/parse-lease.ts",
  "server/receiving/plan-statements.ts",
  "server/receiving/receive-batch.ts",
  "server/receiving/receive-known.ts",
  "server/receiving/recipients.ts",
  "server/sending/lease-queued.ts",
  "server/smtp/server.ts",
  "server/webhooks/caps.ts",
  "server/webhooks/delivery/deliver.ts",
  "server/webhooks/delivery/insert-deliveries.ts",
  "server/webhooks/delivery/outcome.ts",
  "server/webhooks/delivery/record-events.ts",
  "server/webhooks/delivery/subscribers.ts",
  "server/webhooks/insert.ts",
];

/** The names that a file has for `sql` of drizzle. */
function drizzleSql(tree: Node): string[] {
  const statements = childrenOf(tree).filter((node) => textOf(node.source, "value") === "drizzle-orm");
  const named = statements.flatMap(childrenOf).filter((node) => textOf(node.imported, "name") === "sql");
  return named.map((node) => textOf(node.local, "name") ?? "");
}

/** The names that a function's parameters or a pattern declare. */
function declaredBy(node: Node): string[] {
  const params = isFunction(node) && Array.isArray(node.params) ? node.params.filter(isNode) : [];
  const parts = node.type === "ObjectPattern" ? childrenOf(node).map((part) => part.value) : params;
  return parts.map((part) => textOf(part, "name") ?? "");
}

function hasPlainSql(tree: Node): boolean {
  const drizzle = drizzleSql(tree);
  let found = false;
  visit(tree, (node) => {
    const tag = node.type === "TaggedTemplateExpression" ? namesOf(node.tag).join(".") : undefined;
    const isPlain = tag !== undefined && tag !== "String.raw" && !drizzle.includes(tag);
    const isUnsafe = node.type === "CallExpression" && namesOf(node.callee).at(-1) === "unsafe";
    // Another `sql` under the same name.
    const isHidden = declaredBy(node).some((name) => drizzle.includes(name));
    found ||= isPlain || isUnsafe || isHidden;
  });
  return found;
}

/** Statements use drizzle, except in the files of PLAIN_SQL, which all have plain SQL. */
export function plainSql(sources: Sources): string[] {
  return [...treesOf(sources)].flatMap(([path, tree]) => {
    if (!path.startsWith("server/") || hasPlainSql(tree) === PLAIN_SQL.includes(path)) return [];
    return PLAIN_SQL.includes(path)
      ? [`${path} has no plain SQL and is in PLAIN_SQL`]
      : [`${path} has plain SQL and is not in PLAIN_SQL`];
  });
}

/** The files that the rule **Plain SQL** of ARCHITECTURE.md names. */
export function plainSqlDescribed(architecture: string): string[] {
  const [, after = ""] = architecture.split("\n- **Plain SQL**");
  const [rule = ""] = after.split("\n- **");
  return [...rule.matchAll(/`(server\/[\w/.-]+\.ts)`/g)].map(([, path = ""]) => path);
}
