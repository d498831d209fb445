// POST /v1/uploads: a file that waits to be attached, who may attach it, and how long it is kept.
import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId, encodeId, newId } from "#server/base/ids.ts";
import { recountStorage } from "#server/inboxes/storage/recount.ts";
import { expireUploads } from "#server/uploads/expire.ts";
import { api, type Failure, inboxPath, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { openRequest } from "#test/support/raw-http.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const QUOTA_BYTES = 40_000_000;
const MAX_BYTES = 26_214_400;
const DAY_MS = 86_400_000;

const clock = adjustableClock();
const service = await startTestService(
  { ROLES: "web,smtp", STORAGE_QUOTA_PER_ORGANIZATION: String(QUOTA_BYTES) },
  { now: clock.now },
);
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Upload = {
  id: string;
  filename: string;
  content_type: string;
  size: number;
  sha256: string;
  expires_at: string;
};
type Message = { attachments: { id: string; filename: string; content_type: string; size: number }[] };

const FILE = Buffer.from([0, 1, 2, 255, 13, 10]);
const pdf = { "content-type": "application/pdf" };

async function newUploader() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  const upload = (body: Buffer | string = FILE, { name = "invoice.pdf", headers = pdf as object, by = key } = {}) =>
    client.call<Upload & Failure>("POST", `/v1/uploads?filename=${encodeURIComponent(name)}`, {
      key: by,
      body,
      headers: { ...headers },
    });
  const send = (attachment: object, by = key) =>
    client.post<Sent & Failure>(
      inboxPath(address, "/send"),
      { to: "friend@else.example", text: "x", attachments: [attachment] },
      { key: by },
    );
  const own = decodeId("org", organization.organizationId) ?? "";
  return {
    ...organization,
    key,
    address,
    upload,
    send,
    /** Rows of uploads, rows of content, and counted octets of the organization. */
    async kept() {
      const [row] = await service.system.sql<{ uploads: number; files: number; bytes: number }[]>`
        select (select count(*)::int from uploads where organization_id = ${own}) as uploads,
          (select count(*)::int from attachments where organization_id = ${own}) as files,
          coalesce((select bytes::int from storage_usage where organization_id = ${own}
            and inbox_id = '00000000-0000-0000-0000-000000000000'), 0) as bytes`;
      return row;
    },
    async file(messageId: string) {
      const { attachments } = (await client.get<Message>(`/v1/messages/${messageId}`, { key })).body;
      const [{ id = "", ...info } = {}] = attachments;
      const path = `/v1/messages/${messageId}/attachments/${id}`;
      const answer = await fetch(service.url + path, { headers: { Authorization: `Bearer ${key}` } });
      return { info, bytes: Buffer.from(await answer.arrayBuffer()) };
    },
  };
}

