// What a member types and the service does not have yet, kept in this tab. A text that is too long for the tab is not kept.
const OWNER = "mailberth.member";
const PREFIX = "mailberth.typed.";

/** @param key of the thing that is written: `reply:msg_…` */
export function keptText<Text>(key: string): Text | undefined {
  const kept = sessionStorage.getItem(PREFIX + key);
  return kept === null ? undefined : (JSON.parse(kept) as Text);
}

export function keepText(key: string, text: object): void {
  try {
    sessionStorage.setItem(PREFIX + key, JSON.stringify(text));
  } catch {
    // There is no room. An older text must not come back in its place.
    forgetText(key);
  }
}

export function forgetText(key: string): void {
  sessionStorage.removeItem(PREFIX + key);
}

/** Forgets the texts of the member who used this tab before. */
export function keepTextsOf(email: string): void {
  if (sessionStorage.getItem(OWNER) === email) return;
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  sessionStorage.setItem(OWNER, email);
}
