// Calls every procedure that is open to members as callers without permission: no session, an ended session, a member
// of another organization, a lower role, a removed member. Generated from the router, so that new procedures are
// included.
import { afterAll, describe, expect, test } from "vitest";
import { appRouter } from "#server/api/router.ts";
import { ROLES, type Role } from "#server/base/context.ts";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner, type Person, post } from "#test/support/team.ts";

const service = await startTestService({ ROLES: "web" });
afterAll(service.stop);

type Procedure = { _def: { type: "query" | "mutation" | "subscription"; meta?: { role?: Role } } };

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>).flatMap(
  ([path, { _def }]) => (_def.meta?.role ? [{ path, type: _def.type, role: _def.meta.role }] : []),
);

const [here, elsewhere] = [await service.newOrganization(), await service.newOrganization()];
const owner = await newOwner(service, here.organizationId);
const foreigner = await newOwner(service, elsewhere.organizationId);
const members: Partial<Record<Role, Person>> = {
  owner,
  admin: await newMember(service, owner, "admin"),
  member: await newMember(service, owner, "member"),
};

const removed = await newMember(service, owner, "admin");
const { members: listed } = await owner.trpc.team.members.query();
await owner.trpc.team.removeMember.mutate({ id: listed.find(({ email }) => email === removed.email)?.id ?? "" });

type Refusal = { data: { httpStatus: number; error: { code: string } } };

/** A stream answers 200 and tells its refusal as the first event. */
async function subscribe(path: string, headers: Record<string, string>, search: string) {
  const answer = await fetch(`${service.url}/trpc/${path}${search}`, { headers });
  let text = "";
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString();
    const data = /^event: serialized-error\ndata: (.*)$/m.exec(text)?.[1];
    if (!data) continue;
    const { httpStatus: status, error } = (JSON.parse(data) as Refusal).data;
    return { status, code: error.code };
  }
  throw new Error(`${path} ended without a refusal: ${text}`);
}

/** Calls a procedure without an input: who is refused is refused before anyone looks at it. */
async function call(path: string, type: Procedure["_def"]["type"], headers: Record<string, string>, search = "") {
  if (type === "subscription") return subscribe(path, headers, search);
  const answer =
    type === "mutation"
      ? await post(service, `/trpc/${path}${search}`, {}, headers)
      : await fetch(`${service.url}/trpc/${path}${search}`, { headers });
  const { error } = (await answer.json()) as { error?: Refusal };
  return { status: answer.status, code: error?.data.error.code };
}

test("there are procedures of every role", () => {
  expect(new Set(procedures.map(({ role }) => role))).toEqual(new Set(ROLES));
});

describe("401 unauthorized", () => {
  test.each(procedures)("$path without a session", async ({ path, type }) => {
    expect(await call(path, type, {})).toEqual({ status: 401, code: "unauthorized" });
  });

  test.each(procedures)("$path with an invented session", async ({ path, type }) => {
    const cookie = `${owner.cookie.split("=", 1)[0]}=invented.c2lnbmF0dXJl`;
    expect(await call(path, type, { cookie })).toEqual({ status: 401, code: "unauthorized" });
  });
});

describe("403 not_a_member", () => {
  test.each(procedures)("$path for a member of another organization", async ({ path, type }) => {
    const search = `?organization=${here.organizationId}`;
    const answer = await call(path, type, { cookie: foreigner.cookie }, search);
    expect(answer).toEqual({ status: 403, code: "not_a_member" });
  });

  test.each(procedures)("$path for who was removed", async ({ path, type }) => {
    expect(await call(path, type, { cookie: removed.cookie })).toEqual({ status: 403, code: "not_a_member" });
  });
});

describe("403 insufficient_role", () => {
  const tooLow = procedures.flatMap((procedure) =>
    ROLES.slice(0, ROLES.indexOf(procedure.role)).map((by) => ({ ...procedure, by })),
  );
  test.each(tooLow)("$path for a $by", async ({ path, type, by }) => {
    const cookie = members[by]?.cookie ?? "";
    expect(await call(path, type, { cookie })).toEqual({ status: 403, code: "insufficient_role" });
  });

  const enough = procedures.filter(({ type }) => type === "query");
  test.each(enough)("$path is not refused to a $role", async ({ path, type, role }) => {
    const { status } = await call(path, type, { cookie: members[role]?.cookie ?? "" });
    expect([200, 400]).toContain(status);
  });
});

describe("403 cross_origin", () => {
  const mutations = procedures.filter(({ type }) => type === "mutation");
  test.each(mutations)("$path from a page of another origin", async ({ path, type }) => {
    const headers = { cookie: owner.cookie, Origin: "https://elsewhere.example" };
    expect(await call(path, type, headers)).toEqual({ status: 403, code: "cross_origin" });
  });
});
