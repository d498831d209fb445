// Ceph's S3 server, radosgw: one for a run of tests, on a cluster that keeps everything in memory, and an account for each test file.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { AwsClient } from "aws4fetch";
import { eventually } from "../events.ts";
import { freePort } from "../process.ts";
import { BUCKET, type S3Server } from "./server.ts";

declare module "vitest" {
  interface ProvidedContext {
    radosgw?: Radosgw;
  }
}

/** `configuration`: the path of the file that Ceph's programs read. */
export type Radosgw = { port: number; configuration: string };

const run = promisify(execFile);
const NAME = "client.rgw";
/** Debian's packages have a name for each program. */
const PACKAGES = ["radosgw", "ceph-mon", "ceph-osd", "ceph-common"];
const PROGRAMS = ["radosgw", "ceph-mon", "ceph-osd", "ceph"];
const STORE_BYTES = 4 * 1024 ** 3;
const CALL_TIMEOUT_MS = 60_000;
const END_WITHIN_MS = 5_000;
const PAGES_MAX = 100;

export function whyNoRadosgw(): string | undefined {
  try {
    for (const program of PROGRAMS) execFileSync(program, ["--version"], { stdio: "ignore", timeout: CALL_TIMEOUT_MS });
    return undefined;
  } catch {
    return `radosgw is not installed (apt-get install --no-install-recommends ${PACKAGES.join(" ")})`;
  }
}

/** No keys, since nothing but the S3 port is of interest; one copy of everything; loopback only. */
function configurationOf(folder: string, id: string, ports: { monitor: number; s3: number }): string {
  return `[global]
fsid = ${id}
mon host = v2:127.0.0.1:${ports.monitor}
public network = 127.0.0.0/8
ms bind msgr1 = false
ms bind ipv6 = false
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${folder}
admin socket =
log file = ${folder}/$name.log
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = ${STORE_BYTES}
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon data avail crit = 1
[${NAME}]
rgw frontends = beast endpoint=127.0.0.1:${ports.s3}
rgw enable apis = s3
# Without keys there is no encryption, which radosgw asks for by default.
ms mon client mode = crc
`;
}

type Program = { child: ChildProcess; ended: Promise<unknown> };

async function end({ child, ended }: Program): Promise<void> {
  child.kill("SIGCONT");
  child.kill("SIGTERM");
  // Nothing of it is needed again.
  const late = setTimeout(() => child.kill("SIGKILL"), END_WITHIN_MS);
  await ended;
  clearTimeout(late);
}

/** `stop` ends radosgw and its cluster, and removes their folder. */
export async function startRadosgw() {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-ceph-"));
  for (const each of ["mon", "osd"]) await mkdir(join(folder, each));
  const [id, monitor, s3] = [randomUUID(), await freePort(), await freePort()];
  const configuration = join(folder, "ceph.conf");
  await writeFile(configuration, configurationOf(folder, id, { monitor, s3 }));
  const own = ["-c", configuration];
  const call = (program: string, ...args: string[]) => run(program, args, { timeout: CALL_TIMEOUT_MS });
  /** The last one first. */
  const programs: Program[] = [];
  const begin = (program: string, name: string): Program => {
    const child = spawn(program, [...own, "-n", name, "-f"], { stdio: "ignore" });
    const begun = { child, ended: once(child, "close") };
    programs.unshift(begun);
    return begun;
  };
  async function beginGateway(): Promise<Program> {
    const begun = begin("radosgw", NAME);
    const { child } = begun;
    const answered = eventually(async () => child.exitCode === null && (await fetch(`http://127.0.0.1:${s3}/`)).ok);
    if (!(await answered)) throw new Error(`radosgw ended with ${child.exitCode}`);
    return begun;
  }
  const stop = async () => {
    for (const each of programs) await end(each);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const map = join(folder, "monmap");
    await call("monmaptool", "--create", "--fsid", id, "--addv", "a", `[v2:127.0.0.1:${monitor}]`, map);
    await call("ceph-mon", ...own, "-i", "a", "--mkfs", "--monmap", map);
    begin("ceph-mon", "mon.a");
    const store = randomUUID();
    await call("ceph", ...own, "osd", "new", store);
    await call("ceph-osd", ...own, "-i", "0", "--mkfs", "--osd-uuid", store);
    const objects = begin("ceph-osd", "osd.0");
    let gateway = await beginGateway();
    return {
      radosgw: { port: s3, configuration },
      stop,
      /** Kills radosgw, and starts it again. */
      async restart(): Promise<void> {
        gateway.child.kill("SIGKILL");
        await gateway.ended;
        gateway = await beginGateway();
      },
      /** Lets the store of objects, which radosgw writes to and reads from, stand still or go on. */
      freeze: (isFrozen: boolean) => objects.child.kill(isFrozen ? "SIGSTOP" : "SIGCONT"),
    };
  } catch (cause) {
    const log = await readFile(join(folder, `${NAME}.log`), "utf8").catch(() => "");
    await stop();
    throw new Error(`radosgw did not start:\n${log}`, { cause });
  }
}

