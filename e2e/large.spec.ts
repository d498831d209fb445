// Teams with much of everything: a long list of threads, a long thread, a large attachment, many webhooks and many keys.
import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "@playwright/test";
import { size } from "#test/sizes.ts";
import { BASE_URL, mail, messagesOf, newInbox, openMail, openThread } from "./mailbox.ts";
import { ask, call, signInAsOwner } from "./owner.ts";

const THREADS = size("LISTED_THREADS");
const MESSAGES = 60;
const WEBHOOKS = 50;
const KEYS = size("LISTED_KEYS");
const PAGE_KEYS = 50;
/** In base64, with a line break every 76 characters, it is nearly the 25 MiB that a mail may have. */
const FILE_BYTES = 18 * 2 ** 20;
const LARGE_TIMEOUT_MS = 240_000;

test.beforeEach(({ context }) => {
  test.setTimeout(LARGE_TIMEOUT_MS);
  return signInAsOwner(context, BASE_URL);
});

test(`a list of ${THREADS} threads is loaded as it is scrolled, to its end`, async ({ page, context }) => {
  const addr = await newInbox(context);
  for (let n = 1; n <= THREADS; n += 1) await mail(addr, `Number ${n}`);
  await openMail(page, addr);
  const list = page.getByRole("region", { name: "Threads" });
  const rows = list.getByRole("listitem");
  await expect(rows).toHaveCount(50);
  const first = page.getByRole("link", { name: /Number 1 / });
  await expect(async () => {
    await rows.last().scrollIntoViewIfNeeded();
    await expect(first).toBeInViewport({ timeout: 1_000 });
  }).toPass();
  await expect(rows).toHaveCount(THREADS);
  // The page itself does not grow: the list scrolls.
  expect(await page.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight)).toBe(true);
  await first.click();
  await expect(page.getByRole("heading", { level: 2, name: "Number 1", exact: true })).toBeVisible();
  await expect(page.getByRole("article").getByRole("img", { name: "Unread" })).toHaveCount(0);
  await mail(addr, "The newest");
  await expect(page.getByRole("link", { name: /The newest/ })).toBeAttached();
  await expect(page.getByRole("heading", { level: 2, name: "Number 1", exact: true })).toBeVisible();
});

test(`a thread of ${MESSAGES} unread messages opens at its newest, and older ones follow`, async ({
  page,
  context,
}) => {
  const addr = await newInbox(context);
  const idOf = (n: number) => `<${n}-${addr}>`;
  for (let n = 1; n <= MESSAGES; n += 1) {
    const answers = n > 1 && { inReplyTo: idOf(n - 1), references: idOf(1) };
    await mail(addr, "Long", { text: `These are the words of ${n}.`, messageId: idOf(n), ...answers });
  }
  await openMail(page, addr);
  const marks: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && /messages\.markRead|threads\.mark/.test(request.url()))
      marks.push(request.url());
  });
  await page.getByRole("link", { name: /Long/ }).click();
  const articles = page.getByRole("article");
  await expect(articles).toHaveCount(20);
  await expect(page.getByText(`These are the words of ${MESSAGES}.`).last()).toBeInViewport();
  const unfolded = articles.getByRole("button", { expanded: true, name: /zed/i });
  await expect(unfolded).toHaveCount(5);
  const unread = async () => (await messagesOf(context, addr, { unread: true, limit: 100 })).length;
  await expect.poll(unread).toBe(MESSAGES - 5);
  const older = page.getByRole("button", { name: "Show older messages" });
  await older.click();
  await expect(articles).toHaveCount(40);
  await older.click();
  await expect(articles).toHaveCount(MESSAGES);
  await expect(older).toHaveCount(0);
  await articles.first().scrollIntoViewIfNeeded();
  await expect(page.getByText("These are the words of 1.").last()).toBeInViewport();
  // What is unfolded is marked as read by one request; older messages are folded.
  expect(await unread()).toBe(MESSAGES - 5);
  expect(marks).toHaveLength(1);
  await page.getByRole("button", { name: "Newest message" }).click();
  await expect(page.getByText(`These are the words of ${MESSAGES}.`).last()).toBeInViewport();
});

