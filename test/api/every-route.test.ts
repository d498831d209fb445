// Every route of the router: which keys may call it, which methods and bodies it takes, and what it says of a name that nothing has.
import { afterAll, describe, expect, test } from "vitest";
import { hasScope } from "#db/scopes.ts";
import { appRouter } from "#server/api/router.ts";
import { SCOPES, type Scope } from "#server/base/context.ts";
import { restMetas, withoutDryRun } from "#server/procedures/meta.ts";
import { api, type Failure, type Request, withoutRequest } from "#test/support/api.ts";
import { furnish, namedBy, nothing, OTHER_INPUT } from "#test/support/named-inputs.ts";
import { startTestService } from "#test/support/service.ts";

/** The scope that each route needs. Written here again, so that a scope that changes or goes away in the source is noticed. */
const ROUTES_OF_SCOPE: Record<Scope | "none", string> = {
  none: "enroll.redeem auth.me verifications.wait verifications.take messages.linkedAttachment keys.activity",
  "mailbox:create": "inboxes.create inboxes.update verifications.create",
  "mailbox:read":
    "inboxes.list inboxes.get inboxes.storage inboxes.resumeSending messages.sendLimit messages.list messages.search messages.get messages.update messages.updateMany messages.raw messages.attachment messages.attachmentLink messages.attachmentText messages.wait threads.list threads.listAll threads.get threads.digest trash.list drafts.list drafts.get drafts.attachment suppressions.list lists.list domains.list domains.get domains.zoneFile events.list events.stream",
  "mailbox:draft": "drafts.create drafts.update drafts.remove uploads.create",
  "mailbox:send":
    "messages.send messages.reply messages.forward messages.cancel messages.checkSend messages.checkReply messages.checkForward drafts.send suppressions.add suppressions.remove",
  "mailbox:delete": "inboxes.remove messages.remove threads.remove trash.restore",
  // What `permanent` needs beside the scope of the route.
  "mailbox:purge": "",
  "mailbox:import": "messages.importMail",
  "list:manage": "inboxes.pauseSending lists.add lists.remove messages.notSpam",
  "domain:manage": "domains.create domains.verify domains.rotateDkim domains.remove",
  "webhook:write":
    "webhooks.register webhooks.list webhooks.get webhooks.update webhooks.remove webhooks.rotateSecret webhooks.test webhooks.listDeliveries webhooks.listMessageDeliveries webhooks.getDelivery webhooks.redeliver webhooks.replay webhooks.retry",
  "payment:write": "purchase.create purchase.list purchase.get",
  "key:issue": "issuedKeys.issue issuedKeys.list issuedKeys.get issuedKeys.revoke issuedKeys.pause keys.undo",
};
const scopeOf = new Map(
  Object.entries(ROUTES_OF_SCOPE).flatMap(([scope, routes]) =>
    routes
      .split(" ")
      .filter((route) => route !== "")
      .map((route) => [route, scope]),
  ),
);

/** A scope that a route needs beside its own. */
const ALSO: Record<string, Scope> = { "verifications.create": "mailbox:read" };

/** The largest body of each route in bytes; 1 MiB for the others. */
const MAX_BYTES: Record<string, number> = {
  "enroll.redeem": 16_384,
  "verifications.take": 16_384,
  ...Object.fromEntries(
    "messages.send messages.reply messages.forward messages.checkSend messages.checkReply messages.checkForward drafts.create drafts.update"
      .split(" ")
      .map((route) => [route, 26_214_400]),
  ),
};
const DEFAULT_MAX_BYTES = 1_048_576;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** Parameters that choose among a few words. */
const CHOICES: Record<string, string> = { direction: "send", list: "block", lease: "x", link: "x" };
/** Without an unknown position, the stream would not end. */
const QUERY: Record<string, string> = { "events.stream": `?after=${nothing.event}` };

const JUNK =
  "x % %zz %00 %0d%0a %2e%2e .. . %C3%28 a%2Fb a%20b ~ %25 null %F0%9F%93%AC%40x.example msg_ whk_8zzzzzzzzzzzzzzzzzzzzzzzzz";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const { things, agentKey: key, enrollmentKey, enrollmentKeyId } = await furnish(service, "every-route.example");
const document = await client.document();

