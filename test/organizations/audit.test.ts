// The audit log: person, action, object and result, without secrets, and only for admins and owners.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { cookiesOf, newMember, newTeam, PASSWORD, type Person, post, sessionClient } from "#test/support/team.ts";

const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

/** `action subject outcome` of what one person did, oldest first. */
async function actsOf({ trpc }: Person, by: { name: string; email: string }): Promise<string[]> {
  const { data } = await trpc.team.audit.query({ limit: 100 });
  return data
    .filter(({ actor }) => actor === `${by.name} <${by.email}>`)
    .map(({ action, subject, outcome }) => [action, subject, outcome].filter(Boolean).join(" "))
    .reverse();
}

describe("an act that was done", () => {
  test("is there with who, what and outcome, newest first", async () => {
    const { owner } = await newTeam(service);
    const email = `guest-of-${owner.email}`;
    await owner.trpc.team.invite.mutate({ email, role: "member" });
    await owner.trpc.team.cancelInvitation.mutate({ email });
    const { data } = await owner.trpc.team.audit.query({ limit: 2 });
    expect(data).toEqual(
      ["team.cancelInvitation", "team.invite"].map((action) => ({
        id: expect.stringMatching(/^aud_/),
        actor: `${owner.name} <${owner.email}>`,
        agent: null,
        action,
        subject: email,
        object: expect.objectContaining({ id: null, name: email, gone: false }),
        more: 0,
        changes: [],
        outcome: "done",
        created_at: expect.stringMatching(/Z$/),
      })),
    );
  });

  test("joining, signing in and a new password are in it", async () => {
    const { owner } = await newTeam(service);
    await post(service, "/auth/sign-in/email", { email: owner.email, password: PASSWORD });
    const newPassword = "another horse battery";
    const change = { currentPassword: PASSWORD, newPassword };
    const changed = await post(service, "/auth/change-password", change, { cookie: owner.cookie });
    expect(changed.status).toBe(200);
    // The session that changed the password goes on under a new cookie.
    const still = { ...owner, trpc: sessionClient(service, cookiesOf(changed)) };
    expect((await actsOf(still, still)).filter((act) => !act.startsWith("session."))).toEqual([
      "team.join done",
      "account.change_password done",
    ]);
    expect(await actsOf(still, still)).toContain("session.sign_in done");
  });

  test("reading is not, and neither is the mark that it leaves", async () => {
    const { owner, agentKey } = await newTeam(service);
    const before = await actsOf(owner, owner);
    await owner.trpc.inboxes.list.query({});
    await owner.trpc.team.members.query();
    const key = agentKey;
    const { address } = await client.createInbox(key);
    const mail = { to: "a@else.example", subject: "x", text: "x" };
    const sent = await client.post<{ id: string }>(inboxPath(address, "/send"), mail, { key });
    const { id } = sent.body;
    await owner.trpc.messages.update.mutate({ id, read: true });
    await owner.trpc.messages.checkSend.mutate({ addr: address, ...mail });
    expect(await actsOf(owner, owner)).toEqual(before);
    await owner.trpc.messages.update.mutate({ id, read: true, labels: ["seen"] });
    expect(await actsOf(owner, owner)).toEqual([...before, `messages.update ${id} done`]);
  });
});

