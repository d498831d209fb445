// Mail in one file that mail programs read (mboxrd), from which the exact bytes come back.
import { createReadStream } from "node:fs";

/** Ends each mail: one newline, and the empty line that the format wants. */
const END = Buffer.from("\n\n");
const NEWLINE = 0x0a;
const QUOTE = 0x3e;
const FROM = Buffer.from("From ");
/** More than a mail may have (SMTP_MAX_BYTES is at most this in practice, and a file must not fill the memory). */
const MAIL_MAX_BYTES = 256 * 1024 * 1024;

/** Of a row with an attachment in hex, or of a mail without newlines. */
const LINE_MAX_BYTES = MAIL_MAX_BYTES;

/** Lines with their newlines. */
function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at);
    const next = end < 0 ? bytes.length : end + 1;
    yield bytes.subarray(at, next);
    at = next;
  }
}

/** Whether a line is `From ` after so many `>`. */
function isFrom(line: Buffer): boolean {
  let at = 0;
  while (line[at] === QUOTE) at += 1;
  return line.subarray(at, at + FROM.length).equals(FROM);
}

/** One mail as it stands in the file. */
export function toMbox(bytes: Buffer, at: Date): Buffer {
  const quote = Buffer.of(QUOTE);
  const lines = [...linesOf(bytes)].flatMap((line) => (isFrom(line) ? [quote, line] : [line]));
  return Buffer.concat([Buffer.from(`From MAILER-DAEMON ${asctime(at)}\n`), ...lines, END]);
}

/** `Thu Jan  1 00:00:00 1970`, in UTC. */
function asctime(at: Date): string {
  const [day, date = "", month, year, time] = at.toUTCString().replace(",", "").split(" ");
  return `${day} ${month} ${date.replace(/^0/, " ")} ${time} ${year}`;
}

/** The mails of a file, one in memory at a time. */
export async function* mailsIn(file: string): AsyncGenerator<Buffer> {
  let held: Buffer[] | undefined;
  let bytes = 0;
  for await (const line of streamedLines(file)) {
    if (line.subarray(0, FROM.length).equals(FROM)) {
      if (held) yield unwrapped(held);
      held = [];
      bytes = 0;
      continue;
    }
    bytes += line.length;
    if (!held || bytes > MAIL_MAX_BYTES) throw new Error("The file of mail is not an mbox of an export.");
    held.push(isFrom(line) ? line.subarray(1) : line);
  }
  if (held) yield unwrapped(held);
}

/** @throws Error if its end is missing */
function unwrapped(lines: Buffer[]): Buffer {
  const all = Buffer.concat(lines);
  if (!all.subarray(-END.length).equals(END)) throw new Error("The file of mail is cut short.");
  return all.subarray(0, -END.length);
}

/**
 * The lines of a file, with their newlines.
 * @throws Error if a line would fill the memory
 */
export async function* streamedLines(file: string): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of createReadStream(file)) {
    for (const line of linesOf(chunk as Buffer)) {
      rest.push(line);
      bytes += line.length;
      if (bytes > LINE_MAX_BYTES) throw new Error(`A line of ${file} is longer than ${LINE_MAX_BYTES} bytes.`);
      if (line.at(-1) !== NEWLINE) continue;
      yield rest.length === 1 ? line : Buffer.concat(rest);
      rest = [];
      bytes = 0;
    }
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
