// The service on several machines: processes with one role each on one database, and a load that remembers what was acknowledged.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { mailUntil } from "#test/flows/two-rig.ts";
import { type ServiceProcess, startProcess } from "#test/support/process.ts";

const UNLIMITED = "1000000";
const PAUSE_MS = 20;
/** Longer than the service may take to refuse while its database is away. */
const ANSWER_MS = 30_000;
const DOMAIN = "mail.localhost";
const OWN = ["web", "smtp", "worker"] as const;

type Role = (typeof OWN)[number];
export type Machines = Awaited<ReturnType<typeof startMachines>>;
/** What was acknowledged (`201`, `202`, `250`): ids, and when each answer came. */
export type Acknowledged = { id: string; at: number }[];

/** @param counts how many processes each role has; the first one of `web` starts before the others */
export async function startMachines(counts: Record<Role, number>, environment: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-machines-"));
  const processes: Record<Role, ServiceProcess[]> = { web: [], smtp: [], worker: [] };
  const settings = {
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString("base64"),
    LOG_LEVEL: "warn",
    DATABASE_POOL_SIZE: "4",
    SEND_CAP_RAMP: UNLIMITED,
    RATE_LIMIT_PER_SECOND: UNLIMITED,
    RATE_LIMIT_BURST: UNLIMITED,
    ...environment,
  };
  const start = async (role: Role, index: number) => {
    const DATA_DIR = join(folder, `${role}-${index}`);
    processes[role][index] = await startProcess({ ...settings, ROLES: role, DATA_DIR });
  };
  await start("web", 0);
  const others = OWN.flatMap((role) => Array.from({ length: counts[role] }, (_, index) => ({ role, index })));
  for (const { role, index } of others.slice(1)) await start(role, index);
  const all = () => OWN.flatMap((role) => processes[role]);
  const token = /mb_enroll_\w+/.exec(processes.web[0]?.output() ?? "")?.[0];
  return {
    processes,
    all,
    token,
    async stop(): Promise<void> {
      await Promise.all(all().map((each) => each.end("SIGTERM")));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One request; fails when there is no answer within 30 s. */
export async function call(process: ServiceProcess, key: string, path: string, body?: object) {
  const answer = await fetch(process.url + path, {
    method: body ? "POST" : "GET",
    headers: { Authorization: `Bearer ${key}`, ...(body && { "Content-Type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
}

/** Enrolls an agent and creates its mailbox `username`. @returns its key */
export async function newAgent(machines: Pick<Machines, "processes" | "token">, username: string): Promise<string> {
  const web = machines.processes.web[0] as ServiceProcess;
  const { body } = await call(web, "", "/v1/enroll", { token: machines.token, agent_handle: username });
  await call(web, body.agent_key ?? "", "/v1/inboxes", { username });
  return body.agent_key ?? "";
}

type Load = { until: { over: boolean }; refused: string[] };

/** Repeats a call until the load is over. */
async function callUntil({ until, refused }: Load, taken: Acknowledged, ask: () => ReturnType<typeof call>) {
  while (!until.over) {
    const answer = await ask().catch(() => undefined); // the process refused the connection, or did not answer in time
    if (answer?.status === 201 || answer?.status === 202)
      taken.push({ id: `${answer.body.id}`, at: performance.now() });
    else refused.push(answer ? `${answer.status} ${JSON.stringify(answer.body)}` : "no answer");
    await sleep(PAUSE_MS);
  }
}

/**
 * Mails to each process with the role smtp, and creates and sends at each with the role web, without a pause.
 * @returns what each of them acknowledged so far, and `end`
 */
export function startLoad({ processes }: Pick<Machines, "processes">, key: string, username: string) {
  const load: Load = { until: { over: false }, refused: [] };
  const address = `${username}@${DOMAIN}`;
  const mails = processes.smtp.map((): Acknowledged => []);
  const creates = processes.web.map((): Acknowledged => []);
  const sends = processes.web.map((): Acknowledged => []);
  const message = { to: "someone@example.org", subject: "Hello", text: "A mail to the outside." };
  const working = [
    ...processes.smtp.map((smtp, index) =>
      mailUntil(
        () => smtp,
        address,
        load.until,
        (id) => mails[index]?.push({ id, at: performance.now() }),
      ),
    ),
    ...processes.web.flatMap((web, index) => [
      callUntil(load, creates[index] as Acknowledged, () => call(web, key, "/v1/inboxes", {})),
      callUntil(load, sends[index] as Acknowledged, () => call(web, key, `/v1/inboxes/${address}/send`, message)),
    ]),
  ];
  return {
    /** Calls, not mails, that were answered with another status or not at all. */
    refused: load.refused,
    mails,
    creates,
    sends,
    async end(): Promise<void> {
      load.until.over = true;
      await Promise.all(working);
    },
  };
}
