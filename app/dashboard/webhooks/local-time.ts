// Times in the viewer's zone, in the format of <input type="datetime-local">.

const MINUTE_MS = 60_000;

/** The field's value for a time: "2026-11-20T09:30". */
export function toLocal(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** ISO 8601 of the field's value; undefined if it is empty or invalid. */
export function fromLocal(text: string): string | undefined {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** "Europe/Berlin". */
export function viewersZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
