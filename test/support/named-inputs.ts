// Which inputs of which procedure name a thing, and an organization that has one of each: what tests of tenancy are generated from.
import { expect } from "vitest";
import type { z } from "zod";
import { createClient } from "#client/index.ts";
import { appRouter } from "#server/api/router.ts";
import { decodeId, encodeId, newId } from "#server/base/ids.ts";
import type { Meta } from "#server/procedures/procedures.ts";
import { eventually } from "./events.ts";
import type { TestService } from "./service.ts";
import { newMember, newOwner } from "./team.ts";

type Declared = {
  _def: { type: "query" | "mutation" | "subscription"; meta?: Meta; inputs: { shape?: Record<string, z.ZodType> }[] };
};
export type Procedure = {
  path: string;
  type: Declared["_def"]["type"];
  meta: Meta;
  fields: [string, z.ZodType][];
};

/** All procedures of the router. */
export const procedures: Procedure[] = Object.entries(
  appRouter._def.procedures as unknown as Record<string, Declared>,
).map(([path, { _def }]) => ({
  path,
  type: _def.type,
  meta: _def.meta ?? {},
  fields: Object.entries(_def.inputs[0]?.shape ?? {}),
}));

const UNKNOWN = {
  inbox: "nobody-here@mail.example",
  thread: encodeId("thr", newId()),
  message: encodeId("msg", newId()),
  attachment: encodeId("att", newId()),
  draft: encodeId("drf", newId()),
  webhook: encodeId("whk", newId()),
  delivery: encodeId("dlv", newId()),
  event: encodeId("evt", newId()),
  key: encodeId("ekey", newId()),
  agent: encodeId("agt", newId()),
  agentKey: encodeId("akey", newId()),
  member: encodeId("usr", newId()),
  purchase: encodeId("pay", newId()),
  invited: "nobody@people.example",
  domain: "unknown-domain.example",
  suppressed: "unknown-person@people.example",
  listed: "unknown-entry.example",
  app: encodeId("app", newId()),
  noticeRoute: encodeId("ntr", newId()),
  cursor: Buffer.alloc(32, 1).toString("base64url"),
};
export type Kind = keyof typeof UNKNOWN;
export type Things = Record<Kind, string>;
/** Names of things that never existed. */
export const nothing: Things = UNKNOWN;

const BY_FIELD: Record<string, Kind> = {
  addr: "inbox",
  inbox: "inbox",
  address: "inbox",
  enrollment_key_id: "key",
  agent: "agent",
  delivery_id: "delivery",
  attachment_id: "attachment",
  thread_id: "thread",
  message_id: "message",
  expected_last_message_id: "message",
  in_reply_to: "message",
  event_id: "event",
  lastEventId: "event",
  cursor: "cursor",
  domain: "domain",
};
const BY_ROUTER: Record<string, Kind> = {
  messages: "message",
  reviews: "message",
  threads: "thread",
  trash: "message",
  drafts: "draft",
  webhooks: "webhook",
  purchase: "purchase",
  keys: "key",
  agents: "agent",
  team: "member",
  issuedKeys: "agentKey",
  apps: "app",
  notices: "noticeRoute",
};
const BY_PATH: Record<string, Kind> = {
  "messages.previews.ids": "message",
  "messages.markRead.ids": "message",
  "messages.updateMany.ids": "message",
  "threads.mark.ids": "thread",
  "threads.removeMany.ids": "thread",
  "calls.list.key": "agentKey",
  "keys.revokeAgentKey.id": "agentKey",
  "keys.activity.id": "agentKey",
  "keys.undo.id": "agentKey",
  "webhooks.listMessageDeliveries.id": "message",
  "team.cancelInvitation.email": "invited",
  "team.audit.member": "member",
  "suppressions.list.address": "suppressed",
  "suppressions.remove.address": "suppressed",
  "lists.list.entry": "listed",
  "lists.remove.entry": "listed",
  "events.list.after": "event",
  "events.stream.after": "event",
  "events.onEvent.after": "event",
  "events.onMessage.after": "event",
  "messages.list.after": "message",
  "messages.list.before": "message",
  "messages.search.after": "message",
  "messages.search.before": "message",
  "messages.wait.after": "message",
};
/** Fields that name nothing of another organization's: texts, numbers, times, and what a caller names anew. */
const FREE = new Set(
  (
    "inboxes inbox_access send_budget active agent_handle chat_url agent_name allowed_domains attachments bcc catch_all cc claim client_id contains content_base64 content_type decided deleted_until direction display_name dry_run email events expires_at filename filter has_attachments headers include " +
    "add_label add_labels remove_label remove_labels format from html idempotency_key inbound_webhook_url include_spam kind label labels without_label outgoing_delay_seconds limit list list_unsubscribe match from_name max_chars max_mailboxes metadata name next noun offset only_failed outcome owner_emails permanent " +
    "code setup password policy q quarantined read reason reply_all reply_by reply_to request require_company_sign_in require_second_factor resource result review revision risky role scopes send_at sha256 since sort status subject text timeout_seconds to token topics ttl_seconds unread until url username who"
  ).split(" "),
);
/** `domains.create` answers that a domain is taken, which DNS shows to everyone. */
const FREE_BY_PATH = new Set([
  "domains.create.domain",
  "suppressions.add.address",
  "lists.add.entry",
  // A draft keeps it as it is given; its send looks for the message.
  "drafts.create.expected_last_message_id",
  "drafts.update.expected_last_message_id",
  "webhooks.listDeliveries.after",
  "webhooks.listDeliveries.before",
  "webhooks.deliveryLog.after",
  "webhooks.deliveryLog.before",
  // It finds only calls of the own organization.
  "calls.list.request_id",
  "team.audit.after",
  "team.audit.before",
  // These are signed, and read without a key.
  "messages.linkedAttachment.link",
  "verifications.wait.lease",
  "verifications.take.lease",
]);

