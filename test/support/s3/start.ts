// A real S3 server behind a proxy that can be slow, down, full or wrong: s3rver, or radosgw in `npm run test:radosgw`.
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer as bytesOf } from "node:stream/consumers";
import { inject } from "vitest";
import { startS3rver } from "./in-process.ts";
import { openRadosgw } from "./radosgw.ts";
import { BUCKET, type S3Server } from "./server.ts";

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

/** @param radosgw that of the run, if it has one; without any it is s3rver */
export async function startS3(radosgw = inject("radosgw")) {
  const s3 = radosgw ? await openRadosgw(radosgw) : await startS3rver();
  /** Requests that arrived, as method and path. */
  const requests: string[] = [];
  let fault: ((req: IncomingMessage) => Fault | undefined | Promise<Fault | undefined>) | undefined;
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
    if (s3.lacks?.isSigned(req, body) === false) return refuse(res, { status: 403, code: "SignatureDoesNotMatch" });
    const work = () => pass(req, res, { s3, body, ...broken });
    return s3.lacks ? s3.lacks.inTurn(pathOf(req), work) : work();
  }
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const at = `http://127.0.0.1:${(door.address() as AddressInfo).port}`;

  return {
    settings: {
      BLOBS: "s3",
      S3_ENDPOINT: at,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: s3.accessKeyId,
      S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
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
      return (await s3.keys()).filter((key) => !key.endsWith("mailberth-check")).sort();
    },
    /** What the bucket has under a key. */
    read: s3.read,
    write: s3.write,
    /** An object that the service did not write. */
    put: (key: string) => s3.put(key, Buffer.from("not of the service")),
    lose: s3.lose,
    async stop(): Promise<void> {
      door.closeAllConnections();
      await new Promise((resolve) => door.close(resolve));
      await s3.stop();
    },
  };
}

function refuse(res: ServerResponse, { status, code, body, headers }: Extract<Fault, { status: number }>): void {
  res.writeHead(status, { "Content-Type": "application/xml", ...headers });
  res.end(body ?? `<?xml version="1.0"?><Error><Code>${code}</Code><Message>words of S3</Message></Error>`);
}

const pathOf = ({ url }: IncomingMessage) => new URL(url ?? "", "http://s3").pathname;

type Onward = { s3: S3Server; body: Buffer; whenDone?: () => void; isAnswered?: boolean };

async function pass(req: IncomingMessage, res: ServerResponse, { s3, body, ...then }: Onward): Promise<void> {
  const { method, url, headers } = req;
  const onward = request({ host: "127.0.0.1", port: s3.port, method, path: url, headers });
  onward.end(body);
  const [answer] = (await once(onward, "response")) as [IncomingMessage];
  const bytes = await bytesOf(answer);
  if (method === "PUT" && answer.statusCode === 200) await s3.lacks?.untilWritten(pathOf(req), body);
  then.whenDone?.();
  if (then.isAnswered === false) return void res.destroy();
  res.writeHead(answer.statusCode ?? 0, answer.headers).end(bytes);
}
