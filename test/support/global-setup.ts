// Starts the PostgreSQL of a Vitest run before its first test, and stops it after the last.
import type { TestProject } from "vitest/node";
import { startTestServer, type TestServer } from "./database-server.ts";
import { openRunFolder } from "./run-folder.ts";

declare module "vitest" {
  interface ProvidedContext {
    databaseServer: TestServer;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { close } = await openRunFolder();
  const { server, stop } = await startTestServer();
  project.provide("databaseServer", server);
  return () => stop().finally(close);
}
