// Every procedure of the router that is open to members, with the names of another organization's things: they are answered as
// names that never were, and at the end everything is as it was. Generated from the router's inputs.
import { afterAll, describe, expect, test } from "vitest";
import type { z } from "zod";
import { appRouter } from "#server/api/router.ts";
import type { Role } from "#server/context.ts";
import { encodeId, type IdKind, newId } from "#server/ids.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner, post } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web,smtp" });
afterAll(service.stop);

type Fields = Record<string, z.ZodType>;
type Procedure = {
  _def: { type: "query" | "mutation" | "subscription"; meta?: { role?: Role }; inputs: { shape: Fields }[] };
};

let made = 0;

/** An organization with one of everything that has a name. */
async function furnished() {
  const organization = await service.newOrganization({ allowedDomains: ["mail.example"] });
  const owner = await newOwner(service, organization.organizationId);
  const { trpc } = owner;
  const inbox = await trpc.inboxes.createWith.mutate({ enrollment_key_id: organization.enrollmentKeyId });
  await trpc.webhooks.register.mutate({ url: "https://a.example/x", events: ["message.received"] });
  const attachments = [{ filename: "secret.txt", content: Buffer.from("secret") }];
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "secret subject", attachments });
  const [webhook] = (await trpc.webhooks.list.query({})).data;
  const [delivery] = (await trpc.webhooks.listDeliveries.query({ id: webhook?.id ?? "" })).data;
  const [message] = (await trpc.messages.list.query({ addr: inbox.address })).data;
  await eventually(async () => {
    const { status } = await trpc.messages.get.query({ id: message?.id ?? "" });
    expect(status).not.toBe("received");
  });
  const whole = await trpc.messages.get.query({ id: message?.id ?? "" });
  const member = await newMember(service, owner, "member");
  made += 1;
  const invited = `invited${made}@people.example`;
  await trpc.team.invite.mutate({ email: invited, role: "member" });
  const { members } = await trpc.team.members.query();
  const agents = await trpc.keys.agents.query({ id: organization.enrollmentKeyId });
  return {
    owner,
    invited,
    inbox: inbox.address,
    thread: whole.thread_id,
    message: whole.id,
    attachment: whole.attachments[0]?.id ?? "",
    webhook: webhook?.id ?? "",
    delivery: delivery?.id ?? "",
    key: organization.enrollmentKeyId,
    agentKey: agents.data.flatMap(({ keys }) => keys)[0]?.id ?? "",
    member: members.find(({ email }) => email === member.email)?.id ?? "",
  };
}

type Furniture = Awaited<ReturnType<typeof furnished>>;
const [theirs, ours] = [await furnished(), await furnished()];

const unknown = (kind: IdKind) => encodeId(kind, newId());
const nothing: Record<string, string> = {
  inbox: "nobody-here@mail.example",
  thread: unknown("thr"),
  message: unknown("msg"),
  attachment: unknown("att"),
  webhook: unknown("whk"),
  delivery: unknown("dlv"),
  key: unknown("ekey"),
  agentKey: unknown("akey"),
  member: unknown("usr"),
  purchase: unknown("pay"),
  invited: "nobody@people.example",
};

/** What a field of a procedure's input names; undefined when it names nothing that has an owner. */
function namedBy(path: string, field: string): string | undefined {
  const [router = ""] = path.split(".");
  if (["addr", "inbox", "address"].includes(field)) return "inbox";
  if (field === "enrollment_key_id") return "key";
  if (field === "delivery_id") return "delivery";
  if (field === "attachment_id") return "attachment";
  if (path === "team.cancelInvitation" && field === "email") return "invited";
  if (field !== "id") return;
  if (path === "keys.revokeAgentKey") return "agentKey";
  if (path === "webhooks.listMessageDeliveries") return "message";
  const kinds: Record<string, string> = {
    messages: "message",
    threads: "thread",
    webhooks: "webhook",
    purchase: "purchase",
    keys: "key",
    team: "member",
  };
  return kinds[router];
}

