// The composition root: builds the services of a process, and is the only file that chooses adapters.
import { existsSync, readFileSync } from "node:fs";
import { openDatabase } from "#db/client.ts";
import { localOutbound } from "./adapters/local-outbound.ts";
import { resendOutbound } from "./adapters/resend-outbound.ts";
import { smtpOutbound } from "./adapters/smtp-outbound.ts";
import type { Ctx, Services, System } from "./context.ts";
import { encryptionKey } from "./encryption-key.ts";
import type { Settings } from "./env.ts";
import type { Logger } from "./log.ts";
import type { Outbound } from "./messages/outbound.ts";
import { receiveMail } from "./messages/receive.ts";
import { createMetrics } from "./metrics.ts";
import { secretBox } from "./secrets.ts";
import { createSignals } from "./signals.ts";
import { createCourier, noCourier, type WorkingCourier } from "./webhooks/courier.ts";

const CLOSE_ATTEMPTS_MS = 4_000;

export type Assembled = {
  system: Ctx<System>;
  /** There in a process that delivers webhooks. */
  courier: WorkingCourier | undefined;
  /** Ends webhook attempts under way, then every connection. */
  close(): Promise<void>;
};

/**
 * @param databaseUrl of a migrated database
 * @param now the clock of everything that is built here
 */
export async function assemble(
  settings: Settings,
  log: Logger,
  databaseUrl: string,
  options: { delivers?: boolean; now?: () => Date } = {},
): Promise<Assembled> {
  const now = options.now ?? (() => new Date());
  const {
    sql,
    db,
    close: closeDatabase,
  } = openDatabase({ url: databaseUrl, poolSize: settings.DATABASE_POOL_SIZE, log });
  const signals = createSignals(sql, log);
  const metrics = createMetrics(sql);
  const secrets = secretBox(encryptionKey(settings, log));
  const courier = options.delivers ? createCourier({ settings, sql, log, now, secrets, metrics }) : undefined;
  const services: Services = {
    settings,
    sql,
    db,
    log,
    now,
    secrets,
    signals,
    metrics,
    courier: courier ?? noCourier,
    // Local mail comes in through the very services that are being built here.
    outbound: chooseOutbound(settings, () => system),
  };
  const system: Ctx<System> = { ...services, actor: { kind: "system" } };
  return {
    system,
    courier,
    async close() {
      await courier?.close(CLOSE_ATTEMPTS_MS);
      await services.outbound.close();
      await signals.close();
      await closeDatabase();
    },
  };
}

function chooseOutbound(settings: Settings, system: () => Ctx<System>): Outbound {
  if (settings.OUTBOUND === "smtp") {
    const { DKIM_DOMAIN: domainName, DKIM_SELECTOR: keySelector } = settings;
    const privateKey = settings.DKIM_PRIVATE_KEY && pem(settings.DKIM_PRIVATE_KEY);
    const dkim = privateKey && domainName && keySelector ? { domainName, keySelector, privateKey } : undefined;
    return smtpOutbound({ url: required(settings.OUTBOUND_SMTP_URL), dkim, hostname: settings.SMTP_HOSTNAME });
  }
  if (settings.OUTBOUND === "resend") {
    return resendOutbound({ apiKey: required(settings.RESEND_API_KEY), baseUrl: settings.RESEND_BASE_URL });
  }
  return localOutbound({
    deliver: (mail) => receiveMail(system(), mail),
    isHosted: async (domain) => {
      if (domain === settings.DEFAULT_DOMAIN) return true;
      const rows = await system().sql`select 1 from inboxes where domain = ${domain} limit 1`;
      return rows.length > 0;
    },
  });
}

function required(value: string | undefined): string {
  if (value === undefined) throw new Error("env.ts lets no OUTBOUND pass without its settings");
  return value;
}

/** A key given as PEM text, or as the path of a file that holds it. */
function pem(given: string): string {
  return existsSync(given) ? readFileSync(given, "utf8") : given;
}
