// W2b: mail that can be read soon after its `250`: how fast mails become readable (bodies parsed, sender judged, searchable),
// and how long each takes from its `250`. Against an earlier commit, or against the naive build, which parses before its `250`.
import { generateKeyPairSync } from "node:crypto";
import { connect } from "#db/client.ts";
import { type DnsServer, startDnsServer } from "#test/support/dns-server.ts";
import { type Helper, startHelper } from "./support/children.ts";
import { nowMs } from "./support/clock.ts";
import type { Corpus, Signer } from "./support/corpus.ts";
import { addMailboxes, type MailServer } from "./support/mail-server.ts";
import type { Options } from "./support/options.ts";
import type { ReceiverAnswer, ReceiverOrder } from "./support/receiver.ts";
import { type Contender, median, type Ran, race, warmUp } from "./support/rounds.ts";
import { DOMAIN, type Mailberth, ROOT, type Site, startMailberth } from "./support/site.ts";
import type { SmtpAnswer, SmtpOrder } from "./support/smtp-load.ts";
import type { Comparison } from "./support/table.ts";
import { startNaive } from "./w2-servers.ts";

const SENDER = "sender.example";
const SELECTOR = "bench";
const KEY_BITS = 2_048;
const BOXES = 100;
const SESSIONS = 16;
const SECONDS = 1;
const PACED_SECONDS = 4;
const POLL_MS = 50;
const READ_WITHIN_MS = 120_000;
const WEBHOOKS_WITHIN_MS = 60_000;
/** Fewer than elsewhere: an earlier commit reads them slowly. */
const WARM_UP_MAILS = 1_000;
const GOALS = { commit: 4, naive: 1, lagMs: 250 };
/** The pace at which the lag has a goal. */
const GOAL_PER_SECOND = 200;

type Case = { corpus: Corpus; perSecond?: number; says: string };
const CASES: Case[] = (["plain", "mixed"] as const).flatMap((corpus) => [
  { corpus, says: `${corpus}, ${SESSIONS} sessions kept open` },
  { corpus, perSecond: 100, says: `${corpus}, 100/s` },
  { corpus, perSecond: 200, says: `${corpus}, 200/s` },
]);

type Load = {
  smtp: Helper<SmtpOrder, SmtpAnswer>;
  receiver: Helper<ReceiverOrder, ReceiverAnswer>;
  hookUrl: string;
  dns: DnsServer;
  signer: Signer;
};
/** `readAt` gives, for each mail of a run, when it became readable, on the machine's monotonic clock. */
type Reader = Omit<MailServer, "settle"> & { readAt?(tag: string, mails: number): Promise<number[]> };

let runs = 0;

/** DNS of the sender of all mails, so that SPF, DKIM and DMARC have something to find. */
async function startDns(): Promise<Pick<Load, "dns" | "signer">> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", {
    modulusLength: KEY_BITS,
    publicKeyEncoding: { type: "spki", format: "der" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  const dns = await startDnsServer({
    [SENDER]: { TXT: [["v=spf1 ip4:127.0.0.1 -all"]] },
    [`_dmarc.${SENDER}`]: { TXT: [["v=DMARC1; p=reject"]] },
    [`${SELECTOR}._domainkey.${SENDER}`]: { TXT: [[`v=DKIM1; k=rsa; p=${publicKey.toString("base64")}`]] },
  });
  return { dns, signer: { privateKey, domain: SENDER, selector: SELECTOR } };
}

