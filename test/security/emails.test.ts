// Emails that open an account: never into a mailbox of this service, and their tokens are stored as hashes alone.
import PostalMime from "postal-mime";
import { afterAll, describe, expect, test } from "vitest";
import { decodeId, newId } from "#server/base/ids.ts";
import { newResetLink } from "#server/organizations/emails.ts";
import { newOwnerToken } from "#server/organizations/links.ts";
import { sendNotices } from "#server/system-mail/send.ts";
import { api } from "#test/support/api.ts";
import { startTestService, type TestService } from "#test/support/service.ts";
import { startSmtpSink } from "#test/support/smtp-sink.ts";
import { newOwner, PASSWORD, post } from "#test/support/team.ts";

const sink = await startSmtpSink();
// No worker: emails leave when a test says so.
const mailing = await startTestService({ ROLES: "web", OUTBOUND: "smtp", OUTBOUND_SMTP_URL: sink.url });
const local = await startTestService({ ROLES: "web" });
const client = api(mailing);
const { sql } = mailing.system;
const running = new AbortController().signal;
afterAll(async () => {
  await client.close();
  await Promise.all([mailing.stop(), local.stop()]);
  await sink.close();
});

let made = 0;
function newDomain(): string {
  made += 1;
  return `d${made}.example`;
}

const ownerToken = (service: TestService, organizationId: string) =>
  newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
const join = (service: TestService, token: string, email?: string) =>
  post(service, "/trpc/team.join", { token, name: "Somebody", password: PASSWORD, ...(email && { email }) });
const requestReset = (service: TestService, email: string) => post(service, "/auth/request-password-reset", { email });
/** A person with an account, by an owner's link of an organization of their own. */
async function newPerson(service: TestService, email: string) {
  const { organizationId } = await service.newOrganization();
  expect((await join(service, await ownerToken(service, organizationId), email)).status).toBe(200);
}

/** An attacker's organization with an agent that may create mailboxes at the domain. */
async function attackerAt(domain: string) {
  const { agentKey: key } = await mailing.newOrganization({ allowedDomains: [domain] });
  return { key };
}

const emailTo = async (service: TestService, address: string) =>
  (await service.system.sql`select * from notices where to_address = ${address} order by id desc limit 1`)[0];
const receivedBy = (address: string) => sink.received.filter(({ to }) => to.includes(address));

describe("an email that opens an account", () => {
  test("does not go to an address that is hosted when it is written", async () => {
    const domain = newDomain();
    const email = `victim@${domain}`;
    await newPerson(mailing, email);
    await attackerAt(domain);
    expect((await requestReset(mailing, email)).status).toBe(200);
    expect(await emailTo(mailing, email)).toMatchObject({
      kind: "reset",
      next_attempt_at: null,
      sent_at: null,
      link: null,
      error: expect.stringMatching(/^not sent: /),
    });
    await sendNotices(mailing.system, running);
    expect(receivedBy(email)).toEqual([]);
  });

  test("does not go to an address that is hosted when it is handed over, and is not tried again", async () => {
    const domain = newDomain();
    const [reset, invited] = [`victim@${domain}`, `invited@${domain}`];
    await newPerson(mailing, reset);
    const { trpc } = await newOwner(mailing, (await mailing.newOrganization()).organizationId);
    await trpc.team.invite.mutate({ email: invited, role: "member" });
    await requestReset(mailing, reset);
    await attackerAt(domain);
    await sendNotices(mailing.system, running);
    for (const email of [reset, invited]) {
      expect(receivedBy(email)).toEqual([]);
      expect(await emailTo(mailing, email)).toMatchObject({
        next_attempt_at: null,
        sent_at: null,
        link: null,
        error: expect.stringMatching(/^not sent: /),
      });
    }
  });

  test("a notice to owners still does", async () => {
    const { key } = await attackerAt("mail.example");
    const { address } = await client.createInbox(key);
    const at = new Date();
    const notice = { id: newId(), organization_id: newId(), to_address: address, subject: "A subject", text: "A text" };
    await sql`insert into notices ${sql({ ...notice, next_attempt_at: at, created_at: at })}`;
    await sendNotices(mailing.system, running);
    expect(receivedBy(address)).toHaveLength(1);
  });
});

