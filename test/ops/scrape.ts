// Reads /metrics as Prometheus does.
import { METRICS_TOKEN } from "#test/support/service.ts";

/** The value of each series, by its name with labels, as /metrics writes them. */
export type Scrape = Map<string, number>;

export async function scrape({ url }: { url: string }): Promise<Scrape> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  if (!answer.ok) throw new Error(`GET /metrics: ${answer.status}`);
  const lines = (await answer.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(" ");
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
