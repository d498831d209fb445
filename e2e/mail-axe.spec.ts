// axe with HTML mail open, the mail's own document included: nothing serious, nothing moderate.
import { expect, type Page, test } from "@playwright/test";
import { violationsIn } from "./axe.ts";
import { BASE_URL, mail, NARROW, newInbox, openMail, openThread } from "./mailbox.ts";
import { signInAsOwner } from "./owner.ts";

const WIDE = { width: 1440, height: 900 };
/** As shops and services write it: a layout of tables, a button, a small print, a picture that is attached. */
const HTML = `<html><body bgcolor="#f4f4f4"><table width="100%" role="presentation"><tr><td align="center">
  <table width="600" role="presentation" bgcolor="#ffffff"><tr><td>
    <img src="cid:logo@x" width="120" height="40" alt="Acme">
    <h1>Your order is on its way</h1>
    <p>Hello Ann, your order <b>4711</b> left us today.</p>
    <h2>What you ordered</h2>
    <table><tr><th scope="col">Article</th><th scope="col">Price</th></tr><tr><td>A lamp</td><td>90 EUR</td></tr></table>
    <p><a href="https://else.example/track" style="background:#0b5566;color:#ffffff;padding:12px">Track the parcel</a></p>
    <p style="color:#555555;font-size:12px">You get this mail because you ordered at <a href="https://else.example">Acme</a>.</p>
  </td></tr></table></td></tr></table></body></html>`;
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);

test.beforeEach(({ context }) => signInAsOwner(context, BASE_URL));

/** axe is a script, which the frame of a mail and its policy do not run. So the same document goes into a frame without both. */
async function showUnfenced(page: Page, source: string): Promise<void> {
  const answer = await page.request.get(new URL(source, BASE_URL).href);
  await expect(answer).toBeOK();
  // A new window: setContent keeps the one there is, and axe in it would hear no frame.
  await page.goto("about:blank");
  await page.setContent(
    '<html lang="en"><title>Mail</title><main><h1>Mail</h1><iframe title="The mail"></iframe></main></html>',
  );
  await page.locator("iframe").evaluate(
    (frame: HTMLIFrameElement, html) => {
      frame.srcdoc = html;
    },
    await answer.text(),
  );
}

test("an open HTML mail has no violation, in both schemes and widths", async ({ page, context }) => {
  const addr = await newInbox(context);
  await mail(addr, "Your order", {
    html: HTML,
    attachments: [{ filename: "logo.png", content: PNG, cid: "logo@x" }],
  });
  await openMail(page, addr);
  await openThread(page, "Your order");
  const heading = page.frameLocator("iframe").getByRole("heading", { name: "Your order is on its way" });
  const source = (await page.locator("iframe").getAttribute("src")) ?? "";
  const alone = await context.newPage();
  for (const [colorScheme, size] of [
    ["light", WIDE],
    ["dark", NARROW],
  ] as const) {
    for (const each of [page, alone]) {
      await each.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await each.setViewportSize(size);
    }
    await expect(heading).toBeVisible();
    expect(await violationsIn(page)).toEqual([]);
    await showUnfenced(alone, source);
    await expect(alone.frameLocator("iframe").getByText("Track the parcel")).toBeVisible();
    expect(await violationsIn(alone, { hasFrames: true })).toEqual([]);
  }
});
