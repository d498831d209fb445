// What the dashboard's palette finds by a part of its name, among many keys, agents, webhooks and domains.
import { afterAll, describe, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService();
afterAll(() => service.stop());

async function enrollAgent(token: string, handle: string, name?: string): Promise<string> {
  const answer = await fetch(`${service.url}/v1/enroll`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, agent_handle: handle, ...(name && { agent_name: name }) }),
  });
  return ((await answer.json()) as { agent_id: string }).agent_id;
}

async function newTeam() {
  const { organizationId, enrollmentKey } = await service.newOrganization();
  const { trpc } = await newOwner(service, organizationId);
  const issue = async (name: string) => (await trpc.keys.issue.mutate({ name, max_mailboxes: 1 })).id;
  const register = async (url: string) =>
    (await trpc.webhooks.register.mutate({ url, events: ["message.received"] })).id;
  const enroll = (handle: string, name?: string) => enrollAgent(enrollmentKey, handle, name);
  return { trpc, enroll, issue, register, find: (q: string) => trpc.overview.find.query({ q }) };
}

describe("overview.find", () => {
  test("keys, webhooks and domains whose name contains the text, in any case", async () => {
    const { trpc, issue, register, find } = await newTeam();
    const key = await issue("Harbour fleet");
    await issue("Other");
    const webhook = await register("https://a.example/HARBOUR");
    await register("https://a.example/other");
    const { id: domain } = await trpc.domains.create.mutate({ domain: "harbour.example" });
    expect(await find("OUR")).toEqual({
      keys: [{ id: key, name: "Harbour fleet" }],
      agents: [],
      webhooks: [{ id: webhook, url: "https://a.example/HARBOUR" }],
      domains: [{ id: domain, domain: "harbour.example" }],
    });
    expect(await find("harbours")).toEqual({ keys: [], agents: [], webhooks: [], domains: [] });
  });

  test("agents by their names and handles, without the one that acts for members", async () => {
    const { trpc, issue, enroll, find } = await newTeam();
    const named = await enroll("signup-1", "Harbour pilot");
    const unnamed = await enroll("harbour-2");
    await trpc.inboxes.createWith.mutate({ enrollment_key_id: await issue("Own") });
    expect((await find("HARBOUR")).agents).toEqual([
      { id: unnamed, name: "harbour-2" },
      { id: named, name: "Harbour pilot · signup-1" },
    ]);
    expect((await find("signup")).agents.map(({ id }) => id)).toEqual([named]);
    expect((await find("dashboard")).agents).toEqual([]);
  });

  test("the newest five, also of keys that no page shows first", async () => {
    const { issue, find } = await newTeam();
    const first = await issue("Number 1 of the fleet");
    const ids: string[] = [];
    for (let n = 2; n <= 120; n += 1) ids.push(await issue(`Number ${n} of the fleet`));
    expect((await find("fleet")).keys.map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 5));
    expect((await find("number 1 of")).keys.map(({ id }) => id)).toEqual([first]);
  });

  test("each character stands for itself", async () => {
    const { issue, find } = await newTeam();
    await issue("one");
    const odd = await issue("100 % o_e \\ 'x'");
    for (const q of ["%", "o_e", "\\", "'"]) expect((await find(q)).keys.map(({ id }) => id)).toEqual([odd]);
  });

  test("nothing of another organization, and no test receiver", async () => {
    const [mine, other] = [await newTeam(), await newTeam()];
    await other.issue("Secret plan");
    await other.register("https://secret.example/");
    await other.trpc.domains.create.mutate({ domain: "secret-plan.example" });
    await other.enroll("secret-bot");
    await mine.trpc.webhooks.createReceiver.mutate({});
    expect(await mine.find("secret")).toEqual({ keys: [], agents: [], webhooks: [], domains: [] });
    expect((await mine.find("/")).webhooks).toEqual([]);
  });

  test("400 for no text, a long one, and control characters", async () => {
    const { find } = await newTeam();
    for (const q of ["", "  ", "x".repeat(201), "a\0b"])
      await expect(find(q)).rejects.toMatchObject({ data: { httpStatus: 400 } });
  });
});
