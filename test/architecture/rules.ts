// The rules of ARCHITECTURE.md as functions from the source files to what breaks them. Each rule has this one keeper.
import { posix } from "node:path";

/** Path from the root → text. */
export type Sources = Map<string, string>;

const DOMAINS = [
  "organizations",
  "keys",
  "domains",
  "inboxes",
  "events",
  "extraction",
  "authentication",
  "messages",
  "webhooks",
  "system-mail",
  "payments",
  "overview",
];
const NAMES_FORBIDDEN = /^(utils?|helpers?|common|types|constants|index|misc|lib)\.tsx?$/;
const FILE_MAX_LINES = 300;
const ROOT_MAX_ENTRIES = 24;

/** Which folder of server/ writes which table. */
const OWNERS: Record<string, string> = {
  organizations: "organizations",
  domain_grants: "domains",
  enrollment_keys: "keys",
  agents: "keys",
  agent_keys: "keys",
  inboxes: "inboxes",
  storage_usage: "inboxes",
  messages: "messages",
  threads: "messages",
  raw_messages: "messages",
  attachments: "messages",
  send_usage: "messages",
  webhooks: "webhooks",
  deliveries: "webhooks",
  delivery_attempts: "webhooks",
  notices: "system-mail",
  events: "events",
  event_positions: "events",
  payments: "payments",
  users: "organizations",
  sessions: "organizations",
  accounts: "organizations",
  verifications: "organizations",
  members: "organizations",
  invitations: "organizations",
  sign_in_attempts: "organizations",
  audit_entries: "organizations",
};

type Import = { from: string; to: string; typesOnly: boolean };

/** `#server/x.ts` and relative specifiers as paths from the root; packages as they are. */
function resolve(file: string, specifier: string): string {
  if (specifier.startsWith("#")) return specifier.slice(1);
  return specifier.startsWith(".") ? posix.join(posix.dirname(file), specifier) : specifier;
}

