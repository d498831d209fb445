// The official MCP client connects by sign-in in a browser and plays the story; then the member disconnects it. A member of
// two organizations chooses between them.
import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { expect, type Page, test } from "@playwright/test";
import { createTransport } from "nodemailer";
import { PRELOAD } from "#test/support/process.ts";
import { call } from "./owner.ts";
import { type RunningService, startService } from "./service.ts";

const STORY_MS = 180_000;
const PASSWORD = "correct horse battery";
const SCREENSHOTS = "test-results/screenshots";

let service: RunningService;
test.beforeAll(async () => {
  service = await startService();
});
test.afterAll(() => service.stop());

type Message = { id: string };
type Waited = { message: Message; extracted: { otp: string } };

/** Where the host waits for the browser, as programs on the user's machine do. */
async function startCallback() {
  const received = Promise.withResolvers<URLSearchParams>();
  const server = createServer((req, res) => {
    const url = new URL(req.url ?? "/", "http://127.0.0.1");
    if (url.pathname === "/callback") received.resolve(url.searchParams);
    res.end("<h1>Connected. You can close this window.</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/callback`, parameters: received.promise, close: () => server.close() };
}

/** What a host keeps. `opened` is the page that it would open in the browser. */
function newHost(redirect: string) {
  let information: OAuthClientInformationMixed | undefined;
  let tokens: OAuthTokens | undefined;
  let verifier = "";
  const opened: URL[] = [];
  const provider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: { client_name: "Editor", redirect_uris: [redirect], token_endpoint_auth_method: "none" },
    clientInformation: () => information,
    saveClientInformation: (given) => {
      information = given;
    },
    tokens: () => tokens,
    saveTokens: (given) => {
      tokens = given;
    },
    redirectToAuthorization: (url) => void opened.push(url),
    saveCodeVerifier: (given) => {
      verifier = given;
    },
    codeVerifier: () => verifier,
  };
  return { provider, opened, tokens: () => tokens };
}

const transportFor = (authProvider: OAuthClientProvider) =>
  new StreamableHTTPClientTransport(new URL(`${service.baseUrl}/mcp/sign-in`), { authProvider });

async function join(page: Page): Promise<void> {
  await page.goto(`/join#${service.ownerLink.split("#")[1]}`);
  await page.getByLabel("E-mail").fill("olive@people.example");
  await page.getByLabel("Your name").fill("Olive Owner");
  await page.locator("input[type=password]").fill(PASSWORD);
  await page.getByRole("button", { name: /^Join/ }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("E-mail").fill("olive@people.example");
  await page.locator("input[type=password]").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
}

test("a host connects by sign-in, plays the story, and is disconnected", async ({ browser }) => {
  test.setTimeout(STORY_MS);
  const callback = await startCallback();
  const host = newHost(callback.url);
  const complaints: string[] = [];
  const newPage = async () => {
    const page = await (await browser.newContext({ baseURL: service.baseUrl })).newPage();
    page.on("pageerror", (error) => complaints.push(String(error)));
    return page;
  };
  await join(await newPage());
  const page = await newPage();
  const transport = transportFor(host.provider);

  await test.step("the host is asked to sign in, and opens the browser", async () => {
    const connecting = new Client({ name: "editor", version: "1" }).connect(transport);
    await expect(connecting).rejects.toThrow(UnauthorizedError);
    expect(host.opened).toHaveLength(1);
  });

  await test.step("the member signs in, chooses what the app may do, and returns to the host", async () => {
    await page.goto(host.opened[0]?.href ?? "");
    await expect(page).toHaveURL(/\/sign-in\?next=/);
    await signIn(page);
    await expect(page.getByRole("heading", { level: 1, name: "Connect Editor?" })).toBeVisible();
    await expect(page.getByText(new URL(callback.url).host)).toBeVisible();
    await expect(page.getByLabel("Read mail")).toBeChecked();
    await expect(page.getByLabel("Delete inboxes")).not.toBeChecked();
    await page.screenshot({ path: `${SCREENSHOTS}/connect-story.png`, fullPage: true });
    await page.getByRole("button", { name: "Connect", exact: true }).click();
    await expect(page.getByRole("heading", { name: "Connected. You can close this window." })).toBeVisible();
    await transport.finishAuth(await callback.parameters);
    expect(host.tokens()?.scope?.split(" ")).not.toContain("mailbox:delete");
  });

  const client = new Client({ name: "editor", version: "1" });
  const done = async <Body>(name: string, given: object): Promise<Body> => {
    const result = await client.callTool({ name, arguments: { ...given } });
    expect(result.isError, JSON.stringify(result.structuredContent)).toBeFalsy();
    return result.structuredContent as Body;
  };

  await test.step("the host creates an inbox, waits for a code, replies and searches", async () => {
    await client.connect(transportFor(host.provider));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("send_email");
    expect(names).not.toContain("delete_inbox");
    const { address: addr } = await done<{ address: string }>("create_inbox", {});
    const waiting = done<Waited>("wait_for_email", { addr, after: "2020-01-01T00:00:00Z", timeout_seconds: 60 });
    const sender = createTransport({ host: "127.0.0.1", port: service.smtpPort, tls: { rejectUnauthorized: false } });
    await sender.sendMail({ from: "shop@else.example", to: addr, subject: "Code", text: "Your code is 482915" });
    sender.close();
    const { message, extracted } = await waiting;
    expect(extracted.otp).toBe("482915");
    await done("reply_to_email", { id: message.id, text: "Thank you" });
    expect((await done<{ data: Message[] }>("search_messages", { inbox: addr, q: "482915" })).data).toHaveLength(1);
  });

  await test.step("the member disconnects it", async () => {
    await page.goto("/dashboard/settings/apps");
    await expect(page.getByRole("cell", { name: /Editor/ }).first()).toBeVisible();
    await page.screenshot({ path: `${SCREENSHOTS}/apps-connected.png`, fullPage: true });
    await page.getByRole("button", { name: "Disconnect Editor of Olive Owner" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await expect(page.getByRole("heading", { name: "No app is connected" })).toBeVisible();
    const authorization = `Bearer ${host.tokens()?.access_token}`;
    const ask = () => fetch(`${service.baseUrl}/mcp`, { method: "POST", headers: { authorization } });
    await expect.poll(async () => (await ask()).status).toBe(401);
    await page.goto("/dashboard/settings/audit");
    await expect(page.getByText("Disconnected an app")).toBeVisible();
    await expect(page.getByText("Connected an app", { exact: true })).toBeVisible();
  });

  callback.close();
  expect(complaints).toEqual([]);
});

test("a member who refuses returns to the host without a code", async ({ page }) => {
  const callback = await startCallback();
  const host = newHost(callback.url);
  await expect(new Client({ name: "editor", version: "1" }).connect(transportFor(host.provider))).rejects.toThrow(
    UnauthorizedError,
  );
  await page.goto(host.opened[0]?.href ?? "");
  await signIn(page);
  await page.getByRole("button", { name: "Do not connect" }).click();
  const parameters = await callback.parameters;
  expect([parameters.get("error"), parameters.get("code")]).toEqual(["access_denied", null]);
  callback.close();
});

async function command(...args: string[]): Promise<string> {
  const env = { ...process.env, ...service.environment };
  const { stdout } = await promisify(execFile)(process.execPath, [...PRELOAD, "server/admin.ts", ...args], { env });
  return stdout;
}

test("a link opens in the organization that it names, and a new tab in the one that was chosen last", async ({
  page,
  context,
}) => {
  const { baseUrl } = service;
  await page.goto(`${baseUrl}/sign-in`);
  await signIn(page);
  await expect(page).toHaveURL(/\/dashboard$/);
  const chosen = page.getByRole("button", { name: /^Organization: / });
  await expect(chosen).toHaveCount(0);
  const domain = await call<{ id: string }>(context, baseUrl, "domains.create", { domain: "first.link.example" });
  const id = /org_\w+/.exec(await command("organizations", "create", "--name", "Second harbor"))?.[0] ?? "";
  const token = (await command("organizations", "owner-link", id)).split("#")[1]?.trim();
  const person = { email: "olive@people.example", name: "Olive Owner", password: PASSWORD };
  await call(context, baseUrl, "team.join", { token, ...person });

  await page.goto(`${baseUrl}/dashboard/domains?id=${domain.id}&organization=${id}`);
  await expect(chosen).toHaveText("Second harbor");
  await expect(page).toHaveURL(`${baseUrl}/dashboard/domains?id=${domain.id}`);
  await expect(page.getByText(/or be in another organization/)).toBeVisible();

  const other = await context.newPage();
  await other.goto(`${baseUrl}/dashboard/payments`);
  const switcher = other.getByRole("button", { name: /^Organization: / });
  await expect(switcher).not.toHaveText("Second harbor");
  await switcher.click();
  await other.getByRole("menuitemradio", { name: "Second harbor" }).click();
  await expect(switcher).toHaveText("Second harbor");
  const third = await context.newPage();
  await third.goto(`${baseUrl}/dashboard`);
  await expect(third.getByRole("button", { name: /^Organization: / })).toHaveText("Second harbor");

  // A link to an organization of others says so, and leads back.
  const fourth = await context.newPage();
  await fourth.goto(`${baseUrl}/dashboard?organization=org_00000000000000000000000000`);
  await expect(fourth.getByRole("heading", { level: 1 })).toHaveText("You are not a member of this organization");
  await fourth.getByRole("button", { name: "Open your own organization" }).click();
  await expect(fourth.getByRole("heading", { level: 1, name: "Overview" })).toBeVisible();
});