type Route = {
  takesFile: boolean;
  name: string;
  method: string;
  pattern: string;
  isKeyed: boolean;
  scope: string;
};
const routes: Route[] = [...restMetas(appRouter)].map(([name, { openapi, consumesBytes }]) => ({
  name,
  takesFile: consumesBytes !== undefined,
  method: openapi.method,
  pattern: openapi.path,
  isKeyed: openapi.protect !== false,
  scope: scopeOf.get(name) ?? "not in ROUTES_OF_SCOPE",
}));
const keyed = routes.filter(({ isKeyed }) => isKeyed);
const scoped = keyed.filter(({ scope }) => scope !== "none");
const withBody = routes.filter(({ method, takesFile }) => (method === "POST" || method === "PATCH") && !takesFile);
const withNames = keyed.flatMap((route) => {
  const parameters = [...route.pattern.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => parameter);
  return parameters.flatMap((parameter) => {
    const kind = namedBy(route.name, parameter);
    return kind && !(parameter in CHOICES) ? [{ ...route, parameter, kind }] : [];
  });
});

/** The path of a route, with names that nothing has unless `values` has others. */
function pathOf({ name, pattern }: Route, values: Record<string, string> = {}): string {
  const path = (withoutDryRun(pattern) ?? pattern).replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const kind = namedBy(name, parameter);
    return values[parameter] ?? CHOICES[parameter] ?? encodeURIComponent(kind ? nothing[kind] : "");
  });
  return `${path}${withoutDryRun(pattern) ? "?dry_run=true" : ""}${QUERY[name] ?? ""}`;
}

/** A body that the route takes, or as much of one as shows that the key may call it. */
function bodyOf({ name, method, pattern }: Route): { json?: object } {
  if (method === "GET" || method === "DELETE") return {};
  const fields = Object.entries(OTHER_INPUT[name] ?? {}).filter(([field]) => !pattern.includes(`{${field}}`));
  return { json: Object.fromEntries(fields) };
}

const call = (route: Route, request: Request) => client.call<Failure>(route.method, pathOf(route), request);

test("every route has its scope in this file, and no other routes are in it", () => {
  expect(routes.map(({ name, scope }) => `${name} ${scope}`).toSorted()).toEqual(
    [...scopeOf].map(([name, scope]) => `${name} ${scope}`).toSorted(),
  );
});

describe.each(keyed)("$method $pattern", (route) => {
  test("answers 401 without a valid key", async () => {
    const typo = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
    const expired = await service.newAgentKey(enrollmentKeyId, { expiresAt: new Date(Date.now() - 1) });
    for (const bad of [
      undefined,
      "",
      "x",
      "mb_agent_",
      typo,
      key.toUpperCase(),
      `${key}x`,
      enrollmentKey,
      expired.key,
    ]) {
      const { status, body, headers } = await call(route, { ...bodyOf(route), key: bad });
      expect([bad, status, body.error.code]).toEqual([bad, 401, "unauthorized"]);
      expect(headers["www-authenticate"]).toMatch(/^Bearer/);
      if (bad && bad.length > 1) expect(JSON.stringify(body)).not.toContain(bad);
    }
    for (const authorization of [key, `Basic ${key}`, `Bearer ${key} x`, "Bearer"]) {
      expect((await call(route, { ...bodyOf(route), headers: { authorization } })).status).toBe(401);
    }
  });
});

async function keyWith(scopes: Scope[]): Promise<string> {
  return (await service.newAgentKey(enrollmentKeyId, { scopes })).key;
}

test.each(scoped)("$method $pattern needs the scope $scope", async (route) => {
  const needed = [route.scope, ALSO[route.name]].filter((scope) => scope !== undefined) as Scope[];
  for (const scope of needed) {
    const without = await keyWith(SCOPES.filter((one) => !hasScope([one], scope)));
    const { status, body, headers } = await call(route, { ...bodyOf(route), key: without });
    expect([status, body.error.code]).toEqual([403, "insufficient_scope"]);
    expect(body.error.message).toContain(scope);
    expect(headers["ratelimit-limit"]).toBeDefined();
  }
  const { status } = await call(route, { ...bodyOf(route), key: await keyWith(needed) });
  expect([401, 403]).not.toContain(status);
});

