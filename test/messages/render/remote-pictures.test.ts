// Pictures on other servers in HTML mail: the service loads them when a member asks, within limits, and from nowhere else.
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createListener } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startTestService, type TestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
  "base64",
);
const DATA = `data:image/png;base64,${PNG.toString("base64")}`;
const SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
const LARGE = Buffer.concat([PNG, Buffer.alloc(2 * 1024 * 1024)]);
const PICTURES_MAX = 30;
const AT_ONCE = 6;

type Asked = { url: string; headers: IncomingMessage["headers"] };
type Host = { url: string; port: number; asked: Asked[]; server: Server };

async function startHost(answer: (path: string, res: ServerResponse) => void): Promise<Host> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    asked.push({ url: req.url ?? "", headers: req.headers });
    answer(req.url ?? "", res);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked, server };
}

const png = (res: ServerResponse) => res.writeHead(200, { "content-type": "image/png" }).end(PNG);

const redirect = (res: ServerResponse, location: string) => res.writeHead(302, { location }).end();

function endless(res: ServerResponse): void {
  const more = () => {
    while (!res.destroyed && res.write(LARGE));
  };
  res.on("drain", more);
  more();
}

/** Each path is one way to answer; other paths give a picture. */
const ANSWERS: Record<string, (res: ServerResponse) => void> = {
  "/svg": (res) => res.writeHead(200, { "content-type": "image/png" }).end(SVG),
  "/page": (res) => res.writeHead(200, { "content-type": "image/png" }).end("<html>"),
  "/large": (res) => res.writeHead(200).end(LARGE),
  "/packed": (res) => res.writeHead(200, { "content-encoding": "gzip" }).end(PNG),
  "/missing": (res) => res.writeHead(404).end(PNG),
  "/endless": endless,
  "/slow": (res) => res.writeHead(200).write(PNG.subarray(0, 20)),
  "/silent": () => {},
  "/moved": (res) => redirect(res, "/a.png?moved"),
  "/circle": (res) => redirect(res, "/circle"),
  "/to-private": (res) => redirect(res, `${hidden.url}/secret`),
  "/to-service": (res) => redirect(res, `${service.url}/health/live`),
  "/to-file": (res) => redirect(res, "file:///etc/passwd"),
};

let service: TestService;
let strict: TestService;
/** In the operator's allow list, and not in it. */
let shown: Host;
let hidden: Host;
/** Accepts connections and never answers, so that TLS never begins. */
const mute = createListener();
let muteUrl = "";
let people: Awaited<ReturnType<TestService["newOrganization"]>>;
let owner: Awaited<ReturnType<typeof newOwner>>;
let member: Awaited<ReturnType<typeof newMember>>;
let made = 0;

beforeAll(async () => {
  shown = await startHost((path, res) => (ANSWERS[path] ?? png)(res));
  hidden = await startHost((_, res) => png(res));
  mute.listen(0, "127.0.0.1");
  await once(mute, "listening");
  const { port: mutePort } = mute.address() as AddressInfo;
  muteUrl = `https://127.0.0.1:${mutePort}`;
  service = await startTestService({ PICTURE_ALLOWED_HOSTS: `127.0.0.1:${shown.port},127.0.0.1:${mutePort}` });
  // Without the list: also where webhooks may go anywhere.
  strict = await startTestService({}, { database: service.database });
  people = await service.newOrganization();
  owner = await newOwner(service, people.organizationId);
  member = await newMember(service, owner, "member");
});
afterAll(async () => {
  await strict?.stop();
  await service?.stop();
  mute.close();
  for (const host of [shown, hidden]) {
    host?.server.closeAllConnections();
    host?.server.close();
  }
});

async function withMail(html: string): Promise<string> {
  made += 1;
  const wish = { enrollment_key_id: people.enrollmentKeyId, username: `remote-${made}` };
  const { address } = await owner.trpc.inboxes.createWith.mutate(wish);
  await service.mail({ from: "shop@else.example", to: address, subject: "Sale", html });
  const { data } = await owner.trpc.messages.list.query({ addr: address });
  return data[0]?.id ?? "";
}

const show = (id: string, cookie: string, { url = service.url, query = "?pictures=remote" } = {}) =>
  fetch(`${url}/mail-html/${id}${query}`, { headers: { cookie } });

/** The source of each picture by its `alt`; undefined: not shown. */
async function sourcesIn(answer: Response): Promise<Record<string, string | undefined>> {
  expect(answer.status).toBe(200);
  const all = (await answer.text()).matchAll(/<img alt="([^"]+)"(?:[^>]*? src="([^"]+)")?[^>]*>/g);
  return Object.fromEntries([...all].map(([, alt = "", src]) => [alt, src]));
}

const img = (name: string, src: string, more = "") => `<img alt="${name}" src="${src}"${more}>`;

