// GET /v1/messages and GET /v1/threads: over all mailboxes that a key may read; and the rank and highlights of a search.
import { afterAll, describe, expect, test } from "vitest";
import { api, type Failure, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Part = { text: string; match: boolean };
type Found = {
  id: string;
  thread_id: string;
  inbox: string;
  subject: string;
  rank?: number;
  highlights?: { field: string; parts: Part[] }[];
};
type Mail = { subject: string; from?: string; text?: string; html?: string };

const query = (params: Record<string, string>) => `?${new URLSearchParams(params)}`;
const find = async (key: string, params: Record<string, string> = {}) => {
  const { status, body } = await client.get<Page<Found>>(`/v1/messages${query(params)}`, { key });
  expect([params, status]).toEqual([params, 200]);
  return body.data;
};
const subjects = async (key: string, params: Record<string, string> = {}) =>
  (await find(key, params)).map(({ subject }) => subject);
const threads = async (key: string, params: Record<string, string> = {}) =>
  (await client.get<Page<Found>>(`/v1/threads${query(params)}`, { key })).body.data.map(({ subject }) => subject);

async function receive(key: string, to: string, ...mails: Mail[]): Promise<void> {
  for (const mail of mails) await service.mail({ from: "writer@else.example", to, ...mail });
  for (const { id } of await find(key)) {
    const status = async () => (await client.get<{ status: string }>(`/v1/messages/${id}`, { key })).body.status;
    await eventually(async () => expect(await status()).not.toBe("received"));
  }
}

/** Two mailboxes with a mail each that hold the same word, and keys for both, for the first, and for the second. */
async function organization(name: string) {
  const made = await service.newOrganization();
  const { agentKey: key, enrollmentKeyId } = made;
  const [first, second] = [await client.createInbox(key), await client.createInbox(key)];
  await receive(key, first.address, { subject: `${name} one`, text: "the harbour is open" });
  await receive(key, second.address, { subject: `${name} two`, text: "the harbour is closed" });
  const only = async (...inboxes: string[]) => (await service.newAgentKey(enrollmentKeyId, { inboxes })).key;
  return { ...made, key, first, second, only, restricted: await only(first.address) };
}

const [a, b] = [await organization("Alpha"), await organization("Beta")];

describe("200", () => {
  test("messages of all mailboxes of the organization, newest first, and of no other", async () => {
    for (const [{ key }, name] of [
      [a, "Alpha"],
      [b, "Beta"],
    ] as const) {
      const filters: Record<string, string>[] = [{ q: "harbour" }, { q: "harb" }, { from: "writer@else.example" }];
      for (const params of [{}, ...filters, { subject: name }]) {
        expect(await subjects(key, params)).toEqual([`${name} two`, `${name} one`]);
      }
      expect(await threads(key)).toEqual([`${name} two`, `${name} one`]);
    }
    expect(await subjects(a.key, { q: "beta" })).toEqual([]);
    expect(await subjects(a.key, { thread_id: (await find(b.key))[0]?.thread_id ?? "" })).toEqual([]);
  });

  test("members find what their organization has", async () => {
    const owner = await newOwner(service, a.organizationId);
    for (const { trpc } of [owner, await newMember(service, owner, "member")]) {
      const { data } = await trpc.messages.search.query({ q: "harbour" });
      expect(data.map(({ subject }) => subject)).toEqual(["Alpha two", "Alpha one"]);
      expect((await trpc.threads.listAll.query({})).data).toHaveLength(2);
    }
  });

  test("a restricted key finds the mail of its mailboxes alone", async () => {
    const both = await a.only(a.first.address, a.second.address);
    const third = await client.createInbox(a.key);
    const some = await a.only(a.second.address, third.address);
    const cases = [
      [a.restricted, ["Alpha one"]],
      [both, ["Alpha two", "Alpha one"]],
      [some, ["Alpha two"]],
    ] as const;
    for (const [key, expected] of cases) {
      const { thread_id = "" } = (await find(a.key, { subject: "Alpha one" }))[0] ?? {};
      for (const params of [
        {},
        { q: "harbour" },
        { from: "writer@else.example" },
        { unread: "true" },
        { direction: "inbound" },
      ]) {
        expect(await subjects(key, params as Record<string, string>)).toEqual(expected);
      }
      expect(await subjects(key, { thread_id })).toEqual(expected.filter((subject) => subject === "Alpha one"));
      expect(await threads(key)).toEqual(expected);
    }
    await client.delete(inboxPath(third.address), { key: a.key });
  });

  test("one mailbox by `inbox`, by its address or id", async () => {
    for (const inbox of [a.second.address, a.second.id, a.second.address.toUpperCase()]) {
      expect(await subjects(a.key, { inbox })).toEqual(["Alpha two"]);
      expect(await subjects(a.key, { inbox, q: "harbour" })).toEqual(["Alpha two"]);
      expect(await threads(a.key, { inbox })).toEqual(["Alpha two"]);
    }
  });

  test("sent messages, and labels", async () => {
    const { body } = await client.post<Sent>(
      inboxPath(b.first.address, "/send"),
      { to: "far@else.example", subject: "Outward", text: "lighthouse" },
      { key: b.key },
    );
    expect(await subjects(b.key, { q: "lighthouse" })).toEqual(["Outward"]);
    expect(await subjects(b.key, { from: b.first.address })).toEqual(["Outward"]);
    expect(await subjects(b.key, { direction: "outbound" })).toEqual(["Outward"]);
    await client.patch(`/v1/messages/${body.id}`, { labels: ["sent by me"] }, { key: b.key });
    expect(await subjects(b.key, { label: "sent by me" })).toEqual(["Outward"]);
    expect(await subjects(a.key, { label: "sent by me" })).toEqual([]);
    await client.delete(`/v1/messages/${body.id}`, { key: b.key });
  });

  test("no mail of a deleted mailbox", async () => {
    const gone = await organization("Gone");
    await client.delete(inboxPath(gone.first.address), { key: gone.key });
    const both = await gone.only(gone.second.address);
    for (const key of [gone.key, both]) {
      for (const params of [{}, { q: "harbour" }, { from: "writer@else.example" }] as Record<string, string>[]) {
        expect(await subjects(key, params)).toEqual(["Gone two"]);
      }
      expect(await threads(key)).toEqual(["Gone two"]);
    }
    expect(await subjects(gone.restricted)).toEqual([]);
    expect(await threads(gone.restricted)).toEqual([]);
  });
});

describe("rank and highlights", () => {
  const text = (parts: Part[] | undefined) => (parts ?? []).map((part) => part.text).join("");
  const matched = (parts: Part[] | undefined) => (parts ?? []).filter(({ match }) => match).map((part) => part.text);

  async function highlighted(key: string, q: string) {
    const [found] = await find(key, { q });
    return Object.fromEntries((found?.highlights ?? []).map(({ field, parts }) => [field, parts]));
  }

  test("a word in the subject ranks above one in the sender, and that above one in the body", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    await receive(
      key,
      address,
      { subject: "Walrus", text: "x" },
      { subject: "Sender", from: "walrus@else.example", text: "x" },
      { subject: "Body", text: "walrus" },
    );
    for (const path of ["/v1/messages", inboxPath(address, "/messages")]) {
      const { data } = (await client.get<Page<Found>>(`${path}?q=walr`, { key })).body;
      expect(data.map(({ subject }) => subject)).toEqual(["Body", "Sender", "Walrus"]);
      const ranks = data.map(({ rank = -1 }) => rank);
      expect(ranks).toEqual([...ranks].sort((one, other) => one - other));
      expect(ranks.every((rank) => rank > 0 && rank < 1)).toBe(true);
    }
    for (const message of await find(key)) expect([message.rank, message.highlights]).toEqual([undefined, undefined]);
  });

  test("fragments are plain text whose parts say what matched", async () => {
    const { agentKey: key } = await service.newOrganization();
    const { address } = await client.createInbox(key);
    await receive(key, address, {
      subject: "Your Inv\u00adoice <b>4711</b>",
      from: '"Zoë Writer" <billing@shop.example>',
      text: `${"filler ".repeat(30)}\r\nthe <script>alert(1)</script> INVOICES of the café, 您的验证码是835201 \u202eabc 😀`,
    });
    const invoice = await highlighted(key, "invo 4711");
    expect(matched(invoice.subject)).toEqual(["Invoice", "4711"]);
    expect(text(invoice.subject)).toBe("Your Invoice <b>4711</b>");
    expect(matched(invoice.text)).toEqual(["INVOICES"]);
    expect(text(invoice.text)).toContain("the <script>alert(1)</script> INVOICES of the café");
    expect(text(invoice.text)).toMatch(/^[^\p{Cc}\u202e]{1,200}$/u);
    expect(matched((await highlighted(key, '"of the" cafe')).text)).toEqual(["of the", "café"]);
    expect(matched((await highlighted(key, "验证码")).text)).toEqual(["验证码"]);
    const sender = await highlighted(key, "zoe billing@shop.exam");
    expect([matched(sender.from_name), matched(sender.from)]).toEqual([["Zoë"], ["billing@shop.example"]]);
    expect(matched((await highlighted(key, address)).to)).toEqual([address]);
    expect(await highlighted(key, "-nothing")).toEqual({});
    expect(matched((await highlighted(key, "😀")).text)).toEqual(["😀"]);
  });
});

