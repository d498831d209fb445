// The one table that a run prints, and the line of each row as it is measured.

export type Latency = { p50: number; p99: number };

/**
 * `ratio` of Mailberth to the peer, median with minimum and maximum, over `pairs` of which `dropped` were disturbed.
 */
export type Comparison = {
  workload: string;
  case: string;
  ours: string;
  other: string;
  oursPerSecond: number;
  otherPerSecond: number;
  ratio: { median: number; min: number; max: number };
  oursCpuMicros: number;
  otherCpuMicros: number;
  oursRssMb: number;
  otherRssMb: number;
  pairs: number;
  dropped: number;
  /** Fewer than three pairs were undisturbed: all of them count, and mean little. */
  disturbed: boolean;
  goal?: number;
  /** In ms, medians of the pairs; `ratio` of our p99 to the other's. */
  latency?: { ours: Latency; other: Latency; ratio: { median: number; min: number; max: number } };
};

const HEADINGS = [
  "workload",
  "ours /s",
  "against",
  "its /s",
  "ratio (min–max)",
  "goal",
  "CPU µs/op",
  "RSS MB",
  "pairs",
  "p50, p99 ms (p99 ratio)",
];

const whole = (value: number) => Math.round(value).toLocaleString("en");
const short = (value: number) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

function latency({ latency: found }: Comparison): string {
  if (!found) return "";
  const { ours, other, ratio } = found;
  const both = [ours, other].map(({ p50, p99 }) => `${short(p50)}, ${short(p99)}`).join(" : ");
  return `${both} (${short(ratio.median)}, ${short(ratio.min)}–${short(ratio.max)})`;
}

function cells(row: Comparison): string[] {
  const { ratio, goal } = row;
  const met = goal === undefined ? "" : `${ratio.median >= goal ? "✓" : "✗"} ${goal}`;
  const dropped = row.dropped > 0 ? `, ${row.dropped} dropped` : "";
  return [
    `${row.workload} ${row.case}${row.ours === "Mailberth" ? "" : ` · ${row.ours}`}`,
    whole(row.oursPerSecond),
    row.other,
    whole(row.otherPerSecond),
    `${short(ratio.median)} (${short(ratio.min)}–${short(ratio.max)})`,
    met,
    `${whole(row.oursCpuMicros)} : ${whole(row.otherCpuMicros)}`,
    `${whole(row.oursRssMb)} : ${whole(row.otherRssMb)}`,
    row.disturbed ? `${row.pairs} disturbed` : `${row.pairs}${dropped}`,
    latency(row),
  ];
}

/** One row on one line, each value with its heading. */
export function rowOf(row: Comparison): string {
  const named = cells(row).flatMap((cell, n) => (cell === "" ? [] : `${HEADINGS[n]}: ${cell}`));
  return named.join("; ");
}

/** Lines of text, columns aligned, for a terminal or a Markdown page. */
export function tableOf(rows: Comparison[]): string {
  const lines = [HEADINGS, ...rows.map(cells)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) => `| ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(" | ")} |`);
  text.splice(1, 0, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`);
  return text.join("\n");
}
