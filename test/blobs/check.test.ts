// A start with wrong settings for S3 says in one sentence what to do. S3 that is away prevents no start, and readiness says so.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "#test/support/events.ts";
import { METRICS_TOKEN, startTestService } from "#test/support/service.ts";
import { type InS3, startInS3, untilAccepted } from "./rig.ts";

const OTHER_KEY = Buffer.alloc(32, 9).toString("base64");
let rig: InS3;
beforeAll(async () => {
  rig = await startInS3({ ROLES: "web,smtp" });
});
afterEach(() => rig.s3.break(undefined));
afterAll(() => rig?.stop());

/** One more service on the database, with `test` between its start and its end. */
async function withService(
  settings: Record<string, string>,
  test: (service: Awaited<ReturnType<typeof startTestService>>) => Promise<void> = async () => {},
) {
  const all = { ROLES: "web,smtp", ...rig.s3.settings, ...settings };
  const service = await startTestService(all, { database: rig.service.database });
  try {
    await test(service);
  } finally {
    await service.stop();
  }
}

async function readiness({ url }: { url: string }) {
  const answer = await fetch(`${url}/health/ready`);
  const { blobs } = (await answer.json()) as { blobs?: string };
  return [answer.status, blobs];
}

describe("a start", () => {
  it.each([
    [
      "a bucket that does not exist",
      { S3_BUCKET: "other" },
      /^S3_BUCKET: S3 answered 404 NoSuchBucket to \w+\. Create the bucket/,
    ],
    ["a wrong secret", { S3_SECRET_ACCESS_KEY: "x" }, /^S3_SECRET_ACCESS_KEY: S3 answered 403 Signature/],
  ])("with %s fails with one sentence", async (_, settings, sentence) => {
    await expect(withService(settings)).rejects.toThrow(sentence);
  });

  it.each([
    [
      "403 AccessDenied",
      { status: 403, code: "AccessDenied" },
      /^S3_BUCKET: .* 403 AccessDenied to GET\. Grant the credentials GetObject/,
    ],
    [
      "a redirect",
      { status: 301, code: "PermanentRedirect" },
      /^S3_REGION: .* 301 PermanentRedirect to GET\. Set S3_ENDPOINT and S3_REGION/,
    ],
    [
      "400",
      { status: 400, code: "InvalidRequest" },
      /^S3_ENDPOINT: .* 400 InvalidRequest to GET\. Correct S3_ENDPOINT, /,
    ],
  ])("at a server that answers %s fails with what to do", async (_, fault, sentence) => {
    rig.s3.break(fault);
    await expect(withService({})).rejects.toThrow(sentence);
    // A process that writes nothing to S3 can work without it.
    await withService({ BLOBS: "postgres" });
  });

  it("at another program, which answers 200 to everything and keeps nothing, fails with what to do", async () => {
    const headers = { ETag: '"x"' };
    rig.s3.break(({ method }) => ({ status: 200, headers, body: method === "GET" ? "<html>Sign in</html>" : "" }));
    await expect(withService({})).rejects.toThrow(/^S3_ENDPOINT: .* Set S3_ENDPOINT to the address of the S3 API\.$/);
  });

  it("while S3 is down or full succeeds, and readiness says it until S3 answers", async () => {
    for (const [fault, state] of [
      ["down", "unavailable"],
      [{ status: 507, code: "InsufficientStorage" }, "full"],
    ] as const) {
      rig.s3.break(({ method }) => (fault === "down" || method === "PUT" ? fault : undefined));
      await withService({}, async (service) => {
        expect(await readiness(service)).toEqual([200, state]);
        rig.s3.break(undefined);
        await eventually(async () => expect(await readiness(service)).toEqual([200, "ok"]));
      });
    }
  });

  it("with another ENCRYPTION_KEY succeeds, keeps what shows this, and readiness says it", async () => {
    await withService({ ENCRYPTION_KEY: OTHER_KEY }, async (service) => {
      expect(await readiness(service)).toEqual([200, "wrong_key"]);
      const mail = { from: "a@far.example", to: rig.address, subject: "with another key" };
      await untilAccepted(service, mail);
    });
    await withService({}, async (service) => expect(await readiness(service)).toEqual([200, "ok"]));
  });
});

describe("/health/ready", () => {
  it("does not mention S3 when S3 is not configured", async () => {
    await withService({ BLOBS: "postgres", S3_ENDPOINT: "" }, async (service) =>
      expect(await readiness(service)).toEqual([200, undefined]),
    );
  });

  it("asks S3 once for many callers", async () => {
    await withService({}, async (service) => {
      const before = rig.s3.requests.length;
      await Promise.all(Array.from({ length: 20 }, () => readiness(service)));
      expect(rig.s3.requests.length - before).toBeLessThanOrEqual(3);
    });
  });
});

it("/metrics has the values of S3 before the first request fails", async () => {
  const answer = await fetch(`${rig.service.url}/metrics`, { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } });
  const text = await answer.text();
  expect(text).toContain('mailberth_blob_requests_total{operation="get",outcome="damaged"} 0');
  expect(text).toMatch(/mailberth_blob_requests_total\{operation="check",outcome="ok"\} [3-9]/);
  expect(text).toMatch(/mailberth_blob_request_seconds_count\{operation="check"\} [3-9]/);
});
