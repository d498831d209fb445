// The port to stored content: raw mail and the bytes of attachments. Implemented by server/adapters/postgres-blobs.ts and
// server/adapters/s3-blobs.ts, tested by test/contracts/blobs.

/** Where a content is: in its row, or in an object that `blob` names; with its SHA-256. Both in hex. */
export type Place = { bytes: Buffer; blob: null; sha256: null } | { bytes: null; blob: string; sha256: string };

/** A row that has a content. */
export type Placed = { bytes: Buffer | null; blob: string | null };

/**
 * `unavailable`: no answer, or an answer that may change. `refused`: it answers that the bucket, the credentials or another
 * setting is wrong. `full`: it has no space left. `missing`: it answers that the
 * object does not exist. `damaged`: what it returned is not what was written. `wrong_key`: written under another
 * ENCRYPTION_KEY. `not_configured`: the row is in an object, and this process has no settings for S3.
 */
export type BlobProblem = "unavailable" | "refused" | "full" | "missing" | "damaged" | "wrong_key" | "not_configured";

/** The objects of one organization, which the sweep lists and removes. */
export type BlobObjects = {
  /** A page of their names, in order; `after` is for the next page, undefined if this is the last one. */
  list(organizationId: string, after: string | undefined): Promise<{ blobs: string[]; after: string | undefined }>;
  /** Resolves when the object is gone, also if it never existed. */
  remove(organizationId: string, blob: string): Promise<void>;
};

export type Blobs = {
  /** Where new content is written. */
  readonly newIn: "rows" | "objects";
  /**
   * Decides where a content belongs; in an object, it is durable when this resolves. The same content of an organization
   * is one object.
   * @param how `where`: default `newIn`; `claim` is awaited before an object is written, with its name
   * @throws BlobError
   */
  store(
    organizationId: string,
    content: Buffer,
    how?: { where?: Blobs["newIn"] | undefined; claim?: (blob: string) => Promise<void> },
  ): Promise<Place>;
  /**
   * The content of a row, exactly as it was stored.
   * @throws BlobError
   */
  load(organizationId: string, placed: Placed): Promise<Buffer>;
  /** Undefined without settings for S3. */
  readonly objects: BlobObjects | undefined;
  /**
   * Resolves if objects can be written, read and listed now. Where new content is in rows, it writes nothing.
   * @throws BlobError
   */
  check(): Promise<void>;
  close(): Promise<void>;
};
