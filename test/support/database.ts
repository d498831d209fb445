// Databases for Vitest tests, on the server that global-setup.ts started.
import { inject } from "vitest";
import { copyDatabase, type TestDatabase } from "./database-server.ts";

/** A migrated database without rows. Drop it when the test is over. */
export function createTestDatabase(): Promise<TestDatabase> {
  return copyDatabase(inject("databaseServer"));
}

/** A database without tables. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return copyDatabase(inject("databaseServer"), "template0");
}
