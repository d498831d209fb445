// Writes the text of a page in the order in which a person reads it, by the places of its pieces.

/** What pdf.js says of a piece of text: `transform` has the direction of writing, and the place of its start in its last two numbers. */
export type Piece = {
  str: string;
  hasEOL: boolean;
  transform: number[];
  width: number;
  height: number;
  fontName?: string;
  /** It is a separate block. */
  isApart?: boolean;
};

/** Of one page. A page with more of them stays in the order in which it is drawn. */
const LINES_MAX = 1_000;
/** Of the height of a line, what its capitals have. */
const CAPITALS = 0.7;
/** Of raised and lowered letters, as a share of those beside them. */
const RAISED_SIZE = 0.8;
/** Between two cells of a row, in heights of a line. */
const CELL_GAP = 1;
/** Between words that are stretched to fill a line, or letters of a title that is written wide: it is the same between all. */
const STRETCHED_GAP = 3;
const STRETCHED_DIFFERENCE = 0.25;
/** Between two words, in heights of a line. */
const WORD_GAP = 0.15;
/** The share of the lines of a column that have their baseline in the other column, where both are columns of one table. */
const ALIGNED_MIN = 0.75;
/** Of a line of running text, in heights of a line, and as a share of the line before. */
const RUNNING_WIDTH = 7;
const RUNNING_SHARE = 0.75;
/** Letters of Chinese, Japanese and Korean that stand alone, as in a title that is written wide. */
const WIDE_TITLE =
  /(?<![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}] ){2,}[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}](?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}])/gu;
const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}]/gu;
const LEFT_TO_RIGHT = /(?![\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}])\p{L}/gu;

/** A piece on a page that is turned so that its lines run to the right. `at` counts them as they are drawn. */
type Spot = {
  text: string;
  left: number;
  right: number;
  base: number;
  size: number;
  at: number;
  isBlankBefore: boolean;
};
/** `base` and `size` are those of its longest piece, which has `longest` letters. */
type Line = Omit<Spot, "text" | "isBlankBefore"> & { spots: Spot[]; longest: number; isApart: boolean };
type Place = { left: number; right: number };
/** Lines that are drawn one after the other, each below the one before. `column`: where its lines are, if it is running text. */
type Flow = Place & { lines: Line[]; top: number; bottom: number; column: Place | undefined };
type Cell = Place & { text: string };

/** @param isVertical whether the text of a font runs downwards */
export function textInReadingOrder(pieces: Piece[], isVertical: (fontName: string) => boolean): string {
  const directions = new Map<number, { pieces: Piece[]; letters: number }>();
  const turnOf = ({ transform: [across = 1, up = 0], fontName = "" }: Piece) =>
    isVertical(fontName) ? -90 : Math.round((Math.atan2(up, across) * 180) / Math.PI);
  for (const piece of pieces) {
    const same = directions.get(turnOf(piece)) ?? { pieces: [], letters: 0 };
    same.pieces.push(piece);
    same.letters += piece.str.trim().length;
    directions.set(turnOf(piece), same);
  }
  const [main] = [...directions].toSorted(([, one], [, other]) => other.letters - one.letters);
  if (!main) return "";
  const [turn, { pieces: straight }] = main;
  // Stamps and notes at the edge are turned, and each letter of words on a circle: they stay as they are drawn.
  const turned = pieces.filter((piece) => turnOf(piece) !== turn);
  const texts = [textOfDirection(straight, turn), textAsDrawn(turned).trim()].filter((text) => text !== "");
  return texts.join("\n").replace(WIDE_TITLE, (title) => title.replaceAll(" ", ""));
}

const textAsDrawn = (pieces: Piece[]) => pieces.map(({ str, hasEOL }) => str + (hasEOL ? "\n" : "")).join("");

function textOfDirection(pieces: Piece[], turn: number): string {
  const lines = linesOf(pieces, turn);
  if (lines.length > LINES_MAX) return textAsDrawn(pieces);
  const groups = groupsOf(flowsOf(lines));
  const isLeftwards = runsLeftwards(pieces.map(({ str }) => str).join(""), false);
  return inReadingOrder(groups)
    .flatMap((group) => tabulated(group, isLeftwards))
    .join("\n");
}

const count = (text: string, letters: RegExp) => text.match(letters)?.length ?? 0;

function runsLeftwards(text: string, otherwise: boolean): boolean {
  const more = count(text, RIGHT_TO_LEFT) - count(text, LEFT_TO_RIGHT);
  return more === 0 ? otherwise : more > 0;
}