describe("an act that was refused", () => {
  test.each([
    [
      "by the verb",
      ({ trpc }: Person) => trpc.team.removeMember.mutate({ id: "usr_nobody" }),
      "team.removeMember usr_nobody member_not_found",
    ],
    [
      "for its input",
      ({ trpc }: Person) => trpc.organization.update.mutate({ name: "a\nb" }),
      "organization.update a b invalid_request",
    ],
  ])("%s is there with the code", async (_, act, expected) => {
    const { owner } = await newTeam(service);
    await expect(act(owner)).rejects.toThrow();
    expect((await actsOf(owner, owner)).at(-1)).toBe(expected);
  });

  test("for the role of its maker is there, and nothing was changed", async () => {
    const { owner } = await newTeam(service);
    const member = await newMember(service, owner, "member");
    const forbidden = member.trpc.organization.update.mutate({ name: "Taken over" });
    await expect(forbidden).rejects.toMatchObject({ data: { error: { code: "insufficient_role" } } });
    expect((await actsOf(owner, member)).at(-1)).toBe("organization.update Taken over insufficient_role");
    expect((await owner.trpc.team.me.query()).organization.name).not.toBe("Taken over");
  });

  test("a sign-in with a wrong password is there; one at an unknown address is not", async () => {
    const { owner } = await newTeam(service);
    const count = async () => (await owner.trpc.team.audit.query({ limit: 100 })).data.length;
    const before = await count();
    for (const email of [owner.email.toUpperCase(), `unknown-${owner.email}`]) {
      const answer = await post(service, "/auth/sign-in/email", { email, password: "a wrong long password" });
      expect(answer.status).toBe(401);
    }
    expect((await actsOf(owner, owner)).at(-1)).toBe("session.sign_in wrong_password");
    expect(await count()).toBe(before + 1);
  });

  test("after its maker was removed it still says who it was", async () => {
    const { owner } = await newTeam(service);
    const person = await newMember(service, owner, "admin");
    await expect(person.trpc.team.removeMember.mutate({ id: "usr_nobody" })).rejects.toThrow();
    const { members } = await owner.trpc.team.members.query();
    const id = members.find(({ email }) => email === person.email)?.id ?? "";
    await owner.trpc.team.removeMember.mutate({ id });
    expect((await actsOf(owner, person)).at(-1)).toBe("team.removeMember usr_nobody member_not_found");
    expect((await actsOf(owner, owner)).at(-1)).toBe(`team.removeMember ${id} done`);
  });
});

