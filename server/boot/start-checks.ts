// What a start looks at, and what it says in one sentence when a port, a key or a bucket cannot be used.
import { resolve } from "node:path";
import { asc } from "drizzle-orm";
import { dkimKeys } from "#db/schema/domains.ts";
import { webhooks } from "#db/schema/events.ts";
import type { Ctx, System } from "../base/context.ts";
import type { Settings } from "../base/env.ts";
import { BlobError } from "../base/errors.ts";
import { factsOf } from "../blobs/failure.ts";

const PORT_REMEDIES: Record<string, (setting: string, host: string, port: number) => string> = {
  EADDRINUSE: (setting, host, port) =>
    `${setting}: another program uses ${host}:${port}. Stop it, or set ${setting} to a free port.`,
  EACCES: (setting, _host, port) =>
    `${setting}: this user may not listen on port ${port}. Set ${setting} to a port above 1023, or grant the user the right.`,
  EADDRNOTAVAIL: (_setting, host) =>
    `HOST: ${host} is not an address of this machine. Set HOST to one of its addresses.`,
  ENOTFOUND: (_setting, host) => `HOST: the name ${host} is unknown. Set HOST to an address of this machine.`,
};

/**
 * Starts to listen.
 * @param setting the name of the port's setting
 * @throws Error that names the setting and the remedy, or the original error for another cause
 */
export async function listenAt<T>(setting: string, host: string, port: number, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const remedy = PORT_REMEDIES[(error as NodeJS.ErrnoException).code ?? ""];
    throw remedy ? new Error(remedy(setting, host, port), { cause: error }) : error;
  }
}

/** Of a folder that belongs to another user, or is on a file system that cannot be written. */
const REFUSED = ["EACCES", "EPERM", "EROFS"];

/** What a failed start prints: for a data folder that refuses to be written, whose it must be; otherwise the message of the error. */
export function sayWhy(error: unknown, { DATA_DIR }: Pick<Settings, "DATA_DIR">): string {
  if (!(error instanceof Error)) return `${error}`;
  const { code = "", path = "", message } = error as NodeJS.ErrnoException;
  const folder = resolve(DATA_DIR);
  if (!REFUSED.includes(code) || !`${resolve(path)}/`.startsWith(`${folder}/`)) return message;
  const [uid, gid] = [process.getuid?.(), process.getgid?.()];
  return `DATA_DIR: user ${uid} may not write to ${folder} (${code}). Run \`chown -R ${uid}:${gid} ${folder}\` where the folder or volume is, or set DATA_DIR to another folder.`;
}

// Says at start when secrets in the database were encrypted with another ENCRYPTION_KEY, what still works, and what to do.
const LOST =
  "ENCRYPTION_KEY: this is not the key with which secrets in the database were encrypted. Webhooks with such secrets are not delivered, " +
  "and mail from domains with such DKIM keys is not sent by OUTBOUND=smtp. All other work goes on: mail is received, read and waited for. " +
  "Set the former key in every process. If it is lost, rotate the secret of each webhook, and the DKIM key of each domain";

/** Looks at the oldest secret of each kind. */
export async function checkKey({ db, secrets, log }: Ctx<System>): Promise<void> {
  const [[webhook], [domain]] = await Promise.all([
    db.select({ sealed: webhooks.secret }).from(webhooks).orderBy(asc(webhooks.id)).limit(1),
    db.select({ sealed: dkimKeys.private_key }).from(dkimKeys).orderBy(asc(dkimKeys.id)).limit(1),
  ]);
  const found = { "webhook secrets": webhook, "DKIM keys": domain };
  const kinds = Object.entries(found).filter(([, row]) => row && !secrets.isOwn(row.sealed));
  if (kinds.length > 0) log.error({ encrypted_with_another_key: kinds.map(([kind]) => kind) }, LOST);
}

// Checks at start that S3 can be used, and says in one sentence what is wrong and what to do.
/** The code or status of the answer of S3 → the setting, and what to do. The first that fits counts. */
const S3_REMEDIES: [RegExp, setting: string, remedy: string][] = [
  [/NoSuchBucket/, "S3_BUCKET", "Create the bucket, or correct S3_BUCKET or S3_ENDPOINT."],
  [/InvalidAccessKeyId/, "S3_ACCESS_KEY_ID", "Correct S3_ACCESS_KEY_ID."],
  [/SignatureDoesNotMatch/, "S3_SECRET_ACCESS_KEY", "Correct S3_SECRET_ACCESS_KEY."],
  [/RequestTimeTooSkewed/, "S3_ENDPOINT", "Synchronize the clock of this machine by NTP."],
  [/Redirect| 30\d|AuthorizationHeaderMalformed/, "S3_REGION", "Set S3_ENDPOINT and S3_REGION to those of the bucket."],
  [/ 403/, "S3_BUCKET", "Grant the credentials GetObject, PutObject, DeleteObject and ListBucket for this bucket."],
];
const OTHERWISE = [/(?:)/, "S3_ENDPOINT", "Correct S3_ENDPOINT, S3_BUCKET, S3_REGION or S3_PATH_STYLE."] as const;
const NOT_S3 =
  "S3_ENDPOINT: what answers there does not return what was written. Set S3_ENDPOINT to the address of the S3 API.";

const WRONG_KEY =
  "ENCRYPTION_KEY: this is not the key with which the mail in S3 was encrypted, so this mail and its attachments cannot be read. " +
  "Everything in PostgreSQL works, and new mail is stored with this key. Set the former key in every process; if it is lost, delete the object";

/** A sentence for a setting that is wrong; undefined if S3 may answer later. */
function sentenceOf({ problem, message }: BlobError): string | undefined {
  if (problem === "damaged") return NOT_S3;
  if (problem !== "refused") return undefined;
  const [, setting, remedy] = S3_REMEDIES.find(([code]) => code.test(message)) ?? OTHERWISE;
  return `${setting}: ${message}. ${remedy}`;
}

/**
 * S3 that is away or full does not prevent the start.
 * @throws Error if this process is to write to S3, and S3 refuses it
 */
export async function checkBlobs({ blobs, settings, log }: Ctx<System>): Promise<void> {
  try {
    await blobs.check();
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    const sentence = sentenceOf(error);
    if (sentence && settings.BLOBS === "s3") throw new Error(sentence, { cause: error });
    if (error.problem === "wrong_key") {
      log.error(factsOf(error), `${WRONG_KEY} ${settings.S3_PREFIX}mailberth-check from the bucket.`);
    } else {
      log.error(
        factsOf(error),
        "S3 cannot be used now: new mail is deferred, and mail and attachments in S3 cannot be read",
      );
    }
  }
}
