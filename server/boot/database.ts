// Chooses the PostgreSQL of this process: DATABASE_URL, or the embedded one in the data folder.
import { findEmbedded, startEmbedded } from "#db/embedded/open.ts";
import { migrate } from "#db/migrate.ts";
import type { Settings } from "../base/env.ts";
import type { Logger } from "../base/log.ts";

/**
 * `directUrl` leads to PostgreSQL itself, `url` perhaps to a connection pooler. `stop` ends the embedded server, within `withinMs` if given; it does nothing to an external database.
 */
export type DatabaseServer = { url: string; directUrl: string; stop(withinMs?: number): Promise<void> };

function external({ DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl }: Settings): DatabaseServer | undefined {
  return url === undefined ? undefined : { url, directUrl: directUrl ?? url, stop: async () => {} };
}

async function embedded({ DATA_DIR: dataDir }: Settings, log: Logger): Promise<DatabaseServer> {
  const { url, stop } = await startEmbedded({ dataDir, log });
  return { url, directUrl: url, stop };
}

/** The database of a service, which starts and stops the embedded server. */
export async function serviceDatabase(settings: Settings, log: Logger): Promise<DatabaseServer> {
  return external(settings) ?? embedded(settings, log);
}

/** The database of a command: the running embedded server, or one that is started for the command. */
export async function commandDatabase(settings: Settings, log: Logger): Promise<DatabaseServer> {
  const running = settings.DATABASE_URL ? undefined : await findEmbedded(settings.DATA_DIR);
  if (running) return { url: running, directUrl: running, stop: async () => {} };
  return serviceDatabase(settings, log);
}

/** Migrates the database of a process, and prepares its connection pooler. */
export async function migrateDatabase(settings: Settings, server: Omit<DatabaseServer, "stop">, log: Logger) {
  const { DATABASE_SCHEMA: schema, DATABASE_TIMEOUT_SECONDS } = settings;
  const pooler = { url: server.url, timeoutMs: DATABASE_TIMEOUT_SECONDS * 1000 };
  await migrate({ url: server.directUrl, schema, log, ...(settings.DATABASE_DIRECT_URL && { pooler }) });
}
