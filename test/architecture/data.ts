// Who writes which table, and what a transaction may do.
import {
  childrenOf,
  importsIn,
  isFunction,
  isNode,
  type Node,
  namesOf,
  type Sources,
  textOf,
  treesOf,
  visit,
} from "./source.ts";

/** Which folder of server/ writes which table. */
const OWNERS: Record<string, string | string[]> = {
  organizations: "organizations",
  domain_grants: "grants",
  domains: "domains",
  dkim_keys: "domains",
  provider_removals: "domains",
  enrollment_keys: "keys",
  agents: "keys",
  agent_keys: "keys",
  inboxes: "inboxes",
  storage_usage: "inboxes",
  // Written as mail comes in, as it is read and deleted, and as it leaves.
  messages: ["receiving", "messages", "recipients", "sending"],
  trashed_messages: "messages",
  dismissed_failures: "messages",
  threads: ["receiving", "messages", "sending"],
  message_recipients: ["receiving", "recipients", "sending"],
  raw_messages: ["blobs", "receiving", "messages"],
  attachments: ["blobs", "messages", "sending", "uploads"],
  blob_orphans: "blobs",
  send_usage: "recipients",
  send_totals: "recipients",
  sending_states: "recipients",
  sending_pauses: "pauses",
  correspondents: "recipients",
  suppressions: "recipients",
  list_entries: "recipients",
  retention_policies: "messages",
  spam_policies: "messages",
  scheduled_sends: ["recipients", "sending"],
  expected_replies: "sending",
  drafts: "sending",
  draft_versions: "sending",
  uploads: "uploads",
  review_policies: "sending",
  reviews: "sending",
  review_revisions: "sending",
  approved_recipients: "sending",
  provider_events: "receiving",
  webhooks: "webhooks",
  deliveries: "webhooks",
  delivery_attempts: "webhooks",
  notices: "system-mail",
  letter_passes: "system-mail",
  notice_addresses: "system-mail",
  notice_routes: "organizations",
  postmaster_days: "receiving",
  events: "events",
  event_positions: "events",
  payments: "payments",
  users: "organizations",
  sessions: "organizations",
  accounts: "organizations",
  second_factors: "organizations",
  verifications: "organizations",
  mailbox_leases: "messages",
  wait_ends: "messages",
  idempotency_keys: "base",
  members: "organizations",
  invitations: "organizations",
  sign_in_attempts: "organizations",
  audit_entries: "organizations",
  activity: ["activity", "undo"],
  api_calls: "calls",
  app_connections: "keys",
  oauth_clients: "keys",
  oauth_access_tokens: "keys",
  oauth_refresh_tokens: "keys",
  oauth_client_assertions: "keys",
  oauth_client_resources: "keys",
  oauth_consents: "keys",
  oauth_resources: "keys",
};
/** Erases all mail of a mailbox in one transaction, whichever folder wrote it. */
const ERASER = "server/messages/erase.ts";
const ERASED = ["blobs", "receiving", "recipients", "sending"];
const ownersOf = (table: string) => [OWNERS[table] ?? []].flat();
/** Stands for an expression inside SQL. */
const HOLE = "§";
const WRITES =
  /(?<!\b(?:for|do|key)\s+)\b(?:insert\s+into|update|delete\s+from|truncate|merge\s+into|copy)\s+(?:table\s+)?(?:only\s+)?(?:"?\w+"?\s*\.\s*)?"?([a-z_]+|§)/gi;
const SQL_COMMENTS = /\/\*[\s\S]*?\*\/|--[^\n]*/g;
const DRIZZLE_WRITES = ["insert", "update", "delete"];
/** Declare which rows of a table a worker job writes. */
const DECLARE_WRITES = ["deleteOld", "makeDue"];
const NAMES_OF_TABLES = new Map(
  Object.keys(OWNERS).map((table) => [table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()), table]),
);
/** Calls that go over the network, or wait. */
const NETWORK = new Set([
  "outbound",
  "blobs",
  "dns",
  "facilitator",
  "chain",
  "fetch",
  "lookup",
  "createConnection",
  "sleep",
  "delay",
]);
const OPENS_TRANSACTION = ["begin", "transaction", "savepoint"];