describe("400", () => {
  test("a cursor of other mailboxes, of other filters, or of another organization", async () => {
    const page = async (path: string, key: string) => (await client.get<Page<Found> & Failure>(path, { key })).body;
    const { next_cursor } = await page("/v1/messages?limit=1", a.key);
    const threadCursor = (await page("/v1/threads?limit=1", a.key)).next_cursor;
    for (const [path, key] of [
      [`/v1/messages?limit=1&cursor=${next_cursor}`, b.key],
      [`/v1/messages?limit=1&cursor=${next_cursor}`, a.restricted],
      [`/v1/messages?q=harbour&cursor=${next_cursor}`, a.key],
      [`/v1/messages?inbox=${a.first.id}&cursor=${next_cursor}`, a.key],
      [`/v1/threads?cursor=${next_cursor}`, a.key],
      [`/v1/threads?cursor=${threadCursor}`, b.key],
      [`/v1/threads?inbox=${a.first.id}&cursor=${threadCursor}`, a.key],
      ["/v1/messages?cursor=nonsense", a.key],
    ] as const) {
      expect([path, (await page(path, key)).error?.code]).toEqual([path, "invalid_cursor"]);
    }
    expect((await page(`/v1/messages?limit=1&cursor=${next_cursor}`, a.key)).data[0]?.subject).toBe("Alpha one");
  });

  test("invalid filters are refused", async () => {
    for (const path of ["/v1/messages?q=", "/v1/messages?limit=0", "/v1/threads?q=harbour"]) {
      expect([path, (await client.get(path, { key: a.key })).status]).toEqual([path, 400]);
    }
  });
});

describe("403", () => {
  test("a key without mailbox:read", async () => {
    const { key } = await service.newAgentKey(a.enrollmentKeyId, { scopes: ["mailbox:send"] });
    for (const path of ["/v1/messages", "/v1/threads"]) {
      const { status, body } = await client.get<Failure>(path, { key });
      expect([status, body.error.code]).toEqual([403, "insufficient_scope"]);
    }
  });
});

describe("404", () => {
  test("`inbox` is another organization's, not the key's, or deleted", async () => {
    const gone = await client.createInbox(a.key);
    await client.delete(inboxPath(gone.address), { key: a.key });
    for (const [inbox, key] of [
      [b.first.address, a.key],
      [b.first.id, a.key],
      [a.second.address, a.restricted],
      [gone.address, a.key],
      ["nobody@else.example", a.key],
    ] as const) {
      for (const path of ["/v1/messages", "/v1/threads"]) {
        const { status, body } = await client.get<Failure>(`${path}${query({ inbox })}`, { key });
        expect([inbox, status, body.error.code]).toEqual([inbox, 404, "inbox_not_found"]);
      }
    }
  });
});
