// Starts the PostgreSQL of a Vitest run before its first test, and stops it after the last.
import type { TestProject } from "vitest/node";
import { makeClusterTemplate } from "./cluster-template.ts";
import { startTestServer, type TestServer } from "./database-server.ts";
import { openRunFolder } from "./run-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    databaseServer: TestServer;
    clusterTemplate: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { close } = await openRunFolder();
  const template = await makeClusterTemplate();
  project.provide("clusterTemplate", template);
  const { server, stop } = await startTestServer(process.env.DATABASE_URL, template);
  project.provide("databaseServer", server);
  return () => stop().finally(close);
}
