// Siege: normal work alone, then during attacks from other client addresses and another organization. No request of the
// normal work may fail, its p99 may grow at most fivefold, and the memory that the attacks used must be free
// afterwards.
import { connect } from "#db/client.ts";
import { type Helper, startHelper } from "./support/children.ts";
import { loadText, rssMb } from "./support/machine.ts";
import type { Options } from "./support/options.ts";
import type { AttackAnswer, AttackOrder } from "./support/siege-attack.ts";
import type { WorkAnswer, WorkOrder } from "./support/siege-work.ts";
import { DOMAIN, type Mailberth, post, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const KEYS = 4;
const WARM_UP_SECONDS = 10;
const RSS_EVERY_MS = 250;
/** Memory gets this long to be free again, with the normal work going on. */
const RECOVERY_SECONDS = 90;
const RECOVERY_STEP_SECONDS = 5;
const GOALS = { p99Ratio: 5, memoryMb: 100, metricsBytes: 1_048_576 };
/** The domain of the catch-all mailbox. */
const CAUGHT = "caught.example";
const FAILURES_SHOWN = 5;
/** Single requests; the others are steps of receiving a code by mail. */
const REQUESTS = ["get", "list", "create", "send"];
/** Limits on strangers have an operator's values here; the bench's other workloads lift them. */
const SETTINGS = {
  RATE_LIMIT_PER_SECOND: "20",
  RATE_LIMIT_BURST: "100",
  RATE_LIMIT_ANONYMOUS_PER_SECOND: "20",
  RATE_LIMIT_ANONYMOUS_BURST: "400",
  SMTP_CONNECTIONS_PER_ADDRESS: "20",
  STORAGE_QUOTA_PER_INBOX: "1073741824",
  STORAGE_QUOTA_PER_ORGANIZATION: "10737418240",
  SEND_CAP_RAMP: "1000000",
};

type Work = Helper<WorkOrder, WorkAnswer>;

function quantile(latencies: number[], share: number): number {
  const sorted = latencies.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

const mark = (kept: boolean) => (kept ? "✓" : "✗");

/** Latencies by operation, and of all requests together. */
function pooled({ latencies }: WorkAnswer): Record<string, number[]> {
  return { ...latencies, "all requests": REQUESTS.flatMap((name) => latencies[name] ?? []) };
}

/** One line for each operation: p50 and p99 alone and under siege, and the ratio of the p99. */
function compare(alone: WorkAnswer, besieged: WorkAnswer, note: (text: string) => void): void {
  const during = pooled(besieged);
  for (const [name, quiet] of Object.entries(pooled(alone))) {
    const loud = during[name] ?? [];
    const change = (share: number) => `${quantile(quiet, share).toFixed(1)} → ${quantile(loud, share).toFixed(1)} ms`;
    const ratio = quantile(loud, 0.99) / quantile(quiet, 0.99);
    const kept = mark(ratio < GOALS.p99Ratio);
    const times = `p50 ${change(0.5)}, p99 ${change(0.99)}, ratio ${ratio.toFixed(1)} (goal < ${GOALS.p99Ratio})`;
    note(`${kept} ${name}: ${times}, ${loud.length} samples`);
  }
}

function noteFailures(what: string, { failures }: WorkAnswer, note: (text: string) => void): void {
  const counts = new Map<string, number>();
  for (const each of failures) counts.set(each, (counts.get(each) ?? 0) + 1);
  const shown = [...counts].slice(0, FAILURES_SHOWN).map(([each, n]) => `${n} × ${each}`);
  note(
    `${mark(failures.length === 0)} ${failures.length} failures ${what}${shown.length > 0 ? `: ${shown.join("; ")}` : ""}`,
  );
}

/** Makes the mailbox the catch-all of a domain that its organization has verified, without the DNS that this would need. */
async function catchEverything({ databaseUrl }: Mailberth, mailbox: string): Promise<void> {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  try {
    await sql`
      insert into domains (id, organization_id, domain, token, status, records, verified_at, next_check_at, created_at)
      select gen_random_uuid(), organization_id, ${CAUGHT}, 'bench', 'verified', '[]', now(), now() + interval '1 day', now()
      from inboxes where address = ${mailbox}`;
    await sql`update inboxes set address = ${`all@${CAUGHT}`}, domain = ${CAUGHT}, catch_all = true where address = ${mailbox}`;
  } finally {
    await sql.end();
  }
}

/** The service's own metric of its heap. */
function mainThreadMemory(metrics: string): string {
  const megabytes = (name: string) => {
    const value = Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1]);
    return `${(value / 1_048_576).toFixed(0)} MB`;
  };
  const [used, total] = ["nodejs_heap_size_used_bytes", "nodejs_heap_size_total_bytes"].map(megabytes);
  return `heap ${used} of ${total}, buffers ${megabytes("nodejs_external_memory_bytes")}`;
}

