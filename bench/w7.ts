// W7: what REST costs. An authenticated GET of a mailbox against trpc-to-openapi's bare Node adapter and a Next route handler,
// both with nothing to do: no key to check, no database to ask. Or against another commit.
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Child, freePort, startHelper, startServer } from "./support/children.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import type { Options } from "./support/options.ts";
import { PEERS, runOnce } from "./support/peers.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { type Checkout, DOMAIN, type Mailberth, post, type Site, startMailberth, startPair } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const CONNECTIONS = 32;
const SECONDS = 1.5;
const GOALS = { adapter: 0.7, next: 4, commit: 0.97 };
const ADDRESS = `box-0@${DOMAIN}`;
const NEXT_FOLDER = join(PEERS, "next-app");

type Other = { contender: Contender; goal: number };
type Load = ReturnType<typeof startHelper<HttpOrder, HttpAnswer>>;

function contender(
  load: Load,
  name: string,
  port: number,
  servers: number[],
  memoryOf: number[],
  headers = "",
): Contender {
  const request = `GET /v1/inboxes/${encodeURIComponent(ADDRESS)} HTTP/1.1\r\nHost: bench\r\n${headers}\r\n`;
  const order = { port, connections: CONNECTIONS, requests: [request], status: 200, seconds: SECONDS };
  return { name, servers: () => servers, memoryOf: () => memoryOf, run: () => load.ask(order) };
}

async function startNext(port: number): Promise<Child> {
  const next = createRequire(import.meta.url).resolve("next/dist/bin/next");
  const environment = { NEXT_TELEMETRY_DISABLED: "1" };
  // Each time: what another version of Next built answers 500.
  await runOnce([process.execPath, next, "build"], { cwd: NEXT_FOLDER, env: environment });
  const command: [string, ...string[]] = [process.execPath, next, "start", "-p", `${port}`, "-H", "127.0.0.1"];
  return startServer(command, { cwd: NEXT_FOLDER, env: environment }, (output) => output.includes("Ready"));
}

async function startOurs(site: Site, load: Load, mailberth: Mailberth, name: string): Promise<Contender> {
  const key = await mailberth.agentKey();
  await post(mailberth, key, "/v1/inboxes", { username: "box-0" });
  const pids = mailberth.processes.map(({ pid }) => pid);
  const authorization = `Authorization: Bearer ${key}\r\n`;
  return contender(load, name, mailberth.port, [...pids, site.postmasterPid], pids, authorization);
}

async function raceGets(site: Site, ours: Contender, others: Other[], pairs: number): Promise<Comparison[]> {
  for (const each of [ours, ...others.map((other) => other.contender)]) await warmUp(each);
  const title = { workload: "W7", case: `GET inbox, ${CONNECTIONS} connections`, pairs };
  return race(title, ours, others, [process.pid, site.postmasterPid]);
}

async function againstPeers(site: Site, load: Load, pairs: number): Promise<Comparison[]> {
  const mailberth = await startMailberth(site, "w7", ["web,smtp,worker"]);
  const [adapterPort, nextPort] = [await freePort(), await freePort()];
  const command: [string, ...string[]] = [process.execPath, join(PEERS, "bare-adapter.mts")];
  const adapter = await startServer(command, { env: { PORT: `${adapterPort}` } }, (output) => output.includes("ready"));
  const next = await startNext(nextPort);
  try {
    const ours = await startOurs(site, load, mailberth, "Mailberth");
    const others = [
      { contender: contender(load, "bare adapter", adapterPort, [adapter.pid], [adapter.pid]), goal: GOALS.adapter },
      { contender: contender(load, "Next route handler", nextPort, [next.pid], [next.pid]), goal: GOALS.next },
    ];
    return await raceGets(site, ours, others, pairs);
  } finally {
    await Promise.all([mailberth.stop(), adapter.stop(), next.stop()]);
  }
}

async function againstCommit(site: Site, load: Load, against: Checkout, pairs: number): Promise<Comparison[]> {
  const both = await startPair(site, "w7", against);
  try {
    const contenders: Contender[] = [];
    for (const each of both) contenders.push(await startOurs(site, load, each, each.name));
    const [ours, before] = contenders as [Contender, Contender];
    return await raceGets(site, ours, [{ contender: before, goal: GOALS.commit }], pairs);
  } finally {
    for (const each of both) await each.stop();
  }
}

export function w7(site: Site, _note: (text: string) => void, options: Options): Promise<Comparison[]> {
  const load: Load = startHelper(new URL("./support/http-load.ts", import.meta.url));
  const { against, pairs } = options;
  return against ? againstCommit(site, load, against, pairs) : againstPeers(site, load, pairs);
}
