// The tests with the programs that operators run beside the service. Debian's packages of CONTRIBUTING.md must be installed.
import { mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

const config = mergeConfig(base, {});
export default {
  ...config,
  test: {
    ...config.test,
    include: ["test/operators/*.operators.ts"],
    outputFile: { json: "test-results/vitest-operators.json" },
  },
};
