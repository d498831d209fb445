// Company sign-in: who enters with a company account, what an issuer may not do, and the requirement of an organization.
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { readSettings } from "#server/base/env.ts";
import { decodeId, newId } from "#server/base/ids.ts";
import { newResetLink } from "#server/organizations/emails.ts";
import { newOwnerToken } from "#server/organizations/links.ts";
import { setCompanyRequired } from "#server/organizations/organizations.ts";
import { unlinkCompanyByOperator } from "#server/organizations/unlink-company.ts";
import {
  beginCompany,
  callBack,
  companySettings,
  signInWith,
  startIssuer,
  startPlainIssuer,
} from "#test/support/issuer.ts";
import { turnOn } from "#test/support/second-factor.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { cookiesOf, newOwner, PASSWORD, type Person, post, sessionClient } from "#test/support/team.ts";

const issuer = await startPlainIssuer();
const clock = adjustableClock();
const service = await startTestService(companySettings(issuer), { now: clock.now });
afterAll(async () => {
  await service.stop();
  await issuer.stop();
});
beforeEach(() => {
  clock.set(new Date());
  Object.assign(issuer, {
    change: (told: object) => told,
    signedBy: "own",
    expires: "1 minute",
    claimedIssuer: undefined,
  });
  issuer.hangs.clear();
  issuer.floods.clear();
});

let made = 0;
/** The person that the issuer signs in from now on. */
function employ(change: Partial<typeof issuer.employee> = {}) {
  made += 1;
  issuer.employee = {
    sub: `s${made}`,
    email: `person${made}@acme.example`,
    email_verified: true,
    name: `Person ${made}`,
    ...change,
  };
  return issuer.employee;
}

async function invite(owner: Person, email: string, role: "member" | "owner" = "member") {
  const { link } = await owner.trpc.team.invite.mutate({ email, role });
  return { token: link?.split("#")[1] ?? "" };
}

async function team() {
  const { organizationId } = await service.newOrganization();
  return { organizationId, owner: await newOwner(service, organizationId) };
}

/** An owner who signed in with a company account. */
async function companyOwner() {
  const { organizationId, owner } = await team();
  const { email } = employ();
  const { cookie } = await signInWith(service, issuer, await invite(owner, email, "owner"));
  return { organizationId, owner, email, cookie, trpc: sessionClient(service, cookie) };
}

const NEW_PASSWORD = "an entirely new password";

async function passwordHash(): Promise<string> {
  const { password } = await (await service.system.signIn()).$context;
  return password.hash(NEW_PASSWORD);
}

