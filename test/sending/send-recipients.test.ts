// The recipients of a send: a string, a comma list or an array; what is no recipient is refused.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath, type Page, type Sent } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

// Without a worker: a message is as it was queued.
const service = await startTestService({ ROLES: "web,smtp", SEND_CAP_RAMP: "1000" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Message = Record<string, unknown>;

const TO = "friend@else.example";

async function newSender() {
  const { agentKey: key } = await service.newOrganization();
  const inbox = await client.createInbox(key);
  const path = inboxPath(inbox.address, "/send");
  const send = (json: object) => client.post<Sent>(path, json, { key });
  const read = async (id: string) => (await client.get<Message>(`/v1/messages/${id}`, { key })).body;
  const refused = async (json: object) => {
    const { status, body } = await client.post(path, json, { key });
    return [status, body.error?.code];
  };
  const count = async () =>
    (await client.get<Page<object>>(inboxPath(inbox.address, "/messages?limit=100"), { key })).body.data.length;
  return { key, path, send, read, refused, count };
}

test("to, cc and bcc are a string, a comma list, or an array of both", async () => {
  const { send, read } = await newSender();
  const { status, body } = await send({
    to: `"Two, the \\"second\\"" <two@else.example>, Ada L <ada@else.example>,plain@else.example`,
    cc: "Cy <cy@else.example>",
    bcc: ["b1@else.example, b2@else.example", "B <b3@else.example>"],
    text: "x",
  });
  expect(status).toBe(202);
  expect(await read(body.id)).toMatchObject({
    to: ["two@else.example", "ada@else.example", "plain@else.example"],
    cc: ["cy@else.example"],
    bcc: ["b1@else.example", "b2@else.example", "b3@else.example"],
  });
  const list = Array.from({ length: 50 }, (_, i) => `a${i}@else.example`).join(", ");
  expect((await send({ to: list, text: "x" })).status).toBe(202);
});

test("a recipient that is named again, in any spelling and list, gets one mail", async () => {
  const { send, read } = await newSender();
  const { body } = await send({
    to: ["a@else.example", "A <A@Else.Example>"],
    cc: ["a@ELSE.example", "Cy@else.example"],
    bcc: "cy@else.example, b@else.example",
    text: "x",
  });
  const message = await read(body.id);
  expect([message.to, message.cc, message.bcc]).toEqual([["a@else.example"], ["Cy@else.example"], ["b@else.example"]]);
  const addresses = (message.recipients as { address: string }[]).map(({ address }) => address);
  expect(addresses).toEqual(["a@else.example", "Cy@else.example", "b@else.example"]);
});

test("no recipients, values of another type, invalid addresses, and too many recipients are refused", async () => {
  const { refused, count } = await newSender();
  const many = Array.from({ length: 51 }, (_, i) => `a${i}@else.example`);
  const bad = [
    undefined,
    null,
    5,
    {},
    [],
    [5],
    [null],
    "",
    " ",
    "x",
    "@",
    "a@",
    "@b",
    "a b@c.example",
    "a@b@c.example",
  ];
  const worse = [
    "a@b..c",
    "a@-b.example",
    "a@[127.0.0.1]",
    "a@127.0.0.1",
    "<>",
    "A <>",
    "a@b.example, c",
    "a@b.example,",
    ",a@b.example",
    "a@b.example; c@d.example",
    "a,b@c.example",
    "Doe, Jane <jane@c.example>",
    '"a@b.example, c@d.example',
    '"a" a@b.example, "b"',
    "Team: a@b.example, c@d.example;",
    "undisclosed-recipients:;",
    "a@b.example,\u0000c@d.example",
    "a@b.example,\tc@d.example\u0007",
    ",".repeat(1_000),
    `a@b.example${",".repeat(1_000)}`,
    many,
    many.join(","),
    [many.slice(0, 30).join(","), many.slice(30).join(",")],
  ];
  for (const to of [
    ...bad,
    ...worse,
    [TO, "x"],
    `${"x".repeat(243)}@else.example`,
    `x@${"y".repeat(300)}.example`,
    "A <a@b.example> <c@d.example>",
  ]) {
    expect([to, ...(await refused({ to, text: "x" }))]).toEqual([to, 400, "invalid_request"]);
  }
  for (const field of ["cc", "bcc"]) {
    for (const value of ["a@b.example,", 5, {}, ["x"], [[]], many, many.join(",")]) {
      expect([field, value, ...(await refused({ to: TO, text: "x", [field]: value }))]).toEqual([
        field,
        value,
        400,
        "invalid_request",
      ]);
    }
  }
  const spread = { to: many.slice(0, 20), cc: many.slice(0, 20), bcc: many.slice(0, 11), text: "x" };
  expect(await refused(spread)).toEqual([400, "invalid_request"]);
  for (const reply_to of ["x", 5, [], [TO, "x"], [[TO]], Array(51).fill(TO)]) {
    expect(await refused({ to: TO, text: "x", reply_to })).toEqual([400, "invalid_request"]);
  }
  expect(await count()).toBe(0);
});

test("which recipient it was is in the issues", async () => {
  const { key, path } = await newSender();
  const { body } = await client.post(path, { to: [TO, "x"], cc: ["y"], text: "x" }, { key });
  expect(body.error.issues?.map((issue) => issue.path)).toEqual(["to.1", "cc.0"]);
  const list = await client.post(path, { to: `${TO}, Doe, Jane <jane@else.example>`, text: "x" }, { key });
  expect(list.body.error.issues).toEqual([{ path: "to.1", message: expect.stringContaining("double quotes") }]);
});

test("hostile recipients do not hold the process up", async () => {
  const { refused } = await newSender();
  const spaces = `${" ".repeat(398)}<`;
  const to = Array.from({ length: 50 }, (_, i) => (i % 2 ? spaces : `"${"\\".repeat(397)}<`));
  expect(await refused({ to, text: "x" })).toEqual([400, "invalid_request"]);
  for (const list of ['"'.repeat(20_000), "<".repeat(20_000), `${" ".repeat(19_000)}<`, "\\".repeat(20_001)]) {
    expect(await refused({ to: Array(50).fill(list), cc: list, text: "x" })).toEqual([400, "invalid_request"]);
  }
});
