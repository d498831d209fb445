// Writes a conversation within a number of characters: facts first, each text once, every cut marked. Pure, linear in the texts.
import { withoutMarker } from "./html/visible-text.ts";

/** Of the room, what the newest message may take while others have facts. */
const NEWEST_SHARE = 0.75;
/** Longer sentences are cut at a space. */
const SENTENCE_CHARS = 400;
const UNITS_OF_MESSAGE = 1_000;
const UNITS = 6_000;
/** Shorter texts ("Yes", "Hello Ana") are no repetition. */
const REPEATED_CHARS = 20;
/** A greeting, a name, a closing line. */
const PLAIN_CHARS = 30;
/** What a mark of a cut takes with its offset, without the marker; and a line about messages that are left out. */
const CUT_CHARS = 28;
const RUN_CHARS = 120;
/** Each pass uses what the estimates of the one before left. */
const PASSES = 4;
/** A number, an address, a price, a question: what a reader looks for. */
const FACT = /[\p{Nd}@?？؟;%\p{Sc}]|:\/\//u;
const SENTENCE_END = /(?<=[.!?…]["”»)]?)\s+(?=\S)|(?<=[。！？।])(?=.)/u;
/** A company's notice at the end of a mail has two of these. */
const NOTICE =
  /confidential|privileged|intended (?:solely |only )?for|intended recipient|disclaimer|received .{0,20}in error|unsubscribe|vertraulich|irrtümlich|confidentiel|destinataire|confidencial|destinat[aá]rio|riservat|vertrouwelijk|poufn|конфиденциальн|機密|机密/giu;
const NOTICE_CHARS = 80;

/**
 * A message of a conversation. `head`: what its first line says of it. `text`: its new part. `readable`: the text that offsets of
 * cuts count in, of which `text` is a part.
 */
export type Said = { id: string; head: string; text: string; readable: string };

/** A line or a sentence of it. */
type Unit = { of: Said; text: string; begins: number; endsLine: boolean; rank: Rank };
/** 0: a fact, 1: other words, 2: greetings, names and closing lines, 3: a notice, which is left out. */
type Rank = 0 | 1 | 2 | 3;

/**
 * A conversation, oldest message first, that takes at most `room` characters as a JSON string. Each message has a line
 * `[marker id head]` and its text; texts that a newer message repeats are left out. If not all fits, the newest message
 * comes first, then sentences with numbers, addresses, prices and questions, then the others, from the newest message to the oldest.
 * `[marker cut: offset N]`: text is missing here, which begins N characters into the message's `readable`.
 * @param messages oldest first
 * @param marker letters and digits made for this answer, so that no sender can write such lines
 * @param older how many messages of the conversation come before these
 */
export function digestOf(
  messages: Said[],
  { room, marker, older }: { room: number; marker: string; older: number },
): string {
  const { units, unread } = unitsOf(messages, marker);
  const shown = messages.slice(unread);
  const write = (kept: Set<Unit>) => written(shown, units, kept, { marker, older: older + unread });
  const all = new Set(units.filter(({ rank }) => rank < 3));
  const whole = write(all);
  if (sizeOf(whole) <= room) return whole;
  const kept = new Set<Unit>();
  const opened = new Set<Said>();
  for (let pass = 0; pass < PASSES; pass += 1) {
    const left = room - sizeOf(write(kept));
    choose(units, { kept, opened, left: left - (pass === 0 ? RUN_CHARS : 0), marker });
  }
  return write(kept);
}

/** Adds what fits into `left`, by estimates that are never too small. */
function choose(
  units: Unit[],
  { kept, opened, left, marker }: { kept: Set<Unit>; opened: Set<Said>; left: number; marker: string },
): void {
  let free = left;
  const take = (unit: Unit, limit: number): number => {
    const opening = opened.has(unit.of) ? 0 : sizeOf(headOf(unit.of, marker)) + RUN_CHARS + CUT_CHARS + marker.length;
    const size = sizeOf(unit.text) + CUT_CHARS + marker.length + opening;
    if (kept.has(unit) || size > Math.min(free, limit)) return 0;
    free -= size;
    kept.add(unit);
    opened.add(unit.of);
    return size;
  };
  const newest = units.at(-1)?.of;
  const others = units.some((unit) => unit.of !== newest && unit.rank === 0 && !kept.has(unit));
  let share = others ? free * NEWEST_SHARE : free;
  for (const unit of units) if (unit.of === newest && unit.rank < 3) share -= take(unit, share);
  const newestFirst = [...Map.groupBy(units, ({ of }) => of).values()].reverse();
  for (const rank of [0, 1, 2]) {
    for (const unit of newestFirst.flat()) if (unit.rank === rank) take(unit, free);
  }
}

/**
 * The units of the messages, without what a newer message repeats.
 * @returns `unread`: how many messages, from the oldest, there was no time for
 */
function unitsOf(messages: Said[], marker: string): { units: Unit[]; unread: number } {
  const seen = new Set<string>();
  const found: Unit[][] = [];
  let count = 0;
  let unread = messages.length;
  for (const message of messages.toReversed()) {
    if (count >= UNITS) break;
    unread -= 1;
    const own = unitsIn(message, marker);
    const fresh = own.filter(({ text }) => text.length < REPEATED_CHARS || !seen.has(keyOf(text)));
    for (const { text } of own) seen.add(keyOf(text));
    found.push(fresh.length > 0 ? fresh : [{ of: message, text: "", begins: 0, endsLine: true, rank: 1 }]);
    count += own.length;
  }
  return { units: found.reverse().flat(), unread };
}

const keyOf = (text: string) => text.replace(/[\s>]+/g, " ").toLowerCase();

function unitsIn(message: Said, marker: string): Unit[] {
  const lines = withoutMarker(message.text, marker).split("\n", UNITS_OF_MESSAGE + 1);
  const noticeFrom = noticeStart(lines);
  const offsetOf = offsetsIn(message.readable);
  const units: Unit[] = [];
  for (const [at, line] of lines.entries()) {
    const trimmed = line.trim();
    if (trimmed === "") continue;
    const begins = offsetOf(trimmed);
    const sentences = trimmed.split(SENTENCE_END).flatMap(chunksOf);
    let within = 0;
    for (const [i, sentence] of sentences.entries()) {
      within = Math.max(trimmed.indexOf(sentence, within), within);
      const rank = at >= noticeFrom ? 3 : rankOf(sentence);
      units.push({ of: message, text: sentence, begins: begins + within, endsLine: i === sentences.length - 1, rank });
      within += sentence.length;
      if (units.length === UNITS_OF_MESSAGE) return units;
    }
  }
  return units;
}

function rankOf(text: string): Rank {
  if (FACT.test(text)) return 0;
  return text.length < PLAIN_CHARS ? 2 : 1;
}

/** Pieces of at most SENTENCE_CHARS, ended at a space where there is one. */
function chunksOf(sentence: string): string[] {
  const chunks: string[] = [];
  let from = 0;
  while (sentence.length - from > SENTENCE_CHARS) {
    const space = sentence.lastIndexOf(" ", from + SENTENCE_CHARS);
    const to = space > from ? space : wholeCharacters(sentence, from + SENTENCE_CHARS);
    chunks.push(sentence.slice(from, to).trim());
    from = to;
  }
  return [...chunks, sentence.slice(from).trim()].filter((chunk) => chunk !== "");
}

/** The offset, or the one before it if it is inside a surrogate pair. */
export function wholeCharacters(text: string, offset: number): number {
  const code = text.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset;
}

/** The line from which on there are only notices. */
function noticeStart(lines: string[]): number {
  let start = lines.length;
  let paragraph: string[] = [];
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at]?.trim() ?? "";
    if (line !== "") paragraph.push(line);
    if ((line !== "" && at > 0) || paragraph.length === 0) continue;
    const text = paragraph.join(" ");
    const words = new Set(text.toLowerCase().match(NOTICE));
    // A mail that is nothing else says so itself.
    if (text.length < NOTICE_CHARS || words.size < 2 || at === 0) return start;
    start = at;
    paragraph = [];
  }
  return start;
}

