// The second factor of an account: turned on, asked at every sign-in, each code used once, turned off, and reset.
import PostalMime from "postal-mime";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { decodeId } from "#server/base/ids.ts";
import { newResetLink } from "#server/organizations/emails.ts";
import { newOwnerToken } from "#server/organizations/links.ts";
import { setSecondFactorRequired } from "#server/organizations/organizations.ts";
import { resetSecondFactorByOperator } from "#server/organizations/second-factor-setup.ts";
import { appCode, turnOn } from "#test/support/second-factor.ts";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { cookiesOf, newOwner, PASSWORD, type Person, post, sessionClient } from "#test/support/team.ts";

const STEP_MS = 30_000;
const HOUR_MS = 3_600_000;
const FREE_PER_ACCOUNT = 5;

const sink = await startSmtpSink();
/** Stands still, so that no step ends while a test makes its code. */
const clock = stillClock();
const service = await startTestService(
  { OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url, TRUST_PROXY: "127.0.0.1" },
  { now: clock.now },
);
afterAll(() => service.stop().then(sink.close));
beforeEach(() => clock.set(new Date()));

function stillClock() {
  let at = new Date();
  return {
    now: () => at,
    set(time: Date) {
      at = time;
    },
    advance(ms: number) {
      at = new Date(at.getTime() + ms);
    },
  };
}

const refused = (code: string) => ({ data: { error: { code } } });

async function newPerson() {
  const { organizationId } = await service.newOrganization();
  return { organizationId, ...(await newOwner(service, organizationId)) };
}

async function newPersonWithFactor() {
  const person = await newPerson();
  return { ...person, ...(await turnOn(person, clock.now)) };
}

/** The next code of the app, which no one used. */
function nextCode(secret: string): string {
  clock.advance(STEP_MS);
  return appCode(secret, clock.now());
}

let addresses = 0;
/** From an address that no one used before. */
function signIn(email: string, more: object, headers: Record<string, string> = {}) {
  addresses += 1;
  const from = { "X-Forwarded-For": `198.18.${addresses >> 8}.${addresses & 255}` };
  return post(service, "/auth/sign-in/email", { email, password: PASSWORD, ...more }, { ...from, ...headers });
}

async function codeOf(answer: Response): Promise<unknown> {
  const body = (await answer.json()) as { code?: string; error?: { code: string } };
  return body.error?.code ?? body.code;
}

const meOf = (cookie: string) => sessionClient(service, cookie).team.me.query();
const acts = async (email: string) =>
  (
    await service.system.sql`select action, outcome from audit_entries where actor like ${`%<${email}>`} order by id`
  ).map(({ action, outcome }) => `${action} ${outcome}`);

