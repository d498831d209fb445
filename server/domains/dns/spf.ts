// Compares the SPF records of a name with the mechanisms that mail from here needs (RFC 7208).
import type { Expected, Judgement } from "./expected.ts";

const FIX_CHARS = 450;
const VERSION = "v=spf1";

/** The terms after the version, without a `+`, which is the default qualifier. */
function termsOf(record: string): string[] {
  return record
    .trim()
    .split(/\s+/)
    .slice(1)
    .map((term) => (term.startsWith("+") ? term.slice(1) : term));
}

function isAll(term: string): boolean {
  return /^[~?-]?all$/i.test(term);
}

/** A receiver ignores what follows `all` (RFC 7208 §5.1). */
function effective(record: string): string[] {
  const terms = termsOf(record);
  const end = terms.findIndex(isAll);
  return end === -1 ? terms : terms.slice(0, end);
}

/** One record with the needed mechanisms first, the others after them, and the last `all` or `redirect`. */
function merged(needed: string[], records: string[]): string {
  const terms = records.flatMap(effective);
  const isEnd = (term: string) => /^redirect=/i.test(term);
  const others = terms.filter((term) => !isEnd(term) && !needed.includes(term.toLowerCase()));
  const end =
    records
      .flatMap(termsOf)
      .filter((term) => isAll(term) || isEnd(term))
      .at(-1) ?? "~all";
  return [VERSION, ...new Set([...needed, ...others]), end].join(" ");
}

/** @returns undefined if the name has no SPF record */
export function judgeSpf(expected: Expected, values: string[]): Judgement | undefined {
  const records = values.filter((value) => /^v=spf1(\s|$)/i.test(value));
  const [only] = records;
  if (only === undefined) return undefined;
  const needed = effective(expected.value).map((term) => term.toLowerCase());
  const one = merged(needed, records).slice(0, FIX_CHARS);
  if (records.length > 1) {
    const fix = `Merge the ${records.length} SPF records of ${expected.name} into one TXT record: ${one}`;
    return { status: "mismatch", observed: records, fix };
  }
  const present = effective(only).map((term) => term.toLowerCase());
  if (needed.every((term) => present.includes(term))) return { status: "found", observed: records, fix: null };
  return { status: "mismatch", observed: records, fix: `Change the TXT record ${expected.name} to: ${one}` };
}
