// Mail of all mailboxes together, as members list it: directions, unread mail, whose mail it is, and what stays out.
import { afterAll, beforeAll, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = { id: string; subject: string };
type Person = Awaited<ReturnType<typeof newMember>>;

let key = "";
let first = "";
let second = "";
let member: Person;

beforeAll(async () => {
  const organization = await service.newOrganization();
  key = organization.agentKey;
  const other = (await service.newAgentKey(organization.enrollmentKeyId, { handle: "second-bot" })).key;
  ({ address: first } = await client.createInbox(key));
  ({ address: second } = await client.createInbox(other));
  const owner = await newOwner(service, organization.organizationId);
  member = await newMember(service, owner, "member");
  await service.mail({ from: "ann@else.example", to: first, subject: "one" });
  await service.mail({ from: "ann@else.example", to: second, subject: "two" });
  const send = { to: "bob@else.example", text: "x" };
  // The other agent sends from the mailbox of the first one.
  await client.post<Sent>(inboxPath(first, "/send"), { ...send, subject: "three" }, { key: other });
  await member.trpc.messages.send.mutate({ addr: second, ...send, subject: "four" });
});

const subjects = async (filters: Parameters<Person["trpc"]["messages"]["search"]["query"]>[0]) =>
  (await member.trpc.messages.search.query(filters)).data.map(({ subject }) => subject);

test("a member sees what all mailboxes received and sent, the newest first", async () => {
  expect(await subjects({})).toEqual(["four", "three", "two", "one"]);
  const page = await member.trpc.messages.search.query({ limit: 3 });
  const next = await member.trpc.messages.search.query({ limit: 3, cursor: page.next_cursor ?? "" });
  expect(next.data.map(({ subject }) => subject)).toEqual(["one"]);
});

test("filters by mailbox, direction, unread and state", async () => {
  expect(await subjects({ inbox: second })).toEqual(["four", "two"]);
  expect(await subjects({ direction: "outbound" })).toEqual(["four", "three"]);
  expect(await subjects({ direction: "inbound" })).toEqual(["two", "one"]);
  expect(await subjects({ unread: true })).toEqual(["two", "one"]);
  expect(await subjects({ direction: "outbound", status: "queued", inbox: first })).toEqual(["three"]);
});

test("previews name the agent that sent it or whose mailbox received it", async () => {
  const { data } = await member.trpc.messages.search.query({});
  const previews = await member.trpc.messages.previews.query({ ids: data.map(({ id }) => id) });
  const agents = new Map(previews.data.map(({ id, agent }) => [id, agent]));
  expect(data.map(({ id }) => agents.get(id))).toEqual([null, "second-bot", "second-bot", "bot"]);
});

test("deleted mail and mail of another organization stay out", async () => {
  const [one] = (await client.get<Page<Message>>("/v1/messages?subject=one", { key })).body.data;
  expect((await client.delete(`/v1/messages/${one?.id}`, { key })).status).toBe(200);
  expect(await subjects({ direction: "inbound" })).toEqual(["two"]);
  const stranger = await service.newOrganization();
  expect(
    (await client.get<Page<Message>>("/v1/messages?direction=inbound", { key: stranger.agentKey })).body.data,
  ).toEqual([]);
});
