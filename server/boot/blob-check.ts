// Checks at start that S3 can be used, and says in one sentence what is wrong and what to do.
import type { Ctx, System } from "../base/context.ts";
import { BlobError } from "../base/errors.ts";
import { factsOf } from "../messages/blobs/failure.ts";

/** The code or status of the answer of S3 → the setting, and what to do. The first that fits counts. */
const REMEDIES: [RegExp, setting: string, remedy: string][] = [
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
  const [, setting, remedy] = REMEDIES.find(([code]) => code.test(message)) ?? OTHERWISE;
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
