// The search over all guides, in the browser: sections that contain every word, those with words in their headings first. Where
// none does, words with a typo of one letter count too.
"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { hasWords, nearlyHasWords } from "../near-words.ts";
import type { Found } from "./content/search-index.ts";
import classes from "./guides.module.css";

const INDEX = "/guides/search.json";
const SHOWN_MAX = 12;
const BEFORE_MATCH_CHARS = 40;
const EXCERPT_CHARS = 150;

async function fetchIndex({ signal }: { signal: AbortSignal }): Promise<Found[]> {
  const answer = await fetch(INDEX, { signal });
  if (!answer.ok) throw new Error(`${INDEX} answered ${answer.status}`);
  return answer.json();
}

function search(index: Found[], words: string[]): Found[] {
  const texts = index.map((found) => ({ found, all: `${found.guide} ${found.heading} ${found.text}`.toLowerCase() }));
  const exact = texts.filter(({ all }) => hasWords(all, words));
  const near = exact.length > 0 ? exact : texts.filter(({ all }) => nearlyHasWords(all, words));
  const ranked = near.map(({ found }) => {
    const heading = found.heading.toLowerCase();
    return { found, rank: words.filter((word) => nearlyHasWords(heading, [word])).length };
  });
  return ranked
    .sort((one, other) => other.rank - one.rank)
    .slice(0, SHOWN_MAX)
    .map(({ found }) => found);
}

/** The text around the first word that is found. */
function excerpt(text: string, words: string[]): string {
  const places = words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...places, text.length) - BEFORE_MATCH_CHARS);
  const from = start === 0 || places.length === 0 ? 0 : text.indexOf(" ", start) + 1;
  return `${from > 0 ? "… " : ""}${text.slice(from, from + EXCERPT_CHARS)}${from + EXCERPT_CHARS < text.length ? " …" : ""}`;
}

export function Search() {
  const id = useId();
  const [isUsed, setUsed] = useState(false);
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // What was typed before the script had loaded.
  useEffect(() => {
    const typed = field.current?.value ?? "";
    if (typed === "") return;
    setUsed(true);
    setText(typed);
  }, []);
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const { data, error } = useQuery({
    queryKey: ["guides-search"],
    queryFn: fetchIndex,
    enabled: isUsed,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <search>
      <label htmlFor={id} className="visually-hidden">
        Search the guides
      </label>
      <input
        ref={field}
        id={id}
        type="search"
        className="search-field"
        placeholder="Search the guides"
        autoComplete="off"
        value={text}
        onFocus={() => setUsed(true)}
        onChange={(event) => {
          setUsed(true);
          setText(event.target.value);
        }}
      />
      {words.length > 0 && data && <Results found={search(data, words)} words={words} />}
      {words.length > 0 && error && (
        <p role="alert" className="fine">
          The search could not be loaded: {error.message}. Reload the page.
        </p>
      )}
    </search>
  );
}

function Results({ found, words }: { found: Found[]; words: string[] }) {
  return (
    <div className={classes.results}>
      <p role="status" className="fine">
        {found.length === 0 ? `No guide contains “${words.join(" ")}”.` : `${found.length} found`}
      </p>
      <ul aria-label="Found">
        {found.map(({ href, guide, heading, text }) => (
          <li key={href}>
            <a href={href}>
              <strong>{heading === guide ? guide : `${guide}: ${heading}`}</strong>
              <span>{excerpt(text, words)}</span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
