// Starts nginx or Caddy with the files of ops/, on free ports of loopback and with a certificate for localhost.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { eventually } from "#test/support/events.ts";

const OPS = join(import.meta.dirname, "../../ops");
/** nginx gives up root for its workers. */
const ENTERED_BY_ALL_MODE = 0o755;

export type Ports = { http: number; https: number; service: number };
export type RunningProxy = { stop(): Promise<void> };

/** Replaces each text once; throws if the file does not have it, so that the test uses what operators get. */
function replaced(text: string, changes: [from: string, to: string][]): string {
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`the file has no ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

async function nginxFiles(folder: string, ports: Ports): Promise<string[]> {
  const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }]);
  await writeFile(join(folder, "cert.pem"), cert);
  await writeFile(join(folder, "cert.key"), key);
  const site = replaced(await readFile(join(OPS, "nginx.conf"), "utf8"), [
    ["server 127.0.0.1:3000;", `server 127.0.0.1:${ports.service};`],
    ["listen 80;", `listen 127.0.0.1:${ports.http};`],
    ["listen 443 ssl http2;", `listen 127.0.0.1:${ports.https} ssl http2;`],
    ["mail.example.com;", "localhost;"],
    ["/etc/ssl/mail.example.com.pem", join(folder, "cert.pem")],
    ["/etc/ssl/mail.example.com.key", join(folder, "cert.key")],
  ]);
  await writeFile(join(folder, "site.conf"), site);
  const main = `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
    events {} http { access_log off; include ${folder}/site.conf; }`;
  await writeFile(join(folder, "nginx.conf"), main);
  return ["nginx", "-p", folder, "-c", join(folder, "nginx.conf")];
}

async function caddyFiles(folder: string, ports: Ports): Promise<string[]> {
  const options = `{\n\tadmin off\n\tskip_install_trust\n\tlocal_certs\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n}\n`;
  const site = replaced(await readFile(join(OPS, "Caddyfile"), "utf8"), [
    ["{$MAILBERTH_SITE:mail.example.com} {", "localhost {\n\tbind 127.0.0.1"],
  ]);
  await writeFile(join(folder, "Caddyfile"), options + site);
  return ["caddy", "run", "--adapter", "caddyfile", "--config", join(folder, "Caddyfile")];
}

export const PROXIES = { nginx: nginxFiles, caddy: caddyFiles };

export async function startProxy(kind: keyof typeof PROXIES, ports: Ports): Promise<RunningProxy> {
  const folder = await mkdtemp(join(tmpdir(), `mailberth-${kind}-`));
  await chmod(folder, ENTERED_BY_ALL_MODE);
  const [program = "", ...args] = await PROXIES[kind](folder, ports);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(program, args, {
    env: { ...env, MAILBERTH_WEB: `127.0.0.1:${ports.service}` },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", keep);
  const exited = once(child, "exit");
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended:\n${output}`);
    await answers(ports.https);
  });
  return {
    async stop() {
      await end(child, exited);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answers(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
  } finally {
    socket.destroy();
  }
}

async function end(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  await exited;
}
