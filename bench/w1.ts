// W1: creating mailboxes over REST, with one enrollment key (whose quota is one hot row) and with many, against the floor:
// the same SQL statements sent by pgbench, one transaction for each mailbox.
import { join } from "node:path";
import { startHelper } from "./support/children.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import { findProgram, runOnce } from "./support/peers.ts";
import { type Contender, type Ran, race, warmUp } from "./support/rounds.ts";
import { type Mailberth, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";
import { writeCreateScript } from "./w1-floor.ts";

const KEYS = 64;
const SECONDS = 1.5;
const FLOOR_CLIENTS = 16;
const CONNECTIONS = [16, 64];
/** On the hot row creates are joined, so they should beat one transaction for each. */
const GOALS = { one: 1, many: 0.6 };
const NO_PGBENCH = "no floor: pgbench is missing (Debian and Ubuntu: apt-get install postgresql, which brings it)";

type Load = ReturnType<typeof startHelper<HttpOrder, HttpAnswer>>;

function createContender(site: Site, mailberth: Mailberth, load: Load, keys: string[], connections: number): Contender {
  const pids = mailberth.processes.map(({ pid }) => pid);
  const requests = keys.map(
    (key) =>
      `POST /v1/inboxes HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
  );
  const order = { port: mailberth.port, connections, requests, status: 201, seconds: SECONDS };
  return {
    name: "Mailberth",
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    run: () => load.ask(order),
  };
}

function environmentOf(databaseUrl: string): Record<string, string> {
  const url = new URL(databaseUrl);
  const host = decodeURIComponent(url.searchParams.get("host") ?? url.hostname);
  return {
    PGHOST: host,
    PGPORT: url.searchParams.get("port") ?? (url.port || "5432"),
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
  };
}

/** pgbench with the statements of one create; each run creates different mailboxes. */
function floorContender(
  site: Site,
  pgbench: string,
  script: string,
  databaseUrl: string,
  keys: number,
  nextBase: () => number,
): Contender {
  const clients = `${FLOOR_CLIENTS}`;
  return {
    name: `pgbench, ${FLOOR_CLIENTS} clients`,
    servers: () => [site.postmasterPid],
    memoryOf: () => [],
    async run(): Promise<Ran> {
      const variables = ["-D", `keys=${keys}`, "-D", `base=${nextBase()}`, "-D", "i=0"];
      const time = ["-T", `${Math.ceil(SECONDS)}`];
      const output = await runOnce(
        [pgbench, "-n", "-M", "prepared", "-c", clients, "-j", "2", ...time, "-f", script, ...variables],
        { env: environmentOf(databaseUrl) },
      );
      const operations = Number(/transactions actually processed: (\d+)/.exec(output)?.[1]);
      const perSecond = Number(/tps = ([\d.]+)/.exec(output)?.[1]);
      if (!/failed transactions: 0 /.test(output) || !operations) throw new Error(`pgbench failed:\n${output}`);
      return { operations, seconds: operations / perSecond };
    },
  };
}

export async function w1(site: Site, note: (text: string) => void): Promise<Comparison[]> {
  const pgbench = findProgram("pgbench", ["/usr/lib/postgresql/15/bin"]);
  if (!pgbench) {
    note(NO_PGBENCH);
    return [];
  }
  const mailberth = await startMailberth(site, "w1", ["web,smtp,worker"]);
  try {
    const keys = await Promise.all(Array.from({ length: KEYS }, () => mailberth.agentKey()));
    const script = join(site.folder, "create.sql");
    await writeCreateScript(mailberth.databaseUrl, KEYS, script);
    const load: Load = startHelper(new URL("./support/http-load.ts", import.meta.url));
    let bases = 0;
    const rows: Comparison[] = [];
    for (const [name, count] of [
      ["one", 1],
      ["many", KEYS],
    ] as const) {
      for (const connections of CONNECTIONS) {
        const ours = createContender(site, mailberth, load, keys.slice(0, count), connections);
        const floor = floorContender(site, pgbench, script, mailberth.databaseUrl, count, () => (bases += 1));
        await warmUp(ours);
        await warmUp(floor);
        const title = {
          workload: "W1",
          case: `create, ${count} key${count > 1 ? "s" : ""}, ${connections} connections`,
        };
        const others = [{ contender: floor, ...(connections === FLOOR_CLIENTS && { goal: GOALS[name] }) }];
        rows.push(...(await race(title, ours, others, [process.pid, site.postmasterPid])));
      }
    }
    return rows;
  } finally {
    await mailberth.stop();
  }
}