/** The most memory that the processes have until it is stopped. */
function watchMemory(pids: number[]) {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, rssMb(pids));
  }, RSS_EVERY_MS);
  return () => {
    clearInterval(timer);
    return peak;
  };
}

/** Works on until memory is near what it was, or the time is over. */
async function recover(work: Work, pids: number[], before: number): Promise<{ after: number; seconds: number }> {
  let seconds = 0;
  while (seconds < RECOVERY_SECONDS && rssMb(pids) > before + GOALS.memoryMb) {
    await work.ask({ kind: "run", seconds: RECOVERY_STEP_SECONDS });
    seconds += RECOVERY_STEP_SECONDS;
  }
  return { after: rssMb(pids), seconds };
}

async function besiege(mailberth: Mailberth, { seconds, only }: Options, note: (text: string) => void): Promise<void> {
  const { port, smtpPort, processes } = mailberth;
  const pids = processes.map(({ pid }) => pid);
  const work: Work = startHelper(new URL("./support/siege-work.ts", import.meta.url));
  const attack: Helper<AttackOrder, AttackAnswer> = startHelper(new URL("./support/siege-attack.ts", import.meta.url));
  const keys = await Promise.all(Array.from({ length: KEYS }, () => mailberth.agentKey()));
  const key = await mailberth.agentKey("Attacker");
  const { address: mailbox } = await post<{ address: string }>(mailberth, key, "/v1/inboxes", {});
  const { address: caught } = await post<{ address: string }>(mailberth, key, "/v1/inboxes", {});
  await catchEverything(mailberth, caught);
  await work.ask({ kind: "prepare", port, smtpPort, domain: DOMAIN, keys });
  await work.ask({ kind: "run", seconds: WARM_UP_SECONDS });
  const alone = await work.ask({ kind: "run", seconds });
  const before = rssMb(pids);
  note(`before the siege: ${loadText()}`);
  const stop = watchMemory(pids);
  const [besieged, { outcomes }] = await Promise.all([
    work.ask({ kind: "run", seconds }),
    attack.ask({ port, smtpPort, key, mailbox, caught: CAUGHT, seconds, only }),
  ]);
  const peak = stop();
  note(`after the siege: ${loadText()}`);
  const { after, seconds: waited } = await recover(work, pids, before);
  compare(alone, besieged, note);
  noteFailures("alone", alone, note);
  noteFailures("under siege", besieged, note);
  const [was, most, is] = [before, peak, after].map((mb) => mb.toFixed(0));
  const freed = after <= before + GOALS.memoryMb;
  note(
    `${mark(freed)} memory: ${was} MB before, ${most} at most, ${is} after ${waited} s (goal: within ${GOALS.memoryMb} MB)`,
  );
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  note(`of it, in the main thread: ${mainThreadMemory(metrics)}`);
  note(`${mark(metrics.length < GOALS.metricsBytes)} /metrics: ${metrics.length} octets`);
  for (const [name, counts] of Object.entries(outcomes)) {
    const parts = Object.entries(counts).map(([outcome, n]) => `${n} × ${outcome}`);
    note(`attack, ${name}: ${parts.join(", ")}`);
  }
}

export async function siege(site: Site, note: (text: string) => void, options: Options): Promise<Comparison[]> {
  const mailberth = await startMailberth(site, "siege", ["web,smtp,worker"], SETTINGS);
  try {
    await besiege(mailberth, options, note);
  } finally {
    await mailberth.stop();
  }
  return [];
}
