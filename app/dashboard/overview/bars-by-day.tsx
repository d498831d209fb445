// <BarsByDay>: two rows of bars, day by day. Hidden from screen readers: the caller also shows a table.
// rows ([{ day, … }]), series ([{ name, label, color }]), stacked
"use client";
import { BarChart } from "@mantine/charts";
import "@mantine/core/styles/ColorSwatch.layer.css";
import "@mantine/charts/styles.layer.css";
import classes from "./overview.module.css";

type Series = { name: string; label: string; color: string };
type Props = { rows: Record<string, string | number>[]; series: Series[]; stacked?: boolean };

const thousands = new Intl.NumberFormat("en", { notation: "compact" });

export function BarsByDay({ rows, series, stacked = false }: Props) {
  return (
    <div aria-hidden>
      <ul className={classes.legend}>
        {series.map(({ name, label, color }) => (
          <li key={name}>
            <span style={{ background: color }} />
            {label}
          </li>
        ))}
      </ul>
      <BarChart
        className={classes.chart}
        data={rows}
        dataKey="day"
        series={series}
        type={stacked ? "stacked" : "default"}
        tickLine="none"
        gridAxis="x"
        maxBarWidth={22}
        valueFormatter={(value) => thousands.format(value)}
        xAxisProps={{ interval: "equidistantPreserveStart", minTickGap: 12, tickMargin: 8 }}
        yAxisProps={{ width: 36, allowDecimals: false }}
        barProps={{ radius: stacked ? 0 : [3, 3, 0, 0], isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
