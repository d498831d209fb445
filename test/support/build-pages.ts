// A program that builds the pages, unless they are built. It sets the environment of its process, so tests run it as their child.
import { setPagesEnvironment } from "#server/base/env.ts";
import { createLog } from "#server/base/log.ts";
import { buildWhenStale } from "#server/boot/pages.ts";

setPagesEnvironment(false);
await buildWhenStale(createLog("info", false), new AbortController().signal);
