// Reads source files as syntax trees: their imports, their functions, and the lines that these take.
import { posix } from "node:path";
import { parseAst } from "rolldown/parseAst";

/** Path from the root → text. */
export type Sources = Map<string, string>;

export type Node = { type: string; start: number; end: number; [field: string]: unknown };

export type Import = { from: string; to: string; typesOnly: boolean };

const EXTENSIONS = ["", ".ts", ".tsx"];

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function treeOf(path: string, text: string): Node {
  const tree: unknown = parseAst(text, { lang: path.endsWith("x") ? "tsx" : "ts" }, path);
  if (!isNode(tree)) throw new Error(`${path} was not parsed`);
  return tree;
}

export function childrenOf(node: Node): Node[] {
  return Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  );
}

/** Calls `enter` with every node and the nodes around it, the nearest last. What `enter` returns false for is not entered. */
export function visit(node: Node, enter: (node: Node, around: Node[]) => unknown, around: Node[] = []): void {
  if (enter(node, around) === false) return;
  for (const child of childrenOf(node)) visit(child, enter, [...around, node]);
}

/** The text of a field, as `name` of an identifier or `value` of a string. */
export function textOf(node: unknown, field: string): string | undefined {
  const value = isNode(node) ? node[field] : undefined;
  return typeof value === "string" ? value : undefined;
}

/** `ctx.outbound.send` as its names; an expression that is no name gives an empty one. */
export function namesOf(node: unknown): string[] {
  if (!isNode(node)) return [];
  if (node.type === "Identifier") return [textOf(node, "name") ?? ""];
  if (node.type === "MemberExpression") return [...namesOf(node.object), textOf(node.property, "name") ?? ""];
  if (node.type === "ChainExpression") return namesOf(node.expression);
  return [""];
}

export function isFunction(node: Node): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) && isNode(node.body);
}

/** `#server/x.ts` and relative specifiers as paths from the root; packages as they are. */
function resolve(sources: Sources, file: string, specifier: string): string {
  if (!/^[#.]/.test(specifier)) return specifier;
  const path = specifier.startsWith("#") ? specifier.slice(1) : posix.join(posix.dirname(file), specifier);
  return EXTENSIONS.map((extension) => path + extension).find((each) => sources.has(each)) ?? path;
}

/** What a node imports: statements, `import()`, `import("…")` types, and a thread's program in `new URL("…", import.meta.url)`. */
function importOf(node: Node): { specifier: string; typesOnly: boolean } | undefined {
  const source = isNode(node.source) ? node.source : undefined;
  const specifier = textOf(source, "value");
  if (/^(ImportDeclaration|Export(Named|All)Declaration)$/.test(node.type) && specifier !== undefined) {
    const kind = node.importKind ?? node.exportKind;
    return { specifier, typesOnly: kind === "type" };
  }
  if (node.type === "ImportExpression" && specifier !== undefined) return { specifier, typesOnly: false };
  if (node.type === "TSImportType" && specifier !== undefined) return { specifier, typesOnly: true };
  const [file, base] = node.type === "NewExpression" && Array.isArray(node.arguments) ? node.arguments : [];
  const program = namesOf(node.callee).join() === "URL" && isNode(base) ? textOf(file, "value") : undefined;
  return program !== undefined && /\.tsx?$/.test(program) ? { specifier: program, typesOnly: false } : undefined;
}

export function importsIn(sources: Sources, from: string, tree: Node): Import[] {
  const found: Import[] = [];
  visit(tree, (node) => {
    const imported = importOf(node);
    if (imported) found.push({ from, to: resolve(sources, from, imported.specifier), typesOnly: imported.typesOnly });
  });
  return found;
}

const parsed = new WeakMap<Sources, Map<string, Node>>();

/** The syntax trees of all files, parsed once. */
export function treesOf(sources: Sources): Map<string, Node> {
  const known = parsed.get(sources) ?? new Map([...sources].map(([path, text]) => [path, treeOf(path, text)]));
  parsed.set(sources, known);
  return known;
}

const imported = new WeakMap<Sources, Import[]>();

export function importsOf(sources: Sources): Import[] {
  const known =
    imported.get(sources) ?? [...treesOf(sources)].flatMap(([path, tree]) => importsIn(sources, path, tree));
  imported.set(sources, known);
  return known;
}
