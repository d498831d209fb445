// W6b: what one caller costs the others. A hundred lists of one key that match nothing run all the time; another organization
// reads a mailbox at a steady pace, and a mail arrives now and then. Against the same reading without the lists.
import { setTimeout as delay } from "node:timers/promises";
import { createTransport } from "nodemailer";
import { type Helper, startHelper } from "./support/children.ts";
import { nowMs } from "./support/clock.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import { BIG_BOX, makeMail, WORDS } from "./support/mail-data.ts";
import type { Options } from "./support/options.ts";
import { type Contender, median, race, warmUp } from "./support/rounds.ts";
import { DOMAIN, type Mailberth, post, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const MESSAGES = 40_000;
const HOSTILE_LISTS = 100;
const SECONDS = 5;
/** The lists run before anything is measured, and end after it. */
const LEAD_MS = 500;
const READS_PER_SECOND = 50;
const READERS = 8;
const MAIL_EVERY_MS = 200;
/** Of the p99 without the lists. */
const GOAL = 2;
/** Queries beyond the limit of a caller, and queries that take too long. */
const REFUSALS = [429, 503];

type Load = Helper<HttpOrder, HttpAnswer>;
type Rig = {
  mailberth: Mailberth;
  site: Site;
  reads: Load;
  lists: Load;
  keys: { hostile: string; reader: string };
  address: string;
  /** Of each run: of the lists, and in ms from DATA to `250` of the mails. */
  seen: { lists: HttpAnswer[]; mailP99: Record<"beside" | "alone", number[]> };
};

const get = (path: string, key: string) =>
  `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n\r\n`;

const at = (sorted: number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;

/** Filters of every kind that match nothing, in half of all messages. */
function listsOf(key: string): string[] {
  const box = `/v1/inboxes/${encodeURIComponent(BIG_BOX)}`;
  const nothing = [
    "subject=zzzz",
    "from=nobody",
    "to=nobody",
    `q=${WORDS.everywhere}&from=nobody`,
    "unread=true&from=zz",
  ];
  return [
    ...nothing.map((filter) => get(`${box}/messages?limit=100&${filter}`, key)),
    get(`/v1/messages?limit=100&q=${WORDS.everywhere}&subject=zzzz`, key),
    get(`${box}/threads?limit=100`, key),
  ];
}

/** One mail after the other while the readers read. */
async function mailUntil({ mailberth, address }: Rig, endMs: number): Promise<number[]> {
  const server = { host: "127.0.0.1", port: mailberth.smtpPort, ignoreTLS: true };
  const transport = createTransport({ ...server, pool: true, maxConnections: 1 });
  const latencies: number[] = [];
  while (nowMs() < endMs) {
    const began = nowMs();
    await transport.sendMail({ from: "out@sender.example", to: address, subject: "beside lists", text: "Mail" });
    latencies.push(nowMs() - began);
    await delay(Math.max(0, began + MAIL_EVERY_MS - nowMs()));
  }
  transport.close();
  return latencies.sort((a, b) => a - b);
}

function contender(rig: Rig, name: string, lists: number): Contender {
  const { mailberth, site, keys, address, seen } = rig;
  const pids = mailberth.processes.map(({ pid }) => pid);
  const read = {
    port: mailberth.port,
    connections: READERS,
    requests: [get(`/v1/inboxes/${encodeURIComponent(address)}`, keys.reader)],
    status: 200,
    seconds: SECONDS,
    perSecond: READS_PER_SECOND,
  };
  const hostile = { ...read, connections: lists, requests: listsOf(keys.hostile), refusals: REFUSALS };
  const { perSecond: _, ...unlimited } = { ...hostile, seconds: SECONDS + (2 * LEAD_MS) / 1000 };
  return {
    name,
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    async run() {
      const listing = lists > 0 ? rig.lists.ask(unlimited) : undefined;
      listing?.catch(() => undefined); // thrown below, unless the readers fail first
      await delay(LEAD_MS);
      const [answer, mails] = await Promise.all([rig.reads.ask(read), mailUntil(rig, nowMs() + SECONDS * 1000)]);
      seen.mailP99[lists > 0 ? "beside" : "alone"].push(at(mails, 0.99));
      if (listing) seen.lists.push(await listing);
      return answer;
    },
  };
}

function tell({ seen }: Rig, row: Comparison | undefined, note: (text: string) => void): void {
  const ratio = row?.latency?.ratio.median ?? Number.NaN;
  const met = ratio <= GOAL ? "✓" : "✗";
  note(
    `GET of another organization beside ${HOSTILE_LISTS} lists of one key: p99 × ${ratio.toFixed(2)}, goal ${GOAL} ${met}`,
  );
  const { beside, alone } = seen.mailP99;
  note(
    `a mail beside the lists: p99 to its 250 ${median(beside).toFixed(1)} ms, without them ${median(alone).toFixed(1)} ms`,
  );
  const answered = median(seen.lists.map(({ operations, seconds }) => operations / seconds));
  const refused = median(seen.lists.map((each) => each.refused / each.seconds));
  note(`lists answered a second: ${answered.toFixed(0)}; refused with 429 or 503: ${refused.toFixed(0)}`);
}

export async function w6b(site: Site, note: (text: string) => void, { pairs }: Options): Promise<Comparison[]> {
  const mailberth = await startMailberth(site, "w6b", ["web,smtp,worker"]);
  try {
    const hostile = await mailberth.agentKey();
    await makeMail(mailberth.databaseUrl, MESSAGES);
    const reader = await mailberth.agentKey("Others");
    await post(mailberth, reader, "/v1/inboxes", { username: "reader" });
    const rig: Rig = {
      mailberth,
      site,
      reads: startHelper(new URL("./support/http-load.ts", import.meta.url)),
      lists: startHelper(new URL("./support/http-load.ts", import.meta.url)),
      keys: { hostile, reader },
      address: `reader@${DOMAIN}`,
      seen: { lists: [], mailP99: { beside: [], alone: [] } },
    };
    const [beside, alone] = [contender(rig, "Mailberth", HOSTILE_LISTS), contender(rig, "without the lists", 0)];
    for (const each of [beside, alone]) await warmUp(each, 1);
    rig.seen.mailP99 = { beside: [], alone: [] };
    rig.seen.lists = [];
    const title = { workload: "W6b", case: `${READS_PER_SECOND} GETs a second beside ${HOSTILE_LISTS} lists`, pairs };
    const rows = await race(title, beside, [{ contender: alone }], [process.pid, site.postmasterPid]);
    tell(rig, rows[0], note);
    return rows;
  } finally {
    await mailberth.stop();
  }
}
