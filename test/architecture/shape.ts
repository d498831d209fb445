// What a file may hold, and how much of it: names, headings, lines, functions, parameters, files in a folder.
import { posix } from "node:path";
import {
  childrenOf,
  functionName,
  isFunction,
  isNode,
  linesOf,
  type Node,
  namesOf,
  type Sources,
  treesOf,
  visit,
} from "./source.ts";

const NAMES_FORBIDDEN = /^(utils?|helpers?|common|types|constants|index|misc|lib)\.tsx?$/;
const FILE_MAX_LINES = 300;
const ROOT_MAX_ENTRIES = 24;
const FUNCTION_MAX_LINES = 40;
/** A component of the pages, most of which is markup: its code without the markup has the limit of every function. */
const COMPONENT_MAX_LINES = 120;
const PARAMETERS_MAX = 4;
const FOLDER_MAX_FILES = 20;
/** Shipped code: the rules on functions and state hold here. */
const SHIPPED = /^(server|db|client|app)\//;
/** Programs beside the library that client/ ships. */
const isProgram = (path: string) => path.startsWith("client/demo/") || path === "client/build.ts";

/** Folders with another limit. */
const FOLDER_FILES: Record<string, number> = {
  server: 4,
  "app/dashboard": 12,
  // One file for each thing that a mail can hold: a step of reading is found by its name.
  "server/extraction": 31,
  // One page each, or a part of one.
  app: 21,
  "app/dashboard/webhooks": 25,
  "app/dashboard/parts": 22,
};

/** Functions that are longer, with their lines: none may grow. */
const LONG_FUNCTIONS: Record<string, number> = {
  // A table of texts and commands.
  "app/enrol-story.tsx steps": 43,
  // Hooks of one dialog or one list, whose functions share its state.
  "app/dashboard/inboxes/create-inbox.tsx Form": 41,
};

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

/** Lines of a function without the markup in it. */
function codeLines(text: string, node: Node): number {
  let markup = 0;
  visit(node, (inner) => {
    if (inner.type !== "JSXElement" && inner.type !== "JSXFragment") return true;
    markup += linesOf(text, inner) - 1;
    return false;
  });
  return linesOf(text, node) - markup;
}

/** Lines of a function that count against its limit; the markup of a component does not. */
function countedLines(path: string, text: string, node: Node): number {
  const lines = linesOf(text, node);
  const isComponent = path.startsWith("app/") && path.endsWith(".tsx") && lines <= COMPONENT_MAX_LINES;
  return isComponent ? codeLines(text, node) : lines;
}

function tooLong(path: string, text: string, node: Node, name: string): string | undefined {
  const counted = countedLines(path, text, node);
  const most = LONG_FUNCTIONS[`${path} ${name}`] ?? FUNCTION_MAX_LINES;
  return counted > most ? `${path}: ${name} has ${counted} lines, at most ${most}` : undefined;
}

/** Entries of LONG_FUNCTIONS whose function is gone, or is short enough or shorter now. */
export function staleLongFunctions(sources: Sources, long = LONG_FUNCTIONS): string[] {
  return Object.entries(long).flatMap(([entry, lines]) => {
    const [path = "", name] = entry.split(" ");
    const tree = treesOf(sources).get(path);
    let counted = 0;
    if (tree)
      visit(tree, (node, around) => {
        if (isFunction(node) && functionName(node, around) === name)
          counted = Math.max(counted, countedLines(path, sources.get(path) ?? "", node));
      });
    return counted === lines ? [] : [`${entry} has ${counted} lines, LONG_FUNCTIONS says ${lines}`];
  });
}

/** Functions read in one sitting. */
export function functions(sources: Sources): string[] {
  return [...treesOf(sources)].flatMap(([path, tree]) => {
    const text = sources.get(path) ?? "";
    const broken: string[] = [];
    if (!SHIPPED.test(path) || isProgram(path)) return [];
    visit(tree, (node, around) => {
      if (!isFunction(node)) return;
      const name = functionName(node, around);
      const many = Array.isArray(node.params) ? node.params.length : 0;
      if (many > PARAMETERS_MAX) broken.push(`${path}: ${name} has ${many} parameters, at most ${PARAMETERS_MAX}`);
      const long = tooLong(path, text, node, name);
      if (long) broken.push(long);
    });
    return broken;
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

/** A folder is seen at a glance. */
export function folders(sources: Sources): string[] {
  const counts = Map.groupBy(
    [...sources.keys()].filter((path) => SHIPPED.test(path)),
    posix.dirname,
  );
  return [...counts].flatMap(([folder, paths]) => {
    const most = FOLDER_FILES[folder] ?? FOLDER_MAX_FILES;
    return paths.length > most ? [`${folder}/ holds ${paths.length} files, at most ${most}`] : [];
  });
}

export function rootEntries(names: string[]): string[] {
  const seen = names.filter((name) => !name.startsWith("."));
  return seen.length > ROOT_MAX_ENTRIES ? [`${seen.length} entries at the root, at most ${ROOT_MAX_ENTRIES}`] : [];
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

/** ARCHITECTURE.md says in a row of its table what each folder of server/ is for. */
export function described(sources: Sources, architecture: string): string[] {
  const rows = architecture.split("\n").filter((line) => line.startsWith("|"));
  const folders = new Set([...sources.keys()].filter((path) => path.startsWith("server/")).map(posix.dirname));
  return [...folders]
    .filter((folder) => !rows.some((row) => row.includes(`\`${folder}/\``)))
    .map((folder) => `${folder}/ is not described`);
}
