// Checks the signature of a request to S3 (AWS Signature Version 4), which s3rver does not.
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
/** Without these, a request could be repeated or its body replaced. */
const SIGNED = ["host", "x-amz-content-sha256", "x-amz-date"];

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

/** Whether the holder of the secret signed this request with this body. */
export function isSigned(req: IncomingMessage, body: Buffer, secret: string): boolean {
  const [, , day = "", region = "", names = "", given = ""] = AUTHORIZATION.exec(req.headers.authorization ?? "") ?? [];
  const at = String(req.headers["x-amz-date"]);
  if (!at.startsWith(day) || !SIGNED.every((name) => names.split(";").includes(name))) return false;
  if (req.headers["x-amz-content-sha256"] !== hash("sha256", body)) return false;
  const url = new URL(req.url ?? "", "http://s3");
  const query = [...url.searchParams].map((pair) => pair.map(encodeURIComponent).join("=")).sort();
  const headers = names.split(";").map((name) => `${name}:${String(req.headers[name]).trim()}\n`);
  const path = decodeURIComponent(url.pathname).split("/").map(encodeURIComponent).join("/");
  const request = [req.method, path, query.join("&"), headers.join(""), names, hash("sha256", body)].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", at, scope, hash("sha256", request)].join("\n");
  const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), "s3"), "aws4_request");
  return timingSafeEqual(hmac(key, text), Buffer.from(given, "hex"));
}
