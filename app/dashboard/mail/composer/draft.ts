// What is being written. It is stored in this tab on every change, so that it survives a reload; saving.ts stores it on
// the service.
"use client";
import { useRef, useState } from "react";
import { forgetText, keepText, keptText } from "../../parts/kept-text.ts";
import type { MailFile } from "./files.ts";

export type Draft = {
  to: string[];
  cc: string[];
  bcc: string[];
  subject: string;
  /** With `html`, its plain text. */
  text: string;
  /** Null: plain text. Empty: formatted, and nothing is written. */
  html: string | null;
  /** For a reply: whether it goes to all recipients. */
  all: boolean;
  /** The idempotency key of a forward: a second click, or a retry after a lost answer, sends nothing twice. */
  key: string;
  /**
   * For a reply: the thread's newest message when it was started; the service refuses the reply if there is a newer
   * one.
   */
  expected: string | null;
  /** The draft on the service, and the revision that this one is based on. */
  server: { id: string; revision: number } | null;
  /** The files that the service has of it. */
  stored: Omit<MailFile, "content">[];
};

/** What the service can refuse in a draft. */
export type Field = "to" | "cc" | "bcc" | "subject" | "text" | "html";

const KEY_WORDS = 4;

function newKey(): string {
  // randomUUID is not available on plain http.
  return `draft-${[...crypto.getRandomValues(new Uint32Array(KEY_WORDS))].map((word) => word.toString(36)).join("")}`;
}

function emptyDraft(begin: Partial<Draft>): Draft {
  const empty = {
    to: [],
    cc: [],
    bcc: [],
    subject: "",
    text: "",
    html: null,
    all: false,
    expected: null,
    server: null,
    stored: [],
  };
  return { ...empty, ...begin, key: newKey() };
}

export function hasDraft(place: string): boolean {
  return keptText(place) !== undefined;
}

/** The draft on the service whose text this tab has, if any. */
export function serverOf(place: string): Draft["server"] {
  return keptText<Draft>(place)?.server ?? null;
}

/**
 * @param place the purpose of the draft: `reply:msg_…`
 * @param begin the initial draft
 */
export function useDraft(place: string, begin: Partial<Draft>) {
  const [isFromTab] = useState(() => hasDraft(place));
  const [draft, setDraft] = useState(() => keptText<Draft>(place) ?? emptyDraft(begin));
  const latest = useRef(draft);

  /** Also after the form was closed, when a save ends. */
  function change(part: Partial<Draft>) {
    latest.current = { ...latest.current, ...part };
    keepText(place, latest.current);
    setDraft(latest.current);
  }

  return {
    draft,
    isFromTab,
    change,
    /** Another draft and another key, after the message with the old ones was sent. */
    renew: () => change({ key: newKey(), server: null, stored: [] }),
    forget: () => forgetText(place),
    /** Stores it in this tab again. */
    restore: (kept: Draft) => keepText(place, kept),
  };
}

export function isBlank({ to, cc, bcc, subject, text, html }: Draft): boolean {
  return [...to, ...cc, ...bcc].length === 0 && [subject, text, html ?? ""].every((each) => each.trim() === "");
}

/** Splits `Ann <a@b.example>, "Doe, J" <j@d.example>`; a comma in quotes does not separate. */
export function recipientsOf(text: string): string[] {
  const parts = text.match(/(?:"[^"]*"|[^,;\n"])+/g) ?? [];
  return parts.map((part) => part.trim()).filter(Boolean);
}
