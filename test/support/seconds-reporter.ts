// Writes how long each test file took, its import and its hooks included: the JSON report of Vitest counts the tests alone.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule, Vitest } from "vitest/node";

export default class SecondsReporter implements Reporter {
  private path = "";

  onInit({ config }: Vitest): void {
    const { outputFile } = config;
    if (typeof outputFile === "object") this.path = `${outputFile.json}`.replace(/\.json$/, "-seconds.json");
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const entries = modules.map((module) => {
      const { setupDuration, collectDuration, duration } = module.diagnostic();
      return [module.relativeModuleId, (setupDuration + collectDuration + duration) / 1_000];
    });
    mkdirSync(dirname(this.path), { recursive: true });
    writeFileSync(this.path, JSON.stringify(Object.fromEntries(entries)));
  }
}
