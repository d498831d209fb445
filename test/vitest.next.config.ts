// The test that needs the pages: `next start` serves the API only beside them.
import { defineConfig } from "vitest/config";
import base from "./vitest.config.ts";

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ["test/api/doors.test.ts"],
    exclude: [],
    globalSetup: ["test/support/global-setup.ts", "test/support/built-pages.ts"],
    outputFile: { json: "test-results/vitest-next.json" },
  },
});