describe("what agents and members changed, in one list", () => {
  test("names agent, thing and settings from what they were to what they are, also after a deletion", async () => {
    const { owner, agentKey: key, enrollmentKeyId } = await newTeam(service);
    const { address, id } = await client.createInbox(key);
    await owner.trpc.inboxes.update.mutate({ addr: address, display_name: "Support" });
    const wish = { url: "https://hooks.acme.example/secret-path", address, events: ["message.received"] };
    const { body: hook } = await client.post<{ id: string }>("/v1/webhooks", wish, { key });
    await client.patch(`/v1/webhooks/${hook.id}`, { url: "https://new.acme.example/other-secret" }, { key });
    await client.delete(`/v1/webhooks/${hook.id}`, { key });
    await owner.trpc.keys.revoke.mutate({ id: enrollmentKeyId });
    const { data } = await owner.trpc.team.audit.query({ limit: 5 });
    expect(data).toMatchObject([
      { action: "keys.revoke", agent: null, object: { id: enrollmentKeyId, name: expect.any(String), gone: false } },
      { action: "webhooks.remove", object: { id: hook.id, name: "new.acme.example", gone: true } },
      {
        action: "webhooks.update",
        agent: { enrollment_key_id: enrollmentKeyId, agent_key_id: expect.stringMatching(/^akey_/) },
        object: { id: hook.id, name: "hooks.acme.example", gone: true },
        changes: [{ name: "url", from: "https://hooks.acme.example", to: "https://new.acme.example" }],
      },
      { action: "webhooks.register", object: { id: hook.id, gone: true } },
      {
        action: "inboxes.update",
        agent: null,
        object: { id, name: address, inbox: address },
        changes: [{ name: "display_name", from: "", to: "Support" }],
      },
    ]);
    expect(JSON.stringify(data)).not.toContain("secret");
    const found = async (filters: Parameters<typeof owner.trpc.team.audit.query>[0]) =>
      (await owner.trpc.team.audit.query({ limit: 100, ...filters })).data.map(({ action }) => action);
    expect(await found({ q: "NEW.acme" })).toEqual(["webhooks.remove", "webhooks.update"]);
    expect(await found({ q: address, who: "members" })).toEqual(["inboxes.update"]);
    expect(await found({ who: "agents", outcome: "refused" })).toEqual([]);
    expect(await found({ who: "agents", noun: "inboxes" })).toEqual(["inboxes.create"]);
  });

  test("names a message by its subject, with its thread, until it is erased", async () => {
    const { owner, agentKey: key } = await newTeam(service);
    const { address } = await client.createInbox(key);
    const mail = { to: "a@else.example", subject: "Offer of May", text: "x" };
    const { body: sent } = await client.post<{ id: string }>(inboxPath(address, "/send"), mail, { key });
    await owner.trpc.messages.update.mutate({ id: sent.id, labels: ["seen"] });
    const read = async () => (await owner.trpc.team.audit.query({ q: "offer of may" })).data;
    const object = { id: sent.id, name: "Offer of May", inbox: address, thread_id: expect.stringMatching(/^thr_/) };
    expect(await read()).toMatchObject([
      { action: "messages.update", object },
      { action: "messages.send", object },
    ]);
    await owner.trpc.inboxes.remove.mutate({ addr: address });
    await eventually(async () => expect(await read()).toEqual([]));
  });

  test("names what a member made, and the settings of organization, role and policies", async () => {
    const { owner, enrollmentKeyId } = await newTeam(service);
    const made = await owner.trpc.inboxes.createWith.mutate({ enrollment_key_id: enrollmentKeyId });
    const issued = await owner.trpc.keys.issue.mutate({ name: "Sales", max_mailboxes: 1 });
    const before = (await owner.trpc.organization.get.query()).name;
    await owner.trpc.organization.update.mutate({ name: "Acme" });
    await owner.trpc.reviews.setPolicy.mutate({ inbox: made.address, review: "all" });
    const { data } = await owner.trpc.team.audit.query({ limit: 4 });
    expect(data).toMatchObject([
      { object: { id: made.id, name: made.address }, changes: [{ name: "own", from: null, to: "all" }] },
      { action: "organization.update", changes: [{ name: "name", from: before, to: "Acme" }] },
      { action: "keys.issue", object: { id: issued.id, name: "Sales" } },
      { action: "inboxes.createWith", object: { id: made.id, name: made.address, gone: false } },
    ]);
  });

  test("has each change of a policy: one that cannot be noted is not made", async () => {
    const { owner } = await newTeam(service);
    const { sql } = service.system;
    await sql`
      create function refuse_note() returns trigger language plpgsql as $$ begin raise exception 'no note'; end $$`;
    await sql`
      create trigger refuse_note before update of changes on audit_entries for each row execute function refuse_note()`;
    try {
      await expect(owner.trpc.messages.setSpamPolicy.mutate({ policy: "quarantine" })).rejects.toThrow();
      await expect(owner.trpc.reviews.setPolicy.mutate({ review: "all", ttl_seconds: 7_200 })).rejects.toThrow();
    } finally {
      await sql`drop function refuse_note cascade`;
    }
    expect(await owner.trpc.messages.spamPolicy.query({})).toEqual({ own: null, organization: "mark" });
    expect(await owner.trpc.reviews.policy.query({})).toMatchObject({ organization: "none" });
    await owner.trpc.messages.setSpamPolicy.mutate({ policy: "quarantine" });
    const { data } = await owner.trpc.team.audit.query({ limit: 1 });
    expect(data).toMatchObject([{ changes: [{ name: "organization", from: "mark", to: "quarantine" }] }]);
  });

  test("has nothing of another organization’s agents", async () => {
    const [here, elsewhere] = [await newTeam(service), await newTeam(service)];
    const { address } = await client.createInbox(elsewhere.agentKey);
    const { data } = await here.owner.trpc.team.audit.query({ limit: 100 });
    expect(data.filter(({ agent, action }) => agent !== null && action !== "keys.enroll")).toEqual([]);
    expect(JSON.stringify(data)).not.toContain(address);
    // An entry that names a thing of another organization does not show its name.
    await expect(here.owner.trpc.inboxes.remove.mutate({ addr: address })).rejects.toThrow();
    await expect(here.owner.trpc.keys.revoke.mutate({ id: elsewhere.enrollmentKeyId })).rejects.toThrow();
    expect((await here.owner.trpc.team.audit.query({ limit: 1 })).data).toMatchObject([
      { object: { id: elsewhere.enrollmentKeyId, name: null, gone: true } },
    ]);
  });
});

