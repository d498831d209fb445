// Data folders for Vitest tests whose service starts its own PostgreSQL.
import { inject } from "vitest";
import { copyCluster } from "./cluster-template.ts";
import { makeFolder } from "./embedded-fixture.ts";

/** As `makeFolder`, with the cluster that a first start makes. Use `makeFolder` where the first start is what is tested. */
export async function makeCluster(name?: string): Promise<string> {
  const dataDir = await makeFolder(name);
  await copyCluster(inject("clusterTemplate"), dataDir);
  return dataDir;
}
