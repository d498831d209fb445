// Browser tests: the real service, started once for all of them, seen through Chromium.
import { defineConfig } from "@playwright/test";
import { CHROMIUM_ARGS, findChromium } from "#test/support/chromium.ts";
import { CONDITION_TIMEOUT_MS, TEST_TIMEOUT_MS } from "#test/support/patience.ts";

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results/playwright",
  globalSetup: "./start-service.ts",
  timeout: TEST_TIMEOUT_MS,
  expect: { timeout: CONDITION_TIMEOUT_MS },
  workers: 1,
  // Each is named at the end of `npm test`, which allows few of them.
  retries: 1,
  forbidOnly: true,
  reporter: [["list"], ["json", { outputFile: "../test-results/playwright.json" }]],
  use: {
    // Set by e2e/start-service.ts before the workers read this file.
    baseURL: process.env.E2E_BASE_URL,
    actionTimeout: CONDITION_TIMEOUT_MS,
    browserName: "chromium",
    screenshot: "only-on-failure",
    trace: "on-first-retry",
    launchOptions: { executablePath: findChromium(), args: CHROMIUM_ARGS },
  },
});
