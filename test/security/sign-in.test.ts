// Guessing passwords: slowed down by account and by client address, without locking out the people themselves.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { accountHash } from "#server/organizations/devices.ts";
import { adjustableClock, startTestService, type TestService } from "#test/support/service.ts";
import { cookiesOf, newOwner, PASSWORD, type Person, post, sessionClient } from "#test/support/team.ts";

const clock = adjustableClock();
const settings = { ROLES: "web" as const, TRUST_PROXY: "127.0.0.1" };
const service = await startTestService(settings, { now: clock.now });
const other = await startTestService(settings, { now: clock.now, database: service.database });
const undeclared = await startTestService({ ROLES: "web" }, { now: clock.now, database: service.database });
afterAll(async () => {
  await Promise.all([other.stop(), undeclared.stop()]);
  await service.stop();
});
beforeEach(() => clock.set(new Date()));

const FREE = 10;
const FREE_PER_ADDRESS = 100;
const DELAY_MAX_MS = 300_000;
const WRONG = "not the password at all";
let addresses = 0;
/** An address that nothing has been counted for yet. */
const newAddress = () => {
  addresses += 1;
  return `198.18.${addresses >> 8}.${addresses & 255}`;
};

/** As after that many wrong guesses. Each takes the time of a password hash, so that few tests make them all. */
async function count(bucket: string, failures: number): Promise<void> {
  const now = clock.now();
  await service.system.sql`
    insert into sign_in_attempts (bucket, failures, last_at, blocked_until) values (${bucket}, ${failures}, ${now}, ${now})
    on conflict (bucket) do update set failures = ${failures}, last_at = ${now}, blocked_until = ${now}`;
}
const ofAccount = (email: string) => `account:${accountHash(email)}`;

async function person(): Promise<Person> {
  return newOwner(service, (await service.newOrganization()).organizationId);
}

type Attempt = { at?: TestService; from?: string; password?: string; cookie?: string };
function signIn(email: string, { at = service, from, password = WRONG, cookie }: Attempt = {}) {
  const headers = { "X-Forwarded-For": from ?? newAddress(), ...(cookie && { cookie }) };
  return post(at, "/auth/sign-in/email", { email, password }, headers);
}

/** The statuses of attempts one after the other. */
async function statuses(count: number, attempt: (n: number) => Promise<Response>): Promise<number[]> {
  const all: number[] = [];
  for (let n = 0; n < count; n += 1) all.push((await attempt(n)).status);
  return all;
}

const fill = (count: number, status: number) => Array(count).fill(status);

describe("wrong guesses for one account", () => {
  test("wait from the eleventh on, longer each time, at most five minutes", async () => {
    const { email } = await person();
    await count(ofAccount(email), FREE - 1);
    expect((await signIn(email)).status).toBe(401);
    const delays: number[] = [];
    for (let n = 0; n < 7; n += 1) {
      const refused = await signIn(email);
      expect(refused.status).toBe(429);
      delays.push(Number(refused.headers.get("Retry-After")));
      clock.advance((delays.at(-1) ?? 0) * 1_000);
      expect((await signIn(email)).status).toBe(401);
    }
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    // The clock keeps running.
    expect(delays.at(-1)).toBeLessThanOrEqual(DELAY_MAX_MS / 1_000);
    expect(delays.at(-1)).toBeGreaterThan(DELAY_MAX_MS / 2_000);
    clock.advance(DELAY_MAX_MS);
    expect((await signIn(email, { password: PASSWORD })).status).toBe(200);
    // A right password clears the account.
    expect((await signIn(email)).status).toBe(401);
  });

  test("are counted exactly, concurrently and at several processes", async () => {
    const { email } = await person();
    const answers = await Promise.all(
      Array.from({ length: 3 * FREE }, (_, n) => signIn(email.toUpperCase(), { at: n % 2 ? service : other })),
    );
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(FREE);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(2 * FREE);
  });

  test("do not lock out a device that signed in before, nor other people", async () => {
    const [victim, bystander] = [await person(), await person()];
    const device = cookiesOf(await signIn(victim.email, { password: PASSWORD }));
    const from = newAddress();
    expect(await statuses(FREE, () => signIn(victim.email, { from }))).toEqual(fill(FREE, 401));
    const known = await signIn(victim.email, { password: PASSWORD, cookie: device, from });
    expect(known.status).toBe(200);
    expect((await signIn(bystander.email, { password: PASSWORD, from })).status).toBe(200);
    // The right password from the known device does not help who guesses.
    expect((await signIn(victim.email, { from: newAddress() })).status).toBe(429);
    expect((await victim.trpc.team.me.query()).user.email).toBe(victim.email);
  });

  test("cannot use the device of another account, nor one that is made up", async () => {
    const [victim, abuser] = [await person(), await person()];
    const own = cookiesOf(await signIn(abuser.email, { password: PASSWORD }));
    const [, name = "", value = ""] = /(mailberth\.device-[\w-]+)=(\S+)/.exec(victim.cookie) ?? [];
    const [, foreign = ""] = /mailberth\.device-[\w-]+=([^;]+)/.exec(own) ?? [];
    expect(value).not.toBe("");
    const forged = `${"A".repeat(22)}.${"A".repeat(22)}`;
    for (const cookie of [`${name}=${foreign}`, `${name}=${forged}`, `${name}=`]) {
      await count(ofAccount(victim.email), FREE - 1);
      expect((await signIn(victim.email, { cookie })).status).toBe(401);
      expect((await signIn(victim.email, { password: PASSWORD, cookie })).status).toBe(429);
      clock.advance(2 * 3_600_000);
    }
  });

  test("from a known device have a count of their own", async () => {
    const { email, cookie } = await person();
    expect((await signIn(email, { cookie })).status).toBe(401);
    await service.system
      .sql`update sign_in_attempts set failures = ${FREE - 1} where bucket like ${`device:${accountHash(email)}:%`}`;
    expect(await statuses(2, () => signIn(email, { cookie }))).toEqual([401, 429]);
    expect((await signIn(email, { password: PASSWORD })).status).toBe(200);
  });

  test("with a link to join count with sign-ins", async () => {
    const [inviter, victim] = [await person(), await person()];
    const { link } = await inviter.trpc.team.invite.mutate({ email: victim.email, role: "member" });
    const token = link?.split("#")[1];
    const join = (password: string) =>
      post(service, "/trpc/team.join", { token, password }, { "X-Forwarded-For": newAddress() });
    await count(ofAccount(victim.email), FREE - 2);
    expect(await statuses(2, () => join(WRONG))).toEqual([401, 401]);
    expect((await join(PASSWORD)).status).toBe(429);
    expect((await signIn(victim.email, { password: PASSWORD })).status).toBe(429);
  });
});

