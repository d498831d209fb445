// Mail at full speed while other work runs, and alone, as contenders of one race: what the work costs the mail.
import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "postgres";
import { nowMs } from "./clock.ts";
import type { Intake } from "./intake.ts";
import type { MailServer } from "./mail-server.ts";
import type { Contender } from "./rounds.ts";

const SESSIONS = 16;
/** Mails are sent for so long, then their webhooks and bodies are awaited, and so on. */
const PART_SECONDS = 5;
/** The work begins when mail is already arriving. */
const LEAD_MS = 1_000;

export type MailRig = { intake: Intake; server: MailServer; sql: Sql };
/** What PostgreSQL wrote to its log, in MB, and the mails of that time. */
export type Logged = { mb: number; mails: number; seconds: number };

async function walBytes(sql: Sql): Promise<number> {
  const [row] = await sql<[{ bytes: number }]>`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`;
  return row.bytes;
}

/** Sends mail until the work has ended, and at least for the seconds. Rates are of mails whose webhook came and whose body was read. */
async function mailWhile({ intake, server }: MailRig, seconds: number, work?: () => Promise<void>) {
  const startedMs = nowMs();
  const latenciesMs: number[] = [];
  let isBusy = work !== undefined;
  const working = work && delay(LEAD_MS).then(work);
  const ended = working?.finally(() => {
    isBusy = false;
  });
  ended?.catch(() => undefined); // thrown below
  do {
    const { latencies } = await intake.send(server, { mode: "kept", sessions: SESSIONS, seconds: PART_SECONDS });
    await server.settle?.();
    for (const each of latencies) latenciesMs.push(each);
  } while (isBusy || nowMs() - startedMs < seconds * 1000);
  await ended;
  return { operations: latenciesMs.length, seconds: (nowMs() - startedMs) / 1000, latenciesMs };
}

/** @param logged gets what each run wrote to PostgreSQL's log */
export function mailContender(
  rig: MailRig,
  name: string,
  { seconds, work, logged }: { seconds: number; work?: () => Promise<void>; logged: Logged[] },
): Contender {
  return {
    name,
    servers: rig.server.processes,
    memoryOf: rig.server.memoryOf,
    async run() {
      const before = await walBytes(rig.sql);
      const ran = await mailWhile(rig, seconds, work);
      const mb = ((await walBytes(rig.sql)) - before) / 1e6;
      logged.push({ mb, mails: ran.operations, seconds: ran.seconds });
      return ran;
    },
  };
}
