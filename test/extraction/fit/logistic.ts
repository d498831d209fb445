// Fits a logistic regression with few parameters.

/** One row for all candidates of which the same is seen: its features, and how often it was the code and was not. */
export type Row = { features: number[]; right: number; wrong: number };

const ROUNDS = 400;
const STEP = 0.2;
/** The weights swing around their end, many of them together. The mean of the last rounds does not. */
const MEAN_ROUNDS = 100;
/** Keeps weights of rare features small. */
const RIDGE = 2e-4;

/** @returns the weight of each feature; the last one is that of every row */
export function fitLogistic(rows: Row[], count: number): Float64Array {
  const weights = new Float64Array(count + 1);
  const means = new Float64Array(count + 1);
  const squares = new Float64Array(count + 1).fill(1e-8);
  const total = rows.reduce((sum, { right, wrong }) => sum + right + wrong, 0);
  const slope = new Float64Array(count + 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let at = 0; at <= count; at += 1) slope[at] = at < count ? RIDGE * (weights[at] ?? 0) : 0;
    for (const { features, right, wrong } of rows) {
      let odds = weights[count] ?? 0;
      for (const feature of features) odds += weights[feature] ?? 0;
      const error = ((right + wrong) / (1 + Math.exp(-odds)) - right) / total;
      for (const feature of features) slope[feature] = (slope[feature] ?? 0) + error;
      slope[count] = (slope[count] ?? 0) + error;
    }
    for (let at = 0; at <= count; at += 1) {
      const change = slope[at] ?? 0;
      squares[at] = (squares[at] ?? 0) * 0.95 + change * change * 0.05;
      weights[at] = (weights[at] ?? 0) - ((STEP / (1 + round / 20)) * change) / Math.sqrt(squares[at] ?? 1);
      if (round >= ROUNDS - MEAN_ROUNDS) means[at] = (means[at] ?? 0) + (weights[at] ?? 0) / MEAN_ROUNDS;
    }
  }
  return means;
}