describe("the cookie of a known device", () => {
  test("is out of reach of scripts", async () => {
    const { email } = await person();
    const answer = await signIn(email, { password: PASSWORD });
    const cookie = answer.headers.getSetCookie().find((text) => text.startsWith("mailberth.device-"));
    expect(cookie).toMatch(/; Path=\/; HttpOnly; SameSite=Lax/);
    const wrong = await signIn(email);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });
});

describe("an account that does not exist", () => {
  test("is answered like one that does", async () => {
    const { email } = await person();
    const answers = async (address: string) => {
      const seen: [number, string, string | null][] = [];
      await count(ofAccount(address), FREE - 1);
      for (let n = 0; n < 3; n += 1) {
        const answer = await signIn(address);
        seen.push([answer.status, await answer.text(), answer.headers.get("Retry-After")]);
      }
      return seen;
    };
    const seconds = /\d+ seconds/g;
    const plain = (seen: [number, string, string | null][]) =>
      seen.map(([status, text, retry]) => [
        status,
        text.replace(seconds, "").replace(/req_[\w-]+/, ""),
        retry !== null,
      ]);
    expect(plain(await answers("nobody-here@people.example"))).toEqual(plain(await answers(email)));
  });
});

describe("wrong guesses from one client address", () => {
  test("wait after a hundred, and do not affect other addresses", async () => {
    const [{ email }, from] = [await person(), newAddress()];
    await count(`address:${from}`, FREE_PER_ADDRESS - 2);
    expect(await statuses(2, (n) => signIn(`somebody-${n}@people.example`, { from }))).toEqual([401, 401]);
    expect((await signIn(email, { from, password: PASSWORD })).status).toBe(429);
    expect((await signIn(email, { password: PASSWORD })).status).toBe(200);
  });

  test("behind a proxy that is not declared are not counted by its address", async () => {
    const { email } = await person();
    await count("address:127.0.0.1", FREE_PER_ADDRESS - 1);
    const guesses = await statuses(3, (n) => signIn(`proxied-${n}@people.example`, { at: undeclared }));
    expect(guesses).toEqual([401, 401, 401]);
    expect((await signIn(email, { at: undeclared, password: PASSWORD })).status).toBe(200);
  });
});

describe("a changed password", () => {
  test("ends the other sessions, whatever the client asks for", async () => {
    const owner = await person();
    const here = cookiesOf(await signIn(owner.email, { password: PASSWORD }));
    const change = { currentPassword: PASSWORD, newPassword: "another long password", revokeOtherSessions: false };
    const answer = await post(service, "/auth/change-password", change, { cookie: here });
    expect(answer.status).toBe(200);
    expect((await sessionClient(service, cookiesOf(answer)).team.me.query()).role).toBe("owner");
    await expect(owner.trpc.team.me.query()).rejects.toMatchObject({ data: { error: { code: "unauthorized" } } });
  });

  test("is not found by guessing with a session", async () => {
    const owner = await person();
    const change = (currentPassword: string) =>
      post(
        service,
        "/auth/change-password",
        { currentPassword, newPassword: "another long password" },
        { cookie: owner.cookie },
      );
    expect(await change(WRONG)).toMatchObject({ status: 400 });
    await service.system.sql`update sign_in_attempts set failures = ${FREE - 1} where bucket like 'session:%'`;
    expect(await change(WRONG)).toMatchObject({ status: 400 });
    expect((await change(PASSWORD)).status).toBe(429);
  });
});

describe("emails for a new password", () => {
  test("are limited for each address, known or not", async () => {
    const { email } = await person();
    const ask = (address: string) => post(service, "/auth/request-password-reset", { email: address });
    for (const address of [email, "no-such-person@people.example"]) {
      expect(await statuses(6, () => ask(address))).toEqual([...fill(5, 200), 429]);
    }
  });
});

describe("many sign-ins at the same time", () => {
  test("wait in a queue that is bounded, of which one client takes a quarter", async () => {
    const [{ email }, from] = [await person(), newAddress()];
    const flood = Array.from({ length: 40 }, (_, n) => signIn(`flood-${n}@people.example`, { from }));
    const right = await signIn(email, { password: PASSWORD });
    const answers = await Promise.all(flood);
    expect(right.status).toBe(200);
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    for (const { status, headers } of answers) {
      expect([401, 429]).toContain(status);
      if (status === 429) expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
    }
  });
});
