// Which folder may import which, and that no import leads back to where it started.
import { posix } from "node:path";
import { importsOf, type Sources } from "./source.ts";

/** The folders of server/ that are not nouns of the interface. Every other one is. */
const LAYERS = ["base", "procedures", "api", "smtp", "adapters", "boot"] as const;
/** The programs. */
const PROGRAMS = ["server/main.ts", "server/admin.ts"];
const CHOOSES_ADAPTERS = "server/boot/assemble.ts";

const PORTS = "server/base/ports/";

type Place = (typeof LAYERS)[number] | "ports" | "program" | "router" | "noun" | "stray" | "db" | "other";

const MAY_IMPORT: Record<Place, Place[]> = {
  program: ["boot", "base", "api", "smtp", "noun", "ports", "db"],
  boot: ["boot", "base", "procedures", "api", "smtp", "noun", "adapters", "ports", "db"],
  api: ["api", "procedures", "router", "noun", "base"],
  smtp: ["smtp", "noun", "base"],
  router: ["procedures", "noun", "base"],
  noun: ["noun", "ports", "base", "db"],
  procedures: ["procedures", "base"],
  adapters: ["adapters", "ports", "base", "db"],
  base: ["base", "ports", "db"],
  ports: ["ports", "db"],
  stray: [],
  db: ["db"],
  other: [],
};

function placeOf(path: string): Place {
  const [top, folder = "", file] = path.split("/");
  if (top === "db") return "db";
  if (top !== "server") return "other";
  if (file === undefined) return PROGRAMS.includes(path) ? "program" : "stray";
  if (path.startsWith(PORTS)) return "ports";
  const layer = LAYERS.find((name) => name === folder);
  return layer ?? (/(^|-)router\.ts$/.test(posix.basename(path)) ? "router" : "noun");
}

export function layers(sources: Sources): string[] {
  return importsOf(sources).flatMap(({ from, to, typesOnly }) => {
    const [a, b] = [placeOf(from), placeOf(to)];
    if (a === "other" || b === "other") return [];
    if (a === "adapters" && b === "db" && !typesOnly) return [`${from} → ${to}: an adapter has no database`];
    if (b === "adapters" && a !== "adapters" && from !== CHOOSES_ADAPTERS) {
      return [`${from} → ${to}: only ${CHOOSES_ADAPTERS} chooses adapters`];
    }
    return MAY_IMPORT[a].includes(b) ? [] : [`${from} → ${to}: ${a} must not import ${b}`];
  });
}

/** tRPC is for api, procedures and routers; pages and client take only the router's types. */
export function fences(sources: Sources): string[] {
  return importsOf(sources).flatMap(({ from, to, typesOnly }) => {
    if (/^(@trpc\/|trpc-to-openapi)/.test(to) && from.startsWith("server/")) {
      const knows = ["api", "procedures", "router"].includes(placeOf(from));
      return knows ? [] : [`${from} → ${to}: only api, procedures and routers know tRPC`];
    }
    if (from.startsWith("app/") && /^(server|db)\//.test(to)) {
      const isAllowedType = typesOnly && /^server\/api\/(router|next-door)\.ts$/.test(to);
      return isAllowedType ? [] : [`${from} → ${to}: pages are a client of the router`];
    }
    if (from.startsWith("app/dashboard/parts/") && to.startsWith("app/dashboard/session/")) {
      return [`${from} → ${to}: shared parts do not know the session`];
    }
    if (from.startsWith("client/") && !from.startsWith("client/demo/") && /^(server|db)\//.test(to)) {
      // The command is in the package of the service: it gives the hints of the API, and lists the records of a domain as the service does.
      const isShared = SHARED_WITH_COMMAND.includes(`${from} ${to}`);
      return typesOnly || isShared ? [] : [`${from} → ${to}: the client ships no server code`];
    }
    return [];
  });
}

const SHARED_WITH_COMMAND = [
  "client/command/program.ts server/procedures/near-names.ts",
  "client/command/init-command.ts server/base/addresses.ts",
  "client/command/init-command.ts server/domains/dns/expected.ts",
];

type Arrows = Map<string, Set<string>>;

function addArrow(arrows: Arrows, from: string, to: string): void {
  arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
}

/** A shortest way from `start` back to it. */
function wayBack(arrows: Arrows, start: string): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const at of queue) {
    for (const next of arrows.get(at) ?? []) {
      if (next === start) {
        const way = [at];
        while (way[0] !== start) way.unshift(cameFrom.get(way[0] ?? "") ?? start);
        return [...way, start];
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, at);
      queue.push(next);
    }
  }
  return undefined;
}

/** Each circle once, as its shortest way round. */
function circlesOf(arrows: Arrows): string[] {
  const seen = new Set<string>();
  return [...arrows.keys()].flatMap((start) => {
    const way = seen.has(start) ? undefined : wayBack(arrows, start);
    for (const place of way ?? []) seen.add(place);
    return way ? [way.join(" → ")] : [];
  });
}

/** No file imports itself through others, be it for a type alone. */
export function fileCircles(sources: Sources): string[] {
  const arrows: Arrows = new Map();
  for (const { from, to } of importsOf(sources)) if (sources.has(to)) addArrow(arrows, from, to);
  return circlesOf(arrows);
}

/** No folder of server/ does: neither the nouns as a whole, nor their folders apart. */
export function folderCircles(sources: Sources): string[] {
  const whole: Arrows = new Map();
  const apart: Arrows = new Map();
  for (const { from, to } of importsOf(sources)) {
    if (!from.startsWith("server/") || !to.startsWith("server/")) continue;
    const [a, b] = [posix.dirname(from), posix.dirname(to)];
    if (a !== b) addArrow(apart, a, b);
    const [x, y] = [a, b].map((folder) => folder.split("/").slice(0, 2).join("/")) as [string, string];
    if (x !== y) addArrow(whole, x, y);
  }
  return [...circlesOf(apart), ...circlesOf(whole)];
}