function textOfTemplate(node: Node): string {
  const quasis = Array.isArray(node.quasis) ? node.quasis.filter(isNode) : [];
  return quasis.map((part) => textOf(part.value, "cooked") ?? cookedOf(part)).join(HOLE);
}

function cookedOf({ value }: Node): string {
  return typeof value === "object" && value !== null && "cooked" in value ? String(value.cooked) : "";
}

/** Tables that a piece of SQL writes; `HOLE` where an expression names the table. */
function written(sql: string): string[] {
  return [...sql.replace(SQL_COMMENTS, " ").matchAll(WRITES)].map(([, table = ""]) => table.toLowerCase());
}

/** The table that drizzle writes: `insert(inboxes)`, `tables.inboxes`, or an import under another name. */
function drizzleWrite(node: Node, renamed: Map<string, string>): string | undefined {
  const [target] = node.type === "CallExpression" && Array.isArray(node.arguments) ? node.arguments : [];
  if (DECLARE_WRITES.includes(textOf(node.callee, "name") ?? "")) return tableNamed(declaredTable(target), renamed);
  const verb = isNode(node.callee) && node.callee.type === "MemberExpression" ? namesOf(node.callee).at(-1) : undefined;
  if (!verb || !DRIZZLE_WRITES.includes(verb)) return undefined;
  return tableNamed(target, renamed);
}

function tableNamed(target: unknown, renamed: Map<string, string>): string | undefined {
  const name = namesOf(target).at(-1) ?? "";
  return NAMES_OF_TABLES.get(renamed.get(name) ?? name);
}

/** `deleteOld({ table: events, … })` */
function declaredTable(declared: unknown): unknown {
  const properties = isNode(declared) ? childrenOf(declared) : [];
  return properties.find((property) => textOf(property.key, "name") === "table")?.value;
}

/** Local name → name in the file that it is imported from. */
function renamedImports(tree: Node): Map<string, string> {
  const renamed = new Map<string, string>();
  visit(tree, (node) => {
    const local = textOf(node.local, "name");
    if (node.type === "ImportSpecifier" && local) renamed.set(local, textOf(node.imported, "name") ?? local);
  });
  return renamed;
}

function writesIn(tree: Node): string[] {
  const renamed = renamedImports(tree);
  const found: string[] = [];
  visit(tree, (node, around) => {
    if (node.type === "TemplateLiteral") {
      const isTagged = around.at(-1)?.type === "TaggedTemplateExpression";
      found.push(...written(textOfTemplate(node)).filter((table) => isTagged || table in OWNERS));
    }
    if (node.type === "Literal") {
      found.push(...written(textOf(node, "value") ?? "").filter((table) => table in OWNERS));
    }
    const table = drizzleWrite(node, renamed);
    if (table) found.push(table);
  });
  return found;
}

/** Any folder may read a table; only its own writes it, and says its name where it does. */
export function tableWriters(sources: Sources): string[] {
  return [...treesOf(sources)].flatMap(([path, tree]) => {
    if (!path.startsWith("server/")) return [];
    return writesIn(tree).flatMap((table) => {
      if (table === HOLE) return [`${path} writes a table that its SQL does not name`];
      if (!(table in OWNERS)) return [`${path} writes ${table}, which test/architecture/data.ts does not know`];
      const owners = ownersOf(table);
      const may = path === ERASER ? [...ERASED, "messages"] : [path.split("/")[1] ?? ""];
      return owners.some((owner) => may.includes(owner))
        ? []
        : [`${path} writes ${table}, which belongs to server/${owners.join(" and server/")}`];
    });
  });
}

