// Builds the pages before the tests that start `next start`, unless they are built already.
import { setPagesEnvironment } from "#server/base/env.ts";
import { createLog } from "#server/base/log.ts";
import { buildWhenStale } from "#server/boot/pages.ts";

export default async function setup(): Promise<void> {
  setPagesEnvironment(false);
  await buildWhenStale(createLog("info", false), new AbortController().signal);
}
