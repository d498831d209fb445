// Mailboxes for tests, as a test suite uses them.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { serviceError } from "#client/index.ts";
import startMailberth, { mailbox } from "#client/testing.ts";
import { startTestService, type TestService } from "#test/support/service.ts";

let service: TestService;
let key = "";
const surroundings = { MAILBERTH_URL: process.env.MAILBERTH_URL, MAILBERTH_KEY: process.env.MAILBERTH_KEY };

beforeAll(async () => {
  service = await startTestService();
  key = (await service.newOrganization()).agentKey;
});
afterAll(async () => {
  restore(surroundings);
  await service.stop();
});
beforeEach(() => restore({ MAILBERTH_URL: service.url, MAILBERTH_KEY: key }));

function restore(named: Record<string, string | undefined>) {
  for (const [name, value] of Object.entries(named)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

const mailCode = (to: string, code: string, from = "no-reply@shop.example") =>
  service.mail({ from, to, subject: "Your code", text: `Your verification code is ${code}.` });

test("returns the codes in their order, and none twice", async () => {
  const inbox = await mailbox();
  await mailCode(inbox.address, "482913");
  await service.mail({ from: "news@shop.example", to: inbox.address, subject: "News", text: "We have new shoes." });
  await mailCode(inbox.address, "731946");
  expect(await inbox.code({ from: "shop.example" })).toBe("482913");
  expect(await inbox.code()).toBe("731946");
  await expect(inbox.code({ timeoutSeconds: 0 })).rejects.toThrow('Without one came: "News" from news@shop.example.');
});

test("waits for mail that comes later", async () => {
  const inbox = await mailbox();
  const [code] = await Promise.all([inbox.code(), mailCode(inbox.address, "604182")]);
  expect(code).toBe("604182");
});

test("does not lose the mail of one sender while it waits for another", async () => {
  const inbox = await mailbox();
  await mailCode(inbox.address, "111283", "no-reply@bank.example");
  await mailCode(inbox.address, "222394");
  expect(await inbox.code({ from: "shop.example" })).toBe("222394");
  expect(await inbox.code({ from: "bank.example" })).toBe("111283");
});

test("returns the link and the whole message, also of a mail whose code was returned", async () => {
  const inbox = await mailbox();
  const text = "Your code is 482913. Or confirm your address: https://shop.example/confirm?token=8sK2fJ0q";
  await service.mail({ from: "no-reply@shop.example", to: inbox.address, subject: "Confirm", text });
  expect(await inbox.code()).toBe("482913");
  expect(await inbox.link({ subject: "confirm" })).toBe("https://shop.example/confirm?token=8sK2fJ0q");
  expect(await inbox.message({ to: inbox.address })).toMatchObject({
    subject: "Confirm",
    text: expect.stringContaining(text),
  });
  await expect(inbox.message({ timeoutSeconds: 0 })).rejects.toThrow(
    `No mail came to ${inbox.address} within 0 s. No mail came.`,
  );
});

test("a removed mailbox takes no more mail, and its calls say so", async () => {
  const inbox = await mailbox();
  await inbox.remove();
  await expect(mailCode(inbox.address, "482913")).rejects.toThrow("550");
  expect(serviceError(await inbox.code().catch((error: unknown) => error))?.code).toBe("inbox_not_found");
});

test("without a service it says what to set", async () => {
  delete process.env.MAILBERTH_KEY;
  await expect(mailbox()).rejects.toThrow("set MAILBERTH_URL and MAILBERTH_KEY");
});

test("the setup starts nothing beside a named service, and says what to install without one", async () => {
  await (await startMailberth())();
  expect((await mailbox()).address).toContain("@");
  restore({ MAILBERTH_URL: undefined });
  await expect(startMailberth()).rejects.toThrow("npm install --save-dev mailberth");
});
