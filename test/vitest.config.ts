// How Vitest runs: every test against one real PostgreSQL, two files at a time.
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const TIMEOUT_MS = 30_000;

export default defineConfig({
  root: join(import.meta.dirname, ".."),
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    allowOnly: false,
    maxWorkers: 2,
    testTimeout: TIMEOUT_MS,
    hookTimeout: TIMEOUT_MS,
    reporters: ["default", "json"],
    outputFile: { json: "test-results/vitest.json" },
  },
});