describe("201", () => {
  test("the octets as they are, which two messages carry", async () => {
    const { upload, send, file } = await newUploader();
    const { status, body } = await upload();
    expect([status, body]).toEqual([
      201,
      {
        id: expect.stringMatching(/^upl_/),
        filename: "invoice.pdf",
        content_type: "application/pdf",
        size: FILE.length,
        sha256: createHash("sha256").update(FILE).digest("hex"),
        expires_at: expect.any(String),
      },
    ]);
    expect(new Date(body.expires_at).getTime() - clock.now().getTime()).toBeGreaterThan(DAY_MS - 60_000);
    const first = await send({ upload_id: body.id });
    expect(first.status).toBe(202);
    expect(await file(first.body.id)).toEqual({
      info: { filename: "invoice.pdf", content_type: "application/pdf", size: FILE.length, inline: false },
      bytes: FILE,
    });
    const second = await send({ upload_id: body.id, filename: "renamed.txt", content_type: "text/plain; charset=x" });
    expect((await file(second.body.id)).info).toMatchObject({
      filename: "renamed.txt",
      content_type: "text/plain; charset=x",
    });
  });

  test("the type is that of the request, otherwise what the name says", async () => {
    const { upload, key } = await newUploader();
    const typeOf = async (headers: object, name?: string) => (await upload(FILE, { headers, name })).body.content_type;
    expect(await typeOf({ "content-type": "text/calendar; method=REQUEST" })).toBe("text/calendar; method=REQUEST");
    expect(await typeOf({ "content-type": "application/x-www-form-urlencoded" })).toBe("application/pdf");
    expect(await typeOf({}, "a.png")).toBe("image/png");
    expect(await typeOf({ "content-type": "nonsense" }, "a.unknown")).toBe("application/octet-stream");
    const path = "/v1/uploads?filename=a.pdf&content_type=text/csv";
    const named = await client.call<Upload>("POST", path, { key, body: FILE, headers: pdf });
    expect(named.body.content_type).toBe("text/csv");
  });

  test("over tRPC in base64, also by a member, whose file no agent can attach", async () => {
    const uploader = await newUploader();
    const owner = await newOwner(service, uploader.organizationId);
    const member = await newMember(service, owner, "member");
    const input = { filename: "a.txt", content_base64: FILE.toString("base64") };
    const made = await member.trpc.uploads.create.mutate(input);
    expect(made).toMatchObject({ size: FILE.length, content_type: "text/plain" });
    const message = { addr: uploader.address, to: "a@else.example", text: "x", attachments: [{ upload_id: made.id }] };
    expect((await member.trpc.messages.send.mutate(message)).status).toBe("queued");
    expect((await uploader.send({ upload_id: made.id })).status).toBe(404);
    await expect(owner.trpc.messages.send.mutate(message)).rejects.toThrow("does not exist");
  });

  test("25 MiB", async () => {
    const { upload } = await newUploader();
    expect((await upload(Buffer.alloc(MAX_BYTES))).body.size).toBe(MAX_BYTES);
  });
});

describe("kept for 24 hours", () => {
  test("it counts against the storage of the organization until the job has deleted it", async () => {
    const { upload, send, kept } = await newUploader();
    const { body } = await upload(Buffer.alloc(100_000));
    expect(await kept()).toEqual({ uploads: 1, files: 1, bytes: 100_000 });
    await recountStorage(service.system);
    expect(await kept()).toEqual({ uploads: 1, files: 1, bytes: 100_000 });
    clock.advance(DAY_MS - 60_000);
    expect((await send({ upload_id: body.id })).status).toBe(202);
    clock.advance(61_000);
    const expired = await send({ upload_id: body.id });
    expect([expired.status, expired.body.error.code]).toEqual([404, "upload_not_found"]);
    await eventually(async () => {
      await expireUploads(service.system);
      expect(await kept()).toEqual({ uploads: 0, files: 1, bytes: 100_001 });
    });
  });
});