/** Every table of the schema has an owner. */
export function ownedTables(sources: Sources): string[] {
  return [...treesOf(sources)].flatMap(([path, tree]) => {
    const found: string[] = [];
    if (path.startsWith("db/schema/")) {
      visit(tree, (node) => {
        const [name] = namesOf(node.callee).at(-1) === "pgTable" && Array.isArray(node.arguments) ? node.arguments : [];
        const table = textOf(name, "value");
        if (table && !(table in OWNERS)) found.push(`${path}: no folder owns the table ${table}`);
      });
    }
    return found;
  });
}

/** `path#name` of functions declared in files, and for each file what its names stand for. */
type Program = { functions: Map<string, Node>; names: Map<string, Map<string, string>> };

/** Local name → `path#name`; a namespace import gives `path#*`. */
function namesIn(sources: Sources, path: string, tree: Node): Map<string, string> {
  const names = new Map<string, string>();
  for (const statement of childrenOf(tree).filter((node) => node.type === "ImportDeclaration")) {
    const [target] = importsIn(sources, path, statement);
    for (const specifier of childrenOf(statement)) {
      const local = textOf(specifier.local, "name");
      if (!local || !target) continue;
      const isAll = specifier.type === "ImportNamespaceSpecifier";
      names.set(local, `${target.to}#${isAll ? "*" : (textOf(specifier.imported, "name") ?? local)}`);
    }
  }
  return names;
}

function programOf(sources: Sources): Program {
  const program: Program = { functions: new Map(), names: new Map() };
  for (const [path, tree] of treesOf(sources)) {
    if (!path.startsWith("server/")) continue;
    const names = namesIn(sources, path, tree);
    for (const statement of childrenOf(tree)) {
      const declared =
        statement.type.startsWith("Export") && isNode(statement.declaration) ? statement.declaration : statement;
      for (const node of [declared, ...childrenOf(declared)]) {
        const name = textOf(node.id, "name");
        const body = isFunction(node) ? node : isNode(node.init) && isFunction(node.init) ? node.init : undefined;
        if (!name || !body) continue;
        names.set(name, `${path}#${name}`);
        program.functions.set(`${path}#${name}`, body);
      }
    }
    program.names.set(path, names);
  }
  return program;
}

/** The names of functions that a body uses, whether it calls them or hands them on. */
function usedIn(body: Node, names: Map<string, string>): string[] {
  const used: string[] = [];
  visit(body, (node) => {
    if (node.type === "MemberExpression") {
      const [first = "", second = ""] = namesOf(node);
      const all = names.get(first);
      if (all?.endsWith("#*")) used.push(all.replace("*", second));
    }
    const known = node.type === "Identifier" ? names.get(textOf(node, "name") ?? "") : undefined;
    if (known) used.push(known);
  });
  return used;
}

function networkCalls(body: Node): string[] {
  const calls: string[] = [];
  visit(body, (node) => {
    const names = node.type === "CallExpression" ? namesOf(node.callee) : [];
    if (names.some((name) => NETWORK.has(name))) calls.push(names.join("."));
  });
  return calls;
}

/** Nothing that a transaction runs, through any number of functions, goes over the network or waits for a time. */
export function transactions(sources: Sources): string[] {
  const program = programOf(sources);
  return [...treesOf(sources)].flatMap(([path, tree]) => {
    const found: string[] = [];
    const names = program.names.get(path);
    if (!names) return [];
    visit(tree, (node) => {
      const opens = node.type === "CallExpression" && OPENS_TRANSACTION.includes(namesOf(node.callee).at(-1) ?? "");
      if (!opens || !Array.isArray(node.arguments)) return;
      for (const work of node.arguments.filter(isNode)) {
        const bodies = new Map([[path, work]]);
        const queue = usedIn(work, names);
        for (const name of queue) {
          const body = bodies.has(name) ? undefined : program.functions.get(name);
          if (!body) continue;
          bodies.set(name, body);
          queue.push(...usedIn(body, program.names.get(name.split("#")[0] ?? "") ?? new Map()));
        }
        for (const [name, body] of bodies) {
          for (const call of networkCalls(body)) found.push(`${path}: ${name} calls ${call} inside a transaction`);
        }
      }
    });
    return found;
  });
}
