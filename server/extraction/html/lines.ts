// Builds lines of visible text: collapses white space like a browser, and starts quoted lines with `> `.
import { stripInvisible } from "./visible-text.ts";

const QUOTE_DEPTH = 5;

/** @param maxChars no line starts after so many characters */
export function lineBuilder(maxChars: number) {
  const lines: string[] = [];
  let line = "";
  let chars = 0;
  let spaceWanted = false;
  let blankWanted = false;
  let depth = 0;
  let lastPrefix = "";
  let marker = "";
  let notes = "";

  function add(text: string): void {
    lines.push(text);
    chars += text.length + 1;
  }

  function flush(): void {
    const text = stripInvisible(line).trimEnd();
    line = "";
    spaceWanted = false;
    if (text === "" || chars > maxChars) return;
    const prefix = "> ".repeat(Math.min(depth, QUOTE_DEPTH));
    if (blankWanted && lines.length > 0) add((prefix < lastPrefix ? prefix : lastPrefix).trimEnd());
    blankWanted = false;
    add(prefix + marker + text);
    marker = "";
    lastPrefix = prefix;
  }

  function addCollapsed(text: string): void {
    const collapsed = text.replace(/\s+/g, " ");
    const words = collapsed.trim();
    if (words === "") {
      spaceWanted ||= collapsed !== "";
      return;
    }
    if (line !== "" && (spaceWanted || collapsed.startsWith(" "))) line += " ";
    line += words;
    spaceWanted = collapsed.endsWith(" ");
  }

  function addKept(text: string): void {
    for (const [at, part] of text.split(/\r\n|\r|\n/).entries()) {
      if (at > 0) lineBreak();
      line += spaceWanted && line !== "" ? ` ${part}` : part;
      spaceWanted = false;
    }
  }

  /** `<br>`: an empty line if the line is empty. */
  function lineBreak(): void {
    if (line.trim() === "") blankWanted = true;
    flush();
  }

  /** Annotations are written before their text; those without text are dropped. */
  function withNotes(text: string): string {
    if (notes === "" || text.trim() === "") return text;
    const before = notes;
    notes = "";
    return text.replace(/^\s*/, (space) => space + before);
  }

  return {
    text(written: string, pre: boolean): void {
      const text = withNotes(written);
      const fitting = text.slice(0, Math.max(0, maxChars - chars - line.length));
      if (pre) addKept(fitting);
      else addCollapsed(fitting);
    },
    /** The annotation of the next text, once there is some. */
    note(text: string): void {
      notes += `${text} `;
    },
    /** The prefix of the next line, "" for none. */
    item(text: string): void {
      flush();
      marker = text;
    },
    space(): void {
      spaceWanted = true;
    },
    lineBreak,
    newLine: flush,
    paragraph(): void {
      flush();
      blankWanted = true;
    },
    quote(change: 1 | -1): void {
      flush();
      depth += change;
    },
    /** Starts a new line and returns its index. */
    mark(): number {
      flush();
      return lines.length;
    },
    end(): string[] {
      flush();
      return lines;
    },
  };
}
