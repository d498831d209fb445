// Opens the connections of a process: separate pools for reads of the API, for looking up mailboxes, for agent keys and
// incoming mail, for readiness, and for everything else, so that none of them waits for the others.
import { openDatabase } from "#db/client.ts";
import type { Settings } from "../base/env.ts";
import type { Logger } from "../base/log.ts";

const POOL_MIN = 2;
/** Of DATABASE_POOL_SIZE, which are the connections for everything else. */
const READS_SHARE = 1 / 2;
const DOORS_SHARE = 1 / 4;
const PROBES = 2;
/** Look-ups share queries, one at a time (base/batching/inbox-lookups.ts). */
const LOOKUPS = 1;
/** Readiness answers within this time, whatever the database does. */
const PROBE_TIMEOUT_MS = 2_000;

/** @param url of a migrated database */
export function openPools(url: string, settings: Settings, log: Logger) {
  const { DATABASE_POOL_SIZE: size, DATABASE_TIMEOUT_SECONDS, DATABASE_READ_TIMEOUT_SECONDS } = settings;
  const { DATABASE_SCHEMA: schema, DATABASE_DIRECT_URL: directUrl } = settings;
  const place = { url, schema, isPooled: directUrl !== undefined };
  const timeoutMs = DATABASE_TIMEOUT_SECONDS * 1000;
  const readTimeoutMs = Math.min(DATABASE_READ_TIMEOUT_SECONDS * 1000, timeoutMs);
  const share = (part: number) => Math.max(POOL_MIN, Math.ceil(size * part));
  const readers = share(READS_SHARE);
  const work = openDatabase({ ...place, poolSize: size, timeoutMs, log });
  const reads = openDatabase({ ...place, poolSize: readers, timeoutMs: readTimeoutMs, log });
  const doors = openDatabase({ ...place, poolSize: share(DOORS_SHARE), timeoutMs, log });
  const lookups = openDatabase({ ...place, poolSize: LOOKUPS, timeoutMs, log });
  const probes = openDatabase({ ...place, poolSize: PROBES, timeoutMs: PROBE_TIMEOUT_MS, log });
  // A session of a pooler does not stay with the connection, and would not get notifications.
  const listening = directUrl ? openDatabase({ url: directUrl, schema, poolSize: 1, timeoutMs, log }) : work;
  const all = new Set([work, listening, reads, doors, lookups, probes]);
  return {
    work,
    listening,
    reads: { ...reads, connections: readers, timeoutMs: readTimeoutMs, waitMaxMs: timeoutMs },
    doors,
    lookups,
    probes,
    close: () => Promise.all([...all].map(({ close }) => close())),
  };
}
