// Where a link of a mail leads is told at the bottom of the frame. No style of the mail changes that, or covers it.
import { expect, type Page, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { BASE_URL, newInbox } from "./mailbox.ts";
import { ask, signInAsOwner } from "./owner.ts";

const FAKE = `content: "bank.example" !important`;
const COVER =
  "position: fixed !important; left: 0; bottom: 0; z-index: 2147483647 !important; background: red; width: 90vw; height: 40px";
/** Styles that forge or hide the hint. */
const FORGERIES: [name: string, css: string][] = [
  ["a layer of the old name", `@layer frame { a[data-leads-to]:hover::after, aside::after { ${FAKE} } }`],
  ["no layer", `a::after, aside::after, body > aside::after { ${FAKE}; color: transparent !important }`],
  [
    "a layer that claims to be first",
    `@layer first, frame; @layer first { * , *::after { ${FAKE}; all: unset !important } }`,
  ],
  ["a box over it", `a:hover::before, a:hover + span { content: "bank.example"; ${COVER} }`],
  [
    "a box over it that belongs to the page",
    `html::after, body::before, body::after { content: "bank.example"; ${COVER} }`,
  ],
  [
    "a page that is moved",
    "html, body { transform: translateY(-500px) !important; opacity: 0 !important; filter: blur(9px) !important }",
  ],
  [
    "a page that is not displayed",
    "html, body { visibility: hidden !important; clip-path: inset(50%) !important; zoom: 0.1 !important }",
  ],
  ["the hint moved", "aside { display: none !important; translate: 0 -999px !important; scale: 0 !important }"],
  [
    "animations",
    `@keyframes k { to { opacity: 0; content: "bank.example" } } aside, aside::after { animation: k 1ms forwards !important }`,
  ],
  [
    "transitions",
    "aside, aside::after { transition: all 999s 999s !important } @starting-style { aside, aside::after { opacity: 0 } }",
  ],
  [
    "invisible letters",
    "aside::after { -webkit-text-fill-color: transparent !important; font-size: 0 !important; text-indent: -99em !important }",
  ],
  [
    "a box of the mail without its own order",
    "body > div { display: contents !important; z-index: auto !important; isolation: auto !important } a + span { " +
      COVER +
      " }",
  ],
];

const HTML = `<p><a href="https://evil.example/sign-in">Your bank</a><span></span></p>`;
const PLAIN = "no forgery";
type Listed = { data: { id: string; subject: string }[] };
const ids = new Map<string, string>();

test.beforeAll(async ({ browser }) => {
  const context = await browser.newContext();
  await signInAsOwner(context, BASE_URL);
  const addr = await newInbox(context);
  const port = Number(process.env.E2E_SMTP_PORT);
  const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } });
  for (const [subject, css] of [[PLAIN, ""], ...FORGERIES]) {
    const html = `<style>${css}</style>${HTML}`;
    await transport.sendMail({ from: "mallory@evil.example", to: addr, subject, html });
  }
  transport.close();
  const { data } = await ask<Listed>(context, BASE_URL, "messages.list", { addr, limit: 100 });
  for (const { subject, id } of data) ids.set(subject, id);
  await context.close();
});

/** The corner of the document with the hint, while the pointer or the focus is on the link. */
async function corner(page: Page, name: string, from: "pointer" | "keyboard"): Promise<string> {
  await page.goto(`${BASE_URL}/mail-html/${ids.get(name)}`);
  const link = page.getByText("Your bank");
  await expect(link).toBeAttached();
  if (from === "keyboard") await page.keyboard.press("Tab");
  else {
    const box = await link.boundingBox();
    await page.mouse.move((box?.x ?? 0) + 2, (box?.y ?? 0) + 2);
  }
  const height = page.viewportSize()?.height ?? 0;
  const picture = await page.screenshot({ clip: { x: 0, y: height - 24, width: 100, height: 24 } });
  return picture.toString("base64");
}

for (const from of ["pointer", "keyboard"] as const) {
  for (const [name] of FORGERIES) {
    test(`${name}: the hint for the ${from} is that of a mail without styles`, async ({ page, context }) => {
      await signInAsOwner(context, BASE_URL);
      const honest = await corner(page, PLAIN, from);
      const hint = await page.evaluate(
        () => getComputedStyle(document.querySelector("aside") as Element, "::after").content,
      );
      expect(hint).toBe(`"evil.example"`);
      expect(await corner(page, name, from)).toBe(honest);
    });
  }
}
