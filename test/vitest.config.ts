// How Vitest runs: every test against one real PostgreSQL, two files at a time, each worker on one copy of our modules.
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const TIMEOUT_MS = 60_000;
/** What a condition gets to become true where a test names no other time: long, because a busy machine is no failure. */
const CONDITION_TIMEOUT_MS = 15_000;

export default defineConfig({
  root: join(import.meta.dirname, ".."),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    setupFiles: process.env.NODE_V8_COVERAGE ? ["test/support/take-coverage.ts"] : [],
    pool: "forks",
    // Importing the service costs 2 s of CPU: each worker does it once, not once per file.
    isolate: false,
    allowOnly: false,
    maxWorkers: 2,
    expect: { requireAssertions: true, poll: { timeout: CONDITION_TIMEOUT_MS } },
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    reporters: ["default", "json"],
    outputFile: { json: "test-results/vitest.json" },
  },
});