test("an attachment of 18 MiB is saved unchanged", async ({ page, context }) => {
  const addr = await newInbox(context);
  const content = randomBytes(FILE_BYTES);
  await mail(addr, "Large", { attachments: [{ filename: "large.bin", content }] });
  await openMail(page, addr);
  await openThread(page, "Large");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: /large\.bin.*18/ }).click(),
  ]);
  const saved = createHash("sha256");
  for await (const chunk of await download.createReadStream()) saved.update(chunk);
  expect(saved.digest("hex")).toBe(createHash("sha256").update(content).digest("hex"));
});

test(`${WEBHOOKS} webhooks are shown, the failing ones first`, async ({ page, context }) => {
  const [inbox, quiet] = [await newInbox(context), await newInbox(context)];
  const register = (addr: string, n: number) => {
    const wish = { url: `http://127.0.0.1:9/large/${n}`, events: ["message.received"], address: addr };
    return call<{ id: string }>(context, BASE_URL, "webhooks.register", wish);
  };
  const ids: string[] = [];
  for (let n = 1; n <= WEBHOOKS; n += 1) ids.push((await register(n === 1 ? inbox : quiet, n)).id);
  try {
    await mail(inbox, "For the webhook that fails");
    await page.goto("/dashboard/webhooks");
    const rows = page.getByRole("row").filter({ hasText: "/large/" });
    await expect(rows).toHaveCount(WEBHOOKS);
    await expect(rows.first()).toHaveText(/\/large\/1(?!\d).*0%/);
    await rows.last().scrollIntoViewIfNeeded();
    await expect(rows.last()).toBeInViewport();
  } finally {
    for (const id of ids) await call(context, BASE_URL, "webhooks.remove", { id });
  }
});

test(`${KEYS} keys are shown page by page, and one of them is found by its name`, async ({ page, context }) => {
  const fleet = `Fleet ${randomBytes(4).toString("hex")}`;
  const issue = async (n: number) => {
    const data = { name: `${fleet} ${n} of ${KEYS}`, max_mailboxes: 1 };
    return (await context.request.post("/trpc/keys.issue", { headers: { Origin: BASE_URL }, data })).status();
  };
  // A member may make 20 requests a second. A refused one issues nothing.
  for (let n = 1; n <= KEYS; n += 1) await expect.poll(() => issue(n), { intervals: [1_000] }).toBe(200);
  /** How many keys each page has. Behind those of the fleet come the keys that were there before. */
  const pages: number[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const input = { limit: PAGE_KEYS, ...(cursor && { cursor }) };
    const read = await ask<{ data: unknown[]; next_cursor: string | null }>(context, BASE_URL, "keys.list", input);
    pages.push(read.data.length);
    cursor = read.next_cursor;
  }
  await page.goto("/dashboard/keys");
  const rows = page.getByRole("row").filter({ has: page.getByRole("cell") });
  let shown = 0;
  for (const [at, keys] of pages.entries()) {
    if (at > 0) await page.getByRole("button", { name: "Show more keys" }).click();
    shown += keys;
    await expect(rows).toHaveCount(shown);
  }
  await expect(rows.filter({ hasText: fleet })).toHaveCount(KEYS);
  // The button had the focus, and is gone.
  await expect(page.getByText("These are all keys.")).toBeFocused();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find" }).fill(`${fleet} 7 of ${KEYS}`);
  await page.getByRole("option", { name: new RegExp(`${fleet} 7 of ${KEYS}`) }).click();
  await expect(page.getByRole("heading", { level: 1, name: `${fleet} 7 of ${KEYS}` })).toBeVisible();
});