/** Capitals of two pieces on a line are at the same height by half; raised and lowered letters are smaller. */
function isSameLine(one: { base: number; size: number }, other: { base: number; size: number }): boolean {
  const [small, large] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
  const top = Math.min(one.base + one.size * CAPITALS, other.base + other.size * CAPITALS);
  const least = small < large * RAISED_SIZE ? 0.2 : 0.5;
  return top - Math.max(one.base, other.base) >= small * CAPITALS * least;
}

const overlaps = (one: Place, other: Place) => one.left < other.right && other.left < one.right;

/** In the order in which they are drawn. */
function linesOf(pieces: Piece[], turn: number): Line[] {
  const [cos, sin] = [Math.cos((turn * Math.PI) / 180), Math.sin((turn * Math.PI) / 180)];
  const lines: Line[] = [];
  let isBlankBefore = false;
  let at = 0;
  for (const piece of pieces) {
    // A piece without words is a blank or an end of a line.
    if (piece.str.trim() === "") {
      isBlankBefore ||= piece.str !== "";
      continue;
    }
    const [, , lean = 0, height = 0, x = 0, y = 0] = piece.transform;
    const left = x * cos + y * sin;
    const size = Math.hypot(lean, height) || piece.height;
    const right = left + (piece.width || 0);
    const spot = { text: piece.str, left, right, base: y * cos - x * sin, size, at, isBlankBefore };
    isBlankBefore = false;
    at += 1;
    const last = piece.isApart ? undefined : lines.at(-1);
    if (!last || last.isApart || !isSameLine(last, spot)) {
      const { text, isBlankBefore: _, ...place } = spot;
      lines.push({ ...place, spots: [spot], longest: text.length, isApart: piece.isApart === true });
      continue;
    }
    if (spot.text.length > last.longest) Object.assign(last, { base: spot.base, size, longest: spot.text.length });
    last.spots.push(spot);
    last.left = Math.min(last.left, spot.left);
    last.right = Math.max(last.right, spot.right);
  }
  return lines;
}

function flowsOf(lines: Line[]): Flow[] {
  const flows: Flow[] = [];
  for (const line of lines) {
    const flow = flows.at(-1);
    const above = flow?.lines.at(-1);
    if (flow && above && !above.isApart && !line.isApart && line.base < above.base && overlaps(flow, line)) {
      flow.lines.push(line);
      flow.left = Math.min(flow.left, line.left);
      flow.right = Math.max(flow.right, line.right);
    } else flows.push({ lines: [line], left: line.left, right: line.right, top: 0, bottom: 0, column: undefined });
  }
  for (const flow of flows) {
    Object.assign(flow, rangeOf(flow.lines));
    flow.column = isRunning(flow.lines) ? columnOf(flow.lines) : undefined;
  }
  return flows;
}

/** Whether these are lines of sentences, and not cells of a column: most are wide, and as wide as the line before. */
function isRunning(lines: Line[]): boolean {
  const widths = lines.filter(({ spots }) => cellsOf(spots, false).length === 1).map(widthOf);
  const similar = widths.filter((width, n) => {
    const before = widths[n === 0 ? 1 : n - 1] ?? width;
    return width >= RUNNING_WIDTH && Math.min(width, before) >= Math.max(width, before) * RUNNING_SHARE;
  });
  return similar.length * 2 > lines.length;
}

const middleOf = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
/** Not of its title, which may stand above more columns. */
const columnOf = (lines: Line[]) => ({
  left: middleOf(lines.map(({ left }) => left)),
  right: middleOf(lines.map(({ right }) => right)),
});
const widthOf = ({ left, right, size }: Line) => (right - left) / size;

/** Flows beside each other that are columns of one table are one group, whose lines are the rows of the table. */
function groupsOf(flows: Flow[]): Line[][] {
  const columns = flows.filter(({ column, lines }) => column && lines.length > 2);
  const groupOf = flows.map((flow) => ({ flows: [flow], isRunning: flow.column !== undefined }));
  for (const [n, flow] of flows.entries())
    for (const [m, other] of flows.entries()) {
      const [own, their] = [groupOf[n], groupOf[m]];
      if (m <= n || !own || !their || own === their || (own.isRunning && their.isRunning)) continue;
      const row = rowOf(flow, other);
      if (!row || columns.some((each) => each !== flow && each !== other && divides(each.column, row))) continue;
      own.flows.push(...their.flows);
      own.isRunning ||= their.isRunning;
      for (const [k, group] of groupOf.entries()) if (group === their) groupOf[k] = own;
    }
  return [...new Set(groupOf)].map((group) => rowsOf(group.flows.flatMap(({ lines }) => lines)));
}