/** Reads the times from PostgreSQL afterwards, so that watching costs the run nothing. */
function watchReads({ databaseUrl }: Mailberth) {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  const clockMs = Date.now() - nowMs();
  return {
    async readAt(tag: string, mails: number): Promise<number[]> {
      const deadline = nowMs() + READ_WITHIN_MS;
      const left = () => sql`select 1 from messages where status = 'received' limit 1`;
      while ((await left()).length > 0) {
        if (nowMs() > deadline) throw new Error(`mail was not read within ${READ_WITHIN_MS} ms`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      const rows = await sql<{ n: number; at: number }[]>`
        select split_part(subject, ' ', 3)::int as n, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as at
        from messages where subject like ${`bench ${tag} %`} and status = 'parsed'`;
      if (rows.length !== mails) throw new Error(`${rows.length} of ${mails} mails were parsed`);
      const times: number[] = [];
      for (const { n, at } of rows) times[n] = at - clockMs;
      return times;
    },
    close: () => sql.end(),
  };
}

async function startReader(site: Site, load: Load, name: string, root: string): Promise<Reader> {
  const settings = { DNS_SERVERS: load.dns.address, LOG_LEVEL: "info" };
  const database = `w2b_${name.replaceAll(/\W+/g, "_").toLowerCase()}`;
  const mailberth = await startMailberth(site, database, ["web,smtp,worker"], settings, { root, pages: false });
  const webhookSecret = await addMailboxes(mailberth, load.hookUrl, BOXES);
  const pids = mailberth.processes.map(({ pid }) => pid);
  const reads = watchReads(mailberth);
  return {
    name,
    smtpPort: mailberth.smtpPort,
    processes: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    webhookSecret,
    goals: {},
    readAt: reads.readAt,
    async stop() {
      await reads.close();
      await mailberth.stop();
    },
  };
}

function contender(load: Load, server: Reader, { corpus, perSecond }: Case): Contender {
  return {
    name: server.name,
    servers: server.processes,
    memoryOf: server.memoryOf,
    async run(): Promise<Ran> {
      runs += 1;
      const tag = `r${runs}`;
      await load.receiver.ask({ kind: "expect", tag, secret: server.webhookSecret ?? "" });
      const sent = await load.smtp.ask({
        port: server.smtpPort,
        sessions: SESSIONS,
        mode: "kept",
        seconds: perSecond ? PACED_SECONDS : SECONDS,
        ...(perSecond && { perSecond }),
        tag,
        domain: DOMAIN,
        boxes: BOXES,
        corpus,
        signer: load.signer,
      });
      const mails = sent.givenMs.length;
      const readAt = (await server.readAt?.(tag, mails)) ?? sent.givenMs;
      // Work of one run must not fall into the next.
      await load.receiver.ask({ kind: "collect", mails, withinMs: WEBHOOKS_WITHIN_MS });
      const last = readAt.reduce((latest, each) => Math.max(latest, each), 0);
      const latenciesMs = readAt.map((each, n) => Math.max(0, each - (sent.givenMs[n] ?? 0)));
      return { operations: mails, seconds: (last - sent.startedMs) / 1000, latenciesMs };
    },
  };
}

/** Without a peer that has a lag there is no row of a paced case, but its lag has a goal. */
function tellLag({ says, perSecond }: Case, runs: number[][], note: (text: string) => void): void {
  const at = (share: number) =>
    median(runs.map((run) => run.toSorted((a, b) => a - b)[Math.floor(run.length * share)] ?? 0));
  const met = perSecond === GOAL_PER_SECOND ? `, goal ${GOALS.lagMs} ${at(0.99) <= GOALS.lagMs ? "✓" : "✗"}` : "";
  note(`${says}: from 250 until it can be read p50 ${at(0.5).toFixed(0)} ms, p99 ${at(0.99).toFixed(0)} ms${met}`);
}

/** The same, and keeps the latencies of each run. */
function kept(contender: Contender, runs: number[][]): Contender {
  return {
    ...contender,
    async run() {
      const ran = await contender.run();
      runs.push(ran.latenciesMs ?? []);
      return ran;
    },
  };
}

type Note = (text: string) => void;

async function raceCases(bench: { site: Site; load: Load; note: Note }, servers: Reader[], options: Options) {
  const { site, load, note } = bench;
  const [ours, ...others] = servers as [Reader, ...Reader[]];
  const cases = CASES.filter(({ says }) => says.includes(options.only));
  const rows: Comparison[] = [];
  for (const each of servers) await warmUp(contender(load, each, { corpus: "mixed", says: "" }), WARM_UP_MAILS);
  for (const each of cases) {
    const peers = others
      // A peer that parses before its `250` has no lag.
      .filter((peer) => peer.readAt !== undefined || each.perSecond === undefined)
      .map((peer) => ({
        contender: contender(load, peer, each),
        goal: each.perSecond ? undefined : peer.readAt ? GOALS.commit : GOALS.naive,
      }));
    const title = { workload: "W2b", case: each.says, pairs: options.pairs };
    const lags: number[][] = [];
    const first = kept(contender(load, ours, each), lags);
    rows.push(...(await race(title, first, peers, [process.pid, site.postmasterPid])));
    tellLag(each, lags, note);
  }
  return rows;
}

export async function w2b(site: Site, note: Note, options: Options): Promise<Comparison[]> {
  const smtp: Load["smtp"] = startHelper(new URL("./support/smtp-load.ts", import.meta.url));
  const receiver: Load["receiver"] = startHelper(new URL("./support/receiver.ts", import.meta.url));
  const { port } = await receiver.ask({ kind: "listen" });
  const load: Load = { smtp, receiver, hookUrl: `http://127.0.0.1:${port}/hook`, ...(await startDns()) };
  const servers: Reader[] = [];
  try {
    servers.push(await startReader(site, load, "Mailberth", ROOT));
    const { against } = options;
    servers.push(
      against ? await startReader(site, load, against.name, against.root) : await startNaive(site, load.hookUrl, BOXES),
    );
    return await raceCases({ site, load, note }, servers, options);
  } finally {
    for (const server of servers) await server.stop();
    await load.dns.close();
  }
}
