// W7: what REST costs. An authenticated GET of a mailbox against trpc-to-openapi's bare Node adapter and a Next route handler,
// both with nothing to do: no key to check, no database to ask.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type Child, freePort, startHelper, startServer } from "./support/children.ts";
import type { HttpAnswer, HttpOrder } from "./support/http-load.ts";
import { PEERS, runOnce } from "./support/peers.ts";
import { type Contender, race, warmUp } from "./support/rounds.ts";
import { DOMAIN, post, type Site, startMailberth } from "./support/site.ts";
import type { Comparison } from "./support/table.ts";

const CONNECTIONS = 32;
const SECONDS = 1.5;
const GOALS = { adapter: 0.6, next: 5 };
const ADDRESS = `box-0@${DOMAIN}`;
const NEXT_FOLDER = join(PEERS, "next-app");

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
  if (!existsSync(join(NEXT_FOLDER, ".next/BUILD_ID"))) {
    await runOnce([process.execPath, next, "build"], { cwd: NEXT_FOLDER, env: environment });
  }
  const command: [string, ...string[]] = [process.execPath, next, "start", "-p", `${port}`, "-H", "127.0.0.1"];
  return startServer(command, { cwd: NEXT_FOLDER, env: environment }, (output) => output.includes("Ready"));
}

export async function w7(site: Site): Promise<Comparison[]> {
  const mailberth = await startMailberth(site, "w7", ["web,smtp,worker"]);
  const key = await mailberth.agentKey();
  await post(mailberth, key, "/v1/inboxes", { username: "box-0" });
  const load: Load = startHelper(new URL("./support/http-load.ts", import.meta.url));
  const [adapterPort, nextPort] = [await freePort(), await freePort()];
  const command: [string, ...string[]] = [process.execPath, join(PEERS, "bare-adapter.mts")];
  const adapter = await startServer(command, { env: { PORT: `${adapterPort}` } }, (output) => output.includes("ready"));
  const next = await startNext(nextPort);
  try {
    const pids = mailberth.processes.map(({ pid }) => pid);
    const authorization = `Authorization: Bearer ${key}\r\n`;
    const ours = contender(load, "Mailberth", mailberth.port, [...pids, site.postmasterPid], pids, authorization);
    const bare = contender(load, "bare adapter", adapterPort, [adapter.pid], [adapter.pid]);
    const route = contender(load, "Next route handler", nextPort, [next.pid], [next.pid]);
    for (const each of [ours, bare, route]) await warmUp(each);
    const others = [
      { contender: bare, goal: GOALS.adapter },
      { contender: route, goal: GOALS.next },
    ];
    const title = { workload: "W7", case: `GET inbox, ${CONNECTIONS} connections` };
    return await race(title, ours, others, [process.pid, site.postmasterPid]);
  } finally {
    await Promise.all([mailberth.stop(), adapter.stop(), next.stop()]);
  }
}
