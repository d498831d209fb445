// <BarsByDay>: bars, day by day, with lines at round numbers. Hidden from screen readers: the caller also shows a table.
// rows ([{ day, values }]), series ([{ label, color }], one for each value), stacked
"use client";
import classes from "./bars.module.css";

type Series = { label: string; color: string };
type Row = { day: string; values: number[] };
type Props = { rows: Row[]; series: Series[]; stacked?: boolean };

/** With the one at zero. */
const LINES = [0, 1, 2, 3, 4];
const STEPS = LINES.length - 1;
const NAMED_DAYS = 7;
const thousands = new Intl.NumberFormat("en", { notation: "compact" });

/** The smallest of 1, 2 and 5 times a power of ten whose STEPS-fold reaches `most`: the distance of two lines. */
function stepFor(most: number): number {
  const least = Math.max(1, most / STEPS);
  const power = 10 ** Math.floor(Math.log10(least));
  return power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10);
}

export function BarsByDay({ rows, series, stacked = false }: Props) {
  const heights = rows.map(({ values }) =>
    stacked ? values.reduce((sum, value) => sum + value, 0) : Math.max(...values),
  );
  const step = stepFor(Math.max(...heights));
  const top = step * STEPS;
  const every = Math.ceil(rows.length / NAMED_DAYS);
  return (
    <div aria-hidden>
      <ul className={classes.legend}>
        {series.map(({ label, color }) => (
          <li key={label}>
            <span style={{ background: color }} />
            {label}
          </li>
        ))}
      </ul>
      <div className={classes.chart}>
        {LINES.map((line) => (
          <div key={line} className={classes.line} style={{ bottom: `${(100 * line) / STEPS}%` }}>
            {thousands.format(line * step)}
          </div>
        ))}
        <div className={classes.days}>
          {rows.map(({ day, values }) => (
            <div
              key={day}
              className={classes.day}
              data-stacked={stacked || undefined}
              title={titleOf(day, values, series)}
            >
              {values.map((value, index) => (
                <span
                  key={series[index]?.label}
                  className={classes.bar}
                  style={{ height: `${(100 * value) / top}%`, background: series[index]?.color }}
                />
              ))}
            </div>
          ))}
        </div>
      </div>
      <div className={classes.names}>
        {rows.map(({ day }, index) => (
          <span key={day}>{index % every === 0 && day}</span>
        ))}
      </div>
    </div>
  );
}

function titleOf(day: string, values: number[], series: Series[]): string {
  return [day, ...values.map((value, index) => `${series[index]?.label}: ${value.toLocaleString("en")}`)].join("\n");
}
