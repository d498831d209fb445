// People of a team for tests: owners and members of an organization, each with a session and a typed client of the tRPC door.
import { createTRPCClient, httpLink } from "@trpc/client";
import type { AppRouter } from "#server/api/router.ts";
import type { Role } from "#server/base/context.ts";
import { decodeId } from "#server/base/ids.ts";
import { newOwnerToken } from "#server/organizations/links.ts";
import type { TestService } from "./service.ts";

export const PASSWORD = "correct horse battery";

let made = 0;

/** The cookies of an answer as a browser sends them back. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((text) => text.split(";", 1)[0])
    .join("; ");
}

/** Sends a POST like a page of the service. */
export function post(service: TestService, path: string, body: object, headers: Record<string, string> = {}) {
  return fetch(service.url + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: service.url, ...headers },
    body: JSON.stringify(body),
  });
}

/** A client as the dashboard has it. `organization`: the wire id that the tab has chosen. */
export function sessionClient(service: TestService, cookie: string, organization?: string) {
  const url = `${service.url}/trpc${organization ? `?organization=${organization}` : ""}`;
  return createTRPCClient<AppRouter>({ links: [httpLink({ url, headers: { cookie, origin: service.url } })] });
}

export type Person = Awaited<ReturnType<typeof join>>;

async function join(service: TestService, token: string, person: { email?: string; name: string }) {
  const answer = await post(service, "/trpc/team.join", { token, password: PASSWORD, ...person });
  if (answer.status !== 200) throw new Error(`team.join: ${answer.status} ${await answer.text()}`);
  const { result } = (await answer.json()) as { result: { data: { email: string } } };
  const cookie = cookiesOf(answer);
  return { ...person, email: result.data.email, cookie, trpc: sessionClient(service, cookie) };
}

/** A person who becomes an owner by a link of an organization, given by its API id. */
export async function newOwner(service: TestService, organizationId: string): Promise<Person> {
  made += 1;
  const token = await newOwnerToken(service.system, decodeId("org", organizationId) ?? "");
  return join(service, token, { name: `Owner ${made}`, email: `owner${made}@people.example` });
}

/** An organization with an owner. */
export async function newTeam(service: TestService) {
  const organization = await service.newOrganization();
  const owner = await newOwner(service, organization.organizationId);
  return { ...organization, owner };
}

/** A person whom `owner` invites. */
export async function newMember(service: TestService, owner: Person, role: Role): Promise<Person> {
  made += 1;
  const { link } = await owner.trpc.team.invite.mutate({ email: `${role}${made}@people.example`, role });
  return join(service, link?.split("#")[1] ?? "", { name: `A ${role}` });
}

/** What the client throws for an error of the service. */
export function refused(httpStatus: number, code: string) {
  return { data: { httpStatus, error: { code } } };
}
