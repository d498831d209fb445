// Builds the image of ops/Containerfile without a registry of images, on Debian's base system with this Node, and runs it.
import { execFile, spawn } from "node:child_process";
import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { eventually } from "#test/support/events.ts";
import { freePort } from "#test/support/process.ts";

const ROOT = join(import.meta.dirname, "../..");
const BASE = "localhost/mailberth-base";
const IMAGE = "localhost/mailberth-of-tests";
/** What the official image of Node has beside the base system. */
const PACKAGES = "ca-certificates,libatomic1";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
/** Lower than the usual limits of containers, which a sandbox may not set. */
const LIMITS = ["--ulimit", "nofile=16384:16384", "--ulimit", "nproc=4096:4096"];
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

async function run(program: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(program, args, { cwd: ROOT, maxBuffer: OUTPUT_MAX_BYTES });
  return stdout.trim();
}

/** Where images and containers are, so that nothing stays on the machine. */
function storage(folder: string): string[] {
  const own = ["--root", join(folder, "storage"), "--runroot", join(folder, "run")];
  return [...own, "--storage-driver", "vfs"];
}

/** Debian's base system with the Node that runs the tests, and with npm as it is set here. */
async function makeRoot(root: string): Promise<void> {
  const [mirror = ""] = (await run("apt-get", ["indextargets", "--format", "$(SITE)", "Created-By: Packages"])).split(
    "\n",
  );
  await run("debootstrap", ["--variant=minbase", `--include=${PACKAGES}`, "bookworm", root, mirror]);
  await copyFile(process.execPath, join(root, "usr/local/bin/node"));
  await run("npm", [
    "install",
    "--global",
    "--prefix",
    join(root, "usr/local"),
    `npm@${await run("npm", ["--version"])}`,
  ]);
  // A proxy may stand between npm and its registry.
  await copyFile(CERTIFICATES, join(root, CERTIFICATES));
  await mkdir(join(root, "usr/local/etc"), { recursive: true });
  const registry = await run("npm", ["config", "get", "registry"]);
  await writeFile(join(root, "usr/local/etc/npmrc"), [`registry=${registry}`, `cafile=${CERTIFICATES}`].join("\n"));
}

/** Builds the image as the guide says; its containers run on this Node and not on that of the Containerfile. */
export async function buildImage(folder: string): Promise<void> {
  const buildah = (...args: string[]) => run("buildah", [args[0] ?? "", ...storage(folder), ...args.slice(1)]);
  const root = join(folder, "root");
  await makeRoot(root);
  const container = await buildah("from", "scratch");
  await buildah("add", "--quiet", container, root, "/");
  await buildah("commit", "--quiet", "--rm", container, BASE);
  await rm(root, { recursive: true });
  const base = ["--build-arg", `NODE_IMAGE=${BASE}`];
  const how = ["--isolation", "chroot", "--format", "docker", "--quiet"];
  await buildah("build", ...how, ...base, "--file", "ops/Containerfile", "--tag", IMAGE, ".");
}

/** The files of a build that match a pattern of `find`; the image has none of them, and its layers must not either. */
export async function filesInBuild(folder: string, name: string): Promise<string[]> {
  const containerfile = join(folder, "Listing");
  await writeFile(containerfile, `FROM ${BASE}\nCOPY . /source\nRUN find /source -name '${name}'\n`);
  const how = ["--isolation", "chroot", "--layers=false", "--file", containerfile, "."];
  const output = await run("buildah", ["build", ...storage(folder), ...how]);
  return output.split("\n").filter((line) => line.startsWith("/source/"));
}

type User = { user?: string; volume: string };

/**
 * Runs the image as the guide says, without rights and on a root that cannot be written, on ports of this machine.
 * @param as.user of the container, with its group; absent: that of the image
 */
export async function runImage(folder: string, environment: Record<string, string>, as: User = { volume: "data" }) {
  const { user, volume } = as;
  const [port, smtpPort] = [await freePort(), await freePort()];
  const podman = ["--runtime", "runc", "--cgroup-manager", "cgroupfs", ...storage(folder)];
  const name = `mailberth-${port}`;
  const settings = { HOST: "127.0.0.1", PORT: `${port}`, SMTP_PORT: `${smtpPort}`, ...environment };
  const guarded = ["--read-only", "--tmpfs", "/tmp", "--cap-drop", "all", "--security-opt", "no-new-privileges"];
  const child = spawn("podman", [
    ...podman,
    ...["run", "--rm", "--name", name, "--network", "host", "--volume", `${volume}:/var/lib/mailberth`],
    ...(user === undefined ? [] : ["--user", user]),
    ...guarded,
    ...LIMITS,
    ...Object.entries(settings).flatMap(([setting, value]) => ["--env", `${setting}=${value}`]),
    IMAGE,
  ]);
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode === null) await run("podman", [...podman, "stop", name]);
    return ended;
  };
  try {
    await eventually(async () => {
      const { status } = await fetch(`${url}/health/ready`);
      if (status !== 200 || !text.includes("is ready")) throw new Error(`not ready: ${status}`);
    });
  } catch (cause) {
    await stop();
    throw new Error(`the container did not get ready:\n${text}`, { cause });
  }
  return {
    url,
    smtpPort,
    output: () => text,
    /** Runs a command in the container. @throws when it fails */
    execute: (...command: string[]) => run("podman", [...podman, "exec", name, ...command]),
    /** Runs the health check of the image. @throws when it fails */
    checkHealth: () => run("podman", [...podman, "healthcheck", "run", name]),
    /** @returns the exit code */
    stop,
  };
}
