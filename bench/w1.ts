// W1: creating mailboxes over REST, with one enrollment key (whose quota is one hot row) and with many, against the floor:
// the same SQL statements sent by pgbench, one transaction for each mailbox. Or against another commit.
import { join } from "node:path";
import { startHelper } from "./support/children.ts";
import { FLOOR_CLIENTS, floorContender } from "./support/floor.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import type { Options } from "./support/options.ts";
import { findProgram } from "./support/peers.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { type Checkout, type Mailberth, type Site, startMailberth, startPair } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";
import { writeCreateScript } from "./w1-floor.ts";

const KEYS = 64;
const ISSUERS = 4;
const SECONDS = 1.5;
const CONNECTIONS = [16, 64];
/** On the hot row creates are joined, so they should beat one transaction for each. */
const GOALS = { one: 1, many: 0.6, commit: 0.97 };
const NO_PGBENCH = "no floor: pgbench is missing (Debian and Ubuntu: apt-get install postgresql, which brings it)";

type Load = ReturnType<typeof startHelper<HttpOrder, HttpAnswer>>;

type Server = { name: string; mailberth: Mailberth; keys: string[] };
type Other = (keys: number, connections: number) => { contender: Contender; goal?: number };

export function createRequest(key: string): string {
  return (
    `POST /v1/inboxes HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${key}\r\n` +
    "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
  );
}

function createContender(
  site: Site,
  load: Load,
  { name, mailberth, keys }: Server,
  [count, connections]: [keys: number, connections: number],
): Contender {
  const pids = mailberth.processes.map(({ pid }) => pid);
  const requests = keys.slice(0, count).map(createRequest);
  const order = { port: mailberth.port, connections, requests, status: 201, seconds: SECONDS };
  return {
    name,
    servers: () => [...pids, site.postmasterPid],
    memoryOf: () => pids,
    run: () => load.ask(order),
  };
}

/** Some at a time: another commit issues each by two runs of its command. */
async function issueKeys(mailberth: Mailberth): Promise<string[]> {
  const keys: string[] = [];
  const issue = async () => {
    for (let n = 0; n < KEYS / ISSUERS; n += 1) keys.push(await mailberth.agentKey());
  };
  await Promise.all(Array.from({ length: ISSUERS }, issue));
  return keys;
}

async function raceCreates(site: Site, load: Load, ours: Server, other: Other, pairs: number): Promise<Comparison[]> {
  const rows: Comparison[] = [];
  for (const count of [1, KEYS]) {
    for (const connections of CONNECTIONS) {
      const first = createContender(site, load, ours, [count, connections]);
      const second = other(count, connections);
      await warmUp(first);
      await warmUp(second.contender);
      const says = `create, ${count} key${count > 1 ? "s" : ""}, ${connections} connections`;
      const title = { workload: "W1", case: says, pairs };
      rows.push(...(await race(title, first, [second], [process.pid, site.postmasterPid])));
    }
  }
  return rows;
}

async function againstFloor(site: Site, load: Load, pgbench: string, pairs: number): Promise<Comparison[]> {
  const mailberth = await startMailberth(site, "w1", ["web,smtp,worker"]);
  try {
    const ours = { name: "Mailberth", mailberth, keys: await issueKeys(mailberth) };
    const script = join(site.folder, "create.sql");
    await writeCreateScript(mailberth.databaseUrl, KEYS, script);
    const floor: Other = (count, connections) => ({
      contender: floorContender(site, pgbench, mailberth.databaseUrl, {
        script,
        seconds: SECONDS,
        variables: { keys: count },
      }),
      ...(connections === FLOOR_CLIENTS && { goal: count === 1 ? GOALS.one : GOALS.many }),
    });
    return await raceCreates(site, load, ours, floor, pairs);
  } finally {
    await mailberth.stop();
  }
}

async function againstCommit(site: Site, load: Load, against: Checkout, pairs: number): Promise<Comparison[]> {
  const both = await startPair(site, "w1", against);
  try {
    const servers: Server[] = [];
    for (const each of both) servers.push({ name: each.name, mailberth: each, keys: await issueKeys(each) });
    const [ours, before] = servers as [Server, Server];
    const other: Other = (count, connections) => ({
      contender: createContender(site, load, before, [count, connections]),
      goal: GOALS.commit,
    });
    return await raceCreates(site, load, ours, other, pairs);
  } finally {
    for (const each of both) await each.stop();
  }
}

export async function w1(site: Site, note: (text: string) => void, options: Options): Promise<Comparison[]> {
  const load: Load = startHelper(new URL("./support/http-load.ts", import.meta.url));
  const { against, pairs } = options;
  if (against) return againstCommit(site, load, against, pairs);
  const pgbench = findProgram("pgbench", ["/usr/lib/postgresql/15/bin"]);
  if (pgbench) return againstFloor(site, load, pgbench, pairs);
  note(NO_PGBENCH);
  return [];
}