describe("actions that are in no log", () => {
  test("passwords, keys, links, and what mail says", async () => {
    const { owner, agentKey, enrollmentKey } = await newTeam(service);
    const { link } = await owner.trpc.team.invite.mutate({ email: `x-${owner.email}`, role: "member" });
    const [, token = ""] = link?.split("#") ?? [];
    const wrong = "a wrong long password";
    await post(service, "/trpc/team.join", { token, name: "X", password: PASSWORD });
    await post(service, "/auth/sign-in/email", { email: owner.email, password: wrong });
    const secret = { password: "hidden-1", key: "hidden-2", text: "hidden-3", token: "hidden-4" };
    await post(service, "/trpc/organization.update", { name: "", ...secret }, { cookie: owner.cookie });
    const rows = await service.system.sql`select * from audit_entries`;
    const log = JSON.stringify(rows);
    for (const hidden of [PASSWORD, wrong, agentKey, enrollmentKey, token, "hidden-"]) {
      expect(log).not.toContain(hidden);
    }
  });

  test("what another organization did", async () => {
    const [here, elsewhere] = [await newTeam(service), await newTeam(service)];
    await elsewhere.owner.trpc.team.invite.mutate({ email: `y-${elsewhere.owner.email}`, role: "member" });
    expect(await actsOf(here.owner, elsewhere.owner)).toEqual([]);
    const { data } = await here.owner.trpc.team.audit.query({ limit: 100, who: "members" });
    expect(new Set(data.map(({ actor }) => actor))).toEqual(new Set([`${here.owner.name} <${here.owner.email}>`]));
  });
});

describe("an enrollment", () => {
  test("names the agent, its key, the enrollment key and the client's address", async () => {
    const { owner, enrollmentKey, enrollmentKeyId } = await newTeam(service);
    const agent = await client.post<{ agent_id: string }>("/v1/enroll", {
      token: enrollmentKey,
      agent_handle: "support-bot",
    });
    const read = (filters: object) => owner.trpc.team.audit.query({ limit: 1, ...filters });
    const { data } = await read({ who: "agents", noun: "keys" });
    expect(data).toMatchObject([
      {
        id: expect.stringMatching(/^aud_/),
        actor: "support-bot",
        agent: { id: agent.body.agent_id, handle: "support-bot", enrollment_key_id: enrollmentKeyId },
        action: "keys.enroll",
        object: { id: enrollmentKeyId, gone: false },
        outcome: "done",
      },
    ]);
    expect(data[0]?.changes).toEqual([
      { name: "agent_key", from: null, to: data[0]?.agent?.agent_key_id },
      { name: "remote_address", from: null, to: "127.0.0.1" },
    ]);
    expect((await read({ who: "members" })).data.map(({ action }) => action)).not.toContain("keys.enroll");
    expect((await read({ q: "support-bot" })).data).toEqual(data);
  });

  test("that was refused is not there", async () => {
    const { owner, enrollmentKey, enrollmentKeyId } = await newTeam(service);
    await owner.trpc.keys.revoke.mutate({ id: enrollmentKeyId });
    const refused = await client.post("/v1/enroll", { token: enrollmentKey, agent_handle: "late-bot" });
    expect(refused.status).toBe(401);
    expect((await owner.trpc.team.audit.query({ q: "late-bot" })).data).toEqual([]);
  });
});

