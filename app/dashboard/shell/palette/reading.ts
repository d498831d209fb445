// The guides and the calls of the reference that the palette finds: by their headings and names, also with a typo of one letter.
"use client";
import { useQuery } from "@tanstack/react-query";
import type { Found } from "../../../guides/content/search-index.ts";
import { hasWords, nearlyHasWords } from "../../../near-words.ts";
import { DOCUMENT_PATH } from "../../../service-document.ts";

const INDEX = "/guides/search.json";
const CHARS_MIN = 3;
const SHOWN_MAX = 4;

type Named = { kind: string; name: string; href: string; detail?: string };
type Document = { paths: Record<string, Record<string, { operationId?: string; summary?: string }>> };

async function fetchJson<Answer>(path: string, signal: AbortSignal): Promise<Answer> {
  const answer = await fetch(path, { signal });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
  return answer.json();
}

/** Sections of guides by their headings, and calls by their summaries and paths. Both change only when the service restarts. */
export function useReading(text: string): { finds: Named[]; isLoading: boolean } {
  const enabled = text.split(/\s+/).every(({ length }) => length >= CHARS_MIN);
  const options = { enabled, staleTime: Number.POSITIVE_INFINITY, retry: false } as const;
  const guides = useQuery({
    queryKey: ["guides-search"],
    queryFn: ({ signal }) => fetchJson<Found[]>(INDEX, signal),
    ...options,
  });
  const calls = useQuery({
    queryKey: ["palette-calls"],
    queryFn: async ({ signal }) => callsOf(await fetchJson<Document>(DOCUMENT_PATH, signal)),
    ...options,
  });
  if (!options.enabled) return { finds: [], isLoading: false };
  const sections = (guides.data ?? []).map(({ href, guide, heading }) => ({
    kind: "Guide",
    name: heading,
    href,
    ...(heading !== guide && { detail: guide }),
  }));
  return {
    finds: [...found(sections, text), ...found(calls.data ?? [], text)],
    isLoading: guides.isLoading || calls.isLoading,
  };
}

function callsOf({ paths }: Document): Named[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, summary }]) =>
      operationId === undefined || summary === undefined
        ? []
        : { kind: "Call", name: summary, href: `/docs#${operationId}`, detail: `${method.toUpperCase()} ${path}` },
    ),
  );
}

function found(all: Named[], text: string): Named[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isNamed = ({ name }: Named) => nearlyHasWords(name.toLowerCase(), words);
  const matching = (matches: typeof hasWords) =>
    all.filter(({ name, detail = "" }) => matches(`${name} ${detail}`.toLowerCase(), words));
  const exact = matching(hasWords);
  const found = exact.length > 0 ? exact : matching(nearlyHasWords);
  return [...found.filter(isNamed), ...found.filter((each) => !isNamed(each))].slice(0, SHOWN_MAX);
}