/** The first row of what may be a table: where both have lines, those of the shorter one have their baseline in the other. */
function rowOf(one: Flow, other: Flow): [Line, Line] | undefined {
  const [top, bottom] = [Math.min(one.top, other.top), Math.max(one.bottom, other.bottom)];
  if (top <= bottom || one.lines[0]?.isApart || other.lines[0]?.isApart) return undefined;
  const [left = [], right = []] = [one, other].map(({ lines }) =>
    lines.filter(({ base, size }) => base + size * CAPITALS > bottom && base < top),
  );
  const pairs: [Line, Line][] = [];
  for (let n = 0, m = 0; n < left.length && m < right.length; ) {
    const [a, b] = [left[n], right[m]] as [Line, Line];
    if (isSameLine(a, b) && !overlaps(a, b)) pairs.push([a, b]);
    if (a.base >= b.base) n += 1;
    else m += 1;
  }
  return pairs.length >= Math.min(left.length, right.length) * ALIGNED_MIN ? pairs[0] : undefined;
}

/** Whether one of two lines is in a column of running text, and the other beside it. */
function divides(column: Place | undefined, [one, other]: [Line, Line]): boolean {
  if (!column) return false;
  const has = (line: Line) => column.left <= line.left && line.right <= column.right;
  return (has(one) && !overlaps(column, other)) || (has(other) && !overlaps(column, one));
}

const rangeOf = (lines: Line[]) => ({
  top: Math.max(...lines.map(({ base, size }) => base + size * CAPITALS)),
  bottom: Math.min(...lines.map(({ base }) => base)),
});

/** Lines on one baseline are one line. */
function rowsOf(lines: Line[]): Line[] {
  const rows: Line[] = [];
  for (const line of lines.toSorted((a, b) => b.base - a.base || a.at - b.at)) {
    const row = rows.findLast((each) => isSameLine(each, line) && !each.spots.some((spot) => overlaps(spot, line)));
    if (!row) rows.push(line);
    else {
      row.spots.push(...line.spots);
      row.left = Math.min(row.left, line.left);
      row.right = Math.max(row.right, line.right);
      row.at = Math.min(row.at, line.at);
    }
  }
  return rows;
}

/**
 * From top to bottom. Where groups stand beside each other, as columns do, a line comes before those below it that it
 * overlaps, and the order in which they are drawn decides between others.
 */
function inReadingOrder(groups: Line[][]): Line[][] {
  const ranges = groups.map(rangeOf);
  const isBeside = ranges.map((one) =>
    ranges.some((other) => other !== one && one.bottom < other.top && other.bottom < one.top),
  );
  const units = groups
    .flatMap((lines, group) => lines.map((line) => ({ line, group, waitsFor: 0, isWritten: false })))
    .toSorted((a, b) => a.line.at - b.line.at);
  type Unit = (typeof units)[number];
  const isBefore = (one: Unit, other: Unit) =>
    one.line.base > other.line.base &&
    !isSameLine(one.line, other.line) &&
    (one.group === other.group || overlaps(one.line, other.line) || !isBeside[one.group] || !isBeside[other.group]);
  for (const unit of units) unit.waitsFor = units.filter((other) => isBefore(other, unit)).length;
  const ordered: Line[][] = [];
  let last = -1;
  // What a line waits for is above it: the highest that is left waits for none.
  const free = () => units.find(({ waitsFor, isWritten }) => waitsFor === 0 && !isWritten);
  for (let next = free(); next; next = free()) {
    next.isWritten = true;
    for (const unit of units) if (isBefore(next, unit)) unit.waitsFor -= 1;
    if (next.group === last) ordered.at(-1)?.push(next.line);
    else ordered.push([next.line]);
    last = next.group;
  }
  return ordered;
}

/** The cells of lines, with a tab between them. A table keeps its empty cells. */
function tabulated(lines: Line[], isLeftwards: boolean): string[] {
  const written: string[] = [];
  let rows: Cell[][] = [];
  let columns: Cell[] = [];
  let most = 0;
  const flush = () => {
    const placed = rows.map((cells) => inColumns(cells, columns));
    const isTable = most === columns.length && placed.every((texts) => texts);
    for (const [n, cells] of rows.entries())
      written.push(((isTable && placed[n]) || cells.map(({ text }) => text)).join("\t").trimEnd());
    [rows, columns, most] = [[], [], 0];
  };
  for (const { spots } of lines) {
    const cells = cellsOf(spots, isLeftwards);
    const merged = joined([...columns, ...cells], isLeftwards);
    if (Math.max(most, cells.length) > merged.length) flush();
    // A table begins with a row of several cells.
    const isTitle = rows.length === 0 && cells.length === 1;
    columns = rows.length === 0 ? cells : merged;
    most = Math.max(most, cells.length);
    rows.push(cells);
    if (isTitle) flush();
  }
  flush();
  return written;
}

