// How Vitest runs: every test against one real PostgreSQL, two files at a time.
import { defineConfig } from "vitest/config";

const TIMEOUT_MS = 30_000;

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    reporters: ["default", "json"],
    outputFile: { json: "test-results/vitest.json" },
  },
});