function importsOf(sources: Sources): Import[] {
  const statement = /^(?:import|export)\s+(type\s+)?(?:[^;'"]*?\sfrom\s+)?["']([^"']+)["']/gm;
  const dynamic = /\bimport\(\s*["']([^"']+)["']\s*\)/g;
  return [...sources].flatMap(([from, text]) => [
    ...[...text.matchAll(statement)].map(([, type, to]) => ({
      from,
      to: resolve(from, to ?? ""),
      typesOnly: Boolean(type),
    })),
    ...[...text.matchAll(dynamic)].map(([, to]) => ({ from, to: resolve(from, to ?? ""), typesOnly: false })),
  ]);
}

type Place =
  | "base"
  | "composition"
  | "router"
  | "domain"
  | "api"
  | "procedures"
  | "smtp"
  | "worker"
  | "adapter"
  | "port"
  | "db"
  | "other";

function placeOf(path: string): Place {
  const [top, folder = "", file] = path.split("/");
  if (top === "db") return "db";
  if (top !== "server") return "other";
  if (file === undefined || folder === "boot") return "composition";
  if (folder === "base" || folder === "api" || folder === "procedures" || folder === "smtp" || folder === "worker")
    return folder;
  if (folder === "adapters") return "adapter";
  if (posix.basename(path) === "router.ts") return "router";
  if (folder === "ports") return "port";
  return "domain";
}

const MAY_IMPORT: Record<Place, Place[]> = {
  composition: ["composition", "base", "procedures", "api", "smtp", "worker", "domain", "adapter", "port", "db"],
  api: ["api", "procedures", "router", "domain", "base"],
  procedures: ["procedures", "base"],
  router: ["procedures", "domain", "base"],
  domain: ["domain", "port", "base", "db"],
  smtp: ["smtp", "domain", "base"],
  worker: ["worker", "base"],
  adapter: ["adapter", "port", "base", "db"],
  port: ["port", "db"],
  base: ["base", "port", "domain", "db"],
  db: ["db"],
  other: [],
};

/** Who imports whom. A base file takes only types from domains (what `Services` holds). */
export function layers(sources: Sources): string[] {
  return importsOf(sources).flatMap(({ from, to, typesOnly }) => {
    const [a, b] = [placeOf(from), placeOf(to)];
    if (a === "other" || b === "other") return [];
    if (a === "base" && b === "domain" && !typesOnly)
      return [`${from} → ${to}: the base takes types alone from domains`];
    if (a === "adapter" && b === "db" && !typesOnly) return [`${from} → ${to}: an adapter has no database`];
    return MAY_IMPORT[a].includes(b) ? [] : [`${from} → ${to}: ${a} must not import ${b}`];
  });
}

/** tRPC is for api and routers, Next for the pages' handler, the pages take types of the router alone. */
export function fences(sources: Sources): string[] {
  return importsOf(sources).flatMap(({ from, to, typesOnly }) => {
    if (/^(@trpc\/|trpc-to-openapi)/.test(to) && from.startsWith("server/")) {
      return ["api", "procedures", "router"].includes(placeOf(from))
        ? []
        : [`${from} → ${to}: only api, procedures and routers know tRPC`];
    }
    if (from.startsWith("app/") && /^(server|db)\//.test(to)) {
      return typesOnly && to === "server/api/router.ts" ? [] : [`${from} → ${to}: pages are a client of the router`];
    }
    if (from.startsWith("client/") && /^(server|db)\//.test(to)) {
      return typesOnly ? [] : [`${from} → ${to}: the client ships no server code`];
    }
    return [];
  });
}

/** Folders of server/ that are domains depend one way. */
export function domainCycles(sources: Sources): string[] {
  const folder = (path: string) => (path.startsWith("server/") ? (path.split("/")[1] ?? "") : "");
  const edges = new Map<string, Set<string>>(DOMAINS.map((name) => [name, new Set()]));
  for (const { from, to } of importsOf(sources)) {
    const [a, b] = [folder(from), folder(to)];
    // Ports belong to no domain.
    if (a !== b && placeOf(to) !== "port" && edges.has(b)) edges.get(a)?.add(b);
  }
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean =>
    [...(edges.get(from) ?? [])].some((next) => {
      if (next === to) return true;
      if (seen.has(next)) return false;
      return reaches(next, to, seen.add(next));
    });
  return DOMAINS.filter((name) => reaches(name, name)).map((name) => `server/${name} depends on itself through others`);
}

/** Anyone may read a table; only its folder writes it. */
export function tableWriters(sources: Sources): string[] {
  const camel = (table: string) => table.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return [...sources].flatMap(([path, text]) => {
    if (!path.startsWith("server/")) return [];
    return Object.entries(OWNERS).flatMap(([table, owner]) => {
      const sql = new RegExp(`\\b(insert\\s+into|update|delete\\s+from)\\s+${table}\\b(?!\\s*=)`, "i");
      const drizzle = new RegExp(`\\.(insert|update|delete)\\(\\s*${camel(table)}\\s*\\)`);
      const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
      const writes = sql.test(code) || drizzle.test(code);
      return writes && path.split("/")[1] !== owner
        ? [`${path} writes ${table}, which belongs to server/${owner}`]
        : [];
    });
  });
}

/** Settings come from env.ts, the time from the context, SQL is not in routers, errors have one class. */
export function discipline(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    if (!path.startsWith("server/")) return [];
    const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
    const place = placeOf(path);
    const broken: string[] = [];
    if (/process\.env\b/.test(code) && path !== "server/base/env.ts") broken.push("reads the environment");
    if (/(new Date\(\)|Date\.now\(\))/.test(code) && path !== "server/boot/assemble.ts")
      broken.push("reads the clock itself");
    if (place === "router" && /(\bsql`|\btry\s*\{|\.db\b)/.test(code)) broken.push("has SQL or try in a router");
    if (/^\s*(export\s+)?(abstract\s+)?class\s/m.test(code) && path !== "server/base/errors.ts")
      broken.push("declares a class");
    return broken.map((what) => `${path} ${what}`);
  });
}

/** Names that say nothing, files that are too long or do not say what they are, folders too deep. */
export function shape(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const broken: string[] = [];
    const name = posix.basename(path);
    const publicIndex = path === "client/index.ts";
    if (NAMES_FORBIDDEN.test(name) && !publicIndex) broken.push("has a name that says nothing");
    if (text.split("\n").length - 1 > FILE_MAX_LINES) broken.push(`is longer than ${FILE_MAX_LINES} lines`);
    if (!/^("use client";\n\n?|#![^\n]*\n)?\/\/ \S/.test(text))
      broken.push("does not open with a sentence saying what it is");
    if (path.startsWith("server/") && path.split("/").length > 4) broken.push("is more than two folders below server/");
    return broken.map((what) => `${path} ${what}`);
  });
}

export function rootEntries(names: string[]): string[] {
  const seen = names.filter((name) => !name.startsWith("."));
  return seen.length > ROOT_MAX_ENTRIES ? [`${seen.length} entries at the root, at most ${ROOT_MAX_ENTRIES}`] : [];
}
