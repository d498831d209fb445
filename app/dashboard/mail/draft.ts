// A draft: what somebody types, kept in this tab with every letter, with the key by which the service takes it once.
"use client";
import { useState } from "react";

export type Draft = {
  to: string;
  cc: string;
  bcc: string;
  subject: string;
  text: string;
  /** Of a reply: whether it goes to everybody. */
  all: boolean;
  /** The idempotency key: a second click, or a retry after a lost answer, sends nothing twice. */
  key: string;
  /** Of a reply: the thread's newest message when it was begun; it is refused when something came since. */
  expected: string | null;
};

const PREFIX = "mailberth.draft.";
const KEY_WORDS = 4;

function newKey(): string {
  // randomUUID is not there on plain http.
  return `draft-${[...crypto.getRandomValues(new Uint32Array(KEY_WORDS))].map((word) => word.toString(36)).join("")}`;
}

function emptyDraft(begin: Partial<Draft>): Draft {
  return { to: "", cc: "", bcc: "", subject: "", text: "", all: false, expected: null, ...begin, key: newKey() };
}

function readDraft(place: string): Draft | undefined {
  const kept = sessionStorage.getItem(PREFIX + place);
  return kept === null ? undefined : (JSON.parse(kept) as Draft);
}

export function hasDraft(place: string): boolean {
  return sessionStorage.getItem(PREFIX + place) !== null;
}

/** @param place what the draft is for: `reply:msg_…`; @param begin what it holds when there was none */
export function useDraft(place: string, begin: Partial<Draft>) {
  const [draft, setDraft] = useState(() => readDraft(place) ?? emptyDraft(begin));

  function change(part: Partial<Draft>) {
    setDraft((before) => {
      const next = { ...before, ...part };
      sessionStorage.setItem(PREFIX + place, JSON.stringify(next));
      return next;
    });
  }

  return {
    draft,
    change,
    /** For a message of its own, when the one with the old key has been sent. */
    renew: () => change({ key: newKey() }),
    forget: () => sessionStorage.removeItem(PREFIX + place),
  };
}

/** `Ann <a@b.example>, "Doe, J" <j@d.example>` in parts; a comma in quotes parts nothing. */
export function recipientsOf(text: string): string[] {
  const parts = text.match(/(?:"[^"]*"|[^,;\n"])+/g) ?? [];
  return parts.map((part) => part.trim()).filter(Boolean);
}
