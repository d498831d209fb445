// What both stores of content promise, and what the store in S3 does when S3 is wrong.
import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { postgresBlobs } from "#server/adapters/postgres-blobs.ts";
import { s3Blobs } from "#server/adapters/s3-blobs.ts";
import type { Blobs, Placed } from "#server/base/ports/blobs.ts";
import { secretBox } from "#server/base/secrets.ts";
import { startS3 } from "#test/support/s3/start.ts";

const KEY = Buffer.alloc(32, 1);
const OTHER_KEY = Buffer.alloc(32, 2);
const MAX_BYTES = 4_000_000;
const PAGE_KEYS = 2;
const server = await startS3();
const outcomes: string[] = [];
const made: Blobs[] = [];
const s3 = opened(KEY);

afterEach(() => server.break(undefined));
afterAll(async () => {
  await Promise.all(made.map((each) => each.close()));
  await server.stop();
});

type More = { prefix?: string; secretAccessKey?: string; endpoint?: string; pathStyle?: boolean };

function opened(key: Buffer, more: More = {}, newIn: Blobs["newIn"] = "objects"): Blobs {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = server.settings;
  const own = { endpoint: S3_ENDPOINT, bucket: S3_BUCKET, accessKeyId: S3_ACCESS_KEY_ID, pathStyle: true };
  const blobs = s3Blobs({
    s3: { ...own, secretAccessKey: S3_SECRET_ACCESS_KEY, region: "us-east-1", prefix: "", ...more },
    secrets: secretBox(key),
    newIn,
    maxBytes: MAX_BYTES,
    pageKeys: PAGE_KEYS,
    onRequest: (operation, outcome) => outcomes.push(`${operation} ${outcome}`),
  });
  made.push(blobs);
  return blobs;
}

const keyOf = (organization: string, { blob }: Placed) => `${organization}/${blob}`;
const problem = (name: string) => expect.objectContaining({ problem: name });

/** Keeps a new content. */
async function kept(content = randomBytes(1_000)) {
  const organization = randomUUID();
  const place = await s3.store(organization, content);
  return { organization, place, content, key: keyOf(organization, place) };
}

describe.each([
  ["PostgreSQL", postgresBlobs],
  ["S3", s3],
])("%s", (_name, blobs) => {
  it.each([0, 1, 65_537, MAX_BYTES])("returns %i bytes as they were kept", async (size) => {
    const [organization, content] = [randomUUID(), randomBytes(size)];
    const place = await blobs.store(organization, content);
    expect((await blobs.load(organization, place)).equals(content)).toBe(true);
  });
});

