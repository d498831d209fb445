// Chooses the PostgreSQL of this process: DATABASE_URL, or the embedded one in the data folder.
import { findEmbedded, startEmbedded } from "#db/embedded/open.ts";
import type { Settings } from "../base/env.ts";
import type { Logger } from "../base/log.ts";

/** `stop` ends the embedded server, within `withinMs` if given; it does nothing to an external database. */
export type DatabaseServer = { url: string; stop(withinMs?: number): Promise<void> };

/** The database of a service, which starts and stops the embedded server. */
export async function serviceDatabase(settings: Settings, log: Logger): Promise<DatabaseServer> {
  if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, stop: async () => {} };
  return startEmbedded({ dataDir: settings.DATA_DIR, log });
}

/** The database of a command: the running embedded server, or one that is started for the command. */
export async function commandDatabase(settings: Settings, log: Logger): Promise<DatabaseServer> {
  const running = settings.DATABASE_URL ?? (await findEmbedded(settings.DATA_DIR));
  if (running) return { url: running, stop: async () => {} };
  return startEmbedded({ dataDir: settings.DATA_DIR, log });
}
