// The settings of the store of raw mail and attachments.
import { z } from "zod";
import { flag, optional, url } from "./rules.ts";

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^([A-Za-z0-9_-][A-Za-z0-9._-]{0,63}\/){0,4}$/;
const REGION = /^[a-z0-9-]{1,64}$/;

export const blobSettings = {
  /** Where new raw mail and attachments are written. */
  BLOBS: z.enum(["postgres", "s3"]).default("postgres"),
  S3_ENDPOINT: optional(
    url(/^https?$/).refine(
      (text) => !/[?#]/.test(text) && !URL.parse(text)?.username,
      "an address such as https://s3.example.com, without credentials",
    ),
  ),
  S3_REGION: z.string().regex(REGION, "a region such as eu-central-1").default("us-east-1"),
  S3_BUCKET: optional(z.string().regex(BUCKET, "the name of a bucket")),
  S3_ACCESS_KEY_ID: optional(z.string().regex(/^\S{1,256}$/, "a key without spaces")),
  S3_SECRET_ACCESS_KEY: optional(z.string().regex(/^\S{1,256}$/, "a key without spaces")),
  /** The bucket is in the path of requests, not in the host name. */
  S3_PATH_STYLE: flag.default(true),
  /** Stands before the names of all objects. */
  S3_PREFIX: z.string().regex(PREFIX, "a path that ends with /, such as mailberth/").default(""),
};

type Names = "S3_BUCKET" | "S3_ACCESS_KEY_ID" | "S3_SECRET_ACCESS_KEY";

/** Settings that are needed together. */
export function blobNeeds({ BLOBS, S3_ENDPOINT }: { BLOBS: "postgres" | "s3"; S3_ENDPOINT?: string | undefined }) {
  const all: Names[] = ["S3_BUCKET", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];
  const needs: [boolean, ("S3_ENDPOINT" | Names)[], string][] = [
    [BLOBS === "s3", ["S3_ENDPOINT"], "BLOBS=s3"],
    [S3_ENDPOINT !== undefined, all, "S3_ENDPOINT"],
  ];
  return needs;
}
