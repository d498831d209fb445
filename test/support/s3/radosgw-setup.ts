// Starts radosgw before the first test of `npm run test:radosgw`, and stops it after the last.
import type { TestProject } from "vitest/node";
import { startRadosgw } from "./radosgw.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { radosgw, stop } = await startRadosgw();
  project.provide("radosgw", radosgw);
  return stop;
}
