// In which column the cells of a table stand, where cells span rows and columns (HTML, "Forming a table").

/** Columns in which cells that span rows are known. Spreadsheets have no more in practice, and a row of each costs time. */
const COLUMNS = 256;
/** The most that browsers let a cell span. */
const SPAN_COLUMNS = 1_000;
const SPAN_ROWS = 65_534;

function spanOf(written: string | undefined, most: number): number {
  const span = Number.parseInt(written ?? "", 10);
  return span >= 1 ? Math.min(span, most) : 1;
}

export function tableColumns() {
  let row = 0;
  let column = 0;
  /** Columns that have their tab in this row. */
  let tabs = 0;
  /** Up to which row (exclusive) a cell of an earlier row stands in a column. */
  const taken: number[] = [];
  return {
    row(): void {
      row += 1;
      column = 0;
      tabs = 0;
    },
    /** @returns how many tabs stand between the cell and the one before it */
    cell(colspan: string | undefined, rowspan: string | undefined): number {
      while ((taken[column] ?? 0) > row) column += 1;
      const before = column - tabs;
      tabs = column;
      const rows = spanOf(rowspan, SPAN_ROWS);
      const end = column + spanOf(colspan, SPAN_COLUMNS);
      if (rows > 1) for (let at = column; at < Math.min(end, COLUMNS); at += 1) taken[at] = row + rows;
      column = end;
      return before;
    },
  };
}