describe("200", () => {
  test("only when it is asked for, as data under the same policy, with nothing about the reader", async () => {
    const id = await withMail(
      img("logo", `${shown.url}/logo.png?a=1&amp;b=2`) + img("again", `${shown.url}/logo.png?a=1&b=2`),
    );
    const plain = await show(id, member.cookie, { query: "" });
    expect(await sourcesIn(plain)).toEqual({ logo: undefined, again: undefined });
    expect(shown.asked).toEqual([]);
    const answer = await show(id, member.cookie);
    expect(await sourcesIn(answer.clone())).toEqual({ logo: DATA, again: DATA });
    for (const name of ["content-security-policy", "cache-control", "referrer-policy"]) {
      expect(answer.headers.get(name)).toBe(plain.headers.get(name));
    }
    expect(answer.headers.get("content-security-policy")).toContain("img-src data:;");
    const [asked, ...more] = shown.asked.splice(0);
    expect(more).toEqual([]);
    expect(asked?.url).toBe("/logo.png?a=1&b=2");
    expect(Object.keys(asked?.headers ?? {}).sort()).toEqual([
      ...["accept", "accept-encoding", "connection", "host", "user-agent"],
    ]);
  });

  test("what is no small picture is left out: other types, large, endless, packed, and addresses that are refused", async () => {
    const { port } = new URL(service.url);
    const paths = "svg page large endless packed missing circle to-private to-service to-file".split(" ");
    const id = await withMail(
      [
        ...paths.map((path) => img(path, `${shown.url}/${path}`)),
        img("private", `${hidden.url}/private`),
        img("name", `http://localhost:${hidden.port}/name`),
        img("mapped", `http://[::ffff:127.0.0.1]:${hidden.port}/mapped`),
        img("number", `http://2130706433:${hidden.port}/number`),
        img("metadata", "http://169.254.169.254/latest/meta-data/"),
        img("service", `http://127.0.0.1:${port}/health/live`),
        img("user", `http://user:password@127.0.0.1:${shown.port}/a.png`),
        img("ftp", `ftp://127.0.0.1:${shown.port}/a.png`),
        img("pixel", `${shown.url}/pixel.png`, ` width="1"`),
        img("moved", `${shown.url}/moved`),
        img("good", `${shown.url}/a.png`),
        `<p style="background:url(${shown.url}/background.png)"><picture><source srcset="${shown.url}/set.png"></picture>`,
      ].join(""),
    );
    const sources = await sourcesIn(await show(id, member.cookie));
    const loaded = Object.entries(sources).filter(([, src]) => src !== undefined);
    expect(Object.fromEntries(loaded)).toEqual({ moved: DATA, good: DATA });
    expect(Object.keys(sources)).toHaveLength(paths.length + 11);
    expect(hidden.asked).toEqual([]);
    const asked = shown.asked.splice(0).map(({ url }) => url);
    for (const never of ["/pixel.png", "/background.png", "/set.png"]) expect(asked).not.toContain(never);
    expect(asked.filter((url) => url === "/circle")).toHaveLength(4);
  });

  test("the first 30 pictures", async () => {
    const many = Array.from({ length: PICTURES_MAX + 5 }, (_, n) => img(`n${n}`, `${shown.url}/${n}.png`));
    const sources = await sourcesIn(await show(await withMail(many.join("")), member.cookie));
    expect(Object.values(sources).filter((src) => src === DATA)).toHaveLength(PICTURES_MAX);
    expect(shown.asked.splice(0)).toHaveLength(PICTURES_MAX);
  });

  test("no connection is begun after the deadline, of pictures whose server never answers", async () => {
    let connections = 0;
    mute.on("connection", (socket) => {
      connections += 1;
      socket.on("error", () => {});
    });
    const names = Array.from({ length: PICTURES_MAX }, (_, at) => `p${at}`);
    const id = await withMail(names.map((name) => img(name, `${muteUrl}/${name}.png`)).join(""));
    const sources = await sourcesIn(await show(id, member.cookie));
    expect(sources).toEqual(Object.fromEntries(names.map((name) => [name, undefined])));
    expect(connections).toBeGreaterThan(0);
    expect(connections).toBeLessThanOrEqual(AT_ONCE);
  });

  test("private addresses are refused without the operator's list, where webhooks may go anywhere", async () => {
    const id = await withMail(img("logo", `${shown.url}/logo.png`));
    const answer = await show(id, member.cookie, { url: strict.url });
    expect(await sourcesIn(answer)).toEqual({ logo: undefined });
    expect(shown.asked).toEqual([]);
  });
});

describe("401, 403, 404", () => {
  test("without a session, and for a message of another organization, nothing is loaded", async () => {
    const id = await withMail(img("logo", `${shown.url}/logo.png`));
    const stranger = await newOwner(service, (await service.newOrganization()).organizationId);
    expect((await show(id, "")).status).toBe(401);
    expect((await show(id, stranger.cookie)).status).toBe(404);
    const query = `?pictures=remote&organization=${people.organizationId}`;
    expect((await show(id, stranger.cookie, { query })).status).toBe(403);
    expect(shown.asked).toEqual([]);
  });
});

describe("429", () => {
  test("while three mails of the organization are being loaded, until the deadline of slow pictures", async () => {
    const id = await withMail(img("silent", `${shown.url}/silent`) + img("slow", `${shown.url}/slow`));
    const open = [1, 2, 3].map(() => show(id, member.cookie));
    await expect.poll(() => shown.asked.length, { timeout: 15_000 }).toBe(6);
    const refused = await show(id, member.cookie);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "2"]);
    for (const answer of await Promise.all(open)) {
      expect(await sourcesIn(answer)).toEqual({ silent: undefined, slow: undefined });
    }
    shown.asked.splice(0);
    expect((await show(await withMail(img("good", `${shown.url}/a.png`)), member.cookie)).status).toBe(200);
  });
});
