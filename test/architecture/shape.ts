// What a file may hold: its name, its heading, where settings, the clock, SQL, classes and state may be.
import { posix } from "node:path";
import { childrenOf, importsOf, isNode, type Node, namesOf, type Sources, treesOf } from "./source.ts";

const NAMES_FORBIDDEN = /^(utils?|helpers?|common|types|constants|index|misc|lib)\.tsx?$/;
/** Programs beside the library that client/ ships. */
const isProgram = (path: string) => path.startsWith("client/demo/") || path === "client/build.ts";

/** Settings come from env.ts, the time from the context, SQL is not in routers, errors have one class. */
export function discipline(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    if (!path.startsWith("server/")) return [];
    const code = text.replace(/^\s*(\/\/|\*|\/\*).*$/gm, "");
    const isRouter = /(^|-)router\.ts$/.test(posix.basename(path));
    const broken: string[] = [];
    if (/process\.env\b/.test(code) && path !== "server/base/env.ts") broken.push("reads the environment");
    if (/(new Date\(\)|Date\.now\(\))/.test(code) && path !== "server/boot/assemble.ts")
      broken.push("reads the clock itself");
    if (isRouter && /(\bsql`|\btry\s*\{|\.db\b)/.test(code)) broken.push("has SQL or try in a router");
    if (/^\s*(export\s+)?(abstract\s+)?class\s/m.test(code) && path !== "server/base/errors.ts")
      broken.push("declares a class");
    return broken.map((what) => `${path} ${what}`);
  });
}

/** `let`, and an empty collection to be filled: what a module remembers between calls, for all services of a process. */
function holdsState(statement: Node, isThread: boolean): boolean {
  const declared = isNode(statement.declaration) ? statement.declaration : statement;
  if (declared.type !== "VariableDeclaration" || declared.declare === true) return false;
  if (declared.kind !== "const") return true;
  return childrenOf(declared).some(({ init }) => {
    if (isThread || !isNode(init) || init.type !== "NewExpression") return false;
    const made = namesOf(init.callee).join(".");
    const isEmpty = Array.isArray(init.arguments) && init.arguments.length === 0;
    return ["WeakMap", "WeakSet", "LRUCache"].includes(made) || (isEmpty && ["Map", "Set"].includes(made));
  });
}

/** State of a process is a field of its services, never of a module. The program of a thread may keep a collection. */
export function moduleState(sources: Sources): string[] {
  return [...treesOf(sources)].flatMap(([path, tree]) => {
    if (!/^(server|db|client)\//.test(path) || isProgram(path)) return [];
    const isThread = path.endsWith("-worker.ts");
    return childrenOf(tree).some((statement) => holdsState(statement, isThread))
      ? [`${path} keeps state in the module`]
      : [];
  });
}

/** Names that say nothing, files that do not say what they are, folders too deep. */
export function headed(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const broken: string[] = [];
    const name = posix.basename(path);
    const publicIndex = path === "client/index.ts";
    if (NAMES_FORBIDDEN.test(name) && !publicIndex) broken.push("has a name that says nothing");
    if (!/^("use client";\n\n?|#![^\n]*\n)?\/\/ \S/.test(text))
      broken.push("does not open with a sentence saying what it is");
    if (path.startsWith("server/") && path.split("/").length > 4) broken.push("is more than two folders below server/");
    return broken.map((what) => `${path} ${what}`);
  });
}

/** A file that a comment names, alone or with the end of its path. */
const NAMED = /(?<![\w/.@"#-])(?:[\w-]+\/)*[a-z][\w.-]*\.tsx?(?![\w"])/g;
const COMMENT = /^\s*(?:\/\/|\/?\*).*$|\/\/ .*$/gm;

/** Comments name files that exist. */
export function named(sources: Sources): string[] {
  const paths = [...sources.keys()].map((path) => `/${path}`);
  return [...sources].flatMap(([path, text]) => {
    if (!/^(server|db|app)\//.test(path)) return [];
    const files = (text.match(COMMENT) ?? []).flatMap((comment) => comment.match(NAMED) ?? []);
    const gone = files.filter((file) => !paths.some((each) => each.endsWith(`/${file}`)));
    return gone.map((file) => `${path} names ${file}, which is not there`);
  });
}

/** Tests that go across folders, by what they do. */
const ACROSS = [
  "architecture",
  "campaign",
  "contracts",
  "docs",
  "examples",
  "flows",
  "mutants",
  "ops",
  "prose",
  "races",
  "security",
  "support",
];

/** A test stands in the folder that is named after the one that it tests. */
export function mirror(sources: Sources): string[] {
  const folders = new Set([...sources.keys()].map(posix.dirname));
  return [...sources.keys()].flatMap((path) => {
    if (!path.startsWith("test/") || !path.endsWith(".test.ts")) return [];
    const folder = posix.dirname(path).slice("test/".length);
    const isAcross = ACROSS.includes(folder.split("/")[0] ?? "");
    const isKnown =
      isAcross || folders.has(`server/${folder}`) || folders.has(folder) || sources.has(`server/${folder}.ts`);
    return isKnown ? [] : [`${path} is named after no folder of the source`];
  });
}

/** The rows of ARCHITECTURE.md's table, by the first folder that each names. */
function rowsOf(architecture: string): Map<string, string> {
  const rows = architecture.split("\n").filter((line) => line.startsWith("| `"));
  return new Map(rows.map((row) => [row.split("`")[1] ?? "", row]));
}

/** ARCHITECTURE.md has a row for each folder of server/, which names the folders in it. */
export function described(sources: Sources, architecture: string): string[] {
  const rows = rowsOf(architecture);
  const folders = new Set([...sources.keys()].filter((path) => /^server\/.+\//.test(path)).map(posix.dirname));
  return [...folders].flatMap((folder) => {
    const [, room, inner] = folder.split("/");
    const row = rows.get(`server/${room}/`);
    const isNamed = row !== undefined && (inner === undefined || row.includes(`\`${inner}/\``));
    return isNamed ? [] : [`${folder}/ is not described`];
  });
}

/** Its rows stand in the order of imports. */
export function ordered(sources: Sources, architecture: string): string[] {
  const places = [...rowsOf(architecture).keys()];
  const placeOf = (path: string) => places.indexOf(`${path.split("/").slice(0, 2).join("/")}/`);
  return importsOf(sources).flatMap(({ from, to }) => {
    const [a, b] = [placeOf(from), placeOf(to)];
    return b >= 0 && a > b ? [`${from} → ${to}: its row stands below`] : [];
  });
}
