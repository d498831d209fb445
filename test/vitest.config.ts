// How Vitest runs: every test against one real PostgreSQL, three files at a time, each worker on one copy of our modules.
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { CONDITION_TIMEOUT_MS, TEST_TIMEOUT_MS } from "./support/patience.ts";

export default defineConfig({
  root: join(import.meta.dirname, ".."),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: process.env.NODE_V8_COVERAGE ? ["test/support/take-coverage.ts"] : [],
    pool: "forks",
    execArgv: ["--require", join(import.meta.dirname, "../server/boot/resolve-drizzle.cjs")],
    // Importing the service costs 2 s of CPU: each worker does it once, not once per file.
    isolate: false,
    allowOnly: false,
    maxWorkers: 3,
    expect: { requireAssertions: true, poll: { timeout: CONDITION_TIMEOUT_MS } },
    testTimeout: TEST_TIMEOUT_MS,
    hookTimeout: TEST_TIMEOUT_MS,
    reporters: ["default", "json", join(import.meta.dirname, "support/seconds-reporter.ts")],
    outputFile: { json: "test-results/vitest.json" },
  },
});
