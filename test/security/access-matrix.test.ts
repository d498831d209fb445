// Organizations × roles × keys × every procedure × every form of a name, over tRPC and REST: the answer for another organization's
// thing, or for one that a restricted key may not see, is that for a thing that never existed, and the other organization stays as it
// is. Generated from the router's inputs.

import { afterAll, describe, expect, test } from "vitest";
import { SCOPES } from "#server/base/context.ts";
import { decodeId, encodeId, newId } from "#server/base/ids.ts";
import { revokeAgentKey } from "#server/keys/revoke.ts";
import { withoutDryRun } from "#server/procedures/meta.ts";
import { size } from "#test/sizes.ts";
import {
  asGiven,
  furnish,
  isKnownField,
  type Kind,
  namedBy,
  nothing,
  OTHER_INPUT,
  type Procedure,
  procedures,
  type Things,
} from "#test/support/named-inputs.ts";
import { adjustableClock, startTestService } from "#test/support/service.ts";
import { post } from "#test/support/team.ts";
import { eventually } from "../support/events.ts";

const CALL_TIMEOUT_MS = 45_000;
const EXPIRES_MS = 60_000;
/** Differ between any two answers, or with the length of a name that is repeated. */
const CHANGING = ["date", "x-request-id", "content-length", "ratelimit-remaining", "ratelimit-reset"];

const clock = adjustableClock();
const service = await startTestService({ ROLES: "web,smtp" }, { now: clock.now });
afterAll(service.stop);

const [theirs, ours] = [await furnish(service, "theirs.example"), await furnish(service, "ours.example")];

type Caller = { name: string; headers: Record<string, string>; isAgent: boolean };

const agent = (name: string, key: string): Caller => ({
  name,
  headers: { authorization: `Bearer ${key}` },
  isAgent: true,
});

async function issue(grant: Parameters<typeof service.newAgentKey>[1]) {
  return service.newAgentKey(ours.enrollmentKeyId, grant);
}

const revoked = await issue({});
await revokeAgentKey(service.system, revoked.id);
const expired = await issue({ expiresAt: new Date(clock.now().getTime() + EXPIRES_MS) });
clock.advance(2 * EXPIRES_MS);

const owner: Caller = { name: "owner", headers: { cookie: ours.people.owner.cookie }, isAgent: false };
const fullAgent = agent("agent", ours.agentKey);
const restricted = agent("agent restricted to another inbox", (await issue({ inboxes: [ours.otherInbox] })).key);
const ownEnrollment = await service.newEnrollment(ours.organizationId, { inboxAccess: "own" });
const ownOnly = agent("agent that reaches only its own inboxes", ownEnrollment.agentKey);
/** With every form of a name. */
const mainCallers = [owner, fullAgent, restricted, ownOnly];
/** With the usual form of a name. */
const otherCallers: Caller[] = [
  { name: "admin", headers: { cookie: ours.people.admin.cookie }, isAgent: false },
  { name: "member", headers: { cookie: ours.people.member.cookie }, isAgent: false },
  agent("agent with a revoked key", revoked.key),
  agent("agent with an expired key", expired.key),
  ...(await Promise.all(
    SCOPES.map(async (scope) => agent(`agent with ${scope}`, (await issue({ scopes: [scope] })).key)),
  )),
];

/** The ways to write a name. */
const IDS: Record<string, (name: string) => string> = {
  "as it is": (name) => name,
  "upper case": (name) => name.toUpperCase(),
  "percent-encoded": (name) => name.replace("_", "%5F").replace("@", "%40"),
  "with spaces": (name) => ` ${name} `,
};
const ADDRESSES: typeof IDS = {
  ...IDS,
  "plus-tagged": (name) => name.replace("@", "+tag@"),
  "with a dot at its end": (name) => `${name}.`,
};