const tenantOf = (accessKeyId: string) => accessKeyId.replaceAll("-", "");

const manage = ({ configuration }: Radosgw, args: string[]) =>
  run("radosgw-admin", ["-c", configuration, "-n", NAME, ...args], { timeout: CALL_TIMEOUT_MS });

/** Sets the quota of an account. @param objects undefined: no quota */
export async function limitObjects(radosgw: Radosgw, accessKeyId: string, objects?: number): Promise<void> {
  const of = ["--quota-scope", "user", "--uid", `${tenantOf(accessKeyId)}$mailberth`];
  if (objects !== undefined) await manage(radosgw, ["quota", "set", ...of, "--max-objects", `${objects}`]);
  await manage(radosgw, ["quota", objects === undefined ? "disable" : "enable", ...of]);
}

/** An account that shares nothing with others, the names of buckets included, and its bucket. */
export async function openRadosgw(radosgw: Radosgw): Promise<S3Server> {
  const accessKeyId = randomUUID();
  const secretAccessKey = randomUUID();
  const keys = ["--access-key", accessKeyId, "--secret-key", secretAccessKey];
  const account = ["--tenant", tenantOf(accessKeyId), "--uid", "mailberth", "--display-name", "mailberth"];
  await manage(radosgw, ["user", "create", ...account, ...keys]);
  const client = new AwsClient({ accessKeyId, secretAccessKey, service: "s3", region: "us-east-1" });
  async function ask(method: string, path: string, bytes?: Buffer): Promise<Response> {
    const body = bytes && new Uint8Array(bytes);
    const answer = await client.fetch(`http://127.0.0.1:${radosgw.port}/${BUCKET}${path}`, {
      method,
      ...(body && { body }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  }
  const put = async (key: string, bytes: Buffer) => void (await ask("PUT", `/${key}`, bytes));
  await ask("PUT", "");
  return {
    port: radosgw.port,
    accessKeyId,
    secretAccessKey,
    async keys() {
      const found: string[] = [];
      let more = "";
      for (let page = 0; page < PAGES_MAX; page += 1) {
        const list = await (await ask("GET", `?list-type=2${more}`)).text();
        found.push(...[...list.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = ""]) => key));
        const [, token] = /<NextContinuationToken>([^<]+)</.exec(list) ?? [];
        if (!token) return found;
        more = `&continuation-token=${encodeURIComponent(token)}`;
      }
      throw new Error(`the bucket has more than ${PAGES_MAX} pages`);
    },
    read: async (key) => Buffer.from(await (await ask("GET", `/${key}`)).arrayBuffer()),
    write: put,
    put,
    lose: async (key) => void (await ask("DELETE", `/${key}`)),
    // The cluster ends with the run.
    stop: async () => {},
  };
}
