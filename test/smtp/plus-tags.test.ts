// Mail to an address with plus-tags reaches the mailbox before the first plus.
import { afterAll, expect, test } from "vitest";
import { api, inboxPath, type Page } from "#test/support/api.ts";
import { startTestService } from "#test/support/service.ts";

const service = await startTestService({ ROLES: "web,smtp" });
const client = api(service);
afterAll(() => client.close().then(service.stop));

const { agentKey: key } = await service.newOrganization();
const { address } = await client.createInbox(key, { username: "tagged" });

test.each(["tagged", "tagged+b", "tagged+b+c", "TAGGED+b+c+d", "tagged+", "tagged++"])("%s", async (local) => {
  const subject = `to ${local}`;
  await service.mail({ from: "a@b.example", to: `${local}@mail.example`, subject });
  const { data } = (await client.get<Page<{ subject: string }>>(inboxPath(address, "/messages"), { key })).body;
  expect(data.map((message) => message.subject)).toContain(subject);
});

test.each(["+tagged", "other+tagged", "b+tagged+c"])("%s is another mailbox", async (local) => {
  await expect(service.mail({ from: "a@b.example", to: `${local}@mail.example` })).rejects.toThrow(/550/);
});
