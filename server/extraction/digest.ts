// Writes a conversation within a number of characters: facts first, each text once, every cut marked. Pure, linear in the texts.
import { withoutMarker } from "./html/visible-text.ts";
import { NOTICE } from "./reply-phrases.ts";
import { wholeCharacters } from "./whole-characters.ts";

/** Of the room, what the newest message has before facts of the others, where these do not all fit. */
const NEWEST_SHARE = 0.3;
/** Longer sentences are cut at a space. */
const SENTENCE_CHARS = 400;
const UNITS_OF_MESSAGE = 1_000;
const UNITS = 6_000;
/** Shorter texts ("Yes", "Hello Ana") are no repetition. */
const REPEATED_CHARS = 20;
/** A greeting, a name, a closing line. */
const PLAIN_CHARS = 30;
/** What a mark of a cut takes with its offset, without the marker; and a line about messages that are left out. */
const CUT_CHARS = 20;
const RUN_CHARS = 120;
/** Each pass uses what the estimates of the one before left. */
const PASSES = 4;
/** A number, an address, a price, a question: what a reader looks for. */
const FACT = /[\p{Nd}@?？؟\u037e%\p{Sc}]|:\/\/|[か吗嗎呢]\s*。?$/u;
/** Not after what may be an abbreviation ("St."). */
const SENTENCE_END = /(?<=(?:[!?…]|\S{4}\.)["”»)]?)\s+(?=\S)|(?<=[。！？।])(?=.)/u;
const NOTICE_CHARS = 80;

/**
 * A message of a conversation. `head`: what its first line says of it. `text`: its new part. `readable`: the text that offsets of
 * cuts count in, of which `text` is a part.
 */
export type Said = { id: string; head: string; text: string; readable: string };

/** A line or a sentence of it. */
type Unit = { of: Said; text: string; begins: number; endsLine: boolean; isQuoted: boolean; rank: Rank };
/** Stands for a message that adds nothing. */
const NO_TEXT = { text: "", begins: 0, endsLine: true, isQuoted: false, rank: 1 } as const;
/** 0: a fact, 1: other words, 2: greetings, names and closing lines, 3: a notice, which is left out. */
type Rank = 0 | 1 | 2 | 3;

/**
 * A conversation, oldest message first, that takes at most `room` characters as a JSON string. Each message has a line
 * `[marker id head]` and its text; texts that a newer message repeats are left out. If not all fits, sentences with
 * numbers, addresses, prices and questions come first, then the newest message, then the others, from the newest to the oldest.
 * `[marker cut N]`: text is missing here, which begins N characters into the message's `readable`.
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
  // If all facts fit, they come first; else the newest message has its share.
  const facts = fitting(units, { room, marker, write, share: 0 });
  const isWhole = units.every((unit) => unit.rank > 0 || facts.has(unit));
  return write(isWhole ? facts : fitting(units, { room, marker, write, share: NEWEST_SHARE }));
}

type Fitting = { room: number; marker: string; write: (kept: Set<Unit>) => string; share: number };

function fitting(units: Unit[], { room, marker, write, share }: Fitting): Set<Unit> {
  const kept = new Set<Unit>();
  const opened = new Set<Said>();
  for (let pass = 0; pass < PASSES; pass += 1) {
    const left = room - sizeOf(write(kept)) - (pass === 0 ? RUN_CHARS : 0);
    choose(units, { kept, opened, left, share: pass === 0 ? left * share : 0, marker });
  }
  return kept;
}

/** Adds what fits into `left`, by estimates that are never too small. */
function choose(
  units: Unit[],
  {
    kept,
    opened,
    left,
    share,
    marker,
  }: {
    kept: Set<Unit>;
    opened: Set<Said>;
    left: number;
    share: number;
    marker: string;
  },
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
  const newestFirst = [...Map.groupBy(units, ({ of }) => of).values()].reverse();
  const rest = newestFirst.slice(1).flat();
  const own = units.filter((unit) => unit.of === newest && unit.rank < 3);
  let ofNewest = share;
  for (const unit of own) ofNewest -= take(unit, ofNewest);
  for (const unit of [...own, ...rest]) if (unit.rank === 0) take(unit, free);
  for (const unit of own) take(unit, free);
  for (const rank of [1, 2]) for (const unit of rest) if (unit.rank === rank) take(unit, free);
}

/**
 * The units of the messages, without what another message says too: of quoted lines the quote is left out, as in a forwarded
 * conversation, else the older message's.
 * @returns `unread`: how many messages, from the oldest, there was no time for
 */
function unitsOf(messages: Said[], marker: string): { units: Unit[]; unread: number } {
  const read: { message: Said; own: Unit[] }[] = [];
  for (let count = 0; read.length < messages.length && count < UNITS; count += read.at(-1)?.own.length ?? 0) {
    const message = messages[messages.length - 1 - read.length];
    if (message) read.push({ message, own: unitsIn(message, marker) });
  }
  const isLong = ({ text }: Unit) => text.length >= REPEATED_CHARS;
  const written = new Set(
    read.flatMap(({ own }) => own.filter((unit) => !unit.isQuoted).map(({ text }) => keyOf(text))),
  );
  const seen = new Set<string>();
  const found = read.map(({ message, own }) => {
    const isElsewhere = ({ isQuoted, text }: Unit) => (isQuoted && written.has(keyOf(text))) || seen.has(keyOf(text));
    const fresh = own.filter((unit) => !(isLong(unit) && isElsewhere(unit)));
    for (const { text } of own) seen.add(keyOf(text));
    return fresh.length > 0 ? fresh : [{ ...NO_TEXT, of: message }];
  });
  return { units: found.reverse().flat(), unread: messages.length - read.length };
}

const keyOf = (text: string) =>
  text
    .replace(/[\s>]+/g, " ")
    .trim()
    .toLowerCase();

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
    const isQuoted = trimmed.startsWith(">");
    let within = 0;
    for (const [i, sentence] of sentences.entries()) {
      within = Math.max(trimmed.indexOf(sentence, within), within);
      const rank = at >= noticeFrom ? 3 : rankOf(sentence);
      units.push({
        of: message,
        text: sentence,
        begins: begins + within,
        endsLine: i === sentences.length - 1,
        isQuoted,
        rank,
      });
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
      else if (!wasCut) text += `[${marker} cut ${unit.begins}]${unit.endsLine ? "\n" : " "}`;
      wasCut = !kept.has(unit);
    }
    text = text.trimEnd();
  }
  endRun();
  return text.trimStart();
}
