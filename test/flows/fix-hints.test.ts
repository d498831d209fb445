// A program without a model that follows only `fix` and `issues` of errors: from nothing to a code in four calls, and out of wrong calls.
import { afterAll, describe, expect, test } from "vitest";
import { api, inboxPath } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const TRIES_MAX = 4;
const service = await startTestService();
const client = api(service);
afterAll(() => client.close().then(service.stop));

type Fields = Record<string, unknown>;
type Call = { method: string; path: string; json?: Fields; body?: string; headers?: Record<string, string> };
type Refusal = { fix: string; issues?: { path: string; message: string }[] };
type State = { token: string; key?: string; address: string; calls: number };

async function exchange(state: State, call: Call) {
  state.calls += 1;
  const { method, path, json, body, headers = {} } = call;
  const answer = await client.exchange(method, path, { key: state.key, json, body, headers });
  const read = answer.text.startsWith("{") ? JSON.parse(answer.text) : {};
  return { ...answer, read };
}

/** Without the field of that name, in the body and the query; with `into`, under that name. */
function renamed({ json, path, ...call }: Call, field: string, into?: string): Call {
  const [bare = "", query = ""] = path.split("?", 2);
  const inQuery = new URLSearchParams(query);
  const value = json?.[field] ?? inQuery.get(field);
  inQuery.delete(field);
  const { [field]: _gone, ...rest } = json ?? {};
  const inBody = call.method === "POST" || call.method === "PATCH";
  if (into && !inBody && value !== null) inQuery.set(into, String(value));
  const left = inQuery.toString();
  return {
    ...call,
    path: left ? `${bare}?${left}` : bare,
    ...(inBody && { json: { ...rest, ...(into && { [into]: value }) } }),
  };
}

/** The list that the fix names, and its first item in place of the wrong name in the path. */
async function withListed(state: State, call: Call, list: string): Promise<Call> {
  const path = list.replace("{addr}", encodeURIComponent(state.address));
  const { read } = await exchange(state, { method: "GET", path });
  const { address, id } = read.data[0] ?? {};
  return { ...call, path: call.path.replace(/^(\/v1\/\w+\/)[^/?]+/, `$1${encodeURIComponent(address ?? id)}`) };
}

type Rule = [RegExp, (state: State, call: Call, found: string[], answer: Answer) => Promise<Call> | Call];
type Answer = { headers: Record<string, string>; error: Refusal };

