// The service inside Next's own server: `instrumentation.ts` starts it under `next start` and `next dev`.
import { environmentWithFile, readSettings } from "../base/env.ts";
import { createLog } from "../base/log.ts";
import { migrateDatabase, serviceDatabase } from "./database.ts";
import { startService } from "./service.ts";
import { type Started, stop } from "./stop.ts";
import { welcome } from "./welcome.ts";

/** The route handlers of `app/` find the service here: they are bundled, the service is not. */
const DOOR = Symbol.for("mailberth.door");
/** Next listens on all addresses unless `-H` names one. */
const HOST_OF_NEXT = "0.0.0.0";
const SIGNALS = ["SIGTERM", "SIGINT"] as const;

/** Starts the service once in this process, and stops it before Next stops. */
export async function startInNext(): Promise<void> {
  if (Reflect.has(globalThis, DOOR)) return;
  const environment = environmentWithFile();
  const settings = readSettings({ ...environment, HOST: environment.HOST || HOST_OF_NEXT });
  const log = createLog(settings.LOG_LEVEL, Boolean(process.stdout.isTTY));
  const started: Started = {};
  started.database = await serviceDatabase(settings, log);
  await migrateDatabase(settings, started.database, log);
  started.service = await startService(settings, log, started.database.url, { inNext: true });
  Reflect.set(globalThis, DOOR, started.service.answer);
  for (const signal of SIGNALS) {
    const ofNext = process.listeners(signal);
    process.removeAllListeners(signal);
    process.once(signal, async () => {
      log.info({ signal }, "stopping: refusing new work and finishing accepted work");
      await stop(log, started, Promise.resolve());
      for (const listener of ofNext) listener(signal);
    });
  }
  process.stdout.write(await welcome(settings, started.service));
}
