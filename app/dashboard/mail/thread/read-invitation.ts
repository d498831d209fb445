// Reads an invitation from the text of a calendar file (RFC 5545): its first event. A stranger wrote it: nothing of it is followed, and
// every text is cut.

/** Of the text that the service returns in one piece. */
const LINES_MAX = 2_000;
const LINE_CHARS_MAX = 4_000;
const TEXT_CHARS_MAX = 300;
const GUESTS_MAX = 50;

/** `zone`: as the mail names it; empty: none, the time is that of each reader. */
type Moment = { at: Date; isDay: boolean; zone: string };
export type Invitation = {
  method: string;
  summary: string;
  location: string;
  start: Moment | undefined;
  end: Moment | undefined;
  repeats: boolean;
  isCancelled: boolean;
  organizer: string;
  guests: string[];
};

type Property = { name: string; parameters: Map<string, string>; value: string };

/** @returns undefined if the text has no event */
export function readInvitation(text: string): Invitation | undefined {
  const found: Invitation = {
    method: "",
    summary: "",
    location: "",
    start: undefined,
    end: undefined,
    repeats: false,
    isCancelled: false,
    organizer: "",
    guests: [],
  };
  const open: string[] = [];
  let hasEvent = false;
  for (const line of text.split(/\r?\n/, LINES_MAX)) {
    const property = readProperty(line.slice(0, LINE_CHARS_MAX));
    if (!property) continue;
    const { name, value } = property;
    if (name === "BEGIN") {
      open.push(value.toUpperCase());
      hasEvent ||= value.toUpperCase() === "VEVENT";
    } else if (name === "END") {
      if (open.pop() === "VEVENT") break;
    } else if (name === "METHOD" && open.length === 1) found.method = value.toUpperCase();
    else if (open.at(-1) === "VEVENT") take(found, property);
  }
  return hasEvent ? found : undefined;
}

function take(found: Invitation, { name, parameters, value }: Property): void {
  if (name === "SUMMARY") found.summary ||= textOf(value);
  else if (name === "LOCATION") found.location ||= textOf(value);
  else if (name === "DTSTART") found.start ??= momentOf(value, parameters);
  else if (name === "DTEND") found.end ??= momentOf(value, parameters);
  else if (name === "RRULE") found.repeats = true;
  else if (name === "STATUS") found.isCancelled = value.toUpperCase() === "CANCELLED";
  else if (name === "ORGANIZER") found.organizer ||= personOf(value, parameters);
  else if (name === "ATTENDEE" && found.guests.length < GUESTS_MAX) found.guests.push(personOf(value, parameters));
}

/** `NAME;PARAMETER=x;OTHER="y:z":value`. */
function readProperty(line: string): Property | undefined {
  const [start = "", ...rest] = line.match(/[^;:"]+|"[^"]*"|[;:]/g) ?? [];
  if (!/^[A-Za-z-]+$/.test(start)) return;
  const parameters = new Map<string, string>();
  let length = start.length;
  let name = "";
  for (const token of rest) {
    length += token.length;
    if (token === ":") return { name: start.toUpperCase(), parameters, value: line.slice(length).trim() };
    if (token === ";") continue;
    const [key = "", value] = token.split("=", 2);
    if (token.startsWith('"')) parameters.set(name, token.slice(1, -1));
    else {
      name = key.toUpperCase();
      parameters.set(name, value ?? "");
    }
  }
  return;
}

function textOf(value: string): string {
  const plain = value.replace(/\\n/gi, " ").replace(/\\([\\,;])/g, "$1");
  return plain
    .replace(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, TEXT_CHARS_MAX);
}

/** The name and the address, since a name alone may be anybody's. */
function personOf(value: string, parameters: Map<string, string>): string {
  const address = textOf(value.replace(/^mailto:/i, ""));
  const name = textOf(parameters.get("CN") ?? "");
  return name === "" || name === address ? address : `${name} <${address}>`;
}

/** The clock of `zone`, as a Date whose UTC fields are those of the clock; in UTC, the moment itself. */
function momentOf(value: string, parameters: Map<string, string>): Moment | undefined {
  const parts = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(value);
  if (!parts) return;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0] = parts.slice(1, 6).map((part) => Number(part ?? 0));
  const at = new Date(Date.UTC(year, month - 1, day, hour, minute));
  const isDay = parts[4] === undefined;
  return { at, isDay, zone: parts[7] ? "UTC" : textOf(parameters.get("TZID") ?? "") };
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const IN_UTC = { timeZone: "UTC" } as const;
const day = new Intl.DateTimeFormat("en", {
  ...IN_UTC,
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
});
const time = new Intl.DateTimeFormat("en", { ...IN_UTC, hour: "2-digit", minute: "2-digit", hourCycle: "h23" });

/** "Mon, Nov 30, 2026, 14:00–15:00 (Europe/Berlin)"; times in UTC also in the zone of this browser. */
export function whenOf({ start, end }: Invitation): string {
  if (!start) return "";
  const { isDay, zone } = start;
  if (isDay) {
    // The end is the day after the last one.
    const last = end && new Date(end.at.getTime() - DAY_MS);
    return last && last > start.at ? `${day.format(start.at)} – ${day.format(last)}` : day.format(start.at);
  }
  if (zone === "UTC") {
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const own = here === "UTC" ? "" : ` (${rangeOf(hereOf(start.at), end && hereOf(end.at))} in ${here})`;
    return `${rangeOf(start.at, end?.at)} UTC${own}`;
  }
  const named = (text: string, of: string) => (of === "" ? text : `${text} (${of})`);
  if (!end || end.zone === zone) return named(rangeOf(start.at, end?.at), zone);
  return `${named(rangeOf(start.at, undefined), zone)} until ${named(rangeOf(end.at, undefined), end.zone)}`;
}

function hereOf(at: Date): Date {
  return new Date(at.getTime() - at.getTimezoneOffset() * MINUTE_MS);
}

function rangeOf(start: Date, end: Date | undefined): string {
  const from = `${day.format(start)}, ${time.format(start)}`;
  if (!end || end <= start) return from;
  const isSameDay = day.format(start) === day.format(end);
  return `${from}–${isSameDay ? "" : `${day.format(end)}, `}${time.format(end)}`;
}
