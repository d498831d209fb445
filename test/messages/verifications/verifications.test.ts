// Verifications: a leased mailbox, its code read without a key or taken once, and the end of the lease.
import { afterAll, describe, expect, test } from "vitest";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { eraseDeleted } from "#server/messages/erase.ts";
import { expireLeases } from "#server/messages/verifications/expire.ts";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { callAlone, untilOpen } from "../wait/waiter.ts";

const PUBLIC_URL = "http://mailberth.example";
const HOUR_MS = 3_600_000;

const clock = adjustableClock();
// Leases end when a test ends them.
const service = await startTestService({ ROLES: "web,smtp" }, { now: clock.now });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Verification = { id: string; address: string; wait_url: string; expires_at: string };
type Read = {
  timed_out: boolean;
  otp: string | null;
  link: string | null;
  confidence: number;
  sender_verified: boolean | null;
  message: { subject: string; inbox: string } | null;
};

async function newCaller(more: { maxMailboxes?: number } = {}) {
  const { agentKey: key, enrollmentKeyId } = await service.newOrganization(more);
  return {
    key,
    enrollmentKeyId,
    create: async (json: object = {}) => (await client.post<Verification>("/v1/verifications", json, { key })).body,
    refused: async (json: object, other = key) => {
      const { status, body } = await client.post("/v1/verifications", json, { key: other });
      return [status, body.error?.code];
    },
    used: async () =>
      (await client.get<{ quota: { used_count: number } }>("/v1/auth/me", { key })).body.quota.used_count,
  };
}

const pathOf = ({ wait_url }: Verification) => wait_url.replace(PUBLIC_URL, "");
const read = (verification: Verification, query = "?timeout_seconds=20") =>
  client.get<Read>(`${pathOf(verification)}${query}`);
const take = (verification: Verification) => client.post<Read>(`${pathOf(verification)}/take`, { timeout_seconds: 20 });
const codeOf = async (path: string) => {
  const { status, body } = await client.get(path);
  return [status, body.error?.code];
};
const mail = (to: string, code: string, from = "no-reply@shop.example") =>
  service.mail({ from, to, subject: "Your code", text: `Your verification code is ${code}.` });

describe("201", () => {
  test("an address, a signed URL, and the end of the lease", async () => {
    const { key, create, used } = await newCaller();
    const verification = await create({});
    expect(verification).toEqual({
      id: expect.stringMatching(/^ver_[0-9a-z]{26}$/),
      address: expect.stringMatching(/^[a-z]+-[a-z]+-\d{4}@mail\.example$/),
      wait_url: expect.stringMatching(/^http:\/\/mailberth\.example\/v1\/verifications\/[0-9a-z]{26}\.[0-9a-z]{16}$/),
      expires_at: expect.stringMatching(/Z$/),
    });
    const seconds = (Date.parse(verification.expires_at) - clock.now().getTime()) / 1_000;
    expect(Math.abs(seconds - 900)).toBeLessThan(60);
    expect(await used()).toBe(1);
    expect((await client.get(inboxPath(verification.address), { key })).status).toBe(200);
  });

  test("username, domain and a lifetime", async () => {
    const { create } = await newCaller();
    const { address, expires_at } = await create({ username: "one-code", domain: "mail.example", ttl_seconds: 3_600 });
    expect(address).toBe("one-code@mail.example");
    expect(Date.parse(expires_at) - clock.now().getTime()).toBeGreaterThan(HOUR_MS - 60_000);
  });
});