describe("turning it on", () => {
  test("asks for the password, confirms the first code, and ends the other sessions", async () => {
    const person = await newPerson();
    const { email, trpc } = person;
    const other = cookiesOf(await signIn(email, {}));
    await expect(trpc.team.beginSecondFactor.mutate({ password: "not the password" })).rejects.toMatchObject(
      refused("invalid_request"),
    );
    const { secret, setup, uri } = await trpc.team.beginSecondFactor.mutate({ password: PASSWORD });
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(uri).toBe(
      `otpauth://totp/mailberth.example:${encodeURIComponent(email)}?issuer=mailberth.example&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    await expect(trpc.team.confirmSecondFactor.mutate({ setup, code: "000000" })).rejects.toMatchObject(
      refused("wrong_code"),
    );
    expect(await trpc.team.secondFactor.query()).toMatchObject({ is_on: false });
    const code = appCode(secret, clock.now());
    const { recovery_codes } = await trpc.team.confirmSecondFactor.mutate({ setup, code });
    expect(new Set(recovery_codes).size).toBe(10);
    expect(await trpc.team.secondFactor.query()).toMatchObject({ is_on: true, recovery_codes_left: 10 });
    expect((await trpc.team.me.query()).user.email).toBe(email);
    await expect(meOf(other)).rejects.toMatchObject(refused("unauthorized"));
    const left = await service.system
      .sql`select 1 from sessions join users on users.id = user_id where email = ${email}`;
    expect(left).toHaveLength(1);
    expect(await acts(email)).toContain("account.second_factor_on done");
    await expect(trpc.team.beginSecondFactor.mutate({ password: PASSWORD })).rejects.toMatchObject(
      refused("invalid_request"),
    );
  });

  test("takes no set-up of another account, and none after ten minutes", async () => {
    const [ada, eve] = [await newPerson(), await newPerson()];
    const { secret, setup } = await eve.trpc.team.beginSecondFactor.mutate({ password: PASSWORD });
    const confirm = ({ trpc }: Pick<Person, "trpc">) =>
      trpc.team.confirmSecondFactor.mutate({ setup, code: appCode(secret, clock.now()) });
    await expect(confirm(ada)).rejects.toMatchObject(refused("invalid_request"));
    clock.advance(11 * 60_000);
    await expect(confirm(eve)).rejects.toMatchObject(refused("invalid_request"));
  });

  test("keeps the secret and the recovery codes encrypted", async () => {
    const { secret, recoveryCodes } = await newPersonWithFactor();
    const rows = await service.system.sql`select s::text as row, secret from second_factors s`;
    const stored = rows.map(({ row, secret: sealed }) => row + Buffer.from(sealed).toString("latin1")).join("\n");
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replace("-", ""))]) {
      expect(stored).not.toContain(text);
    }
  });
});

describe("a sign-in", () => {
  test("needs the password and a code, and each code works once", async () => {
    const { email, secret } = await newPersonWithFactor();
    const used = appCode(secret, clock.now());
    const asked = await signIn(email, {});
    expect([asked.status, await codeOf(asked)]).toEqual([403, "second_factor_required"]);
    expect(cookiesOf(asked)).toBe("");
    expect(await codeOf(await signIn(email, { code: used }))).toBe("wrong_code");
    const code = nextCode(secret);
    const wrong = [
      await signIn(email, { password: "not the password" }),
      await signIn(email, { password: "not the password", code }),
    ];
    expect(wrong.map(({ status }) => status)).toEqual([401, 401]);
    expect(await wrong[0]?.text()).toBe(await wrong[1]?.text());
    const entered = await signIn(email, { code });
    expect(entered.status).toBe(200);
    expect((await meOf(cookiesOf(entered))).user.email).toBe(email);
    expect(await codeOf(await signIn(email, { code }))).toBe("wrong_code");
    expect(await acts(email)).toEqual(
      expect.arrayContaining(["session.sign_in done", "session.second_factor wrong_code"]),
    );
  });

  test("takes the code of a clock that is one step off, and no more", async () => {
    const { email, secret } = await newPersonWithFactor();
    clock.advance(10 * STEP_MS);
    for (const steps of [-2, 2]) {
      expect(await codeOf(await signIn(email, { code: appCode(secret, clock.now(), steps) }))).toBe("wrong_code");
    }
    expect((await signIn(email, { code: appCode(secret, clock.now(), -1) })).status).toBe(200);
    expect((await signIn(email, { code: appCode(secret, clock.now(), 1) })).status).toBe(200);
    expect(await codeOf(await signIn(email, { code: appCode(secret, clock.now()) }))).toBe("wrong_code");
  });

  test("takes a recovery code once, also of concurrent requests", async () => {
    const { email, recoveryCodes, secret } = await newPersonWithFactor();
    const [code = "", other = ""] = recoveryCodes;
    const answers = await Promise.all(Array.from({ length: 4 }, () => signIn(email, { code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const entered = await signIn(email, { code: ` ${other.toUpperCase().replace("-", " ")} ` });
    expect(entered.status).toBe(200);
    const mine = sessionClient(service, cookiesOf(entered));
    expect(await mine.team.secondFactor.query()).toMatchObject({ recovery_codes_left: 8 });
    const now = nextCode(secret);
    const same = await Promise.all(Array.from({ length: 4 }, () => signIn(email, { code: now })));
    expect(same.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test("takes no code of another account", async () => {
    const [ada, eve] = [await newPersonWithFactor(), await newPersonWithFactor()];
    for (const code of [nextCode(eve.secret), eve.recoveryCodes[0]]) {
      expect(await codeOf(await signIn(ada.email, { code }))).toBe("wrong_code");
    }
  });

  test("after wrong codes waits, from any address and in parallel", async () => {
    const { email, secret } = await newPersonWithFactor();
    const answers = await Promise.all(
      Array.from({ length: 4 * FREE_PER_ACCOUNT }, (_, n) => signIn(email, { code: `00000${n}`.slice(-6) })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 403)).toHaveLength(FREE_PER_ACCOUNT);
    expect(statuses.filter((status) => status === 429)).toHaveLength(3 * FREE_PER_ACCOUNT);
    const blocked = await signIn(email, { code: appCode(secret, clock.now(), 1) });
    expect([blocked.status, blocked.headers.get("retry-after")]).toEqual([429, "5"]);
    clock.advance(HOUR_MS);
    expect((await signIn(email, { code: nextCode(secret) })).status).toBe(200);
  });

  test("counts wrong codes of one address over all accounts", async () => {
    const headers = { "X-Forwarded-For": "198.19.0.1" };
    const people = [];
    for (let made = 0; made < 5; made += 1) people.push(await newPersonWithFactor());
    const statuses = [];
    for (const { email } of people) {
      for (let guess = 0; guess < FREE_PER_ACCOUNT - 1; guess += 1) {
        statuses.push((await signIn(email, { code: "000000" }, headers)).status);
      }
    }
    const { email, secret } = await newPersonWithFactor();
    expect(statuses).toEqual(statuses.map(() => 403));
    expect((await signIn(email, { code: appCode(secret, clock.now(), 1) }, headers)).status).toBe(429);
  });

  test("is not saved from the second step by a device that is known", async () => {
    const person = await newPerson();
    const devices = cookiesOf(await signIn(person.email, {}));
    await turnOn(person, clock.now);
    const asked = await signIn(person.email, {}, { cookie: devices });
    expect([asked.status, await codeOf(asked)]).toEqual([403, "second_factor_required"]);
  });

  test("cannot be finished at an endpoint of better-auth", async () => {
    const { email, secret, cookie } = await newPersonWithFactor();
    const code = nextCode(secret);
    for (const path of ["verify-totp", "verify-backup-code", "enable", "disable", "get-totp-uri"]) {
      for (const jar of ["", cookie]) {
        const answer = await post(service, `/auth/two-factor/${path}`, { code, password: PASSWORD }, { cookie: jar });
        expect([path, answer.status]).toEqual([path, 404]);
      }
    }
    expect((await signIn(email, { code })).status).toBe(200);
  });

  test("of a session that began without the second factor is over", async () => {
    const person = await newPersonWithFactor();
    const { sql } = service.system;
    await sql`update sessions set second_factor = false where user_id in (select id from users where email = ${person.email})`;
    await expect(person.trpc.team.me.query()).rejects.toMatchObject(refused("unauthorized"));
    await expect(person.trpc.team.secondFactor.query()).rejects.toMatchObject(refused("unauthorized"));
  });
});

describe("a password", () => {
  test("that is changed keeps the session, which keeps its access", async () => {
    const { email, cookie, secret } = await newPersonWithFactor();
    const change = { currentPassword: PASSWORD, newPassword: "an entirely new password" };
    const changed = await post(service, "/auth/change-password", change, { cookie });
    expect(changed.status).toBe(200);
    expect((await meOf(cookiesOf(changed))).user.email).toBe(email);
    expect((await signIn(email, { password: change.newPassword, code: nextCode(secret) })).status).toBe(200);
  });

  test("that is set by a link does not end the second factor", async () => {
    const { email, secret } = await newPersonWithFactor();
    const token = new URL(await newResetLink(service.system, email)).searchParams.get("token");
    const password = "an entirely new password";
    const answer = await post(service, "/auth/reset-password", { newPassword: password, token });
    expect([answer.status, cookiesOf(answer)]).toEqual([200, ""]);
    expect(await codeOf(await signIn(email, { password }))).toBe("second_factor_required");
    expect((await signIn(email, { password, code: nextCode(secret) })).status).toBe(200);
  });
});

describe("a link to join", () => {
  test("asks an existing account for its code", async () => {
    const { email, secret } = await newPersonWithFactor();
    const { organizationId } = await service.newOrganization();
    const token = await newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
    const join = (more: object) => post(service, "/trpc/team.join", { token, email, password: PASSWORD, ...more });
    const asked = await join({});
    expect([asked.status, cookiesOf(asked)]).toEqual([403, ""]);
    expect(await asked.json()).toMatchObject({ error: refused("second_factor_required") });
    expect(await (await join({ code: "000000" })).json()).toMatchObject({ error: refused("wrong_code") });
    const joined = await join({ code: nextCode(secret) });
    expect(joined.status).toBe(200);
    expect((await meOf(cookiesOf(joined))).organizations).toHaveLength(2);
  });
});

describe("turning it off", () => {
  test("needs the password and a code, and ends the other sessions", async () => {
    const { email, secret, trpc } = await newPersonWithFactor();
    const other = cookiesOf(await signIn(email, { code: nextCode(secret) }));
    const end = (input: { password: string; code: string }) => trpc.team.endSecondFactor.mutate(input);
    const code = nextCode(secret);
    await expect(end({ password: "not the password", code })).rejects.toMatchObject(refused("invalid_request"));
    await expect(end({ password: PASSWORD, code: "000000" })).rejects.toMatchObject(refused("wrong_code"));
    await end({ password: PASSWORD, code });
    await expect(meOf(other)).rejects.toMatchObject(refused("unauthorized"));
    expect(await trpc.team.secondFactor.query()).toMatchObject({ is_on: false, recovery_codes_left: 0 });
    expect((await signIn(email, {})).status).toBe(200);
    expect(await acts(email)).toContain("account.second_factor_off done");
  });
});

describe("a lost device", () => {
  test("is reset by an owner, and the member gets a mail", async () => {
    const owner = await newPerson();
    const member = await colleague(owner);
    const { id } = await memberOf(owner, member.email);
    await expect(owner.trpc.team.resetSecondFactor.mutate({ id })).rejects.toMatchObject(refused("invalid_request"));
    await turnOn(member, clock.now);
    expect(await memberOf(owner, member.email)).toMatchObject({ second_factor: true });
    await owner.trpc.team.resetSecondFactor.mutate({ id });
    await expect(member.trpc.team.me.query()).rejects.toMatchObject(refused("unauthorized"));
    expect((await signIn(member.email, {})).status).toBe(200);
    const { data } = await owner.trpc.team.audit.query({ noun: "team" });
    expect(data[0]).toMatchObject({ action: "team.resetSecondFactor", subject: id, outcome: "done" });
    const mails = () => sink.received.filter(({ to }) => to.includes(member.email));
    await expect.poll(mails, { interval: 50 }).toHaveLength(2);
    const read = await Promise.all(mails().map(({ raw }) => PostalMime.parse(raw)));
    expect(read.map(({ subject }) => subject)).toEqual([0, 1].map(() => "The second factor of your account changed"));
    expect(read.map(({ text }) => text).join()).toContain("was reset, and all your sessions have ended");
  });

  test("is not reset by an owner where the member belongs to another organization too", async () => {
    const owner = await newPersonWithFactor();
    const member = await newPersonWithFactor();
    const token = await newOwnerToken(service.system, decodeId("org", owner.organizationId) ?? "");
    const { email, secret } = member;
    await post(service, "/trpc/team.join", { token, email, password: PASSWORD, code: nextCode(secret) });
    const { id } = await memberOf(owner, email);
    const reset = (wireId: string) => owner.trpc.team.resetSecondFactor.mutate({ id: wireId });
    await expect(reset(id)).rejects.toMatchObject(refused("insufficient_role"));
    await expect(reset((await owner.trpc.team.me.query()).user.id)).rejects.toMatchObject(refused("invalid_request"));
    const stranger = await newPersonWithFactor();
    await expect(reset((await stranger.trpc.team.me.query()).user.id)).rejects.toMatchObject(
      refused("member_not_found"),
    );
    expect(await codeOf(await signIn(email, {}))).toBe("second_factor_required");
  });

  test("is reset by the operator, which the log of each organization has", async () => {
    const { email, trpc } = await newPersonWithFactor();
    await expect(resetSecondFactorByOperator(service.system, "nobody@people.example")).rejects.toMatchObject({
      code: "not_found",
    });
    await resetSecondFactorByOperator(service.system, email.toUpperCase());
    await expect(trpc.team.me.query()).rejects.toMatchObject(refused("unauthorized"));
    const again = sessionClient(service, cookiesOf(await signIn(email, {})));
    const { data } = await again.team.audit.query({ noun: "account" });
    expect(data[0]).toMatchObject({ action: "account.reset_second_factor", subject: email, outcome: "done" });
  });

  /** A second owner, by a link of the operator. */
  async function colleague({ organizationId }: { organizationId: string }) {
    return newOwner(service, organizationId);
  }

  async function memberOf({ trpc }: Pick<Person, "trpc">, email: string) {
    const found = (await trpc.team.members.query()).members.find((one) => one.email === email);
    if (!found) throw new Error(`no member ${email}`);
    return found;
  }
});

describe("a requirement of an organization", () => {
  async function requiring() {
    const owner = await newPersonWithFactor();
    const colleague = await newOwner(service, owner.organizationId);
    await owner.trpc.organization.update.mutate({ require_second_factor: true });
    return { owner, colleague };
  }

  test("lets members without a second factor only set it up", async () => {
    const { owner, colleague } = await requiring();
    expect(await owner.trpc.organization.get.query()).toMatchObject({ require_second_factor: true });
    const { trpc, email } = colleague;
    const calls = [
      () => trpc.team.me.query(),
      () => trpc.organization.update.mutate({ require_second_factor: false }),
      () => trpc.team.endSecondFactor.mutate({ password: PASSWORD, code: "000000" }),
      () => sessionClient(service, colleague.cookie, owner.organizationId).inboxes.list.query({}),
      async () => sessionClient(service, cookiesOf(await signIn(email, {}))).team.me.query(),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(refused("second_factor_missing"));
    expect(await trpc.team.secondFactor.query()).toMatchObject({ email, is_on: false });
    const { secret } = await turnOn(colleague, clock.now);
    expect((await trpc.team.me.query()).user.email).toBe(email);
    await trpc.team.endSecondFactor.mutate({ password: PASSWORD, code: nextCode(secret) });
    await expect(trpc.team.me.query()).rejects.toMatchObject(refused("second_factor_missing"));
  });

  test("counts in all organizations of a member", async () => {
    const { owner } = await requiring();
    const member = await newPerson();
    expect((await member.trpc.team.me.query()).role).toBe("owner");
    const token = await newOwnerToken(service.system, decodeId("org", owner.organizationId) ?? "");
    const joined = await post(service, "/trpc/team.join", { token, email: member.email, password: PASSWORD });
    expect(joined.status).toBe(200);
    for (const organization of [member.organizationId, owner.organizationId]) {
      const there = sessionClient(service, member.cookie, organization);
      await expect(there.team.me.query()).rejects.toMatchObject(refused("second_factor_missing"));
    }
    await owner.trpc.organization.update.mutate({ require_second_factor: false });
    expect((await member.trpc.team.me.query()).organizations).toHaveLength(2);
  });

  test("does not concern agents and their keys", async () => {
    const { owner } = await requiring();
    const { agentKey } = await service.newEnrollment(owner.organizationId);
    const answer = await fetch(`${service.url}/v1/inboxes`, { headers: { Authorization: `Bearer ${agentKey}` } });
    expect(answer.status).toBe(200);
  });

  test("is made only by an owner who has a second factor", async () => {
    const { trpc } = await newPerson();
    const change = trpc.organization.update.mutate({ require_second_factor: true });
    await expect(change).rejects.toMatchObject(refused("second_factor_missing"));
    expect((await trpc.organization.get.query()).require_second_factor).toBe(false);
  });

  test("is ended by the operator", async () => {
    const { owner, colleague } = await requiring();
    await setSecondFactorRequired(service.system, owner.organizationId, false);
    expect((await colleague.trpc.team.me.query()).role).toBe("owner");
  });
});
