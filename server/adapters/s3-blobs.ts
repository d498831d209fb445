// Stores content in encrypted objects of an S3 bucket, one for each content of an organization.
import { BlobError } from "../base/errors.ts";
import type { BlobObjects, Blobs, Placed } from "../base/ports/blobs.ts";
import type { SecretBox } from "../base/secrets.ts";
import { nameBlob, openBlob, SEAL_BYTES, sealBlob } from "./blob-seal.ts";
import { inRow } from "./postgres-blobs.ts";
import { type OnRequest, type S3Settings, s3Requests } from "./s3-requests.ts";

/** In the answer to a list. */
const LISTED = /<Key>([^<]{1,1024})<\/Key>/g;
const MORE = /<IsTruncated>\s*true\s*</;
/** A name as a key has it, after the prefix and the organization. */
const NAME = /^[0-9a-f]{64}$/;
const PAGE_KEYS = 1_000;
const IS_LIST = /<ListBucketResult[\s>]/;
/** The object that a check writes and reads, below the prefix. */
const CHECKED = { organizationId: "service", blob: "mailberth-check" };

type Options = {
  s3: S3Settings & { prefix: string };
  secrets: SecretBox;
  newIn: Blobs["newIn"];
  /** Of the largest content. */
  maxBytes: number;
  onRequest: OnRequest;
  /** Objects in one answer to a list. */
  pageKeys?: number;
};
type Bucket = ReturnType<typeof s3Requests> & { folderOf(organizationId: string): string };

export function s3Blobs({ s3, secrets, newIn, maxBytes, onRequest, pageKeys = PAGE_KEYS }: Options): Blobs {
  const bucket = { ...s3Requests(s3, onRequest), folderOf: (id: string) => `${s3.prefix}${id}/` };
  return {
    newIn,
    async load(organizationId: string, { bytes, blob }: Placed) {
      if (bytes) return bytes;
      if (!blob) throw new BlobError("missing", "the row has no content");
      const key = bucket.folderOf(organizationId) + blob;
      return bucket.send({
        operation: "get",
        organizationId,
        key,
        maxBytes: maxBytes + SEAL_BYTES,
        open: (body) => openBlob(secrets, { organizationId, blob }, body),
      });
    },
    async store(organizationId, content, { where = newIn, claim } = {}) {
      if (where === "rows") return inRow(content);
      const { blob, sha256 } = await nameBlob(secrets, organizationId, content);
      await claim?.(blob);
      const key = bucket.folderOf(organizationId) + blob;
      // Written again if it exists, so that an object that was lost or damaged is there afterwards.
      await bucket.send({
        operation: "put",
        organizationId,
        key,
        body: sealed(secrets, { organizationId, blob }, content),
      });
      return { bytes: null, blob, sha256 };
    },
    objects: objectsIn(bucket, pageKeys),
    check: () => check(bucket, { secrets, key: s3.prefix + CHECKED.blob, writes: newIn === "objects" }),
    close: bucket.close,
  };
}

function sealed(secrets: SecretBox, where: { organizationId: string; blob: string }, content: Buffer) {
  return { bytes: content.length + SEAL_BYTES, make: () => sealBlob(secrets, where, content) };
}

type Checked = { secrets: SecretBox; key: string; writes: boolean };

/** Never replaces an object of another ENCRYPTION_KEY: that key was lost, or one of the processes has the wrong one. */
async function check({ send }: Bucket, { secrets, key, writes }: Checked): Promise<void> {
  const at = { organizationId: CHECKED.organizationId, key, isCheck: true };
  const read = () => send({ ...at, operation: "get", open: (body) => openBlob(secrets, CHECKED, body) });
  const first = await read().then(
    () => undefined,
    (error: unknown) => error,
  );
  const problem = first instanceof BlobError ? first.problem : undefined;
  if (first !== undefined && problem !== "missing" && !(problem === "damaged" && writes)) throw first;
  if (writes) {
    await send({ ...at, operation: "put", body: sealed(secrets, CHECKED, Buffer.from(CHECKED.blob)) });
    if (first !== undefined) await read();
  }
  await send({ ...at, operation: "list", key: "", query: { prefix: key, "max-keys": "1" } });
}

function objectsIn({ send, folderOf }: Bucket, pageKeys: number): BlobObjects {
  return {
    async list(organizationId, after) {
      const prefix = folderOf(organizationId);
      const marker: Record<string, string> = after === undefined ? {} : { marker: after };
      // Version 1 of the list: every store has it.
      const query = { prefix, "max-keys": `${pageKeys}`, ...marker };
      const page = (await send({ operation: "list", organizationId, key: "", query })).toString("utf8");
      if (!IS_LIST.test(page)) throw new BlobError("damaged", "something that is not S3 answered the list");
      const keys = [...page.matchAll(LISTED)].map(([, key = ""]) => key);
      const last = MORE.test(page) ? keys.at(-1) : undefined;
      if (last !== undefined && last <= (after ?? "")) throw new BlobError("damaged", "the list of S3 does not go on");
      const names = keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
      return { blobs: names.filter((name) => NAME.test(name)), after: last };
    },
    async remove(organizationId, blob) {
      try {
        await send({ operation: "delete", organizationId, key: folderOf(organizationId) + blob });
      } catch (error) {
        if (!(error instanceof BlobError) || error.problem !== "missing") throw error;
      }
    },
  };
}