/** A link for a person with a company account, as an earlier version made it, and the answer to its use. */
async function oldResetLink(email: string) {
  const { internalAdapter } = await (await service.system.signIn()).$context;
  const token = `token-${made}`;
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${token}`,
    value: (await internalAdapter.findUserByEmail(email))?.user.id ?? "",
    expiresAt: new Date(Date.now() + 60_000),
  });
  return { token, reset: await post(service, "/auth/reset-password", { newPassword: NEW_PASSWORD, token }) };
}

const refused = (code: string) => ({ data: { error: { code } } });
const refusal = (code: string) => ({ status: 303, path: `/sign-in?company=${code}`, cookie: "mailberth.company=" });

describe("a real issuer", () => {
  test("signs an invited person in, and again", async () => {
    const real = await startIssuer("http://mailberth.example/auth/oidc/callback", employ({ name: "Ada Lovelace" }));
    const own = await startTestService(companySettings(real));
    try {
      const owner = await newOwner(own, (await own.newOrganization()).organizationId);
      const link = await invite(owner, real.employee.email);
      for (const input of [link, {}]) {
        const { url, cookie } = await beginCompany(own, input);
        let [at, jar] = [url.href, ""];
        while (!at.startsWith("http://mailberth.example")) {
          const answer = await fetch(at, { headers: { cookie: jar }, redirect: "manual" });
          jar = [jar, cookiesOf(answer)].filter(Boolean).join("; ");
          at = new URL(answer.headers.get("location") ?? "", at).href;
        }
        const entered = await callBack(own, new URL(at).search.slice(1), cookie);
        expect(entered.path).toBe("/dashboard");
        const { user, role } = await sessionClient(own, entered.cookie).team.me.query();
        expect([user.email, user.name, role]).toEqual([real.employee.email, "Ada Lovelace", "member"]);
      }
    } finally {
      await own.stop();
      await real.stop();
    }
  });
});

describe("settings", () => {
  const all = companySettings(issuer);
  test.each([
    ["without one of the four", { ...all, OIDC_CLIENT_SECRET: "" }, /OIDC_CLIENT_SECRET: required with/],
    ["with an issuer over http", { ...all, OIDC_ISSUER: "http://login.example" }, /OIDC_ISSUER: an https URL/],
    [
      "with a domain that is none",
      { ...all, OIDC_ALLOWED_DOMAINS: "@acme.example" },
      /OIDC_ALLOWED_DOMAINS: domain names/,
    ],
  ])("are refused %s", (_, settings, message) => {
    expect(() => readSettings(settings)).toThrow(message);
  });
});

describe("who enters", () => {
  test("a member, three times at the same moment", async () => {
    const { organizationId } = await service.newOrganization();
    const { email } = employ();
    const token = await newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
    await post(service, "/trpc/team.join", { token, email, name: "Ada", password: PASSWORD });
    const { url, cookie } = await beginCompany(service);
    issuer.nonce = url.searchParams.get("nonce") ?? "";
    const query = `code=c&state=${url.searchParams.get("state")}`;
    const answers = await Promise.all([0, 1, 2].map(() => callBack(service, query, cookie)));
    expect(answers.map(({ path }) => path)).toEqual(["/dashboard", "/dashboard", "/dashboard"]);
  });

  test("a member of the same address, whose password and sessions end", async () => {
    const { organizationId } = await service.newOrganization();
    const { email } = employ();
    const token = await newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
    const joined = await post(service, "/trpc/team.join", { token, email, name: "Mallory", password: PASSWORD });
    const before = sessionClient(service, cookiesOf(joined));
    expect((await before.team.me.query()).user.email).toBe(email);
    const { cookie, path } = await signInWith(service, issuer);
    expect(path).toBe("/dashboard");
    const { data } = await sessionClient(service, cookie).team.audit.query({});
    expect(data[0]).toMatchObject({ action: "session.company_sign_in", outcome: "done" });
    await expect(before.team.me.query()).rejects.toMatchObject(refused("unauthorized"));
    expect((await post(service, "/auth/sign-in/email", { email, password: PASSWORD })).status).toBe(401);
  });

  test("a member of the same address, whose second factor ends", async () => {
    const { organizationId } = await service.newOrganization();
    const { email } = employ();
    const token = await newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
    const joined = await post(service, "/trpc/team.join", { token, email, name: "Mallory", password: PASSWORD });
    await turnOn({ trpc: sessionClient(service, cookiesOf(joined)) }, clock.now);
    const { cookie } = await signInWith(service, issuer);
    expect(await sessionClient(service, cookie).team.secondFactor.query()).toMatchObject({
      is_on: false,
      has_password: false,
    });
  });

  test("a person who gets no new password by a reset, also by a link that was made before", async () => {
    const { email, cookie } = await companyOwner();
    expect((await sessionClient(service, cookie).team.me.query()).user.email).toBe(email);
    await expect(newResetLink(service.system, email)).rejects.toMatchObject({ code: "invalid_request" });
    const { token, reset } = await oldResetLink(email);
    expect([reset.status, ((await reset.json()) as { code: string }).code]).toEqual([403, "COMPANY_ACCOUNT"]);
    expect((await post(service, "/auth/sign-in/email", { email, password: NEW_PASSWORD })).status).toBe(401);
    // The link was not used up, and the session stays.
    expect(await sessionClient(service, "").team.resetLink.mutate({ token })).toEqual({ done: true });
    expect((await sessionClient(service, cookie).team.me.query()).user.email).toBe(email);
  });

  test("a person who gets no email to reset a password", async () => {
    const sink = await startSmtpSink();
    const own = await startTestService(
      { ...companySettings(issuer), OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url },
      { database: service.database },
    );
    onTestFinished(() => own.stop().then(sink.close));
    const { owner, email } = await companyOwner();
    for (const each of [email, owner.email]) {
      const json = { email: each, redirectTo: "/reset-password" };
      expect((await post(own, "/auth/request-password-reset", json)).status).toBe(200);
    }
    const written = () => own.system.sql`select to_address from notices where kind = 'reset' and topic = 'reset'`;
    await expect.poll(written).toEqual([{ to_address: owner.email }]);
  });

  test("a person whose password an earlier version let come back does not sign in with it", async () => {
    const { email } = await companyOwner();
    await service.system.sql`
      insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at)
      select ${newId()}, u.id, u.id, 'credential', ${await passwordHash()}, now(), now() from users u where u.email = ${email}`;
    const answer = await post(service, "/auth/sign-in/email", { email, password: NEW_PASSWORD });
    expect([answer.status, cookiesOf(answer)]).toEqual([403, ""]);
    // Without the issuer, the operator's service has passwords only.
    const plain = await startTestService({}, { database: service.database });
    onTestFinished(plain.stop);
    expect((await post(plain, "/auth/sign-in/email", { email, password: NEW_PASSWORD })).status).toBe(200);
  });

  test("not a person without an invitation", async () => {
    employ();
    expect(await signInWith(service, issuer)).toEqual(refusal("not_invited"));
  });

  test("not with the invitation of another address", async () => {
    const { owner } = await team();
    const link = await invite(owner, "somebody@acme.example");
    employ();
    expect(await signInWith(service, issuer, link)).toEqual(refusal("other_invitation"));
    expect((await owner.trpc.team.members.query()).invitations).toHaveLength(1);
  });

  test("not twice with one invitation", async () => {
    const { owner } = await team();
    const link = await invite(owner, employ().email);
    expect((await signInWith(service, issuer, link)).path).toBe("/dashboard");
    expect(await signInWith(service, issuer, link)).toEqual(refusal("link_not_found"));
  });

  test("not another person to whom the company gave the address", async () => {
    const { email } = await companyOwner();
    employ({ email });
    expect(await signInWith(service, issuer)).toEqual(refusal("other_account"));
  });

  test("a person whose address changed keeps the account", async () => {
    const { email } = await companyOwner();
    issuer.employee = { ...issuer.employee, email: `married-${email}` };
    const { cookie } = await signInWith(service, issuer);
    expect((await sessionClient(service, cookie).team.me.query()).user.email).toBe(email);
  });

  test.each([
    ["an address that is not verified", { email_verified: false }, "not_verified"],
    ["an address that is verified in words", { email_verified: "true" as never }, "not_verified"],
    ["another domain", { email: "ada@other.example" }, "domain_not_allowed"],
    ["a domain below", { email: "ada@sub.acme.example" }, "domain_not_allowed"],
    ["two addresses", { email: "ada@other.example,b@acme.example" }, "not_verified"],
  ])("not by %s", async (_, change, code) => {
    const { owner } = await team();
    const { email } = employ(change);
    if (code === "domain_not_allowed") await invite(owner, email);
    expect(await signInWith(service, issuer)).toEqual(refusal(code));
  });
});

describe("an issuer", () => {
  test.each([
    ["of another name", { change: (told: object) => ({ ...told, iss: "http://127.0.0.1:1" }) }],
    ["for another client", { change: (told: object) => ({ ...told, aud: "other" }) }],
    ["with the nonce of another flow", { change: (told: object) => ({ ...told, nonce: "other" }) }],
    ["without a nonce", { change: ({ nonce: _, ...told }: { nonce?: string }) => told }],
    ["with the key of another", { signedBy: "other" }],
    ["of an hour ago", { expires: "1 hour ago" }],
  ])("is not believed: an ID token %s", async (_, change) => {
    await companyOwner();
    Object.assign(issuer, change);
    expect(await signInWith(service, issuer)).toEqual(refusal("invalid"));
  });

  test.each(["hangs", "floods"] as const)("that %s is given up, and the rest of the service answers", async (how) => {
    const { owner } = await companyOwner();
    issuer[how].add("/token");
    const waiting = signInWith(service, issuer);
    expect((await owner.trpc.team.me.query()).role).toBe("owner");
    expect(await waiting).toEqual(refusal("unreachable"));
  });

  test("that says it is another one is refused before the browser is sent there", async () => {
    const liar = await startPlainIssuer();
    liar.claimedIssuer = "https://login.example";
    const own = await startTestService(companySettings(liar));
    try {
      expect((await post(own, "/trpc/team.companySignIn", {})).status).toBe(503);
      expect((await fetch(`${own.url}/auth/oidc/callback?code=c&state=s`, { redirect: "manual" })).status).toBe(303);
    } finally {
      await own.stop();
      await liar.stop();
    }
  });
});

describe("the browser", () => {
  test("must have begun the sign-in, less than ten minutes ago", async () => {
    await companyOwner();
    const { url, cookie } = await beginCompany(service);
    issuer.nonce = url.searchParams.get("nonce") ?? "";
    const query = `code=c&state=${url.searchParams.get("state")}`;
    expect(await callBack(service, query, "")).toEqual(refusal("expired"));
    expect(await callBack(service, query, cookie.replace(/.{9}$/, "AAAAAAAAA"))).toEqual(refusal("expired"));
    expect(await callBack(service, "code=c&state=other", cookie)).toEqual(refusal("invalid"));
    expect(await callBack(service, "error=access_denied&state=x", cookie)).toMatchObject({ status: 303 });
    clock.advance(601_000);
    expect(await callBack(service, query, cookie)).toEqual(refusal("expired"));
  });

  test.each(["//evil.example", "/\\evil.example", "https://evil.example", "/\t/evil.example"])(
    "is not sent to another site: %j",
    async (next) => {
      await companyOwner();
      expect((await signInWith(service, issuer, { next })).path).toBe("/dashboard");
    },
  );

  test("returns to its page", async () => {
    await companyOwner();
    expect((await signInWith(service, issuer, { next: "/dashboard/mail?id=1#top" })).path).toBe(
      "/dashboard/mail?id=1#top",
    );
  });
});

describe("a session of a company account", () => {
  test("ends after twelve hours", async () => {
    const { trpc } = await companyOwner();
    clock.advance(11.9 * 3_600_000);
    expect((await trpc.team.me.query()).role).toBe("owner");
    clock.advance(0.2 * 3_600_000);
    await expect(trpc.team.me.query()).rejects.toMatchObject(refused("unauthorized"));
  });

  test.each([
    ["its domain is no longer allowed", { ...companySettings(issuer), OIDC_ALLOWED_DOMAINS: "other.example" }],
    ["company sign-in is switched off", {}],
  ])("ends when %s", async (_, settings) => {
    const { cookie } = await companyOwner();
    const later = await startTestService(settings, { database: service.database });
    try {
      await expect(sessionClient(later, cookie).team.me.query()).rejects.toMatchObject(refused("unauthorized"));
    } finally {
      await later.stop();
    }
  });
});

describe("an organization that requires company sign-in", () => {
  async function requiring() {
    const { trpc, ...rest } = await companyOwner();
    await trpc.organization.update.mutate({ require_company_sign_in: true });
    return { trpc, ...rest };
  }

  test("ends the access of passwords, and keeps that of company accounts", async () => {
    const { owner, trpc } = await requiring();
    await expect(owner.trpc.team.me.query()).rejects.toMatchObject(refused("company_sign_in_required"));
    const answer = await post(service, "/auth/sign-in/email", { email: owner.email, password: PASSWORD });
    const again = sessionClient(service, cookiesOf(answer));
    await expect(again.team.members.query()).rejects.toMatchObject(refused("company_sign_in_required"));
    expect((await trpc.organization.get.query()).require_company_sign_in).toBe(true);
  });

  test("leaves the other organizations of a person as they are", async () => {
    const { owner } = await requiring();
    const { organizationId } = await service.newOrganization();
    const token = await newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
    const joined = await post(service, "/trpc/team.join", { token, email: owner.email, password: PASSWORD });
    const { organization } = await sessionClient(service, cookiesOf(joined)).team.me.query();
    expect(organization.id).toBe(organizationId);
  });

  test("accepts no invitation by password", async () => {
    const { trpc } = await requiring();
    const { link } = await trpc.team.invite.mutate({ email: `joins${made}@acme.example`, role: "member" });
    const answer = await post(service, "/trpc/team.join", {
      token: link?.split("#")[1],
      name: "Joins",
      password: PASSWORD,
    });
    expect(await answer.json()).toMatchObject({ error: refused("company_sign_in_required") });
  });

  test("is enough where the organization requires a second factor", async () => {
    const { owner, trpc } = await requiring();
    await trpc.organization.update.mutate({ require_company_sign_in: false, require_second_factor: true });
    expect((await trpc.team.me.query()).role).toBe("owner");
    await expect(owner.trpc.team.me.query()).rejects.toMatchObject(refused("second_factor_missing"));
    await expect(trpc.team.beginSecondFactor.mutate({ password: PASSWORD })).rejects.toMatchObject(
      refused("invalid_request"),
    );
  });

  test("is made so only by an owner with a company account", async () => {
    const { owner } = await team();
    const change = owner.trpc.organization.update.mutate({ require_company_sign_in: true });
    await expect(change).rejects.toMatchObject(refused("company_sign_in_required"));
    expect((await owner.trpc.organization.get.query()).require_company_sign_in).toBe(false);
  });

  test("is opened again by the operator", async () => {
    const { owner, organizationId } = await requiring();
    await setCompanyRequired(service.system, organizationId, false);
    expect((await owner.trpc.team.me.query()).role).toBe("owner");
  });
});

describe("a company account is unlinked", () => {
  const idOf = async (asked: Pick<Person, "trpc">, email: string) =>
    (await asked.trpc.team.members.query()).members.find((member) => member.email === email)?.id ?? "";
  const linkedOf = async (asked: Pick<Person, "trpc">, email: string) =>
    (await asked.trpc.team.members.query()).members.find((member) => member.email === email)?.company_account;

  /** A member with a company account, and the owner, who has a password. */
  async function colleague() {
    const { organizationId, owner } = await team();
    const { email } = employ();
    const { cookie } = await signInWith(service, issuer, await invite(owner, email));
    return { organizationId, owner, email, trpc: sessionClient(service, cookie), id: await idOf(owner, email) };
  }

  const enter = (email: string, password: string) => post(service, "/auth/sign-in/email", { email, password });

  test("by an owner: the sessions end, and a password or the company account opens it again", async () => {
    const { owner, email, trpc, id } = await colleague();
    expect([await linkedOf(owner, email), await linkedOf(owner, owner.email)]).toEqual([true, false]);
    expect(await linkedOf({ trpc }, email)).toBe(null);
    await owner.trpc.team.unlinkCompany.mutate({ id });
    await expect(trpc.team.me.query()).rejects.toMatchObject(refused("unauthorized"));
    expect(await linkedOf(owner, email)).toBe(false);
    const { data } = await owner.trpc.team.audit.query({ noun: "team" });
    expect(data[0]).toMatchObject({ action: "team.unlinkCompany", subject: id, outcome: "done" });

    const token = new URL(await newResetLink(service.system, email)).searchParams.get("token");
    await post(service, "/auth/reset-password", { newPassword: NEW_PASSWORD, token });
    expect((await enter(email, NEW_PASSWORD)).status).toBe(200);
    const { cookie } = await signInWith(service, issuer);
    expect((await sessionClient(service, cookie).team.me.query()).user.email).toBe(email);
    expect((await enter(email, NEW_PASSWORD)).status).not.toBe(200);
  });

  test("not by oneself, so that the company can end the access", async () => {
    const { owner, email, trpc, id } = await colleague();
    const unlink = () => trpc.team.unlinkCompany.mutate({ id });
    await expect(unlink()).rejects.toMatchObject(refused("insufficient_role"));
    await owner.trpc.team.setRole.mutate({ id, role: "admin" });
    await expect(unlink()).rejects.toMatchObject(refused("insufficient_role"));
    expect(await linkedOf(owner, email)).toBe(true);
  });

  test("by an owner their own, once", async () => {
    const { owner, email, trpc, id } = await colleague();
    await owner.trpc.team.setRole.mutate({ id, role: "owner" });
    await trpc.team.unlinkCompany.mutate({ id });
    await expect(trpc.team.me.query()).rejects.toMatchObject(refused("unauthorized"));
    expect(await linkedOf(owner, email)).toBe(false);
    await expect(owner.trpc.team.unlinkCompany.mutate({ id })).rejects.toMatchObject(refused("invalid_request"));
    const own = await idOf(owner, owner.email);
    await expect(owner.trpc.team.unlinkCompany.mutate({ id: own })).rejects.toMatchObject(refused("invalid_request"));
    expect((await owner.trpc.team.me.query()).user.email).toBe(owner.email);
  });

  test("not by a member for another, nor for a stranger, nor where the person belongs to another organization too", async () => {
    const { owner, email, trpc, id } = await colleague();
    const { owner: other } = await team();
    const unlink = (asked: Pick<Person, "trpc">, who = id) => asked.trpc.team.unlinkCompany.mutate({ id: who });
    await expect(unlink({ trpc }, await idOf(owner, owner.email))).rejects.toMatchObject(refused("insufficient_role"));
    await expect(unlink(other)).rejects.toMatchObject(refused("member_not_found"));
    await expect(unlink(owner, "usr_none")).rejects.toMatchObject(refused("member_not_found"));
    await signInWith(service, issuer, await invite(other, email));
    await expect(unlink(owner)).rejects.toMatchObject(refused("insufficient_role"));
    await expect(unlink(other)).rejects.toMatchObject(refused("insufficient_role"));
    expect(await linkedOf(owner, email)).toBe(true);
  });

  test("by an owner of all organizations of the person, which the log of each has", async () => {
    const { owner, email, id } = await colleague();
    const { owner: other, organizationId } = await team();
    const { link } = await other.trpc.team.invite.mutate({ email: owner.email, role: "owner" });
    const joined = { token: link?.split("#")[1], email: owner.email, password: PASSWORD };
    expect((await post(service, "/trpc/team.join", joined)).status).toBe(200);
    await signInWith(service, issuer, await invite(other, email));
    await owner.trpc.team.unlinkCompany.mutate({ id });
    const entry = { subject: id, outcome: "done", object: { id }, actor: expect.stringContaining(owner.email) };
    for (const { trpc } of [owner, { trpc: sessionClient(service, owner.cookie, organizationId) }, other]) {
      const { data } = await trpc.team.audit.query({ noun: "team" });
      expect(data.filter(({ action }) => action === "team.unlinkCompany")).toMatchObject([entry]);
    }
  });

  test("by the operator, so that the next person with the address can be invited", async () => {
    const { owner, email, id } = await colleague();
    await owner.trpc.team.removeMember.mutate({ id });
    employ({ email });
    expect(await signInWith(service, issuer, await invite(owner, email))).toEqual(refusal("other_account"));
    await expect(unlinkCompanyByOperator(service.system, "none@acme.example")).rejects.toMatchObject({
      code: "not_found",
    });
    await unlinkCompanyByOperator(service.system, email.toUpperCase());
    const { cookie } = await signInWith(service, issuer, await invite(owner, email));
    expect((await sessionClient(service, cookie).team.me.query()).user.email).toBe(email);
  });
});

describe("an address with many failed attempts", () => {
  test("must wait", async () => {
    for (let attempt = 0; attempt < 100; attempt += 1) await callBack(service, "code=c", "");
    expect(await callBack(service, "code=c", "")).toEqual(refusal("rate_limited"));
  });
});
