// Starts Mailberth before the tests, unless MAILBERTH_URL names one.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testMatch: "*.spec.ts",
  // In a project of your own: "@mailberth/client/testing"
  globalSetup: "../../client/testing.ts",
  use: { baseURL: process.env.SITE_URL ?? "http://127.0.0.1:4000" },
});