/** Pairs of a foreign name and one that never existed, written alike. */
function formsOf(kind: Kind): [form: string, foreign: string, unknown: string][] {
  const forms = kind === "inbox" || kind === "invited" ? ADDRESSES : IDS;
  const pairs = Object.entries(forms).map(([form, write]): [string, string, string] => [
    form,
    write(theirs.things[kind]),
    write(nothing[kind]),
  ]);
  const [prefix = ""] = theirs.things[kind].split("_");
  const uuid = decodeId(prefix as Parameters<typeof decodeId>[0], theirs.things[kind]);
  if (uuid) pairs.push(["a raw UUID", uuid, newId()]);
  if (kind === "inbox") pairs.push(["its id", theirs.inboxId, encodeId("inb", newId())]);
  const other = kind === "message" ? "thread" : "message";
  pairs.push(["an id of another kind", theirs.things[other], nothing[other]]);
  return pairs;
}

const THIRDS = size("FORM_THIRDS");

/** In CI one third of the forms: another third for each caller, and for the next case. */
function formsFor(each: Case, caller: number): ReturnType<typeof formsOf> {
  const first = cases.indexOf(each) + caller;
  return formsOf(each.kind).filter((_, at) => (at + first) % 3 < THIRDS);
}

type Case = { procedure: Procedure; by: string; kind: Kind };
const cases: Case[] = procedures.flatMap((procedure) =>
  procedure.fields.flatMap(([by]) => {
    const kind = namedBy(procedure.path, by);
    return kind ? [{ procedure, by, kind }] : [];
  }),
);

/** What a procedure needs, and names of what is ours. */
function ownInput({ path, fields }: Procedure): Record<string, unknown> {
  const required = fields.filter(([, schema]) => !schema.safeParse(undefined).success);
  const own = required.flatMap(([field]) => {
    const kind = namedBy(path, field);
    return kind ? [[field, asGiven(field, ours.things[kind])]] : [];
  });
  return { ...OTHER_INPUT[path], ...Object.fromEntries(own) };
}

/** The field `by` has the value; the others that are required name what is ours. */
function inputOf({ procedure, by }: Case, value: string): Record<string, unknown> {
  return { ...ownInput(procedure), [by]: asGiven(by, value) };
}

function callTrpc({ path, type }: Procedure, { headers }: Caller, input: object): Promise<Response> {
  if (type === "mutation") return post(service, `/trpc/${path}`, input, headers);
  const search = new URLSearchParams({ input: JSON.stringify(input) });
  return fetch(`${service.url}/trpc/${path}?${search}`, { headers, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) });
}

function callRest({ meta }: Procedure, { headers }: Caller, input: Record<string, unknown>): Promise<Response> {
  const { method = "GET", path: full = "" } = meta.openapi ?? {};
  const path = withoutDryRun(full) ?? full;
  const rest = { ...input };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
  if (method === "GET" || method === "DELETE") {
    const search = new URLSearchParams(rest as Record<string, string>);
    return fetch(`${service.url}${filled}?${search}`, { method, headers, signal });
  }
  const json = { ...headers, "content-type": "application/json" };
  return fetch(`${service.url}${filled}${path === full ? "" : "?dry_run=true"}`, {
    method,
    headers: json,
    body: JSON.stringify(rest),
    signal,
  });
}

/** The text up to its end, or to the first error of a stream that goes on. */
async function textOf(answer: Response): Promise<string> {
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (text.includes("serialized-error\n") && text.endsWith("\n\n")) break;
  }
  return text;
}

/** What an answer says, but for what it repeats of the question and what differs from one answer to the next. */
async function saidOf(answer: Response, value: string) {
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !CHANGING.includes(name)));
  const text = (await textOf(answer)).replaceAll(/req_[0-9a-f-]{36}/g, "the request");
  const names = [value, value.trim(), value.toLowerCase().trim(), value.toLowerCase().replace("+tag", "").trim()];
  const said = names.reduce((rest, name) => rest.replaceAll(JSON.stringify(name).slice(1, -1), "the name"), text);
  return { status: answer.status, headers, said };
}

