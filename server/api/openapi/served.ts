// Serves the OpenAPI document: compresses it once, and answers 304 to a client that already has it.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";

const GZIP_LEVEL = 9;
/** Ordered by size, smallest first. */
const CODINGS = ["br", "gzip", "identity"] as const;

type Coding = (typeof CODINGS)[number];

export type ServedDocument = { status: 200 | 304; headers: Record<string, string>; body: Buffer };

/** @returns a function from the headers of a request to the answer; the first call compresses the document */
export function createServedDocument(document: object): (headers: IncomingHttpHeaders) => Promise<ServedDocument> {
  const plain = Buffer.from(JSON.stringify(document));
  const hash = createHash("sha256").update(plain).digest("base64url");
  // Weak: the same for every coding (RFC 9110 §8.8.1).
  const etag = `W/"${hash}"`;
  let bodies: Promise<Record<Coding, Buffer>> | undefined;

  return async (headers) => {
    const common = { ETag: etag, Vary: "Accept-Encoding, Origin", "Cache-Control": "no-cache" };
    if (isKnown(headers["if-none-match"], hash)) return { status: 304, headers: common, body: Buffer.alloc(0) };
    bodies ??= compressed(plain);
    const coding = chooseCoding(headers["accept-encoding"]);
    const { [coding]: body } = await bodies;
    return { status: 200, headers: { ...common, ...(coding !== "identity" && { "Content-Encoding": coding }) }, body };
  };
}

async function compressed(identity: Buffer): Promise<Record<Coding, Buffer>> {
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(identity),
    promisify(gzip)(identity, { level: GZIP_LEVEL }),
  ]);
  return { br, gzip: zipped, identity };
}

/** Weak comparison (RFC 9110 §13.1.2). */
function isKnown(ifNoneMatch: string | undefined, hash: string): boolean {
  const known = (ifNoneMatch ?? "").split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return known.includes("*") || known.includes(`"${hash}"`);
}

/** The coding with the highest weight, the smallest one among equals (RFC 9110 §12.5.3). */
function chooseCoding(acceptEncoding: string | undefined): Coding {
  const weights = new Map(
    (acceptEncoding ?? "").split(",").map((part) => {
      const [name = "", weight] = part.split(";");
      return [name.trim().toLowerCase(), weight === undefined ? 1 : Number(weight.replace(/^\s*q=/i, "")) || 0];
    }),
  );
  const weightOf = (coding: Coding) => weights.get(coding) ?? (coding === "identity" ? 0 : (weights.get("*") ?? 0));
  const best = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? "identity";
  return weightOf(best) > 0 ? best : "identity";
}
