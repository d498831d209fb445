// Vitest: a code that was replaced by a newer one is refused. How to run it: README.md.
// In a project of your own: import { mailbox } from "@mailberth/client/testing";
import { expect, test } from "vitest";
import { mailbox } from "#client/testing.ts";

const SITE = process.env.SITE_URL ?? "http://127.0.0.1:4000";

const post = (path: string, body: object) => fetch(SITE + path, { method: "POST", body: JSON.stringify(body) });

test("only the newest code is taken", async () => {
  const inbox = await mailbox();
  const email = inbox.address;
  await post("/sign-up", { email });
  const older = await inbox.code({ from: "site.example" });
  await post("/sign-up", { email });
  const newer = await inbox.code({ from: "site.example" });
  expect((await post("/confirm", { email, code: older })).status).toBe(403);
  expect((await post("/confirm", { email, code: newer })).status).toBe(200);
  await inbox.remove();
});
