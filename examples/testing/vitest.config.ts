// Starts Mailberth before the tests, unless MAILBERTH_URL names one.
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["*.test.ts"],
    testTimeout: 60_000,
    // In a project of your own: "@mailberth/client/testing"
    globalSetup: "../../client/testing.ts",
  },
});