/** The procedure's answers at both doors, for a name. */
async function answers(each: Case, caller: Caller, value: string) {
  const input = inputOf(each, value);
  const { procedure } = each;
  const doors = [callTrpc, ...(procedure.meta.openapi && caller.isAgent ? [callRest] : [])];
  return Promise.all(doors.map(async (call) => saidOf(await call(procedure, caller, input), value)));
}

const TABLES = await service.system.sql<{ name: string }[]>`
  select relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attname = 'organization_id' order by 1`;

/** How many rows an organization has in each table, and a hash of all that is in them. */
async function stateOf(organizationId: string) {
  const { sql } = service.system;
  const id = decodeId("org", organizationId) ?? "";
  return Promise.all(
    TABLES.map(async ({ name }) => {
      const [state] = await sql<
        { rows: number; hash: string | null }[]
      >`select count(*)::int as rows, md5(string_agg(md5(t::text), '' order by md5(t::text))) as hash
        from ${sql(name)} t where organization_id = ${id}`;
      return { name, rows: state?.rows ?? 0, hash: state?.hash ?? null };
    }),
  );
}
/** Calls are logged after their answers: the two that made their drafts. */
const CALLS_OF_THEIRS = 2;
await eventually(async () => {
  const calls = (await stateOf(theirs.organizationId)).find(({ name }) => name === "api_calls");
  expect(calls?.rows).toBe(CALLS_OF_THEIRS);
});
const before = await stateOf(theirs.organizationId);

describe("completeness", () => {
  const fields = procedures.flatMap(({ path, fields: all }) => all.map(([field]) => ({ path, field })));
  test("of every input it is decided whether it names something", () => {
    expect(fields.filter(({ path, field }) => !isKnownField(path, field))).toEqual([]);
  });

  test("a new procedure with an id must be covered", () => {
    expect([isKnownField("letters.get", "id"), isKnownField("messages.get", "folder_id")]).toEqual([false, false]);
  });

  test("every kind of thing is named by some procedure, and the other organization has one", () => {
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(Object.keys(nothing)));
    for (const name of Object.values(theirs.things)) expect(name).not.toBe("");
    expect(before.filter(({ rows }) => rows > 0).length).toBeGreaterThan(TABLES.length / 2);
  });
});

const named = cases.map((each): [string, Case] => [`${each.procedure.path} by ${each.by}`, each]);