test.each(routes)("$method $pattern answers 405 and Allow for other methods, key or no key", async (route) => {
  const declared = Object.keys(document.paths[withoutDryRun(route.pattern) ?? route.pattern] ?? {});
  const methods = declared.map((method) => method.toUpperCase()).filter((method) => METHODS.includes(method));
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].join(", ");
  expect(methods).toContain(route.method);
  for (const other of METHODS.filter((method) => !methods.includes(method))) {
    for (const request of [{ key }, {}]) {
      const { status, headers, body } = await client.call(other, pathOf(route), request);
      expect([other, status, body.error.code, headers.allow]).toEqual([other, 405, "method_not_allowed", allow]);
    }
  }
});

test.each(withNames)("$method $pattern answers 404 for any $parameter that is not there", async (route) => {
  const own = Object.fromEntries(
    withNames
      .filter(({ name }) => name === route.name)
      .map(({ parameter, kind }) => [parameter, encodeURIComponent(things[kind])]),
  );
  const ask = async (value: string) => {
    const path = pathOf(route, { ...own, [route.parameter]: value });
    const { status, body } = await client.call<Failure>(route.method, path, { ...bodyOf(route), key });
    return { status, error: withoutRequest(body.error) };
  };
  const unknown = await ask(encodeURIComponent(nothing[route.kind]));
  expect([unknown.status, unknown.error?.code]).toEqual([404, expect.stringMatching(/^[a-z_]+_not_found$/)]);
  const otherKind = route.kind === "message" ? "thread" : "message";
  const id = things[route.kind];
  const broken = id.includes("@") || id.includes(".") ? [] : [id.toUpperCase(), id.slice(4), id.slice(0, -1), `${id}x`];
  for (const value of [...JUNK.split(" "), ...broken]) {
    expect([value, await ask(value)]).toEqual([value, unknown]);
  }
  // The answer names the kind, whether the thing exists or not.
  const explained = await ask(things[otherKind]);
  expect(explained).toMatchObject({ status: 404, error: { code: unknown.error?.code } });
  expect(explained).toEqual(await ask(nothing[otherKind]));
});

describe.each(withBody)("the body of $method $pattern", (route) => {
  const maxBytes = MAX_BYTES[route.name] ?? DEFAULT_MAX_BYTES;
  const send = (body: string | Buffer | undefined, type?: string) =>
    call(route, {
      key: route.isKeyed ? key : undefined,
      body,
      headers: type === undefined ? {} : { "content-type": type },
    });

  test("answers 400 for what is no JSON, or no object", async () => {
    const broken = [
      "{",
      "{]",
      "{'a':1}",
      '{"a":}',
      "\0",
      "NaN",
      '{"a":1}x',
      "\ufeff{",
      Buffer.from([0x22, 0xff, 0x22]),
    ];
    for (const text of broken) {
      const { status, body } = await send(text, "application/json");
      expect([text, status, body.error.code]).toEqual([text, 400, "invalid_json"]);
    }
    for (const text of ["[1,2]", "[]", '"abc"', "null", "5", "true", `${"[".repeat(8_000)}${"]".repeat(8_000)}`]) {
      const { status, body } = await send(text, "application/json");
      expect([text.slice(0, 9), status, body.error.code]).toEqual([text.slice(0, 9), 400, "invalid_request"]);
      expect(body.error.issues?.length).toBeGreaterThan(0);
    }
  });

  test("answers 413 over its limit, to a client that sends it all", async () => {
    const { status, body } = await send(Buffer.alloc(maxBytes + 1, "x"), "application/json");
    expect([status, body.error.code]).toEqual([413, "payload_too_large"]);
    expect(body.error.message).toContain(String(maxBytes));
  });

  test("answers 415 for another type or charset, or none", async () => {
    for (const type of [undefined, "text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""]) {
      const { status, body } = await send("{}", type);
      expect([type, status, body.error.code]).toEqual([type, 415, "unsupported_media_type"]);
    }
    expect((await send("{}", "application/json; charset=iso-8859-1")).status).toBe(415);
  });

  test("may be UTF-8 by any name, or absent with any type", async () => {
    const types = [
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
      "Application/JSON ; charset=UTF8",
    ];
    for (const type of types) expect((await send("{}", type)).status).not.toBe(415);
    expect((await send(undefined)).status).not.toBe(415);
    expect((await send(undefined, "text/plain")).status).not.toBe(415);
  });
});
