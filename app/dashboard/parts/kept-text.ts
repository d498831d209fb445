// What a member types and the service does not have yet, kept in this tab. A text that is too long for the tab is not kept.
const OWNER = "mailberth.member";
const PREFIXES = ["mailberth.writing.", "mailberth.changing."];

export function keepText(key: string, value: unknown): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // There is no room. An older text must not come back in its place.
    sessionStorage.removeItem(key);
  }
}

/** Forgets the texts of the member who used this tab before. */
export function keepTextsOf(email: string): void {
  if (sessionStorage.getItem(OWNER) === email) return;
  for (const key of Object.keys(sessionStorage)) {
    if (PREFIXES.some((prefix) => key.startsWith(prefix))) sessionStorage.removeItem(key);
  }
  sessionStorage.setItem(OWNER, email);
}