describe("S3", () => {
  it("has one object for the same content of an organization, and another one for another organization", async () => {
    const { organization, place, content } = await kept();
    const other = randomUUID();
    const again = await s3.store(organization, content);
    const theirs = await s3.store(other, content);
    expect(again).toEqual(place);
    expect(theirs.blob).not.toBe(place.blob);
    const objects = await server.objects();
    expect(objects.filter((key) => key.startsWith(`${organization}/`))).toEqual([keyOf(organization, place)]);
    expect(objects.filter((key) => key.startsWith(`${other}/`))).toEqual([keyOf(other, theirs)]);
  });

  it("encrypts: the object and its name show nothing of the content", async () => {
    const { key, content, place } = await kept(Buffer.from("the plain words of a mail".repeat(20)));
    const stored = await server.read(key);
    expect(stored.includes("plain words")).toBe(false);
    expect(key).not.toContain(place.sha256);
    const again = await s3.store(key.split("/")[0] ?? "", content);
    expect((await server.read(keyOf(key.split("/")[0] ?? "", again))).equals(stored)).toBe(false);
  });

  it("reads content that is in a row, and keeps content in a row when it is asked to", async () => {
    const content = Buffer.from("here");
    expect(await s3.store(randomUUID(), content, { where: "rows" })).toEqual({
      bytes: content,
      blob: null,
      sha256: null,
    });
    expect(await s3.load(randomUUID(), { bytes: content, blob: null })).toEqual(content);
  });

  it("refuses an object that was altered, cut, replaced or moved to another name or organization", async () => {
    const one = await kept();
    const sealed = await server.read(one.key);
    const other = await kept();
    const second = await s3.store(one.organization, randomBytes(1_000));
    const altered = Buffer.from(sealed);
    altered[altered.length - 20] = (altered[altered.length - 20] ?? 0) ^ 1;
    const wrong = [
      altered,
      sealed.subarray(0, -1),
      sealed.subarray(0, 10),
      Buffer.alloc(0),
      await server.read(other.key),
      await server.read(keyOf(one.organization, second)),
    ];
    for (const bytes of wrong) {
      server.break({ status: 200, body: bytes.toString("latin1") });
      await expect(s3.load(one.organization, one.place)).rejects.toEqual(problem("damaged"));
      server.break(undefined);
      await server.write(one.key, bytes);
      await expect(s3.load(one.organization, one.place)).rejects.toEqual(problem("damaged"));
    }
    await server.write(one.key, sealed);
    expect(await s3.load(one.organization, one.place)).toEqual(one.content);
  });

  it("names another ENCRYPTION_KEY, and a process without settings for S3", async () => {
    const { organization, place } = await kept();
    await expect(opened(OTHER_KEY).load(organization, place)).rejects.toEqual(problem("wrong_key"));
    await expect(postgresBlobs.load(organization, place)).rejects.toEqual(problem("not_configured"));
  });

  it("refuses a body that is larger than any content", async () => {
    const { organization, place } = await kept();
    server.break({ status: 200, body: "x".repeat(MAX_BYTES + 1_000) });
    await expect(s3.load(organization, place)).rejects.toEqual(problem("damaged"));
  });

  it("tells an object that is lost from a bucket that does not exist", async () => {
    const { organization, place, key } = await kept();
    await server.lose(key);
    await expect(s3.load(organization, place)).rejects.toEqual(problem("missing"));
    server.break({ status: 404, code: "NoSuchBucket" });
    await expect(s3.load(organization, place)).rejects.toEqual(problem("refused"));
    server.break({ status: 404, body: "<html>a proxy</html>" });
    await expect(s3.load(organization, place)).rejects.toEqual(problem("refused"));
  });

  it.each([
    [{ status: 507, code: "InsufficientStorage" }, "full"],
    [{ status: 500, code: "XMinioStorageFull" }, "full"],
    [{ status: 403, code: "QuotaExceeded" }, "full"],
    [{ status: 500, code: "InternalError" }, "unavailable"],
    [{ status: 403, code: "AccessDenied" }, "refused"],
    [{ status: 200, body: "<html>Please sign in</html>" }, "unavailable"],
    [{ status: 200, body: "" }, "unavailable"],
    ["down" as const, "unavailable"],
  ])("names what %j is", async (fault, name) => {
    server.break(fault);
    await expect(s3.store(randomUUID(), randomBytes(10))).rejects.toEqual(problem(name));
  });

  it("repeats what may work the second time, and nothing else", async () => {
    const attempts = async (status: number) => {
      const before = server.requests.length;
      server.break({ status, code: "Slow" });
      await expect(s3.store(randomUUID(), randomBytes(10))).rejects.toThrow(`S3 answered ${status} Slow to PUT`);
      return server.requests.length - before;
    };
    expect([await attempts(503), await attempts(429), await attempts(403)]).toEqual([3, 3, 1]);
    let refusals = 0;
    server.break(() => (refusals++ < 2 ? { status: 503, code: "SlowDown" } : undefined));
    expect(await kept()).toMatchObject({ place: { bytes: null } });
  });

  it("does not follow a redirect to another host", async () => {
    const other = await startS3();
    const headers = { Location: `${other.settings.S3_ENDPOINT}/mails/elsewhere` };
    server.break({ status: 307, code: "TemporaryRedirect", headers });
    await expect(s3.store(randomUUID(), randomBytes(10))).rejects.toEqual(problem("refused"));
    expect(other.requests).toEqual([]);
    await other.stop();
  });

  it("does not put the bucket before an IP address, which would name no bucket", async () => {
    const before = server.requests.length;
    await expect(opened(KEY, { pathStyle: false }).check()).rejects.toEqual(problem("refused"));
    expect(server.requests.length).toBe(before);
  });

  it("never has the credentials in an error", async () => {
    const secretAccessKey = "a-secret-that-is-wrong";
    const failed = await opened(KEY, { secretAccessKey })
      .store(randomUUID(), randomBytes(10))
      .catch((error) => error);
    expect(failed).toEqual(problem("refused"));
    expect(JSON.stringify([failed, failed.stack, failed.cause, String(failed.cause)])).not.toContain(secretAccessKey);
    expect(failed.message).toContain("SignatureDoesNotMatch");
  });

  it("lists the objects of an organization, page by page, under its prefix alone", async () => {
    const blobs = opened(KEY, { prefix: "here/" });
    const organization = randomUUID();
    const places = await Promise.all([1, 2, 3].map((n) => blobs.store(organization, Buffer.from(`content ${n}`))));
    await blobs.store(randomUUID(), Buffer.from("of another organization"));
    const page = await blobs.objects?.list(organization, undefined);
    const names = places.map(({ blob }) => blob).toSorted();
    expect(page).toEqual({ blobs: names.slice(0, PAGE_KEYS), after: `here/${organization}/${names[1]}` });
    const next = await blobs.objects?.list(organization, page?.after);
    expect(next).toEqual({ blobs: names.slice(PAGE_KEYS), after: undefined });
    expect((await s3.objects?.list(organization, undefined))?.blobs).toEqual([]);
  });

  it.each([
    ["is not one", "<html>Please sign in</html>"],
    ["does not go on", "<ListBucketResult><IsTruncated>true</IsTruncated><Key>a</Key></ListBucketResult>"],
  ])("refuses a list that %s", async (_, body) => {
    server.break({ status: 200, body });
    await expect(s3.objects?.list(randomUUID(), "b")).rejects.toEqual(problem("damaged"));
  });

  it("checks whether it can write, read and list, and writes nothing where new content is in rows", async () => {
    const blobs = opened(KEY, { prefix: "checked/" });
    outcomes.length = 0;
    await opened(KEY, { prefix: "checked/" }, "rows").check();
    expect(outcomes).toEqual(["check missing", "check ok"]);
    await blobs.check();
    await blobs.check();
    expect(outcomes.slice(2)).toEqual(["check missing", ...Array(3).fill("check ok"), ...Array(3).fill("check ok")]);
    await expect(opened(KEY, { secretAccessKey: "wrong" }).check()).rejects.toEqual(problem("refused"));
    await expect(opened(OTHER_KEY, { prefix: "checked/" }).check()).rejects.toEqual(problem("wrong_key"));
    await blobs.check();
    server.break({ status: 200, body: "<html>Please sign in</html>" });
    await expect(blobs.check()).rejects.toThrow("something that is not S3");
    server.break("down");
    await expect(blobs.check()).rejects.toEqual(problem("unavailable"));
  });

  it("removes an object, also if it is gone already", async () => {
    const { organization, place, key } = await kept();
    await s3.objects?.remove(organization, place.blob ?? "");
    await s3.objects?.remove(organization, place.blob ?? "");
    expect(await server.objects()).not.toContain(key);
  });

  it("counts each operation once, by its outcome", async () => {
    const { organization, place, key } = await kept();
    await server.lose(key);
    outcomes.length = 0;
    await s3.store(organization, Buffer.from("x"));
    await s3.load(organization, place).catch(() => undefined);
    server.break({ status: 503, code: "SlowDown" });
    await s3.load(organization, place).catch(() => undefined);
    server.break({ status: 200, body: "<html>Please sign in</html>" });
    await s3.load(organization, place).catch(() => undefined);
    server.break({ status: 403, code: "AccessDenied" });
    await s3.load(organization, place).catch(() => undefined);
    expect(outcomes).toEqual(["put ok", "get missing", "get failed", "get damaged", "get refused"]);
  });
});