/** Cells below each other become one. */
function joined(cells: Cell[], isLeftwards: boolean): Cell[] {
  const columns: Cell[] = [];
  for (const cell of cells.toSorted((a, b) => a.left - b.left)) {
    const last = columns.at(-1);
    if (last && overlaps(last, cell)) last.right = Math.max(last.right, cell.right);
    else columns.push({ ...cell });
  }
  return isLeftwards ? columns.toReversed() : columns;
}

/** A text for each column; undefined if two cells are in one. */
function inColumns(cells: Cell[], columns: Cell[]): string[] | undefined {
  let placed = 0;
  const texts = columns.map((column) => {
    const cell = cells[placed];
    if (!cell || !overlaps(cell, column)) return "";
    placed += 1;
    return cell.text;
  });
  return placed === cells.length ? texts : undefined;
}

/** In reading order. @param isLeftwards whether the page is of a script that runs to the left */
function cellsOf(spots: Spot[], isLeftwards: boolean): Cell[] {
  const cells: Spot[][] = [];
  const ordered = spots.toSorted((a, b) => a.left - b.left || a.at - b.at);
  const isOne = isStretched(ordered);
  for (const [n, spot] of ordered.entries()) {
    const before = ordered[n - 1];
    // Words without width are not those that are drawn: their end is not known.
    const isNear = before && (before.left === before.right || gapOf(before, spot) < CELL_GAP);
    if (before && (isOne || isNear)) cells.at(-1)?.push(spot);
    else cells.push([spot]);
  }
  const read = cells.map((cell) => ({
    text: cellText(cell, isLeftwards),
    left: cell.reduce((least, { left }) => Math.min(least, left), Number.POSITIVE_INFINITY),
    right: cell.reduce((most, { right }) => Math.max(most, right), Number.NEGATIVE_INFINITY),
  }));
  return isLeftwards ? read.toReversed() : read;
}

/** In heights of a line. */
const gapOf = (one: Spot, other: Spot) => (other.left - one.right) / Math.min(one.size, other.size);

function isStretched(spots: Spot[]): boolean {
  if (spots.length < 3 || !spots.every(({ text }) => /\p{L}/u.test(text))) return false;
  const gaps = spots.slice(1).map((spot, n) => gapOf(spots[n] ?? spot, spot));
  const between = gaps.filter((gap) => gap >= WORD_GAP).toSorted((a, b) => a - b);
  const [least = 0, most = 0] = [between[0], between.at(-1)];
  return between.length > 1 && most < STRETCHED_GAP && most - least < STRETCHED_DIFFERENCE;
}

/** @param spots from left to right */
function cellText(spots: Spot[], isLeftwards: boolean): string {
  const runsLeft = runsLeftwards(spots.map(({ text }) => text).join(""), isLeftwards);
  const ordered = runsLeft ? fromTheRight(spots) : spots;
  return ordered
    .map((spot, n) => {
      const before = ordered[n - 1];
      const isBlank = before && isBlankBetween(before, spot) && before.text === before.text.trimEnd();
      return isBlank && spot.text === spot.text.trimStart() ? ` ${spot.text}` : spot.text;
    })
    .join("")
    .trim();
}

/** Words and numbers of other scripts keep their own order. */
function fromTheRight(spots: Spot[]): Spot[] {
  const ordered: Spot[][] = [];
  let wasOther = false;
  for (const spot of spots.toReversed()) {
    const isOther = count(spot.text, RIGHT_TO_LEFT) === 0;
    if (isOther && wasOther) ordered.at(-1)?.push(spot);
    else ordered.push([spot]);
    wasOther = isOther;
  }
  return ordered.flatMap((others) => others.toReversed());
}

/** pdf.js knows the blanks between pieces that are drawn one after the other. */
function isBlankBetween(one: Spot, other: Spot): boolean {
  const later = one.at < other.at ? other : one;
  if (Math.abs(one.at - other.at) === 1) return later.isBlankBefore;
  const gap = Math.max(one.left, other.left) - Math.min(one.right, other.right);
  return Math.abs(gap) >= Math.min(one.size, other.size) * WORD_GAP;
}