describe("a token is stored as a hash alone", () => {
  /** Every value of the tables that a link has to do with. */
  async function stored(service: TestService): Promise<string> {
    const rows = await service.system.sql`
      select n::text as row from notices n union all select i::text from invitations i
      union all select v::text from verifications v`;
    return rows.map(({ row }) => row).join("\n");
  }

  test.each(["reset", "invitation"])("%s: the email has the link when it leaves, and no copy stays", async (kind) => {
    const email = `${kind}@people.example`;
    if (kind === "reset") {
      await newPerson(mailing, email);
      await requestReset(mailing, email);
    } else {
      const { trpc } = await newOwner(mailing, (await mailing.newOrganization()).organizationId);
      const { link } = await trpc.team.invite.mutate({ email, role: "member" });
      expect(link).toBeNull();
    }
    expect(await emailTo(mailing, email)).toMatchObject({ kind, link: expect.any(Buffer) });
    const before = await stored(mailing);
    await sendNotices(mailing.system, running);
    const { text } = await PostalMime.parse(receivedBy(email)[0]?.raw ?? "");
    const token = /(?:reset-password\?token=|join#)([\w-]{20,})\n/.exec(text ?? "")?.[1] ?? "no token";
    expect(text).not.toContain("<link>");
    expect(await emailTo(mailing, email)).toMatchObject({ link: null, sent_at: expect.any(Date) });
    for (const rows of [before, await stored(mailing)]) {
      expect(rows).not.toContain(token);
      expect(rows).not.toContain(Buffer.from(token).toString("hex"));
    }
    const used =
      kind === "reset"
        ? await post(mailing, "/auth/reset-password", { token, newPassword: "another long password" })
        : await join(mailing, token);
    expect(used.status).toBe(200);
  });

  test("an email that is given up keeps no link", async () => {
    const email = "gone@people.example";
    await newPerson(mailing, email);
    await requestReset(mailing, email);
    sink.faults.rcpt = () => ({ code: 550, text: "5.1.1 no such user" });
    await sendNotices(mailing.system, running);
    sink.faults.rcpt = undefined;
    expect(await emailTo(mailing, email)).toMatchObject({ link: null, next_attempt_at: null, sent_at: null });
  });

  test("the operators' reset link, and an owner's link", async () => {
    const email = "operator@people.example";
    await newPerson(local, email);
    const token = (await newResetLink(local.system, email)).split("token=")[1] ?? "";
    expect(await stored(local)).not.toContain(token);
    const reset = { token, newPassword: "another long password" };
    expect((await post(local, "/auth/reset-password", reset)).status).toBe(200);
    expect((await post(local, "/auth/reset-password", reset)).status).toBe(400);
  });
});

describe("with OUTBOUND=local", () => {
  test("a request for a new password writes no email and no token, and is answered the same for every address", async () => {
    await newPerson(local, "known@people.example");
    const count = async () => {
      const [row] = await local.system.sql`
        select (select count(*) from notices) as emails,
          (select count(*) from verifications where identifier not like 'owner-link:%') as tokens`;
      return { ...row };
    };
    const before = await count();
    const answers = await Promise.all(
      ["known@people.example", "unknown@people.example"].map(async (email) => {
        const answer = await requestReset(local, email);
        return [answer.status, await answer.text()];
      }),
    );
    const elsewhere = await requestReset(mailing, "unknown@people.example");
    expect(answers).toEqual(Array(2).fill([elsewhere.status, await elsewhere.text()]));
    expect((await requestReset(local, "not an address")).status).toBe(400);
    expect(await count()).toEqual(before);
  });

  test("an invitation shows its link to the inviter, and no email is written", async () => {
    const { trpc } = await newOwner(local, (await local.newOrganization()).organizationId);
    const { link } = await trpc.team.invite.mutate({ email: "shown@people.example", role: "member" });
    expect(link).toMatch(/\/join#[\w-]{43}$/);
    expect(await emailTo(local, "shown@people.example")).toBeUndefined();
    expect((await join(local, link?.split("#")[1] ?? "")).status).toBe(200);
  });
});
