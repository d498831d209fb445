// Runs a suite of test vectors that others keep: a test for each, and a line that says how many passed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

export type Scenario<Vector> = { description: string; tests: Record<string, Vector> };

type Suite<Vector, Given extends Scenario<Vector>> = {
  name: string;
  /** Under vectors/. */
  file: string;
  vectors: number;
  expected(vector: Vector): string[];
  judge(vector: Vector, scenario: Given): Promise<string>;
  /** Vectors that are not run, each with the reason. */
  skipped: Record<string, string>;
  /** Vectors that we judge otherwise, and why. None may turn a failure into a pass. */
  deviations: Record<string, { result: string; why: string }>;
};

export function runSuite<Vector, Given extends Scenario<Vector>>(suite: Suite<Vector, Given>): void {
  const { name, file, vectors, expected, judge, skipped, deviations } = suite;
  const documents = parseAllDocuments(readFileSync(join(import.meta.dirname, "vectors", file), "utf8"));
  const scenarios = documents.map((document) => document.toJS() as Given);
  const count = { passed: 0, failed: 0, skipped: 0, deviating: 0 };

  async function run(id: string, vector: Vector, scenario: Given): Promise<void> {
    count.failed += 1;
    const deviation = deviations[id];
    expect(deviation ? [deviation.result] : expected(vector)).toContain(await judge(vector, scenario));
    count.failed -= 1;
    if (deviation) count.deviating += 1;
    else count.passed += 1;
  }

  for (const scenario of scenarios) {
    describe(scenario.description, () => {
      for (const [id, vector] of Object.entries(scenario.tests)) {
        const why = skipped[id];
        if (why) count.skipped += 1;
        test.skipIf(why)(why ? `${id}: ${why}` : id, () => run(id, vector, scenario));
      }
    });
  }

  test(`${name} has ${vectors} vectors, and those excepted are among them`, () => {
    const ids = scenarios.flatMap(({ tests }) => Object.keys(tests));
    expect(ids).toHaveLength(vectors);
    expect(ids).toEqual(expect.arrayContaining([...Object.keys(skipped), ...Object.keys(deviations)]));
  });

  afterAll(() => {
    console.info(`${name}: ${JSON.stringify(count)}`);
  });
}
