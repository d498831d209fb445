// The tests with a real Postfix as relay and as the far side. Debian's package `postfix` must be installed, and root starts it.
import { mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

const config = mergeConfig(base, {});
export default {
  ...config,
  test: {
    ...config.test,
    include: ["test/postfix/*.postfix.ts"],
    outputFile: { json: "test-results/vitest-postfix.json" },
  },
};
