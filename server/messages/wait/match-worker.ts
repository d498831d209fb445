// Compiles and applies the patterns of waits, in a thread of the pool. Patterns and texts are untrusted.
import { LRUCache } from "lru-cache";
import { RE2JS } from "re2js";

/** Cached compiled patterns, because a wait applies one to many mails. */
const PATTERNS = 50;
/** Counted repetitions multiply: `(a{1000})` is 1,000 instructions. Matching time grows with instructions × text. */
const INSTRUCTIONS_MAX = 2_000;
const REASON_CHARS = 200;

/** Without `text` the pattern is only compiled. */
type MatchQuestion = { pattern: string; text?: string };
/** `refused`: what is wrong with the pattern and what to do. */
type MatchAnswer = { found: boolean } | { refused: string };

const compiled = new LRUCache<string, RE2JS>({ max: PATTERNS });

function compile(pattern: string): RE2JS | { refused: string } {
  const known = compiled.get(pattern);
  if (known) return known;
  try {
    const made = RE2JS.compile(pattern);
    const size = made.programSize();
    if (size > INSTRUCTIONS_MAX) {
      const refused = `The pattern compiles to ${size} instructions; at most ${INSTRUCTIONS_MAX.toLocaleString("en-US")} are allowed. Use fewer or smaller counted repetitions such as a{100}.`;
      return { refused };
    }
    compiled.set(pattern, made);
    return made;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { refused: `not a regular expression in RE2 syntax: ${reason.slice(0, REASON_CHARS)}` };
  }
}

export function answer({ pattern, text }: MatchQuestion): MatchAnswer {
  const made = compile(pattern);
  if ("refused" in made) return made;
  return { found: text !== undefined && made.matcher(text).find() };
}