/** What an input needs beside names. */
const REST: Record<string, object> = {
  "inboxes.update": { display_name: "taken over" },
  "messages.send": { to: "x@else.example", text: "x" },
  "messages.reply": { text: "x" },
  "messages.forward": { to: "x@else.example" },
  "messages.update": { read: true, labels: ["taken over"] },
  "webhooks.register": { url: "https://a.example", events: ["message.received"] },
  "webhooks.update": { active: false },
  "webhooks.replay": { since: new Date(Date.now() - 60_000).toISOString() },
  "team.setRole": { role: "admin" },
};

const open = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)
  .filter(([, { _def }]) => _def.meta?.role)
  .map(([path, { _def }]) => ({ path, type: _def.type, fields: Object.entries(_def.inputs[0]?.shape ?? {}) }));

const cases = open.flatMap(({ path, type, fields }) => {
  const names = fields.flatMap(([field]) => {
    const kind = namedBy(path, field);
    return kind ? [{ field, kind }] : [];
  });
  return names.map((name) => ({ path, type, names, by: name.field, kind: name.kind }));
});

/** Called by `ours`: the field `by` names what `from` has, the others what is ours. */
async function call({ path, type, names, by, kind }: (typeof cases)[number], from: Record<string, unknown>) {
  const input = {
    ...REST[path],
    ...Object.fromEntries(
      names.map((name) => [name.field, name.field === by ? from[kind] : ours[name.kind as keyof Furniture]]),
    ),
  };
  const { cookie } = ours.owner;
  const search = `?input=${encodeURIComponent(JSON.stringify(input))}`;
  const answer =
    type === "mutation"
      ? await post(service, `/trpc/${path}`, input, { cookie })
      : await fetch(`${service.url}/trpc/${path}${search}`, { headers: { cookie } });
  const text = type === "subscription" ? await firstError(answer) : await answer.text();
  const code = /"error":\{"code":"(\w+)"/.exec(text)?.[1];
  // A refusal may repeat the name that it was asked for.
  return { status: answer.status, code, text: text.replaceAll(String(from[kind]), "the name") };
}

async function firstError(answer: Response): Promise<string> {
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes("serialized-error\n") && text.endsWith("\n\n")) return text;
  }
  return text;
}

test("every kind of thing is named by some procedure", () => {
  expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(Object.keys(nothing)));
});

describe("404, as for what never was", () => {
  // Payments have their tenants in routes.test.ts.
  test.each(cases.filter(({ kind }) => kind !== "purchase"))("$path by $by", async (each) => {
    const reference = await call(each, nothing);
    expect(reference.code).toMatch(/_not_found$/);
    const foreign = await call(each, theirs);
    expect(foreign).toEqual(reference);
  });
});

describe("lists without a name", () => {
  const lists = open.filter(
    ({ path, type, fields }) =>
      type === "query" &&
      // It tells what its own people asked for; test/team/audit has its tenants.
      path !== "team.audit" &&
      fields.every(([field, schema]) => !namedBy(path, field) || schema.safeParse(undefined).success),
  );
  test.each(lists)("$path names nothing of another organization", async ({ path }) => {
    const { cookie } = ours.owner;
    const text = await (
      await fetch(`${service.url}/trpc/${path}?input=${encodeURIComponent("{}")}`, { headers: { cookie } })
    ).text();
    expect(text).toContain('"result"');
    const { owner, ...things } = theirs;
    for (const name of [owner.email, ...Object.values(things)]) expect(text).not.toContain(name);
  });
});

test("at the end everything of the other organization is as it was", async () => {
  const { trpc } = theirs.owner;
  expect(await trpc.inboxes.get.query({ addr: theirs.inbox })).toMatchObject({ display_name: "" });
  expect(await trpc.messages.get.query({ id: theirs.message })).toMatchObject({ read: false, labels: [] });
  expect(await trpc.webhooks.get.query({ id: theirs.webhook })).toMatchObject({ active: true });
  expect(await trpc.keys.get.query({ id: theirs.key })).toMatchObject({ status: "active" });
  const { members, invitations } = await trpc.team.members.query();
  expect(members.map(({ role }) => role)).toEqual(["owner", "member"]);
  expect(invitations.map(({ email }) => email)).toEqual([theirs.invited]);
});
