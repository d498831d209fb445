// What the dashboard's palette finds by a part of its name, among many keys, webhooks and domains.
import { afterAll, describe, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";
import { newOwner } from "#test/support/team.ts";

const service = await startTestService();
afterAll(() => service.stop());

async function newTeam() {
  const { organizationId } = await service.newOrganization();
  const { trpc } = await newOwner(service, organizationId);
  const issue = async (name: string) => (await trpc.keys.issue.mutate({ name, max_mailboxes: 1 })).id;
  const register = async (url: string) =>
    (await trpc.webhooks.register.mutate({ url, events: ["message.received"] })).id;
  return { trpc, issue, register, find: (q: string) => trpc.overview.find.query({ q }) };
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
      webhooks: [{ id: webhook, url: "https://a.example/HARBOUR" }],
      domains: [{ id: domain, domain: "harbour.example" }],
    });
    expect(await find("harbours")).toEqual({ keys: [], webhooks: [], domains: [] });
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
    await mine.trpc.webhooks.createReceiver.mutate({});
    expect(await mine.find("secret")).toEqual({ keys: [], webhooks: [], domains: [] });
    expect((await mine.find("/")).webhooks).toEqual([]);
  });

  test("400 for no text, a long one, and control characters", async () => {
    const { find } = await newTeam();
    for (const q of ["", "  ", "x".repeat(201), "a\0b"])
      await expect(find(q)).rejects.toMatchObject({ data: { httpStatus: 400 } });
  });
});
