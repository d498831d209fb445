// A new password by email: what the link does, once, and what is answered to an address without an account.
import PostalMime from "postal-mime";
import { afterAll, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner, PASSWORD, post, sessionClient } from "#test/support/team.ts";

const sink = await startSmtpSink();
const service = await startTestService({ OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
afterAll(() => service.stop().then(sink.close));

async function newPerson() {
  const { organizationId } = await service.newOrganization();
  return newOwner(service, organizationId);
}

const ask = (email: string) => post(service, "/auth/request-password-reset", { email, redirectTo: "/reset-password" });
const set = (token: string, newPassword: string) => post(service, "/auth/reset-password", { newPassword, token });
const signIn = (email: string, password: string) => post(service, "/auth/sign-in/email", { email, password });

/** Asks for an email, waits for it at the relay, and gives the token in its link. */
async function tokenFor(email: string): Promise<string> {
  expect((await ask(email)).status).toBe(200);
  const received = () => sink.received.find(({ to }) => to.includes(email));
  await expect.poll(received, { interval: 50 }).toBeDefined();
  const { subject, text } = await PostalMime.parse(received()?.raw ?? "");
  expect(subject).toBe("Set a new password");
  return new RegExp(`${service.settings.PUBLIC_URL}/reset-password\\?token=([\\w-]+)`).exec(text ?? "")?.[1] ?? "";
}

test("a link says whether it still works, before a password is set", async () => {
  const { email } = await newPerson();
  const token = await tokenFor(email);
  const visitor = sessionClient(service, "");
  expect(await visitor.team.resetLink.mutate({ token })).toEqual({ done: true });
  const refused = { data: { httpStatus: 404, error: { code: "link_not_found" } } };
  await expect(visitor.team.resetLink.mutate({ token: `${token}x` })).rejects.toMatchObject(refused);
  await set(token, "an entirely new password");
  await expect(visitor.team.resetLink.mutate({ token })).rejects.toMatchObject(refused);
  const old = await tokenFor((await newPerson()).email);
  await service.system.sql`update verifications set expires_at = now() - interval '1 second'`;
  await expect(visitor.team.resetLink.mutate({ token: old })).rejects.toMatchObject(refused);
});

test("the link works once, and ends every session there was", async () => {
  const { email, name, trpc } = await newPerson();
  const token = await tokenFor(email);
  const newPassword = "an entirely new password";
  expect((await set(token, newPassword)).status).toBe(200);
  await expect(trpc.team.me.query()).rejects.toMatchObject({ data: { error: { code: "unauthorized" } } });
  expect((await signIn(email, PASSWORD)).status).toBe(401);
  expect((await signIn(email, newPassword)).status).toBe(200);
  expect((await set(token, "one more new password")).status).toBe(400);
  const entries = await service.system.sql`select action from audit_entries where actor = ${`${name} <${email}>`}`;
  expect(entries.map(({ action }) => action)).toContain("account.reset_password");
});

test("a password that is too short is not set, and the link stays good", async () => {
  const { email } = await newPerson();
  const token = await tokenFor(email);
  expect((await set(token, "too short")).status).toBe(400);
  expect((await set(token, "long enough this time")).status).toBe(200);
});

test("an address without an account gets the same answer, and no email is written", async () => {
  const { email } = await newPerson();
  const [known, unknown] = [await ask(email), await ask("nobody@people.example")];
  expect([unknown.status, await unknown.text()]).toEqual([known.status, await known.text()]);
  expect(await service.system.sql`select 1 from notices where to_address = 'nobody@people.example'`).toHaveLength(0);
});
