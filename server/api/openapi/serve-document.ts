// Serves the OpenAPI document: compresses it once for each coding, and answers 304 to a client that already has it.
import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { whenNeeded } from "../../base/when-needed.ts";

const GZIP_LEVEL = 9;
/** Ordered by size, smallest first. */
const CODINGS = ["br", "gzip", "identity"] as const;

type Coding = (typeof CODINGS)[number];

const COMPRESS: Record<Coding, (plain: Buffer) => Promise<Buffer>> = {
  br: (plain) => promisify(brotliCompress)(plain),
  gzip: (plain) => promisify(gzip)(plain, { level: GZIP_LEVEL }),
  identity: async (plain) => plain,
};

type ServedDocument = { status: 200 | 304; headers: Record<string, string>; body: Buffer };

/** @returns a function from the headers of a request to the answer; the first request for a coding compresses the document */
export function createDocumentServer(
  documentOf: () => object,
): (headers: IncomingHttpHeaders) => Promise<ServedDocument> {
  const plainDocument = whenNeeded(() => {
    const plain = Buffer.from(JSON.stringify(documentOf()));
    return { plain, hash: createHash("sha256").update(plain).digest("base64url") };
  });
  const bodies = new Map<Coding, Promise<Buffer>>();
  const bodyIn = (coding: Coding, plain: Buffer): Promise<Buffer> => {
    const known = bodies.get(coding);
    if (known) return known;
    const body = COMPRESS[coding](plain);
    bodies.set(coding, body);
    // The next request tries it again.
    body.catch(() => bodies.delete(coding));
    return body;
  };

  return async (headers) => {
    const { plain, hash } = plainDocument();
    // Weak: the same for every coding (RFC 9110 §8.8.1).
    const common = { ETag: `W/"${hash}"`, Vary: "Accept-Encoding, Origin", "Cache-Control": "no-cache" };
    if (matchesETag(headers["if-none-match"], hash)) return { status: 304, headers: common, body: Buffer.alloc(0) };
    const coding = chooseCoding(headers["accept-encoding"]);
    const encoding = coding !== "identity" && { "Content-Encoding": coding };
    return { status: 200, headers: { ...common, ...encoding }, body: await bodyIn(coding, plain) };
  };
}

/** Weak comparison (RFC 9110 §13.1.2). */
function matchesETag(ifNoneMatch: string | undefined, hash: string): boolean {
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
