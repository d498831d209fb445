// HTML mail for members: a separate document, under a policy that blocks everything.
import { afterAll, describe, expect, test } from "vitest";
import { startTestService } from "#test/support/service.ts";
import { newMember, newOwner } from "#test/support/team.ts";

const service = await startTestService();
afterAll(service.stop);

let made = 0;

type Picture = { filename: string; content: Buffer; cid: string; contentType?: string };

// Few people: the door to sign in is for ten a minute.
const people = await service.newOrganization();
const owner = await newOwner(service, people.organizationId);
const member = await newMember(service, owner, "member");
const stranger = await newOwner(service, (await service.newOrganization()).organizationId);

/** The id of a mail with the given HTML, in a new mailbox. */
async function withMail(html: string | undefined, attachments: Picture[] = []): Promise<string> {
  made += 1;
  const wish = { enrollment_key_id: people.enrollmentKeyId, username: `html-${made}` };
  const { address } = await owner.trpc.inboxes.createWith.mutate(wish);
  await service.mail({
    from: "a@else.example",
    to: address,
    subject: "Hi",
    attachments,
    ...(html !== undefined && { html }),
  });
  const { data } = await owner.trpc.messages.list.query({ addr: address });
  return data[0]?.id ?? "";
}

const show = (id: string, cookie: string | undefined, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/mail-html/${id}`, { headers: { ...(cookie && { cookie }), ...headers } });

async function codeOf(answer: Response): Promise<string> {
  return ((await answer.json()) as { error: { code: string } }).error.code;
}

describe("200", () => {
  test("to every member: the mail's own text and styles, without what runs or fetches", async () => {
    const id = await withMail(
      `<style>p { color: red } @import url(http://track.example/a.css);</style><p style="font-weight:bold" onclick="x()">Hello</p>
       <script>alert(1)</script><img src="http://track.example/p.gif"><a href="https://shop.example/x?a=1&amp;b=2">Buy</a>`,
    );
    const answer = await show(id, member.cookie);
    expect(answer.status).toBe(200);
    const html = await answer.text();
    expect(html).toContain(`<p style="font-weight:bold">Hello</p>`);
    expect(html).toContain("p { color: red }");
    expect(html).toContain(
      `href="https://shop.example/x?a=1&amp;b=2" target="_blank" rel="noopener noreferrer nofollow"`,
    );
    expect(html).toContain(`data-leads-to="shop.example"`);
    expect(html).not.toMatch(/script|onclick|@import|<img[^>]*src|url\(http/);
  });

  test("in a layer of CSS that comes first, and whose name no mail can know", async () => {
    const id = await withMail("<style>@layer frame { p { color: red } }</style><p>Hello</p>");
    const read = async () => (await (await show(id, owner.cookie)).text()).split("<style>")[1] ?? "";
    const [one, two] = [await read(), await read()];
    const layerOf = (style: string) => /^@layer (l[0-9a-f]{32}) \{/.exec(style)?.[1];
    expect(layerOf(one)).toBeDefined();
    expect(layerOf(two)).toBeDefined();
    expect(layerOf(one)).not.toBe(layerOf(two));
  });

  test("under a separate policy: no scripts, no origin, no requests, only in our own frames, never stored", async () => {
    const id = await withMail("<p>Hello</p>");
    const { headers } = await show(id, owner.cookie);
    const policy = headers.get("content-security-policy")?.split("; ") ?? [];
    expect(policy).toContain("sandbox allow-popups allow-popups-to-escape-sandbox");
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'self'");
    expect(policy.join()).not.toMatch(/allow-scripts|allow-same-origin|allow-forms|allow-top|script-src|https?:/);
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-dns-prefetch-control")).toBe("off");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });

  test("pictures of the same mail are shown as data, and nothing else is", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=",
      "base64",
    );
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
    const large = Buffer.concat([png, Buffer.alloc(2 * 1024 * 1024)]);
    const html = ["logo@x", "a%2Bb@x", "svg@x", "lies@x", "large@x", "missing@x", "%zz"].map(
      (cid) => `<img alt="${cid}" src="cid:${cid}">`,
    );
    const id = await withMail(`${html.join("")}<p style="background:url(cid:logo@x)">`, [
      { filename: "logo.png", content: png, cid: "logo@x" },
      { filename: "plus.png", content: png, cid: "a+b@x" },
      { filename: "a.svg", content: svg, cid: "svg@x" },
      { filename: "lies.png", content: svg, cid: "lies@x", contentType: "image/png" },
      { filename: "large.png", content: large, cid: "large@x" },
    ]);
    const shown = await (await show(id, member.cookie)).text();
    const sources = [...shown.matchAll(/<img alt="([^"]+)"(?: src="([^"]+)")?>/g)].map(([, alt, src]) => [alt, src]);
    const data = `data:image/png;base64,${png.toString("base64")}`;
    expect(sources).toEqual([
      ["logo@x", data],
      ["a%2Bb@x", data],
      ["svg@x", undefined],
      ["lies@x", undefined],
      ["large@x", undefined],
      ["missing@x", undefined],
      ["%zz", undefined],
    ]);
    expect(shown).not.toContain("url(cid");
  });

  test("a picture that is repeated is shown until the answer is large", async () => {
    const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(1024 * 1024)]);
    const id = await withMail(`<img src="cid:a@x">`.repeat(40), [{ filename: "a.png", content: png, cid: "a@x" }]);
    const shown = await (await show(id, member.cookie)).text();
    expect(shown.match(/<img src="data:/g)).toHaveLength(11);
    expect(shown.match(/<img>/g)).toHaveLength(29);
  });

  test("quotes are marked where that is asked for, and their number is told", async () => {
    const quote = `<blockquote type="cite"><p>one</p><p>two</p><p>three</p></blockquote>`;
    const head = `<div class="gmail_attr">On Mon, Nov 2, 2026 at 9:00 AM Bob &lt;bob@x.example&gt; wrote:</div>`;
    const id = await withMail(`<p>Mine</p>${head}${quote}<p data-quoted="">Still mine</p>`);
    const whole = await (await show(id, member.cookie)).text();
    expect(whole).not.toMatch(/<[^<>]* data-quoted/);
    const folded = await (await show(`${id}?quotes=folded`, member.cookie)).text();
    expect(folded).toContain(`<blockquote data-quoted type="cite"><p data-quoted><span data-quoted>one</span></p>`);
    expect(folded).toContain("<p>Mine</p>");
    expect(folded).toContain("<p>Still mine</p>");
    // In the layer that no rule of the mail overrides.
    expect(folded).toMatch(/@layer l\w+ \{[^<]*\[data-quoted\] \{ display: none !important;/);
    const { html_chars, text } = await owner.trpc.messages.quotes.query({ id });
    expect([html_chars > quote.length, text]).toEqual([true, []]);
    await expect(stranger.trpc.messages.quotes.query({ id })).rejects.toMatchObject({
      data: { error: { code: "message_not_found" } },
    });
  });

  test("removed content is reported beside it", async () => {
    const id = await withMail(
      `<img src="http://track.example/p.gif"><img src="//cdn.example/a.png"><img src="cid:own"><p style="background:url(http://bg.example/b)">Hi`,
    );
    expect(await owner.trpc.messages.shownHtml.query({ id })).toEqual({
      remote: { count: 3, hosts: ["track.example", "cdn.example", "bg.example"] },
      shortened: false,
    });
  });
});

describe("401", () => {
  test("without a session, with one that has ended, and with an agent key", async () => {
    const id = await withMail("<p>Hello</p>");
    expect((await show(id, undefined)).status).toBe(401);
    expect((await show(id, "mailberth.session_token=nonsense.abc")).status).toBe(401);
    expect((await show(id, undefined, { authorization: `Bearer ${people.agentKey}` })).status).toBe(401);
  });
});

describe("403", () => {
  test("for an organization that the member is not in", async () => {
    const id = await withMail("<p>Hello</p>");
    const answer = await show(`${id}?organization=${people.organizationId}`, stranger.cookie);
    expect([answer.status, await codeOf(answer)]).toEqual([403, "not_a_member"]);
  });
});

describe("404", () => {
  test("for a message of another organization, as for one that never was", async () => {
    const id = await withMail("<p>Theirs</p>");
    for (const named of [id, "msg_00000000000000000000000000", "nonsense", "..%2f", ""]) {
      const answer = await show(named, stranger.cookie);
      expect([answer.status, await codeOf(answer)]).toEqual([404, "message_not_found"]);
    }
    await expect(stranger.trpc.messages.shownHtml.query({ id })).rejects.toMatchObject({
      data: { error: { code: "message_not_found" } },
    });
  });

  test("for a message without HTML", async () => {
    const id = await withMail(undefined);
    expect((await show(id, owner.cookie)).status).toBe(404);
  });
});

describe("405", () => {
  test("for anything but GET", async () => {
    const id = await withMail("<p>Hello</p>");
    const headers = { cookie: owner.cookie, origin: service.url };
    const answer = await fetch(`${service.url}/mail-html/${id}`, { method: "POST", headers });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET"]);
  });
});