const RULES: Rule[] = [
  [
    /POST \/v1\/enroll returns/,
    async (state, call) => {
      const json = { token: state.token, agent_handle: "follows-hints" };
      delete state.key;
      const { read } = await exchange(state, { method: "POST", path: "/v1/enroll", json });
      state.key = read.agent_key;
      return { ...call, headers: {} };
    },
  ],
  [
    /fields listed in `issues`/,
    (_state, call, _found, { error: { issues = [] } }) =>
      issues.reduce((changed, { path, message }) => {
        const [field = ""] = path.split(".");
        return renamed(changed, field, /did you mean `?(\w+)/.exec(message)?.[1]);
      }, call),
  ],
  [/first page without `(\w+)`/, (_state, call, [, field = ""]) => renamed(call, field)],
  [
    /the time before you caused the mail/,
    (_state, call) => ({ ...call, json: { ...call.json, after: new Date().toISOString() } }),
  ],
  [/one JSON object as the body/, (_state, { body: _body, ...call }) => ({ ...call, json: {} })],
  [
    /`Content-Type: application\/json`/,
    (_state, { body: _body, headers: _headers, ...call }) => ({ ...call, json: {} }),
  ],
  [/`Allow` header/, (_state, call, _found, { headers }) => ({ ...call, method: headers.allow?.split(", ")[0] ?? "" })],
  [
    /Did you mean [A-Z, ]+ (\/v1\/\S+)\?/,
    (state, call, [, path = ""]) => ({ ...call, path: path.replace("{addr}", encodeURIComponent(state.address)) }),
  ],
  [/GET (\/v1\/\S+) lists/, (state, call, [, list = ""]) => withListed(state, call, list)],
  [
    /Set `(\w+)` to one that this key allows: ([^\s,]+?)[,.](?:\s|$)/,
    (_state, call, [, field = "", value]) => ({ ...call, json: { ...call.json, [field]: value } }),
  ],
  [/choose another `(\w+)`/i, (_state, call, [, field = ""]) => renamed(call, field)],
  [
    /new `(client_id)`/,
    (_state, call, [, field = ""]) => ({ ...call, json: { ...call.json, [field]: `new-${Date.now()}` } }),
  ],
  [/new (idempotency) key/, (_state, call) => renamed(call, "idempotency_key")],
  [/\(POST (\/v1\/verifications)\)/, (_state, _call, [, path = ""]) => ({ method: "POST", path, json: {} })],
];

/** Makes the call, and while it is refused, the call that the fix says. @returns the last status, and its body */
async function follow(state: State, first: Call) {
  let call = first;
  for (let tries = 1; ; tries += 1) {
    const { status, headers, read } = await exchange(state, call);
    if (status < 400 || tries > TRIES_MAX) return { status, read };
    const { fix } = read.error as Refusal;
    const rule = RULES.find(([pattern]) => pattern.test(fix));
    if (!rule) return { status, read };
    call = await rule[1](state, call, [...(rule[0].exec(fix) ?? [])], { headers, error: read.error });
  }
}

test("from nothing to a code in four calls", async () => {
  const { enrollmentKey: token } = await service.newOrganization();
  const state: State = { token, address: "", calls: 0 };
  const { read } = await follow(state, { method: "POST", path: "/v1/verifications", json: {} });
  await service.mail({ from: "a@shop.example", to: read.address, text: "Your verification code is 482913." });
  const path = read.wait_url.replace("http://mailberth.example", "");
  expect((await follow(state, { method: "GET", path })).read.otp).toBe("482913");
  expect(state.calls).toBeLessThanOrEqual(4);
});

describe("out of wrong calls", async () => {
  const { enrollmentKey: token, agentKey } = await service.newOrganization({ maxMailboxes: 1_000 });
  const { address } = await client.createInbox(agentKey, { username: "taken", client_id: "used" });
  await service.mail({ from: "a@shop.example", to: address });
  const gone = await client.createInbox(agentKey, { client_id: "gone" });
  await client.delete<object>(inboxPath(gone.address), { key: agentKey });
  const at = (rest: string) => inboxPath(address, rest);
  await client.post<object>(at("/send"), { to: "x@b.example", text: "x", idempotency_key: "used" }, { key: agentKey });
  const post = (path: string, json: Fields): Call => ({ method: "POST", path, json });
  const get = (path: string): Call => ({ method: "GET", path });
  const mail = { to: "a@b.example", text: "x" };
  const wrong: [string, Call, { key?: string }?][] = [
    ["no key", get("/v1/inboxes"), { key: "" }],
    ["a mistyped key", get("/v1/inboxes"), { key: "mb_agent_typo" }],
    ["an enrollment key as the key", post("/v1/inboxes", {}), { key: token }],
    ["the wrong scheme", { ...get("/v1/auth/me"), headers: { authorization: `Basic ${agentKey}` } }, { key: "" }],
    ["a misspelled field", post("/v1/inboxes", { usernme: "hint-a" })],
    ["the name of another service", post("/v1/inboxes", { friendly_name: "Hint" })],
    ["a field that does not exist", post("/v1/inboxes", { colour: "blue" })],
    ["two unknown fields", post("/v1/inboxes", { colour: "blue", displayname: "Hint" })],
    ["a username of another form", post("/v1/inboxes", { username: "a b" })],
    ["a reserved username", post("/v1/inboxes", { username: "postmaster" })],
    ["a username that is taken", post("/v1/inboxes", { username: "taken" })],
    ["a foreign domain", post("/v1/inboxes", { domain: "else.example" })],
    ["the client_id of a deleted mailbox", post("/v1/inboxes", { client_id: "gone" })],
    ["a display name that is too long", post("/v1/inboxes", { display_name: "x".repeat(101) })],
    [
      "a body that is no JSON",
      { method: "POST", path: "/v1/inboxes", body: "{", headers: { "content-type": "application/json" } },
    ],
    [
      "a list as the body",
      { method: "POST", path: "/v1/inboxes", body: "[]", headers: { "content-type": "application/json" } },
    ],
    [
      "a form as the body",
      {
        method: "POST",
        path: "/v1/inboxes",
        body: "username=a",
        headers: { "content-type": "application/x-www-form-urlencoded" },
      },
    ],
    ["another method", { method: "PUT", path: "/v1/auth/me", json: {} }],
    ["a misspelled path", get("/v1/inboxs")],
    ["another name of a path", get("/v1/event")],
    ["a mailbox that does not exist", get("/v1/inboxes/nobody%40mail.example")],
    ["the messages of none", get("/v1/inboxes/nobody%40mail.example/messages")],
    ["a message that does not exist", get("/v1/messages/msg_00000000000000000000000000")],
    ["a thread that does not exist", get("/v1/threads/thr_00000000000000000000000000")],
    ["a cursor of another list", get("/v1/inboxes?cursor=nonsense")],
    ["a limit out of range", get("/v1/inboxes?limit=0")],
    ["a parameter of another service", get("/v1/inboxes?page_size=5")],
    ["a wait after nothing", post(at("/wait"), { after: "yesterday", timeout_seconds: 0 })],
    ["the text under another name", post(at("/send"), { to: mail.to, body: "x" })],
    ["a cc that is no address", post(at("/send"), { ...mail, cc: "nobody" })],
    ["an idempotency key that was used", post(at("/send"), { ...mail, idempotency_key: "used" })],
    ["a wait URL that is cut", get("/v1/verifications/01jd3m9v5sf0b8j3mgz7qk2x4c")],
  ];

  test("there are at least thirty", () => expect(wrong.length).toBeGreaterThanOrEqual(30));

  test.each(wrong)("%s", async (_, call, { key = agentKey } = {}) => {
    const state: State = { token, ...(key && { key }), address, calls: 0 };
    const before = await exchange({ ...state }, call);
    expect(before.status).toBeGreaterThanOrEqual(400);
    const { status, read } = await follow(state, call);
    // A stored message has a field `error` too: null.
    expect([status < 300, read.error ?? null]).toEqual([true, null]);
  });
});
