// Converts CSS lengths to pixels.

export const FONT_PX = 16;
/** The reference width of percentages: the width of most newsletters. */
const BOX_PX = 600;
const CALC_TERMS = 20;
const LENGTH = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)([a-z%]*)$/;
const FACTORS: Record<string, number> = {
  rem: FONT_PX,
  pt: 4 / 3,
  pc: 16,
  cm: 38,
  mm: 3.8,
  q: 0.95,
  in: 96,
  vw: 12.8,
  vh: 8,
  vmin: 8,
  vmax: 12.8,
};

function readPlain(value: string, emPx: number, wholePx: number): number | undefined {
  const found = LENGTH.exec(value);
  if (!found) return undefined;
  const unit = found[2] ?? "";
  const factor = unit === "em" ? emPx : unit === "ex" || unit === "ch" ? emPx / 2 : unit === "%" ? wholePx / 100 : 1;
  return Number(found[1]) * (FACTORS[unit] ?? factor);
}

/** Sums and products without brackets, from left to right. */
function readCalc(formula: string, emPx: number, wholePx: number): number | undefined {
  let result: number | undefined;
  let operator = "+";
  for (const word of formula.split(/\s+/, CALC_TERMS).filter(Boolean)) {
    if (/^[-+*/]$/.test(word)) {
      operator = word;
      continue;
    }
    const term = readPlain(word, emPx, wholePx);
    if (term === undefined) return undefined;
    if (result === undefined) result = term;
    else if (operator === "*") result *= term;
    else if (operator === "/") result /= term || 1;
    else result += operator === "-" ? -term : term;
  }
  return result;
}

/**
 * A length in CSS pixels; undefined if the value is not a length (`auto`).
 * @param emPx the font size that `em` refers to
 * @param wholePx the length that a percentage refers to
 */
export function readPx(value: string | undefined, emPx = FONT_PX, wholePx = BOX_PX): number | undefined {
  if (value === undefined) return undefined;
  const formula = /^calc\(([^()]*)\)$/.exec(value)?.[1];
  if (formula === undefined) return readPlain(value, emPx, wholePx);
  return readCalc(formula.replace(/[*/]/g, " $& "), emPx, wholePx);
}
