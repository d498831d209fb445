// The S3 server of `npm test`: s3rver, in this process, with its objects in a folder.
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import S3rver from "s3rver";
import { eventually } from "../events.ts";
import { BUCKET, type S3Server } from "./server.ts";
import { isSigned } from "./signature.ts";

/** The account that s3rver has. */
const ACCOUNT = "S3RVER";
/** The files of an object in the folder of s3rver: its content, and what it knows of it. */
const CONTENT = "._S3rver_object";

export async function startS3rver(): Promise<S3Server> {
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
  const bucketFolder = join(folder, BUCKET);
  const inTurn = createTurns();

  return {
    port,
    accessKeyId: ACCOUNT,
    secretAccessKey: ACCOUNT,
    lacks: {
      isSigned: (req, body) => isSigned(req, body, ACCOUNT),
      inTurn,
      // It answers before the file is whole. Unlike S3, it would then let others read a part.
      untilWritten: (path, body) =>
        eventually(async () => {
          const file = join(folder, path + CONTENT);
          if (!(await readFile(file)).equals(body)) throw new Error(`${file} is not whole`);
        }),
    },
    async keys() {
      const names = await readdir(bucketFolder, { recursive: true });
      return names.filter((name) => name.endsWith(CONTENT)).map((name) => name.slice(0, -CONTENT.length));
    },
    read: (key) => readFile(join(bucketFolder, key + CONTENT)),
    write: (key, bytes) => writeFile(join(bucketFolder, key + CONTENT), bytes),
    async put(key, body) {
      const answered = await fetch(`http://127.0.0.1:${port}/${BUCKET}/${key}`, { method: "PUT", body: body.slice() });
      if (!answered.ok) throw new Error(`PUT ${key}: ${answered.status}`);
    },
    async lose(key) {
      const path = join(bucketFolder, key);
      const files = (await readdir(join(path, ".."))).filter((name) => name.startsWith(path.slice(-64)));
      await Promise.all(files.map((name) => rm(join(path, "..", name))));
    },
    async stop() {
      await s3.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
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
