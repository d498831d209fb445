// Keeps content in encrypted objects of an S3 bucket, one for each content of an organization.
import { BlobError } from "../base/errors.ts";
import type { SecretBox } from "../base/secrets.ts";
import type { BlobObjects, Blobs, Placed } from "../ports/blobs.ts";
import { nameBlob, openBlob, SEAL_BYTES, sealBlob } from "./blob-seal.ts";
import { inRow } from "./postgres-blobs.ts";
import { type OnRequest, type S3Settings, s3Requests } from "./s3-requests.ts";

/** In the answer to a list. */
const LISTED = /<Key>([^<]{1,1024})<\/Key>/g;
const MORE = /<IsTruncated>\s*true\s*</;
/** A name as a key has it, after the prefix and the organization. */
const NAME = /^[0-9a-f]{64}$/;
const PAGE_KEYS = 1_000;

type Options = {
  s3: S3Settings & { prefix: string };
  secrets: SecretBox;
  newIn: Blobs["newIn"];
  /** Of the largest content. */
  maxBytes: number;
  onRequest: OnRequest;
};
type Bucket = ReturnType<typeof s3Requests> & { folderOf(organizationId: string): string };

export function s3Blobs({ s3, secrets, newIn, maxBytes, onRequest }: Options): Blobs {
  const bucket = { ...s3Requests(s3, onRequest), folderOf: (id: string) => `${s3.prefix}${id}/` };
  return {
    newIn,
    async load(organizationId: string, { bytes, blob }: Placed) {
      if (bytes) return bytes;
      if (!blob) throw new BlobError("missing", "the row has no content");
      const key = bucket.folderOf(organizationId) + blob;
      const sealed = await bucket.send({ operation: "get", organizationId, key, maxBytes: maxBytes + SEAL_BYTES });
      return openBlob(secrets, { organizationId, blob }, sealed);
    },
    async keep(organizationId, content, { where = newIn, claim } = {}) {
      if (where === "rows") return inRow(content);
      const { blob, sha256 } = await nameBlob(secrets, organizationId, content);
      await claim?.(blob);
      const body = await sealBlob(secrets, { organizationId, blob }, content);
      // Written again if it exists, so that an object that was lost or damaged is there afterwards.
      await bucket.send({ operation: "put", organizationId, key: bucket.folderOf(organizationId) + blob, body });
      return { bytes: null, blob, sha256 };
    },
    objects: objectsIn(bucket),
    close: bucket.close,
  };
}

function objectsIn({ send, folderOf }: Bucket): BlobObjects {
  return {
    async list(organizationId, after) {
      const prefix = folderOf(organizationId);
      const start: Record<string, string> = after === undefined ? {} : { "start-after": after };
      const query = { "list-type": "2", prefix, "max-keys": `${PAGE_KEYS}`, ...start };
      const page = (await send({ operation: "list", organizationId, key: "", query })).toString("utf8");
      const keys = [...page.matchAll(LISTED)].map(([, key = ""]) => key);
      const names = keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
      return { blobs: names.filter((name) => NAME.test(name)), after: MORE.test(page) ? keys.at(-1) : undefined };
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
