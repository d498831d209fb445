// Builds lines of visible text: collapses white space like a browser, and starts quoted lines with `> `.
import { stripInvisible } from "./visible-text.ts";

const QUOTE_DEPTH = 5;
/** Lines of which is kept what is cited. Text in further ones is none. */
const CITATIONS = 2_000;
/** Two noncharacters around cited text. */
export const CITED_START = "\ufdd3";
export const CITED_END = "\ufdd4";
/** White space other than one space. */
const OTHER_SPACE = /[^\S ]| {2}/;

type State = {
  maxChars: number;
  lines: string[];
  /** Where the first text of each line is in the source. */
  starts: number[];
  line: string;
  /** Where cited text begins and ends in the line, by turns. */
  turns: number[];
  isCited: boolean;
  /** Lines with cited text, by number, with marks around it. */
  citations: Map<number, string>;
  lineAt: number;
  /** Where the source is read now. */
  sourceAt: number;
  chars: number;
  spaceWanted: boolean;
  /** Before the next text of the line. */
  tabsWanted: number;
  /** Of the cell of a table whose row is one line; undefined outside of one. A line ends in it only between its texts. */
  cell: { hasText: boolean; lineWanted: boolean } | undefined;
  blankWanted: boolean;
  depth: number;
  lastPrefix: string;
  marker: string;
  notes: string;
};

/** @param maxChars no line starts after so many characters */
export function lineBuilder(maxChars: number) {
  const state = startOf(maxChars);
  return {
    /** Where the source is read now. */
    seek(at: number): void {
      state.sourceAt = at;
    },
    text: (written: string, pre: boolean) => addText(state, written, pre),
    /** The annotation of the next text, once there is some. */
    note(text: string): void {
      state.notes += `${text} `;
    },
    /** The prefix of the next line, "" for none. */
    item(text: string): void {
      flush(state);
      state.marker = text;
    },
    space(): void {
      state.spaceWanted = true;
    },
    lineBreak(): void {
      if (state.cell) state.cell.lineWanted = true;
      else lineBreak(state);
    },
    newLine(): void {
      if (state.cell) state.cell.lineWanted = true;
      else flush(state);
    },
    paragraph(): void {
      if (state.cell) {
        state.cell.lineWanted = true;
        return;
      }
      flush(state);
      state.blankWanted = true;
    },
    /** Begins a cell, on the line of the cells before it. */
    cell(tabs: number): void {
      state.cell = { hasText: false, lineWanted: false };
      state.tabsWanted += tabs;
      state.spaceWanted = false;
    },
    /** The cell has ended, or a table begins in it. */
    cellEnd(): void {
      state.cell = undefined;
    },
    /** Whether the next text is cited. */
    cite(isCited: boolean): void {
      state.isCited = isCited;
    },
    quote(change: 1 | -1): void {
      flush(state);
      state.depth += change;
    },
    /** Starts a new line and returns its index. */
    mark(): number {
      flush(state);
      return state.lines.length;
    },
    end(): Pick<State, "starts" | "citations"> & { all: string[] } {
      flush(state);
      return { all: state.lines, starts: state.starts, citations: state.citations };
    },
  };
}

function add(state: State, text: string): void {
  state.lines.push(text);
  state.starts.push(state.lineAt);
  state.chars += text.length + 1;
}

/** The line with marks around its cited text. */
function withCitations({ line, turns }: State): string {
  const parts = [0, ...turns].map((from, nth) => line.slice(from, turns[nth]));
  return parts.map((part, nth) => (nth % 2 === 1 ? `${CITED_START}${part}${CITED_END}` : part)).join("");
}

/** Where the cited text of a line begins or ends, if it does so before the next text. */
function turn(state: State): void {
  if (state.isCited !== (state.turns.length % 2 === 1)) state.turns.push(state.line.length);
}