describe("reading it", () => {
  test("goes page by page, each entry once", async () => {
    const { owner } = await newTeam(service);
    for (const n of [1, 2, 3]) await owner.trpc.team.invite.mutate({ email: `n${n}-${owner.email}`, role: "member" });
    const all = (await owner.trpc.team.audit.query({ limit: 100 })).data;
    const read: typeof all = [];
    let cursor: string | undefined;
    do {
      const page = await owner.trpc.team.audit.query({ limit: 2, cursor });
      read.push(...page.data);
      cursor = page.next_cursor ?? undefined;
    } while (cursor);
    expect(read).toEqual(all);
  });

  test("can be limited to a person, a noun, an outcome and a period", async () => {
    const { owner } = await newTeam(service);
    const admin = await newMember(service, owner, "admin");
    await admin.trpc.team.invite.mutate({ email: `f-${owner.email}`, role: "member" });
    await expect(admin.trpc.keys.revoke.mutate({ id: "ekey_none" })).rejects.toThrow();
    const { members } = await owner.trpc.team.members.query();
    const member = members.find(({ email }) => email === admin.email)?.id ?? "";
    const read = async (filters: Parameters<typeof owner.trpc.team.audit.query>[0]) =>
      (await owner.trpc.team.audit.query({ limit: 100, ...filters })).data.map(({ action }) => action);
    expect(await read({ member, noun: "team" })).toEqual(["team.invite", "team.join"]);
    expect(await read({ member, outcome: "refused" })).toEqual(["keys.revoke"]);
    expect(await read({ noun: "keys", outcome: "done" })).toEqual(["keys.enroll"]);
    expect(await read({ member: "usr_none" })).toEqual([]);
    expect(await read({ member, before: "2020-01-01T00:00:00Z" })).toEqual([]);
    expect(await read({ member, after: "2020-01-01T00:00:00Z" })).toEqual(await read({ member }));
    const [inLike, inTime] = [{ noun: "%" }, { after: "yesterday" }];
    for (const bad of [inLike, inTime]) {
      await expect(read(bad)).rejects.toMatchObject({ data: { error: { code: "invalid_request" } } });
    }
    const first = await owner.trpc.team.audit.query({ noun: "team", limit: 1 });
    const rest = await owner.trpc.team.audit.query({ noun: "team", limit: 100, cursor: first.next_cursor ?? "" });
    expect([...first.data, ...rest.data]).toHaveLength((await read({ noun: "team" })).length);
  });

  test("is for admins and owners, not for members", async () => {
    const { owner } = await newTeam(service);
    const [admin, member] = [await newMember(service, owner, "admin"), await newMember(service, owner, "member")];
    expect((await admin.trpc.team.audit.query({})).data.length).toBeGreaterThan(0);
    await expect(member.trpc.team.audit.query({})).rejects.toMatchObject({
      data: { httpStatus: 403, error: { code: "insufficient_role" } },
    });
  });

  test("a cursor of another organization is refused", async () => {
    const [here, elsewhere] = [await newTeam(service), await newTeam(service)];
    await here.owner.trpc.team.invite.mutate({ email: `z-${here.owner.email}`, role: "member" });
    const { next_cursor } = await here.owner.trpc.team.audit.query({ limit: 1 });
    await expect(elsewhere.owner.trpc.team.audit.query({ cursor: next_cursor ?? "" })).rejects.toMatchObject({
      data: { error: { code: "invalid_cursor" } },
    });
  });
});

describe("a line that cannot be written", () => {
  /** @param lines SQL about the row `new` */
  async function without<T>(lines: string, run: () => Promise<T>): Promise<T> {
    const { sql } = service.system;
    await sql.unsafe(`
      create function refuse_line() returns trigger language plpgsql as $$ begin raise 'no line is written'; end $$;
      create trigger refuse_line before insert or update on audit_entries for each row when (${lines})
        execute function refuse_line()`);
    try {
      return await run();
    } finally {
      await sql`drop function refuse_line() cascade`;
    }
  }

  test("about the result of a change does not fail the call", async () => {
    const { owner } = await newTeam(service);
    const email = `line-of-${owner.email}`;
    await without("new.outcome = 'done'", () => owner.trpc.team.invite.mutate({ email, role: "member" }));
    expect(await actsOf(owner, owner)).toContain(`team.invite ${email} begun`);
    await owner.trpc.team.cancelInvitation.mutate({ email });
  });

  test("about joining leaves the link, so that it works again", async () => {
    const { owner } = await newTeam(service);
    const email = `joins-${owner.email}`;
    const { link } = await owner.trpc.team.invite.mutate({ email, role: "member" });
    const join = async () => {
      const given = { token: link?.split("/join#")[1], name: "Jo", password: PASSWORD };
      return (await post(service, "/trpc/team.join", given)).status;
    };
    expect(await without("new.action = 'team.join'", join)).toBe(500);
    expect(await join()).toBe(200);
    const { members } = await owner.trpc.team.members.query();
    expect(members.map((member) => member.email)).toContain(email);
  });
});