/** Where lines begin in a text, each after the one before; for one that is not there, where that ended. */
function offsetsIn(readable: string): (line: string) => number {
  const places = new Map<string, { at: number[]; next: number }>();
  let offset = 0;
  for (const line of readable.split("\n")) {
    const trimmed = line.trim();
    const place = places.get(trimmed) ?? { at: [], next: 0 };
    place.at.push(offset + line.indexOf(trimmed));
    places.set(trimmed, place);
    offset += line.length + 1;
  }
  let from = 0;
  return (line) => {
    const place = places.get(line);
    while (place && (place.at[place.next] ?? from) < from) place.next += 1;
    const at = place?.at[place.next];
    if (at === undefined) return from;
    from = at + line.length;
    return at;
  };
}

const headOf = ({ id, head }: Said, marker: string) => `\n\n[${marker} ${id} ${withoutMarker(head, marker)}]\n`;

/** The characters of a text in JSON. */
const sizeOf = (text: string) => JSON.stringify(text).length - 2;

function written(
  messages: Said[],
  units: Unit[],
  kept: Set<Unit>,
  { marker, older }: { marker: string; older: number },
): string {
  const byMessage = Map.groupBy(units, ({ of }) => of);
  let text = older > 0 ? `[${marker} left out: ${older} older messages]` : "";
  let run: string[] = [];
  const endRun = () => {
    if (run.length > 0) text += `\n\n[${marker} left out: ${run.length} messages, ${run[0]} to ${run.at(-1)}]`;
    run = [];
  };
  for (const message of messages) {
    const own = byMessage.get(message) ?? [];
    if (!own.some((unit) => kept.has(unit))) {
      run.push(message.id);
      continue;
    }
    endRun();
    text += headOf(message, marker);
    let wasCut = false;
    for (const unit of own) {
      if (kept.has(unit)) text += unit.text + (unit.endsLine ? "\n" : " ");
      else if (!wasCut) text += `[${marker} cut: offset ${unit.begins}]${unit.endsLine ? "\n" : " "}`;
      wasCut = !kept.has(unit);
    }
    text = text.trimEnd();
  }
  endRun();
  return text.trimStart();
}
