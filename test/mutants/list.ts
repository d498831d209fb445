// Every mutant of `lists/`: a change of one place in the source that a test must notice.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const LISTS = join(import.meta.dirname, "lists");

const mutants = z.array(
  z.strictObject({
    /** What is broken by it, in a few words. */
    name: z.string(),
    file: z.string(),
    /** Stands in `file` exactly once. */
    find: z.string().min(1),
    replace: z.string(),
    /** The test file that fails with it. */
    test: z.string(),
  }),
);

export type Mutant = z.infer<typeof mutants>[number];

export const MUTANTS: Mutant[] = readdirSync(LISTS)
  .sort()
  .flatMap((name) => mutants.parse(JSON.parse(readFileSync(join(LISTS, name), "utf8"))));
