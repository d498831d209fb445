// The mail servers of W2: Mailberth as one process and as two, Haraka three times over, the naive build, and Postfix.
import { join } from "node:path";
import { connect } from "#db/client.ts";
import { freePort, startServer } from "./support/children.ts";
import { addMailboxes, type MailServer } from "./support/mail-server.ts";
import { PEERS } from "./support/peers.ts";
import { type Checkout, DOMAIN, type Mailberth, type Site, startMailberth, startPair } from "./support/site.ts";
import { startHaraka } from "./w2-haraka.ts";
import { startPostfix } from "./w2-postfix.ts";

const PEER_SECRET = "whsec_bench";
const BODIES_POLL_MS = 100;
const NAIVE_GOAL = 9;

async function startOurs(site: Site, hookUrl: string, boxes: number, name: string, roles: string[]) {
  const mailberth = await startMailberth(site, `w2_${roles.length}`, roles);
  return serverOf(site, mailberth, name, await addMailboxes(mailberth, hookUrl, boxes));
}

/** A Mailberth that has the mailboxes of `addMailboxes`, as a mail server that is measured. */
export function serverOf(site: Site, mailberth: Mailberth, name: string, webhookSecret: string) {
  const pids = mailberth.processes.map(({ pid }) => pid);
  const bodies = watchBodies(mailberth);
  return {
    name,
    smtpPort: mailberth.smtpPort,
    processes: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    webhookSecret,
    only: { sessionsMax: 16, modes: ["kept", "pipelined"] },
    goals: {},
    settle: bodies.untilRead,
    async stop() {
      await bodies.close();
      await mailberth.stop();
    },
  } satisfies MailServer;
}

/** Bodies are read after the mail was accepted: the work of one run must not fall into the next. */
function watchBodies({ databaseUrl }: Mailberth) {
  const sql = connect(databaseUrl, { max: 1, fetch_types: false });
  return {
    async untilRead() {
      const left = () => sql`select 1 from messages where status = 'received' limit 1`;
      while ((await left()).length > 0) await new Promise((resolve) => setTimeout(resolve, BODIES_POLL_MS));
    },
    close: () => sql.end(),
  };
}

export async function startNaive(site: Site, hookUrl: string, boxes: number): Promise<MailServer> {
  const smtpPort = await freePort();
  const environment = {
    DATABASE_URL: await site.databaseUrl("naive"),
    WEBHOOK_URL: hookUrl,
    WEBHOOK_SECRET: PEER_SECRET,
    SMTP_PORT: `${smtpPort}`,
    DNS_SERVERS: "127.0.0.1:9", // an unused port
    DOMAIN,
    BOXES: `${boxes}`,
  };
  const command: [string, ...string[]] = [process.execPath, join(PEERS, "naive.mts")];
  const child = await startServer(command, { env: environment }, (output) => output.includes("ready"));
  return {
    name: "naive build",
    smtpPort,
    processes: () => [child.pid, site.postmasterPid],
    memoryOf: () => [child.pid],
    webhookSecret: PEER_SECRET,
    // With new connections it waits 100 ms before each greeting, as smtp-server does by default.
    only: { sessionsMax: 16, modes: ["kept", "new"] },
    goals: { kept: NAIVE_GOAL },
    stop: child.stop,
  };
}

/** Starts this checkout and another one, each of which is measured in all ways. */
export async function startBothCommits(site: Site, hookUrl: string, boxes: number, against: Checkout) {
  const both = await startPair(site, "w2", against);
  const servers: MailServer[] = [];
  for (const each of both) {
    const secret = await addMailboxes(each, hookUrl, boxes);
    const { only: _, ...server } = serverOf(site, each, each.name, secret);
    servers.push(server);
  }
  const stop = async () => {
    for (const server of servers) await server.stop();
  };
  return { ours: servers.slice(0, 1), peers: servers.slice(1), stop };
}

/** Starts all of them, one after the other. */
export async function startMailServers(site: Site, hookUrl: string, boxes: number, note: (text: string) => void) {
  const started: MailServer[] = [];
  const begin = async <T extends MailServer>(server: Promise<T>): Promise<T> => {
    const up = await server;
    started.push(up);
    return up;
  };
  const stop = async () => {
    for (const server of started) await server.stop();
  };
  try {
    const ours = [
      await begin(startOurs(site, hookUrl, boxes, "Mailberth", ["web,smtp,worker"])),
      await begin(startOurs(site, hookUrl, boxes, "Mailberth, worker apart", ["web,smtp", "worker"])),
    ];
    const hook = { url: hookUrl, secret: PEER_SECRET };
    const peers = [
      await begin(startHaraka(site, "webhook", hook)),
      await begin(startNaive(site, hookUrl, boxes)),
      await begin(startHaraka(site, "null", hook)),
      await begin(startHaraka(site, "file", hook)),
    ];
    const postfix = await startPostfix(site, note);
    if (postfix) peers.push(await begin(Promise.resolve(postfix)));
    return { ours, peers, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
