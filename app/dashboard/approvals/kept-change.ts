// What a member types into a held message, kept in this tab until it is saved or given up.
import { keepText } from "../parts/kept-text.ts";
import type { Revision } from "./review.ts";

/** `sha256`: of the version that the change began with. */
export type Change = Pick<Revision, "to" | "cc" | "bcc" | "subject" | "text" | "html" | "sha256">;

const PREFIX = "mailberth.changing.";

export function keptChange(id: string): Change | undefined {
  const kept = sessionStorage.getItem(PREFIX + id);
  return kept === null ? undefined : (JSON.parse(kept) as Change);
}

export function keepChange(id: string, change: Change): void {
  keepText(PREFIX + id, change);
}

export function forgetChange(id: string): void {
  sessionStorage.removeItem(PREFIX + id);
}
