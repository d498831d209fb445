// A short kill campaign: one kill of each of these kinds, and every promise kept. The long one: npm run campaign.
import { expect, test } from "vitest";
import { size } from "#test/sizes.ts";
import { runCampaign } from "./campaign.ts";

const SEED = 7;
const KINDS = ["kill-service", "kill-postmaster", "stop-service", "kill-backend"].slice(0, size("CAMPAIGN_KINDS"));

test(`keeps what it acknowledged: ${KINDS.join(", ")}`, async () => {
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  const summary = await runCampaign({
    seed: SEED,
    kills: KINDS.length,
    on: "embedded",
    kinds: KINDS,
    hurries: true,
    report,
  });
  expect(summary.violations, lines.join("\n")).toEqual([]);
  expect(Math.min(...Object.values(summary.acknowledged)), JSON.stringify(summary)).toBeGreaterThan(0);
});
