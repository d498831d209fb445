// Prepares the OpenAPI document for the reference: calls go to this page's origin, and every field has an example.
import { DOCUMENT_PATH } from "../service-document.ts";

/** Examples for fields with only a pattern; the renderer would generate a random text. */
const EXAMPLE_TEXT = "string";
const SHOWS_ITSELF = ["example", "examples", "default", "enum", "const"];

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Document = { servers?: { url: string; description?: string }[]; [name: string]: unknown };

export type ApiDocument = {
  /** OpenAPI 3.1, for the renderer. */
  content: Document;
  /** More base paths for the same calls. */
  otherBases: { url: string; description: string }[];
};

function withExamples(node: Json): Json {
  if (Array.isArray(node)) return node.map(withExamples);
  if (node === null || typeof node !== "object") return node;
  const shown = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, withExamples(value)]));
  const onlyPattern = typeof node.pattern === "string" && !SHOWS_ITSELF.some((name) => name in node);
  return onlyPattern ? { ...shown, example: EXAMPLE_TEXT } : shown;
}

/** The visitor may use another name than PUBLIC_URL, and the page's policy allows calls only to its own origin. */
function here(url: string): string {
  const { pathname } = new URL(url, window.location.origin);
  return window.location.origin + pathname.replace(/\/$/, "");
}

/** @throws Error with the service's answer, or that there was none */
export async function fetchApiDocument(signal: AbortSignal): Promise<ApiDocument> {
  const response = await fetch(DOCUMENT_PATH, { signal, headers: { accept: "application/json" } });
  if (!response.ok) throw new Error(`${DOCUMENT_PATH} answered ${response.status}`);
  const document = (await response.json()) as Document;
  const [first = { url: "/" }, ...others] = document.servers ?? [];
  return {
    content: { ...(withExamples(document as Json) as Document), servers: [{ url: here(first.url) }] },
    otherBases: others.map(({ url, description = "" }) => ({ url: here(url), description })),
  };
}