describe("200", () => {
  test("the code of a mail that arrived before, also for a repeated request", async () => {
    const verification = await (await newCaller()).create();
    await mail(verification.address, "482913");
    const { status, body } = await read(verification);
    expect([status, body]).toMatchObject([
      200,
      {
        timed_out: false,
        otp: "482913",
        link: null,
        sender_verified: false,
        message: { subject: "Your code", inbox: verification.address },
      },
    ]);
    expect(body.confidence).toBeGreaterThan(0.5);
    await mail(verification.address, "600700");
    expect((await read(verification)).body.otp).toBe(body.otp);
  });

  test("it blocks until the mail arrives, and passes over mail without a code", async () => {
    const verification = await (await newCaller()).create();
    const reading = read(verification);
    await untilOpen(service, 1);
    await service.mail({ from: "a@shop.example", to: verification.address, subject: "Welcome", text: "Hello." });
    await mail(verification.address, "551204");
    expect((await reading).body.otp).toBe("551204");
  });

  test("with `from`, mail of others is passed over", async () => {
    const verification = await (await newCaller()).create({ from: "shop.example" });
    await mail(verification.address, "111222", "evil@else.example");
    await mail(verification.address, "333444", "id@mail.shop.example");
    expect((await read(verification)).body).toMatchObject({ otp: "333444" });
  });

  test("without a mail it times out, and can be repeated", async () => {
    const verification = await (await newCaller()).create();
    const { body } = await read(verification, "?timeout_seconds=0");
    expect(body).toEqual({
      timed_out: true,
      otp: null,
      link: null,
      confidence: 0,
      sender_verified: null,
      message: null,
    });
    await mail(verification.address, "907315");
    expect((await read(verification)).body.otp).toBe("907315");
  });

  test("of two that take the code, one gets it", async () => {
    const verification = await (await newCaller()).create();
    const takers = [take(verification), take(verification)];
    await untilOpen(service, 2);
    await mail(verification.address, "640018");
    expect((await Promise.all(takers)).map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await codeOf(pathOf(verification))).toEqual([409, "verification_answered"]);
  });

  test("a code can be taken after it was read, and not read after it was taken", async () => {
    const verification = await (await newCaller()).create();
    await mail(verification.address, "318842");
    expect((await read(verification)).body.otp).toBe("318842");
    expect((await take(verification)).body).toMatchObject({ otp: "318842" });
    expect((await take(verification)).status).toBe(409);
    expect(await codeOf(pathOf(verification))).toEqual([409, "verification_answered"]);
  });

  test("HEAD answers without waiting, and takes nothing", async () => {
    const { create } = await newCaller();
    const [verification, other] = [await create(), await create()];
    const head = async (path: string) => (await client.call<undefined>("HEAD", path)).status;
    const waits = read(other, "?timeout_seconds=5").then(() => "a wait of five seconds ended first");
    const answered = head(`${pathOf(verification)}?timeout_seconds=120`);
    expect(await Promise.race([answered, waits])).toBe(200);
    await mail(verification.address, "720055");
    expect(await head(pathOf(verification))).toBe(200);
    expect(await head(`${pathOf(verification)}?timeout_seconds=121`)).toBe(400);
    expect(await head(`${pathOf(verification).slice(0, -1)}~`)).toBe(404);
    expect(await head(`${pathOf(verification)}/take`)).toBe(405);
    expect((await take(verification)).body).toMatchObject({ otp: "720055" });
    await waits;
  });
});

