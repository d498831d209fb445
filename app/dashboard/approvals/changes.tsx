// The differences between the revisions of a held message, the newest first.
"use client";
import { diffLines, diffWordsWithSpace } from "diff";
import { Time } from "../parts/time.tsx";
import classes from "./approvals.module.css";
import type { Revision } from "./review.ts";

/** Longer bodies are compared line by line, and not at all after this time. */
const WORDS_CHARS = 20_000;
const TIMEOUT_MS = 500;

const FIELDS = ["to", "cc", "bcc", "subject", "text", "html"] as const;
const LABELS: Record<(typeof FIELDS)[number], string> = {
  to: "To",
  cc: "Cc",
  bcc: "Bcc",
  subject: "Subject",
  text: "Text",
  html: "HTML",
};

export default function Changes({ revisions }: { revisions: Revision[] }) {
  const pairs = revisions.slice(1).map((after, i) => ({ before: revisions[i] as Revision, after }));
  return (
    <ol className={classes.revisions}>
      {pairs.toReversed().map(({ before, after }) => (
        <li key={after.revision}>
          <p className={classes.soft}>
            Revision {after.revision}, by {after.author}, <Time at={after.created_at} />
          </p>
          <Fields before={before} after={after} />
        </li>
      ))}
    </ol>
  );
}

function wordsOf(value: string[] | string | null): string {
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}

function Fields({ before, after }: { before: Revision; after: Revision }) {
  const changed = FIELDS.filter((field) => wordsOf(before[field]) !== wordsOf(after[field]));
  if (changed.length === 0) return <p>Nothing was changed.</p>;
  return (
    <dl className={classes.headers}>
      {changed.map((field) => (
        <div key={field}>
          <dt>{LABELS[field]}</dt>
          <dd>
            <Difference before={wordsOf(before[field])} after={wordsOf(after[field])} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Difference({ before, after }: { before: string; after: string }) {
  const isLong = before.length + after.length > WORDS_CHARS;
  const limit = { timeout: TIMEOUT_MS };
  const parts = (isLong ? diffLines(before, after, limit) : diffWordsWithSpace(before, after, limit)) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  return (
    <pre className={classes.body}>
      {parts.map(({ value, added, removed }, i) => {
        const key = `${i} ${value.length}`;
        if (added) return <ins key={key}>{value}</ins>;
        return removed ? <del key={key}>{value}</del> : <span key={key}>{value}</span>;
      })}
    </pre>
  );
}
