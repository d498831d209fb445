// The operators of mail users in `q`: filters of a search; and that waits and searches read the same sender.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { eventually } from "#test/support/events.ts";
import { startTestService } from "#test/support/service.ts";
import type { Waited } from "./wait/waiter.ts";

const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key);
const send = (json: object) => client.post(inboxPath(address, "/send"), { text: "x", ...json }, { key });
await service.mail({ from: "Ann Lee <ann@acme.example>", to: address, subject: "Invoice 7" });
await service.mail({ from: "bot@mail.acme.example", to: address, subject: "Re: two words" });
await service.mail({ from: "x@notacme.example", to: address, subject: "Offer" });
const content_base64 = Buffer.from("x").toString("base64");
await send({
  to: "zed@far.example",
  subject: "Plans",
  attachments: [{ filename: "a.txt", content_type: "text/plain", content_base64 }],
});
const ask = (query: Record<string, string>) =>
  client.get<Page<{ id: string; subject: string }>>(`/v1/messages?${new URLSearchParams(query)}`, { key });
const all = (await ask({})).body.data;
// Words are searchable once a mail is parsed.
for (const { id } of all.slice(1)) {
  const status = async () => (await client.get<{ status: string }>(`/v1/messages/${id}`, { key })).body.status;
  await eventually(async () => expect(await status()).toBe("parsed"));
}
await client.patch("/v1/messages", { ids: [all.at(-1)?.id], read: true, labels: ["paid bills"] }, { key });

const find = async (q: string) => {
  const { status, body } = await ask({ q });
  expect([q, status]).toEqual([q, 200]);
  return body.data.map(({ subject }) => subject);
};

test.each([
  ["from:ann@acme.example", ["Invoice 7"]],
  ["from:acme.example", ["Re: two words", "Invoice 7"]],
  ["from:@acme.example invoice", ["Invoice 7"]],
  ['FROM:"Ann Lee"', ["Invoice 7"]],
  ["from:acme", ["Offer", "Re: two words", "Invoice 7"]],
  ["to:zed", ["Plans"]],
  ["subject:invoice", ["Invoice 7"]],
  ['subject:"two words"', ["Re: two words"]],
  ["is:unread", ["Offer", "Re: two words"]],
  ["is:read", ["Plans", "Invoice 7"]],
  ["has:attachment", ["Plans"]],
  ["in:sent has:attachments", ["Plans"]],
  ["in:inbox is:unread from:acme.example", ["Re: two words"]],
  ['label:"paid bills"', ["Invoice 7"]],
  ['-label:"paid bills"', ["Plans", "Offer", "Re: two words"]],
  ["-label:paid in:inbox", ["Offer", "Re: two words", "Invoice 7"]],
  ["from:acme -Label:x -is:read", ["Offer", "Re: two words"]],
  ["-is:unread -has:attachments", ["Invoice 7"]],
  ["after:2020-01-31 before:2020/2/1", []],
  ["after:2020-01-31 plans", ["Plans"]],
  ["invoice AND from:acme", ["Invoice 7"]],
  ["two AND words", ["Re: two words"]],
  ["re:two", ["Re: two words"]],
  ["type:two words", []],
  ["note:offer", []],
])("%s", async (q, subjects) => {
  expect(await find(q)).toEqual(subjects);
});

test.each([
  ["larger:5M", /larger: is not an operator here; these are: from, to, subject/],
  ["invoice filename:a.pdf", /filename: is not an operator/],
  ["is:starred", /is: takes unread or read/],
  ["has:drive", /has: takes attachment/],
  ["invoice is:constructor", /is: takes unread or read/],
  ["invoice in:__proto__", /in: takes inbox or sent/],
  ["has:ToString invoice", /has: takes attachment/],
  ["constructor:x is:hasOwnProperty", /is: takes unread or read/],
  ["after:yesterday", /after: takes a day such as 2026-11-20/],
  ["before:2026-02-31", /before: takes a day/],
  ["-from:acme", /-from: cannot be excluded; -label:, -is:, -has: can/],
  ["-subject:x invoice", /-subject: cannot be excluded/],
  ["-is:starred", /-is: takes unread or read/],
  ['-label:"" invoice', /-label: needs a value/],
  ["-label:a -label:b", /-label: can be given once/],
  ["plans label:INBOX", /label: is no label here; use `direction=inbound`/],
  ['label:"UNREAD"', /label: is no label here; use `unread=true`/],
  ["is:unread -is:unread", /-is: can be given once/],
  ["from:a from:b", /from: can be given once/],
  ["in:inbox in:sent", /in: can be given once/],
  ["from:a or from:b", /once/],
  ["from:a or invoice", /`or` separates words, not operators/],
  ["subject:(a b)", /subject: needs a value; put several words in double quotes/],
  ['subject:""', /subject: needs a value/],
  ["kind:bounce invoice", /kind: is not an operator here; use the filter `kind` of the call/],
  ["Type:Automatic", /type: is not an operator here; use the filter `kind`/],
  ["status:captured", /status: .* filter `status`/],
  ["thread:thr_1", /filter `thread_id`/],
  ["in:Bin", /in: takes inbox or sent; GET \/v1\/trash lists deleted mail/],
  ["in:junk plans", /in: .* filter `quarantined=true`/],
  ["in:draft", /in: .* GET \/v1\/drafts lists drafts/],
  ["...", /must name a word/],
])("%s is refused, and the refusal says what to write", async (q, expected) => {
  const { status, body } = await client.get(`/v1/messages?${new URLSearchParams({ q })}`, { key });
  expect([status, body.error.code]).toEqual([400, "invalid_request"]);
  expect(body.error.message).toMatch(expected);
});

test("an operator and the filter that says the same are refused together", async () => {
  const { status, body } = await client.get("/v1/messages?q=from:acme&from=bank.example", { key });
  expect([status, body.error.issues?.[0]?.path]).toEqual([400, "q"]);
});

test.each(["ann@acme.example", "acme.example", "@acme.example", "mail.acme.example", "ACME", "ann@"])(
  "a wait and a search read the sender %s alike",
  async (from) => {
    const found = (await ask({ from, direction: "inbound" })).body.data.map(({ subject }) => subject).reverse();
    let after = "2026-01-01T00:00:00Z";
    const waited: (string | undefined)[] = [];
    for (const _ of found) {
      const json = { from, after, timeout_seconds: 0 };
      const { body } = await client.post<Waited>(inboxPath(address, "/wait"), json, { key });
      waited.push(body.message?.subject);
      after = body.cursor;
    }
    const json = { from, after, timeout_seconds: 0 };
    const { body } = await client.post<Waited>(inboxPath(address, "/wait"), json, { key });
    expect([...waited, body.timed_out]).toEqual([...found, true]);
  },
);
