// The tests that also run against `next start` alone, whose route handlers must answer exactly as the front door does.
import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

const FILES = [
  "api/trpc",
  "inboxes/create",
  "inboxes/list",
  "messages/outbound/send",
  "security/body-limits",
  "security/client-address",
  "webhooks/deliveries",
  "webhooks/register",
];

const config = mergeConfig(base, defineConfig({ test: { env: { TEST_DOOR: "next" } } }));
export default {
  ...config,
  test: {
    ...config.test,
    include: FILES.map((file) => `test/${file}.test.ts`),
    globalSetup: ["test/support/global-setup.ts", "test/support/built-pages.ts"],
    outputFile: { json: "test-results/vitest-next.json" },
  },
};
