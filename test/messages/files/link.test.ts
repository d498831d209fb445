// GET /v1/messages/{id}/attachments/{attachment_id}/link, and the file behind the link.
import { afterAll, describe, expect, test } from "vitest";
import { encodeId, newId } from "#server/base/ids.ts";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";

const MINUTE_MS = 60_000;
const PUBLIC = "http://mailberth.example";

const clock = adjustableClock();
const service = await startTestService({ PUBLIC_URL: PUBLIC }, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; attachments: { id: string }[] };
type Link = { url: string; expires_at: string };

const HTML = Buffer.from("<script>alert(1)</script>");
const NO_LINK = [404, "attachment_not_found", "This link has ended, or its message was deleted."];

async function withFile() {
  const organization = await service.newOrganization();
  const key = organization.agentKey;
  const { address } = await client.createInbox(key);
  await service.mail({
    from: "a@else.example",
    to: address,
    attachments: [{ filename: "page.html", content: HTML, contentType: "text/html" }],
  });
  const [{ id = "" } = {}] = (await client.get<Page<Message>>(inboxPath(address, "/messages"), { key })).body.data;
  const message = (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  const path = `/v1/messages/${id}/attachments/${message.attachments[0]?.id}/link`;
  const link = async (by = key) => client.get<Link>(path, { key: by });
  const pathOf = async () => (await link()).body.url.slice(PUBLIC.length);
  return { ...organization, key, address, id, path, link, pathOf };
}

async function read(path: string, method = "GET") {
  const answer = await fetch(service.url + path, { method });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
}

async function refused(path: string) {
  const { status, body } = await client.get(path);
  return [status, body.error?.code, body.error?.message];
}

describe("200", () => {
  test("the file without a key, to save and not to show; HEAD has the headers alone", async () => {
    const { link, pathOf } = await withFile();
    const { body } = await link();
    expect(body.url).toMatch(/^http:\/\/mailberth\.example\/v1\/attachments\/[0-9a-z.]+$/);
    const lasts = new Date(body.expires_at).getTime() - clock.now().getTime();
    expect(lasts).toBeGreaterThan(14 * MINUTE_MS);
    expect(lasts).toBeLessThanOrEqual(15 * MINUTE_MS);
    const path = await pathOf();
    const { status, headers, text } = await read(path);
    expect([status, text]).toEqual([200, String(HTML)]);
    const expected = {
      "content-type": "text/html",
      "content-disposition": "attachment; filename=page.html",
      "content-security-policy": "sandbox; default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      "content-length": String(HTML.length),
    };
    expect(headers).toMatchObject(expected);
    expect(headers["set-cookie"]).toBeUndefined();
    const head = await read(path, "HEAD");
    expect([head.status, head.text, head.headers]).toMatchObject([200, "", expected]);
    // A preview took nothing.
    expect((await read(path)).text).toBe(String(HTML));
  });
});

describe("404", () => {
  test("after 15 minutes", async () => {
    const { pathOf } = await withFile();
    const path = await pathOf();
    clock.advance(14 * MINUTE_MS);
    expect((await read(path)).status).toBe(200);
    clock.advance(MINUTE_MS);
    expect(await refused(path)).toEqual(NO_LINK);
  });

  test("after its message was deleted, and after its mailbox was", async () => {
    const one = await withFile();
    const path = await one.pathOf();
    await client.delete(`/v1/messages/${one.id}`, { key: one.key });
    expect(await refused(path)).toEqual(NO_LINK);
    const other = await withFile();
    const otherPath = await other.pathOf();
    await client.delete(inboxPath(other.address), { key: other.key });
    expect(await refused(otherPath)).toEqual(NO_LINK);
  });

  test("with any part changed, and with parts of two links", async () => {
    const [one, other] = [await withFile(), await withFile()];
    const parts = (await one.pathOf()).split(".");
    const theirs = (await other.pathOf()).split(".");
    for (const [i, part] of parts.entries()) {
      const swapped = parts.with(i, theirs[i] ?? "");
      if (theirs[i] !== part) expect(await refused(swapped.join("."))).toEqual(NO_LINK);
    }
    const later = parts.with(3, "zzzzzzzz").join(".");
    expect(await refused(later)).toEqual(NO_LINK);
    expect(await refused("/v1/attachments/x")).toEqual(NO_LINK);
    const [status, code] = await refused(`/v1/attachments/${encodeId("att", newId())}`);
    expect([status, code]).toEqual(NO_LINK.slice(0, 2));
  });

  test("no link to what the key may not read", async () => {
    const { link, enrollmentKeyId, key, path } = await withFile();
    const stranger = (await service.newOrganization()).agentKey;
    expect((await link(stranger)).status).toBe(404);
    const elsewhere = await client.createInbox(key);
    const { key: narrow } = await service.newAgentKey(enrollmentKeyId, { inboxes: [elsewhere.address] });
    expect((await link(narrow)).status).toBe(404);
    const { key: blind } = await service.newAgentKey(enrollmentKeyId, { handle: "b", scopes: ["mailbox:send"] });
    expect((await link(blind)).status).toBe(403);
    const { status } = await client.get(path.replace(/att_\w+/, encodeId("att", newId())), { key });
    expect([status, (await client.get(path)).status]).toEqual([404, 401]);
  });
});
