// The options of a list that is read in pages.
import type { Command } from "commander";
import { wholeNumber } from "./arguments.ts";

const PAGE_MAX = 100;

export type Paging = { limit?: number; cursor?: string };

export function addPaging(command: Command): Command {
  return command
    .option("--limit <count>", "rows on a page", wholeNumber(1, PAGE_MAX))
    .option("--cursor <cursor>", "the page after the one with this next_cursor");
}
