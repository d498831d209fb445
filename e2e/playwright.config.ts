// Browser tests: the real service, started once for all of them, seen through Chromium.
import { defineConfig } from "@playwright/test";
import { CHROMIUM_ARGS, findChromium } from "#test/support/chromium.ts";

/** Long, because Vitest keeps the machine busy beside it. */
const TEST_TIMEOUT_MS = 60_000;
const EXPECT_TIMEOUT_MS = 20_000;

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results/playwright",
  globalSetup: "./start-service.ts",
  timeout: TEST_TIMEOUT_MS,
  expect: { timeout: EXPECT_TIMEOUT_MS },
  workers: 1,
  // Each is named at the end of `npm test`, which allows few of them.
  retries: 1,
  forbidOnly: true,
  reporter: [["list"], ["json", { outputFile: "../test-results/playwright.json" }]],
  use: {
    // Set by e2e/start-service.ts before the workers read this file.
    baseURL: process.env.E2E_BASE_URL,
    actionTimeout: EXPECT_TIMEOUT_MS,
    browserName: "chromium",
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: { executablePath: findChromium(), args: CHROMIUM_ARGS },
  },
});
