// A real S3 server (s3rver) in this process, behind a proxy that can be slow, down, full or wrong.
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer as bytesOf } from "node:stream/consumers";
import S3rver from "s3rver";
import { eventually } from "../events.ts";
import { isSigned } from "./signature.ts";

const BUCKET = "mails";
/** The account that s3rver has. */
const ACCOUNT = "S3RVER";
/** The files of an object in the folder of s3rver: its content, and what it knows of it. */
const CONTENT = "._S3rver_object";

/**
 * `hang`: the request is not passed on, and not answered. `down`: the connection is closed. A status: the request is not
 * passed on, and answered with this status and code. `whenDone`: the request is passed on; this is called when it was
 * carried out, and the answer is passed on or not.
 */
export type Fault =
  | "hang"
  | "down"
  | { status: number; code?: string; body?: string; headers?: Record<string, string> }
  | { whenDone: () => void; isAnswered: boolean };

export type S3 = Awaited<ReturnType<typeof startS3>>;

export async function startS3() {
  const folder = await mkdtemp(join(tmpdir(), "mailberth-s3-"));
  const s3 = new S3rver({
    address: "127.0.0.1",
    port: 0,
    silent: true,
    directory: folder,
    vhostBuckets: false,
    configureBuckets: [{ name: BUCKET, configs: [] }],
  });
  const { port } = await s3.run();
  /** Requests that arrived, as method and path. */
  const requests: string[] = [];
  let fault: ((req: IncomingMessage) => Fault | undefined | Promise<Fault | undefined>) | undefined;
  const inTurn = createTurns();
  const hanging = new Set<ServerResponse>();
  const door = createServer((req, res) => {
    requests.push(`${req.method} ${req.url}`);
    answer(req, res).catch(() => res.destroy());
  });
  async function answer(req: IncomingMessage, res: ServerResponse): Promise<unknown> {
    const broken = await fault?.(req);
    if (broken === "hang") return hanging.add(res);
    if (broken === "down") return req.socket.destroy();
    const body = await bytesOf(req);
    if (broken && "status" in broken) return refuse(res, broken);
    if (!isSigned(req, body, ACCOUNT)) return refuse(res, { status: 403, code: "SignatureDoesNotMatch" });
    const path = new URL(req.url ?? "", "http://s3").pathname;
    const file = join(folder, path + CONTENT);
    // s3rver replaces objects in place, S3 as a whole.
    return inTurn(path, () => pass(req, res, { port, body, file, ...broken }));
  }
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const at = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;
  const bucketFolder = join(folder, BUCKET);
  const names = async () => (await readdir(bucketFolder, { recursive: true })).filter((name) => name.endsWith(CONTENT));

  return {
    settings: {
      BLOBS: "s3",
      S3_ENDPOINT: at,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: ACCOUNT,
      S3_SECRET_ACCESS_KEY: ACCOUNT,
    },
    requests,
    /** Until it is called again. @param next undefined: everything works */
    break(next: typeof fault | Fault | undefined) {
      fault = typeof next === "function" || next === undefined ? next : () => next;
      if (fault === undefined) for (const res of hanging) res.socket?.destroy();
      hanging.clear();
    },
    /** The keys of all objects, but for that of the checks. */
    async objects(): Promise<string[]> {
      const keys = (await names()).map((name) => name.slice(0, -CONTENT.length));
      return keys.filter((key) => !key.endsWith("mailberth-check")).sort();
    },
    /** What the bucket has under a key. */
    read: (key: string) => readFile(join(bucketFolder, key + CONTENT)),
    write: (key: string, bytes: Buffer) => writeFile(join(bucketFolder, key + CONTENT), bytes),
    /** An object that the service did not write. */
    async put(key: string): Promise<void> {
      const body = Buffer.from("not of the service");
      const answered = await fetch(`http://127.0.0.1:${port}/${BUCKET}/${key}`, { method: "PUT", body });
      if (!answered.ok) throw new Error(`PUT ${key}: ${answered.status}`);
    },
    async lose(key: string): Promise<void> {
      const path = join(bucketFolder, key);
      const files = (await readdir(join(path, ".."))).filter((name) => name.startsWith(path.slice(-64)));
      await Promise.all(files.map((name) => rm(join(path, "..", name))));
    },
    async stop(): Promise<void> {
      door.closeAllConnections();
      await new Promise((resolve) => door.close(resolve));
      await s3.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function refuse(res: ServerResponse, { status, code, body, headers }: Extract<Fault, { status: number }>): void {
  res.writeHead(status, { "Content-Type": "application/xml", ...headers });
  res.end(body ?? `<?xml version="1.0"?><Error><Code>${code}</Code><Message>words of S3</Message></Error>`);
}

type Onward = { port: number; body: Buffer; file: string; whenDone?: () => void; isAnswered?: boolean };

async function pass(req: IncomingMessage, res: ServerResponse, { port, body, file, ...then }: Onward): Promise<void> {
  const { method, url, headers } = req;
  const onward = request({ host: "127.0.0.1", port, method, path: url, headers });
  onward.end(body);
  const [answer] = (await once(onward, "response")) as [IncomingMessage];
  const bytes = await bytesOf(answer);
  if (method === "PUT" && answer.statusCode === 200) await untilWritten(file, body);
  then.whenDone?.();
  if (then.isAnswered === false) return void res.destroy();
  res.writeHead(answer.statusCode ?? 0, answer.headers).end(bytes);
}

/** s3rver answers before the file is whole. Unlike S3, it would then let others read a part. */
async function untilWritten(file: string, body: Buffer): Promise<void> {
  await eventually(async () => {
    if (!(await readFile(file)).equals(body)) throw new Error(`${file} is not whole`);
  });
}

/** Runs what has the same name one after the other. */
function createTurns() {
  const latest = new Map<string, Promise<unknown>>();
  return async (name: string, work: () => Promise<void>): Promise<void> => {
    const own = (latest.get(name) ?? Promise.resolve()).then(work, work);
    latest.set(name, own);
    try {
      await own;
    } finally {
      if (latest.get(name) === own) latest.delete(name);
    }
  };
}