function flush(state: State): void {
  const text = stripInvisible(state.line).trimEnd();
  const isKept = state.turns.length > 0 && state.citations.size < CITATIONS;
  const cited = isKept ? stripInvisible(withCitations(state)) : "";
  state.turns = [];
  state.line = "";
  state.spaceWanted = false;
  state.tabsWanted = 0;
  if (text === "" || state.chars > state.maxChars) return;
  const prefix = "> ".repeat(Math.min(state.depth, QUOTE_DEPTH));
  if (state.blankWanted && state.lines.length > 0)
    add(state, (prefix < state.lastPrefix ? prefix : state.lastPrefix).trimEnd());
  state.blankWanted = false;
  if (cited !== "") state.citations.set(state.lines.length, prefix + state.marker + cited);
  add(state, prefix + state.marker + text);
  state.marker = "";
  state.lastPrefix = prefix;
}

/** Before text of a cell: the line that ends before it, if the cell has text already. */
function enterCell(state: State): void {
  if (!state.cell) return;
  const { hasText, lineWanted } = state.cell;
  if (hasText && lineWanted) flush(state);
  state.cell.hasText = true;
  state.cell.lineWanted = false;
}

/** The tabs before the text of a cell. */
function addTabs(state: State): boolean {
  const tabs = Math.min(state.tabsWanted, state.maxChars - state.chars - state.line.length);
  state.tabsWanted = 0;
  if (tabs > 0) state.line += "\t".repeat(tabs);
  return tabs > 0;
}

function addCollapsed(state: State, text: string): void {
  const collapsed = OTHER_SPACE.test(text) ? text.replace(/\s+/g, " ") : text;
  const words = collapsed.trim();
  if (words === "") {
    state.spaceWanted ||= collapsed !== "";
    return;
  }
  enterCell(state);
  if (state.line === "") state.lineAt = state.sourceAt;
  if (addTabs(state)) state.spaceWanted = false;
  else if (state.line !== "" && (state.spaceWanted || collapsed.startsWith(" "))) state.line += " ";
  turn(state);
  state.line += words;
  state.spaceWanted = collapsed.endsWith(" ");
}

/** @param noteChars how much longer the text is than in the source */
function addKept(state: State, text: string, noteChars: number): void {
  let partAt = state.sourceAt - noteChars;
  for (const [at, part] of text.split(/(\r\n|\r|\n)/).entries()) {
    if (at % 2 === 1) lineBreak(state);
    if (state.line === "") state.lineAt = Math.max(state.sourceAt, partAt);
    partAt += part.length;
    if (at % 2 === 1) continue;
    if (part !== "") enterCell(state);
    if (part !== "" && addTabs(state)) state.spaceWanted = false;
    if (state.spaceWanted && state.line !== "") state.line += " ";
    turn(state);
    state.line += part;
    state.spaceWanted = false;
  }
}

/** `<br>`: an empty line if the line is empty. */
function lineBreak(state: State): void {
  if (state.line.trim() === "") state.blankWanted = true;
  flush(state);
}

/** Annotations are written before their text; those without text are dropped. */
function withNotes(state: State, text: string): string {
  if (state.notes === "" || text.trim() === "") return text;
  const before = state.notes;
  state.notes = "";
  return text.replace(/^\s*/, (space) => space + before);
}

function startOf(maxChars: number): State {
  return {
    maxChars,
    lines: [],
    starts: [],
    line: "",
    turns: [],
    isCited: false,
    citations: new Map(),
    lineAt: 0,
    sourceAt: 0,
    chars: 0,
    spaceWanted: false,
    tabsWanted: 0,
    cell: undefined,
    blankWanted: false,
    depth: 0,
    lastPrefix: "",
    marker: "",
    notes: "",
  };
}

function addText(state: State, written: string, pre: boolean): void {
  const text = withNotes(state, written);
  const fitting = text.slice(0, Math.max(0, state.maxChars - state.chars - state.line.length));
  if (pre) addKept(state, fitting, text.length - written.length);
  else addCollapsed(state, fitting);
}