/** What a field of a procedure's input names; undefined when it names nothing that has an owner. */
export function namedBy(path: string, field: string): Kind | undefined {
  const [router = ""] = path.split(".");
  if (FREE_BY_PATH.has(`${path}.${field}`)) return undefined;
  return BY_PATH[`${path}.${field}`] ?? BY_FIELD[field] ?? (field === "id" ? BY_ROUTER[router] : undefined);
}

/** A name as the field takes it: in an array, if it takes several. */
export function asGiven(field: string, name: string): string | string[] {
  return field === "ids" ? [name] : name;
}

/** Whether this file says what a field names. False for a field of a new procedure. */
export function isKnownField(path: string, field: string): boolean {
  return namedBy(path, field) !== undefined || FREE.has(field) || FREE_BY_PATH.has(`${path}.${field}`);
}

/** What an input needs beside names. */
export const OTHER_INPUT: Record<string, object> = {
  "overview.find": { q: "e" },
  "threads.mark": { read: true, add_label: "taken over" },
  "inboxes.update": { display_name: "taken over" },
  "messages.send": { to: "x@else.example", text: "x" },
  "messages.reply": { text: "x" },
  "messages.forward": { to: "x@else.example" },
  "messages.checkSend": { to: "x@else.example", text: "x" },
  "messages.checkReply": { text: "x" },
  "messages.checkForward": { to: "x@else.example" },
  "drafts.update": { revision: 1, subject: "taken over" },
  "drafts.send": { revision: 1 },
  "messages.update": { read: true, labels: ["taken over"] },
  "messages.updateMany": { read: true, labels: ["taken over"] },
  "messages.setSpamPolicy": { policy: "mark" },
  "messages.wait": { timeout_seconds: 0 },
  "reviews.approve": { sha256: "0".repeat(64) },
  "reviews.reject": { sha256: "0".repeat(64) },
  "reviews.edit": {
    sha256: "0".repeat(64),
    to: ["x@else.example"],
    cc: [],
    bcc: [],
    subject: "",
    text: "x",
    html: null,
  },
  "reviews.setPolicy": { review: "none" },
  "lists.list": { direction: "send", list: "block" },
  "lists.add": { direction: "receive", list: "block", entry: "taken-over.example" },
  "lists.remove": { direction: "send", list: "block" },
  "webhooks.register": { url: "https://a.example", events: ["message.received"] },
  "webhooks.update": { active: false },
  "keys.update": { name: "taken over" },
  "keys.issueAgentKey": { agent_handle: "taken-over", scopes: ["mailbox:read"] },
  "keys.undo": { since: "2026-01-01T00:00:00Z" },
  "webhooks.replay": { since: "2026-01-01T00:00:00Z" },
  "notices.change": { topics: ["approval"] },
  "team.setRole": { role: "admin" },
  "apps.client": { client_id: "furnished" },
  "apps.approve": { client_id: "furnished", request: "", scopes: ["mailbox:read"] },
};

let made = 0;

/** A fulfilled payment, written as it is stored: there is no chain here. */
export async function paid({ system }: TestService, organization: Record<string, string>): Promise<string> {
  const { organizationId = "", enrollmentKeyId = "", agentId = "" } = organization;
  const id = newId();
  await system.sql`
    insert into payments (id, organization_id, enrollment_key_id, agent_id, kind, mailboxes, request_hash, authorization_hash,
      status, network, asset, payer, nonce, pay_to, amount, valid_before, x402_version, from_block, created_at)
    values (${id}, ${decodeId("org", organizationId) ?? ""}, ${decodeId("ekey", enrollmentKeyId) ?? ""},
      ${decodeId("agt", agentId) ?? ""}, 'mailboxes', 1, ''::bytea, ''::bytea, 'fulfilled', 'eip155:84532', '0x', '0x',
      ${id}, '0x', '1', 0, 1, 0, now())`;
  return encodeId("pay", id);
}

