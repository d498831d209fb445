// The first hour of a new owner who only reads the screen: from the printed link to a read mail, a reply, a webhook, a colleague
// and notices. Each step is the one that the page shows at that moment; a page that shows none is a dead end.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Browser, expect, type Locator, type Page, test } from "@playwright/test";
import { CONDITION_TIMEOUT_MS } from "#test/support/patience.ts";
import { type RunningService, startService } from "./service.ts";

const START_MS = 600_000;
const HOUR_MS = 240_000;
const PASSWORD = "correct horse battery";
const COLLEAGUE = "miles@people.example";

/** Words of the API: a call, or the name of a field. Ids of things are none. */
const API_WORDS =
  /\b(?:GET|POST|PUT|PATCH|DELETE) \/\S*|\b(?!(?:[a-z]{3,4})_[0-9a-z]{26}\b)[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/;

let service: RunningService;
test.beforeAll(async () => {
  test.setTimeout(START_MS);
  service = await startService();
});
test.afterAll(() => service?.stop());

test("a new owner gets from the printed link to chosen notices by what the screen says", async ({ browser }) => {
  test.setTimeout(HOUR_MS);
  const endpoint = await startEndpoint();
  const owner = await newReader(browser);
  const { page } = owner;

  await test.step("becomes the owner and names the organization", async () => {
    await page.goto(service.ownerLink);
    await owner.fillIn({
      "E-mail": "olive@people.example",
      "Your name": "Olive Owner",
      Password: PASSWORD,
      "Organization's name": "Acme Robotics",
    });
    await owner.follow(/^Join/);
    await owner.reads("Usage of Acme Robotics in the last 14 days.");
  });

  await test.step("finds the first key made, and creates an inbox", async () => {
    await expect(stepOf(page, "Issue an enrollment key (done)")).toBeVisible();
    await owner.takeStep("Create an inbox");
    await expect(stepOf(page, "Create an inbox (done)")).toBeVisible();
  });

  await test.step("sends a test mail, and reads its code", async () => {
    await owner.takeStep("Receive a test mail");
    await expect(stepOf(page, "Receive a test mail (done)")).toBeVisible();
    await owner.follow(/^Read it/);
    await owner.follow(/^(?!To ).*Your first mail/s);
    await owner.reads(/\b482913\b/);
  });

  await test.step("replies, and sees the reply sent", async () => {
    await owner.follow(/^Reply/);
    await owner.fillIn({ Message: "It works, thank you." });
    await owner.follow(/^Send$/);
    const sent = page.getByRole("article").filter({ hasText: "It works, thank you." });
    await expect(sent.filter({ hasText: "Delivered" }).first()).toBeVisible();
  });

  await test.step("registers a webhook, and tests it", async () => {
    await owner.follow(/^Overview/);
    await owner.takeStep("Register a webhook");
    await owner.follow(/^Register webhook/);
    await owner.fillIn({ URL: endpoint.url });
    await owner.follow(/^Register webhook/);
    await owner.follow(/stored it/);
    await owner.follow(/^Send test event/);
    await owner.reads(/204/);
    expect(endpoint.posts()).toBe(1);
  });

  await test.step("invites a colleague, who joins", async () => {
    await owner.follow(/^Overview/);
    await owner.takeStep("Invite a person");
    await owner.fillIn({ "E-mail": COLLEAGUE });
    await owner.follow(/^Invite$/);
    const link = (
      await page
        .getByRole("dialog")
        .getByText(/\/join#/)
        .innerText()
    ).trim();
    await owner.follow(/^Done/);
    const colleague = await newReader(browser);
    await colleague.page.goto(link);
    await colleague.fillIn({ "E-mail": COLLEAGUE, "Your name": "Miles Member", Password: PASSWORD });
    await colleague.follow(/^Join/);
    await colleague.reads("Usage of Acme Robotics in the last 14 days.");
    await colleague.ends();
  });

  await test.step("chooses notices, and has done all", async () => {
    await owner.takeStep("Choose your notices");
    await owner.reads(/Only chats and browsers get notices/);
    await owner.fillIn({ "URL of the incoming webhook": endpoint.url });
    await owner.follow(/^Add a chat/);
    await owner.reads("The chat gets all notices");
    await owner.follow(/^Overview/);
    await owner.reads("6 of 6 done");
    await page.screenshot({ path: "test-results/screenshots/first-hour.png", fullPage: true });
  });

  await owner.ends();
  endpoint.close();
});

/** A step of the list on the overview, as it says whether it is done. */
function stepOf(page: Page, title: string): Locator {
  const steps = page.getByRole("region", { name: "First steps" }).getByRole("listitem");
  return steps.filter({ has: page.getByRole("heading", { name: title, exact: true }) });
}

/** A person who knows only what the page shows, and who notices each error. */
async function newReader(browser: Browser) {
  const context = await browser.newContext({ baseURL: service.baseUrl });
  const page = await context.newPage();
  const complaints = watch(page);

  /** Buttons and links of the dialog that is open, else of the page. */
  async function shown(): Promise<Locator> {
    const dialog = page.getByRole("dialog");
    const scope = (await dialog.count()) > 0 ? dialog : page;
    return scope.getByRole("button").or(scope.getByRole("link"));
  }

  async function look(): Promise<void> {
    expect(await apiWordsOn(page), `words of the API on ${page.url()}`).toEqual([]);
    expect(complaints, `errors on ${page.url()}`).toEqual([]);
  }

  return {
    page,
    /** Uses the first button or link that says this. */
    async follow(words: RegExp): Promise<void> {
      let next: Locator | undefined;
      await expect(async () => {
        next = (await shown()).filter({ hasText: words, visible: true }).first();
        await expect(next, `dead end at ${page.url()}: nothing says ${words}`).toBeEnabled({ timeout: 1_000 });
      }).toPass({ timeout: CONDITION_TIMEOUT_MS });
      await look();
      await next?.click();
    },
    /** Uses the button of a step, which must be the first that is not done. */
    async takeStep(title: string): Promise<void> {
      const steps = page.getByRole("region", { name: "First steps" }).getByRole("listitem");
      const next = steps.filter({ hasNotText: "(done)" }).first();
      await expect(next.getByRole("heading"), `dead end at ${page.url()}: the next step is another`).toHaveText(title);
      await look();
      await next.getByRole("button").or(next.getByRole("link")).first().click();
    },
    /** Fills the fields with these labels. A required field that is not among them is a dead end. */
    async fillIn(answers: Record<string, string>): Promise<void> {
      for (const [label, answer] of Object.entries(answers)) {
        const field = page
          .getByRole("textbox", { name: label })
          .or(page.getByLabel(label, { exact: true }))
          .first();
        await expect(field).toBeVisible();
        if (await field.isEditable()) await field.fill(answer);
      }
      await look();
    },
    async reads(words: string | RegExp): Promise<void> {
      await expect(page.getByText(words).first()).toBeVisible();
      await look();
    },
    async ends(): Promise<void> {
      await look();
      await context.close();
    },
  };
}

/** What the browser complains about: errors of scripts, requests that failed, and answers that are errors. */
function watch(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on(
    "response",
    (response) => response.status() >= 400 && complaints.push(`${response.status()} ${response.url()}`),
  );
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // A page that is left stops what it was loading.
    if (reason !== "net::ERR_ABORTED") complaints.push(`${reason} ${request.url()}`);
  });
  return complaints;
}

/** The words of the API in the text that the page shows, outside of code. */
async function apiWordsOn(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => {
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent || parent.closest("code, pre, kbd, script, style, noscript, textarea") || !parent.checkVisibility()) {
        continue;
      }
      found.push(node.textContent ?? "");
    }
    return found;
  });
  return texts.flatMap((text) => (API_WORDS.test(text) ? [text] : []));
}

/** A program's endpoint, which takes what is posted to it. */
async function startEndpoint() {
  let posts = 0;
  const server = createServer((_, response) => {
    posts += 1;
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks/mail`, posts: () => posts, close: () => server.close() };
}