describe("404", () => {
  test("URLs that this service did not sign", async () => {
    const { create } = await newCaller();
    const [mine, other] = [await create(), await create()];
    const [id, code] = pathOf(mine).split("/").at(-1)?.split(".") ?? [];
    const otherCode = pathOf(other).split(".").at(-1);
    const wrong = [
      `${id}.${otherCode}`,
      `${id}.${code?.toUpperCase()}`,
      `${id}.`,
      `${id}`,
      `.${code}`,
      `${id}.${code}x`,
      mine.id,
      `ver_${id}.${code}`,
      "~",
      "%00",
      "00000000000000000000000000.0000000000000000",
    ];
    for (const token of wrong) {
      expect([token, ...(await codeOf(`/v1/verifications/${token}`))]).toEqual([token, 404, "verification_not_found"]);
    }
  });

  test("after the lease: the mailbox and its mail are gone, and the address is never used again", async () => {
    const { key, create, refused, used } = await newCaller();
    const verification = await create({ username: "once-only", ttl_seconds: 60 });
    const lasting = await create({ ttl_seconds: 86_400 });
    await mail(verification.address, "112358");
    clock.advance(120_000);
    expect(await codeOf(pathOf(verification))).toEqual([404, "verification_not_found"]);
    await expireLeases(service.system);
    expect((await client.get(inboxPath(verification.address), { key })).status).toBe(404);
    expect((await client.get(inboxPath(lasting.address), { key })).status).toBe(200);
    await eventually(async () => {
      await eraseDeleted(service.system);
      const rows = await service.system.sql`
        select 1 from messages m join inboxes i on i.id = m.inbox_id where i.address = ${verification.address}`;
      expect(rows.length).toBe(0);
    });
    expect(await refused({ username: "once-only" })).toEqual([409, "address_taken"]);
    const again = await client.post("/v1/inboxes", { username: "once-only" }, { key });
    expect([again.status, again.body.error.code]).toEqual([409, "address_taken"]);
    const stranger = await newCaller();
    expect(await stranger.refused({ username: "once-only" })).toEqual([409, "address_taken"]);
    expect(await used()).toBe(2);
  });

  test("a mailbox that was deleted before, and a key that was revoked during the wait", async () => {
    const { key, enrollmentKeyId, create } = await newCaller();
    const gone = await create();
    await client.delete<object>(inboxPath(gone.address), { key });
    expect(await codeOf(pathOf(gone))).toEqual([404, "verification_not_found"]);
    const other = await service.newAgentKey(enrollmentKeyId, {});
    const { body } = await client.post<Verification>("/v1/verifications", {}, { key: other.key });
    const reading = codeOf(pathOf(body));
    await untilOpen(service, 1);
    await revokeAgentKey(service.system, other.id);
    await mail(body.address, "204060");
    expect(await reading).toEqual([404, "verification_not_found"]);
    expect(await codeOf(pathOf(body))).toEqual([404, "verification_not_found"]);
  });
});

test("a caller that disconnects has not taken the code", async () => {
  const { key, create } = await newCaller();
  const verification = await create();
  const taker = callAlone(service, `${pathOf(verification)}/take`, { key, json: {} });
  await untilOpen(service, 1);
  await taker.hangUp();
  await untilOpen(service, 0);
  await mail(verification.address, "777123");
  expect((await take(verification)).body.otp).toBe("777123");
});

describe("400", () => {
  test.each([
    { ttl_seconds: 59 },
    { ttl_seconds: 86_401 },
    { ttl_seconds: 1.5 },
    { ttl_seconds: "soon" },
    { from: "" },
    { from: "no domain" },
    { from: "a\r\nb@shop.example" },
    { username: "a b" },
    { username: "postmaster" },
    { domain: "" },
    { client_id: "x" },
    { inbound_webhook_url: "https://a.example" },
  ])("%j", async (json) => {
    const { refused, used } = await newCaller();
    expect((await refused(json))[0]).toBe(400);
    expect(await used()).toBe(0);
  });

  test("a timeout out of range, and fields that a wait does not have", async () => {
    const verification = await (await newCaller()).create();
    for (const query of ["timeout_seconds=-1", "timeout_seconds=121", "timeout_seconds=x", "key=1"]) {
      expect([query, (await client.get(`${pathOf(verification)}?${query}`)).status]).toEqual([query, 400]);
    }
  });
});

describe("403 and 409", () => {
  test("keys without the scopes, keys for some mailboxes, other domains, and a quota that is used", async () => {
    const { create, refused, enrollmentKeyId } = await newCaller({ maxMailboxes: 1 });
    for (const scopes of [["mailbox:create"], ["mailbox:read"], ["mailbox:send"]]) {
      const { key } = await service.newAgentKey(enrollmentKeyId, { scopes });
      expect([scopes, ...(await refused({}, key))]).toEqual([scopes, 403, "insufficient_scope"]);
    }
    expect(await refused({ domain: "else.example" })).toEqual([403, "domain_not_allowed"]);
    const { address } = await create();
    const { key } = await service.newAgentKey(enrollmentKeyId, { inboxes: [address] });
    expect(await refused({}, key)).toEqual([403, "insufficient_scope"]);
    expect(await refused({})).toEqual([409, "enrollment_token_exhausted"]);
    const [{ count } = { count: 0 }] = await service.system.sql<{ count: number }[]>`
      select count(*)::int as count from mailbox_leases l join agent_keys k on k.id = l.agent_key_id
      join agents a on a.id = k.agent_id where a.enrollment_key_id in
        (select enrollment_key_id from inboxes where address = ${address})`;
    expect(count).toBe(1);
  });
});
