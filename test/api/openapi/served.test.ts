// GET /v1/openapi.json: compressed as the client accepts it, and not sent again to a client that has it.
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { request } from "undici";
import { afterAll, describe, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";

/** Of the plain document; document.test.ts limits its size. */
const MAX_COMPRESSED_SHARE = 0.2;

const service = await startTestService({ ROLES: "web" });
afterAll(service.stop);

async function get(headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") {
  const answer = await request(`${service.url}/v1/openapi.json`, { method, headers });
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
}

const plain = await get();
const etag = String(plain.headers.etag);
const unpack = { br: brotliDecompressSync, gzip: gunzipSync };

describe("200", () => {
  test("without Accept-Encoding it is plain JSON, to be revalidated", () => {
    expect(plain.headers["content-encoding"]).toBeUndefined();
    expect(plain.headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-cache",
      vary: "Accept-Encoding, Origin",
      etag: expect.stringMatching(/^W\/"[\w-]{43}"$/),
      "x-request-id": expect.stringMatching(/^req_/),
    });
    expect(JSON.parse(plain.body.toString()).openapi).toBe("3.1.0");
  });

  test.each([
    ["gzip", "gzip"],
    ["br", "br"],
    ["gzip, deflate, br, zstd", "br"],
    ["br;q=0.1, gzip;q=0.8", "gzip"],
    ["GZIP;Q=1", "gzip"],
    ["*", "br"],
    ["br;q=0, *", "gzip"],
  ] as const)("Accept-Encoding: %s → %s", async (accept, coding) => {
    const answer = await get({ "accept-encoding": accept });
    expect(answer.headers).toMatchObject({ "content-encoding": coding, etag, vary: "Accept-Encoding, Origin" });
    expect(answer.body.length / plain.body.length).toBeLessThanOrEqual(MAX_COMPRESSED_SHARE);
    expect(unpack[coding](answer.body).equals(plain.body)).toBe(true);
  });

  test.each(["identity", "deflate", "gzip;q=0", "gzip;q=0.5, identity", ";,;q=x"])(
    "Accept-Encoding: %s → plain",
    async (accept) => {
      const answer = await get({ "accept-encoding": accept });
      expect(answer.headers["content-encoding"]).toBeUndefined();
      expect(answer.body.equals(plain.body)).toBe(true);
    },
  );

  test("HEAD has the headers of GET", async () => {
    const answer = await get({ "accept-encoding": "gzip" }, "HEAD");
    expect(answer.headers).toMatchObject({ "content-encoding": "gzip", etag });
    expect(Number(answer.headers["content-length"])).toBeGreaterThan(0);
    expect(answer.body.length).toBe(0);
  });

  test("another tag gets the document", async () => {
    const answer = await get({ "if-none-match": '"another"' });
    expect(answer.body.equals(plain.body)).toBe(true);
  });
});

describe("304", () => {
  test.each([etag, etag.replace("W/", ""), `"another", ${etag}`, "*"])("If-None-Match: %s", async (tag) => {
    const answer = await get({ "if-none-match": tag, "accept-encoding": "gzip" });
    expect(answer.status).toBe(304);
    expect(answer.headers).toMatchObject({ etag, vary: "Accept-Encoding, Origin", "cache-control": "no-cache" });
    expect(answer.headers["content-length"]).toBeUndefined();
    expect(answer.body.length).toBe(0);
  });
});