describe.concurrent("another organization's is as unknown", () => {
  test.each(named)("%s, in every form", async (_, each) => {
    for (const [at, caller] of mainCallers.entries()) {
      for (const [form, foreign, unknown] of formsFor(each, at)) {
        const [a, b] = await Promise.all([answers(each, caller, foreign), answers(each, caller, unknown)]);
        expect({ caller: caller.name, form, answers: a }).toEqual({ caller: caller.name, form, answers: b });
      }
    }
  });

  test.each(named)("%s, for every other role and key", async (_, each) => {
    const [foreign, unknown] = [theirs.things[each.kind], nothing[each.kind]];
    await Promise.all(
      otherCallers.map(async (caller) => {
        const [a, b] = await Promise.all([answers(each, caller, foreign), answers(each, caller, unknown)]);
        expect({ caller: caller.name, answers: a }).toEqual({ caller: caller.name, answers: b });
      }),
    );
  });

  const required = named.filter(
    ([, { procedure, by, kind }]) =>
      kind !== "domain" &&
      procedure.meta.role &&
      !procedure.fields.find(([field]) => field === by)?.[1].safeParse(undefined).success,
  );
  test.each(required)("%s is not found for an owner", async (_, each) => {
    const [answer] = await answers(each, owner, theirs.things[each.kind]);
    // A change of many says which of them there are not.
    expect(answer?.said).toMatch(/"code":"\w+_not_found"|"updated":\[\],"missing":\["/);
  });
});

/** What belongs to a mailbox, or to another key: a key for one mailbox, or for those of its agent, sees nothing of another. */
const BARRED = new Set<Kind>(["inbox", "thread", "message", "attachment", "draft", "webhook", "delivery", "agentKey"]);
const barred = named.filter(([, { kind, procedure }]) => BARRED.has(kind) && procedure.meta.scope);
describe.each([restricted, ownOnly])("an $name", (caller) => {
  test.each(barred)("%s: what it may not see is as unknown to it", async (_, each) => {
    const [a, b] = [
      await answers(each, caller, ours.things[each.kind]),
      await answers(each, caller, nothing[each.kind]),
    ];
    expect(a).toEqual(b);
  });

  const whole = procedures.filter(
    ({ type, meta, fields }) =>
      type === "query" &&
      meta.scope &&
      !meta.produces &&
      fields.every(([, schema]) => schema.safeParse(undefined).success),
  );
  test.each(whole)("$path names nothing of another inbox", async (procedure) => {
    const text = await (await callTrpc(procedure, caller, {})).text();
    const { inbox, thread, message, draft, webhook, delivery, event } = ours.things;
    for (const name of [inbox, thread, message, draft, webhook, delivery, event]) expect(text).not.toContain(name);
  });
});

describe("a list", () => {
  const lists = procedures.filter(
    ({ path, type, meta, fields }) =>
      type === "query" &&
      (meta.role || meta.scope) &&
      // The stream does not end; test/events/stream has its tenants.
      !meta.produces &&
      // It tells what its own people asked for, these names among it; test/organizations/audit has its tenants.
      path !== "team.audit" &&
      fields.every(
        ([field, schema]) => ["inbox", undefined].includes(namedBy(path, field)) || schema.safeParse(undefined).success,
      ),
  );
  const callers = (procedure: Procedure) => [
    ...(procedure.meta.role ? [{ caller: owner, call: callTrpc }] : []),
    ...(procedure.meta.scope ? [{ caller: fullAgent, call: callTrpc }] : []),
    ...(procedure.meta.openapi ? [{ caller: fullAgent, call: callRest }] : []),
  ];
  test.each(lists)("$path names nothing of another organization", async (procedure) => {
    for (const { caller, call } of callers(procedure)) {
      const answer = await call(procedure, caller, ownInput(procedure));
      const text = await answer.text();
      expect([caller.name, call.name, answer.status]).toEqual([caller.name, call.name, 200]);
      const names: Partial<Things> = { ...theirs.things };
      for (const name of [theirs.people.owner.email, theirs.organizationId, ...Object.values(names)]) {
        expect(text).not.toContain(name);
      }
    }
  });
});

test("client ids and idempotency keys of one organization mean nothing to another", async () => {
  const callAs = async (key: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await post(service, path, body, headers);
    return { replayed: answer.headers.get("idempotent-replayed"), body: (await answer.json()) as { id: string } };
  };
  const [a, b] = [await service.newOrganization(), await service.newOrganization()];
  const made = [];
  for (const { agentKey } of [a, b, b]) {
    const inbox = await callAs(agentKey, "/v1/inboxes", { client_id: "mine" });
    const send = { to: "x@else.example", text: "x", idempotency_key: "mine" };
    made.push({ inbox, sent: await callAs(agentKey, `/v1/inboxes/${inbox.body.id}/send`, send) });
  }
  const [first, second, again] = made;
  expect([second?.inbox.replayed, again?.inbox.replayed]).toEqual([null, "true"]);
  expect([again?.inbox.body.id, again?.sent.body.id]).toEqual([second?.inbox.body.id, second?.sent.body.id]);
  expect([first?.inbox.body.id, first?.sent.body.id]).not.toEqual([second?.inbox.body.id, second?.sent.body.id]);
});

test("at the end every table holds of the other organization what it held", async () => {
  expect(await stateOf(theirs.organizationId)).toEqual(before);
});