/** A connected app, written as it is stored. Its client is the same one in every organization. */
async function connected({ system }: TestService, organizationId: string, userId: string, agentKeyId: string) {
  const id = newId();
  await system.sql`
    insert into oauth_clients (id, client_id, name, redirect_uris) values (${newId()}, 'furnished', 'An app', '{}')
    on conflict do nothing`;
  await system.sql`
    insert into app_connections (id, organization_id, user_id, client_id, agent_key_id, created_at)
    values (${id}, ${decodeId("org", organizationId) ?? ""}, ${decodeId("usr", userId) ?? ""}, 'furnished',
      ${decodeId("akey", agentKeyId) ?? ""}, now())`;
  return encodeId("app", id);
}

/** A reply that is no longer expected, so that no worker changes it. */
async function expectReply(
  { system }: TestService,
  organizationId: string,
  { id, thread_id, inbox_id }: { id: string; thread_id: string; inbox_id: string },
) {
  await system.sql`
    insert into expected_replies (message_id, organization_id, inbox_id, thread_id, reply_by, created_at)
    values (${decodeId("msg", id) ?? ""}, ${decodeId("org", organizationId) ?? ""}, ${decodeId("inb", inbox_id) ?? ""},
      ${decodeId("thr", thread_id) ?? ""}, now(), now())`;
}

/** An organization, `known` or a new one, with one of everything that has a name, and people of each role. */
export async function furnish(
  service: TestService,
  domain: string,
  known?: Awaited<ReturnType<TestService["newOrganization"]>>,
) {
  const organization = known ?? (await service.newOrganization({ allowedDomains: ["mail.example", domain] }));
  const owner = await newOwner(service, organization.organizationId);
  const { trpc } = owner;
  const create = { enrollment_key_id: organization.enrollmentKeyId };
  await trpc.domains.create.mutate({ domain });
  const suppressed = `suppressed@${domain}`;
  await trpc.suppressions.add.mutate({ address: suppressed });
  const listed = `listed.${domain}`;
  await trpc.lists.add.mutate({ direction: "send", list: "block", entry: listed });
  const inbox = await trpc.inboxes.createWith.mutate(create);
  const otherInbox = await trpc.inboxes.createWith.mutate(create);
  await trpc.webhooks.register.mutate({ url: "https://a.example/x", events: ["message.received"] });
  const attachments = [{ filename: "secret.txt", content: Buffer.from("secret") }];
  await service.mail({ from: "w@else.example", to: inbox.address, subject: "secret subject", attachments });
  const [webhook] = (await trpc.webhooks.list.query({})).data;
  const [delivery] = (await trpc.webhooks.listDeliveries.query({ id: webhook?.id ?? "" })).data;
  const [message] = (await trpc.messages.list.query({ addr: inbox.address })).data;
  const [event] = (await trpc.events.list.query({})).data;
  await eventually(async () => {
    const { status } = await trpc.messages.get.query({ id: message?.id ?? "" });
    expect(status).not.toBe("received");
  });
  const whole = await trpc.messages.get.query({ id: message?.id ?? "" });
  await expectReply(service, organization.organizationId, { ...whole, inbox_id: inbox.id });
  const [admin, member] = [await newMember(service, owner, "admin"), await newMember(service, owner, "member")];
  made += 1;
  const invited = `invited${made}@people.example`;
  await trpc.team.invite.mutate({ email: invited, role: "member" });
  const { members } = await trpc.team.members.query();
  const agents = await trpc.keys.agents.query({ id: organization.enrollmentKeyId });
  const agentKey = agents.data.flatMap(({ keys }) => keys)[0]?.id ?? "";
  const app = await connected(service, organization.organizationId, (await trpc.team.me.query()).user.id, agentKey);
  const { next_cursor: cursor } = await trpc.inboxes.list.query({ limit: 1 });
  // Its agent changes a draft, which leaves a version and a row of its activity.
  const asAgent = createClient({ url: service.url, key: organization.agentKey });
  const drafted = await asAgent.drafts.create.mutate({ inbox: inbox.address, text: "secret" });
  await asAgent.drafts.update.mutate({ id: drafted.id, revision: 1, text: "more" });
  const things: Things = {
    inbox: inbox.address,
    thread: whole.thread_id,
    message: whole.id,
    attachment: whole.attachments[0]?.id ?? "",
    draft: (await trpc.drafts.create.mutate({ inbox: inbox.address, to: "x@else.example", text: "secret" })).id,
    webhook: webhook?.id ?? "",
    delivery: delivery?.id ?? "",
    event: event?.id ?? "",
    key: organization.enrollmentKeyId,
    agent: agents.data[0]?.id ?? "",
    agentKey,
    app,
    noticeRoute: (await trpc.notices.add.mutate({ topics: ["domain"] })).id,
    member: members.find(({ email }) => email === member.email)?.id ?? "",
    purchase: await paid(service, organization),
    invited,
    domain,
    suppressed,
    listed,
    cursor: cursor ?? "",
  };
  return {
    ...organization,
    people: { owner, admin, member },
    things,
    inboxId: inbox.id,
    otherInbox: otherInbox.address,
  };
}