describe("refused", () => {
  const unknown = encodeId("upl", newId());
  const withoutId = ({ error: { message, request_id: _, ...error } }: Failure, id: string) => ({
    ...error,
    message: message.replace(id, "ID"),
  });

  test("an upload of another agent, organization or past day answers as one that never existed", async () => {
    const mine = await newUploader();
    const other = await newUploader();
    const { key: narrower } = await service.newAgentKey(mine.enrollmentKeyId, { handle: "narrow" });
    const { id } = (await other.upload()).body;
    const expected = withoutId((await mine.send({ upload_id: unknown })).body, unknown);
    expect(expected).toMatchObject({ code: "upload_not_found", message: "The upload ID does not exist." });
    expect(withoutId((await mine.send({ upload_id: id })).body, id)).toEqual(expected);
    const ours = (await mine.upload()).body.id;
    expect(withoutId((await mine.send({ upload_id: ours }, narrower)).body, ours)).toEqual(expected);
    expect((await mine.send({ upload_id: "msg_1" })).status).toBe(404);
  });

  test("a file that ends early keeps nothing", async () => {
    const { key, kept } = await newUploader();
    const headers = [`Authorization: Bearer ${key}`, "Content-Type: application/pdf", "Content-Length: 1000000"];
    const request = await openRequest(service, "POST /v1/uploads?filename=a.pdf", headers);
    await request.send(500_000);
    request.close();
    await request.closed;
    await client.get("/v1/auth/me", { key });
    expect(await kept()).toEqual({ uploads: 0, files: 0, bytes: 0 });
  });

  test("25 MiB and one octet, with and without a length", async () => {
    const { upload, key, kept } = await newUploader();
    const { status, body } = await upload(Buffer.alloc(MAX_BYTES + 1));
    expect([status, body.error.code]).toEqual([413, "payload_too_large"]);
    const headers = [`Authorization: Bearer ${key}`, "Transfer-Encoding: chunked"];
    const request = await openRequest(service, "POST /v1/uploads?filename=a.pdf", headers);
    await request.sendText(`${(MAX_BYTES + 1).toString(16)}\r\n`);
    await request.send(MAX_BYTES + 1);
    await eventually(() => expect(request.status()).toBe(413));
    request.close();
    expect(await kept()).toEqual({ uploads: 0, files: 0, bytes: 0 });
  });

  test("a form, nothing, no name, and fields that are not for the query", async () => {
    const { upload, key } = await newUploader();
    const form = await upload("--x", { headers: { "content-type": "multipart/form-data; boundary=x" } });
    expect([form.status, form.body.error.code]).toEqual([415, "unsupported_media_type"]);
    expect((await upload("")).body.error.message).toBe("The file is empty.");
    const call = async (query: string) => {
      const { status, body } = await client.call("POST", `/v1/uploads${query}`, { key, body: FILE, headers: pdf });
      return [status, body.error.code];
    };
    expect(await call("")).toEqual([400, "invalid_request"]);
    expect(await call("?filename=a%0d%0ab")).toEqual([400, "invalid_request"]);
    expect(await call("?filename=a&content_base64=AA==")).toEqual([400, "unknown_field"]);
  });

  test("without the scope mailbox:send, or a key", async () => {
    const { enrollmentKeyId, upload } = await newUploader();
    const { key: reader } = await service.newAgentKey(enrollmentKeyId, { scopes: ["mailbox:read"] });
    expect((await upload(FILE, { by: reader })).body.error.code).toBe("insufficient_scope");
    const anonymous = await client.call("POST", "/v1/uploads?filename=a", { body: FILE });
    expect([anonymous.status, anonymous.body.error.code]).toEqual([401, "unauthorized"]);
  });

  test("above the storage quota, and above the number of uploads of an agent and an organization", async () => {
    const { upload, kept, organizationId, agentId } = await newUploader();
    expect((await upload(Buffer.alloc(25_000_000))).status).toBe(201);
    const full = await upload(Buffer.alloc(25_000_000));
    expect([full.status, full.body.error.code]).toEqual([409, "storage_quota_exceeded"]);
    expect(await kept()).toEqual({ uploads: 1, files: 1, bytes: 25_000_000 });
    const [own, agent] = [decodeId("org", organizationId) ?? "", decodeId("agt", agentId) ?? ""];
    const fill = (owner: string, count: number) => service.system.sql`
      insert into uploads select gen_random_uuid(), ${own}, ${owner}, 'a', 'a/b', 1, now(), ${new Date(clock.now().getTime() + DAY_MS)}
      from generate_series(1, ${count})`;
    await fill(agent, 499);
    expect((await upload()).body.error.message).toBe("You have 500 uploads that have not expired.");
    await service.system.sql`update uploads set owner_id = ${newId()} where organization_id = ${own}`;
    await fill(newId(), 4_500);
    expect((await upload()).body.error.message).toBe("This organization has 5000 uploads that have not expired.");
  });
});
