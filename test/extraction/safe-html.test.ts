// What of a stranger's HTML people are shown: everything is written anew from a list, and nothing of it fetches or runs.
import fc from "fast-check";
import { Parser } from "htmlparser2";
import { describe, expect, test } from "vitest";
import { safeHtml } from "#server/extraction/html/safe-html.ts";

const shown = async (html: string) => (await safeHtml(html)).html;

describe("what stays", () => {
  test.each([
    ["text, as it is written", "a &lt; b &amp; c &copy; 1 < 2", "a &lt; b &amp; c © 1 &lt; 2"],
    ["layout by tables", `<table width="600" bgcolor=#eee><tr><td align=center>x</table>`, undefined],
    ["classes, ids and style sheets", `<style>.a #b { color: red }</style><p class="a" id="b">x</p>`, undefined],
    ["style attributes", `<p style="color: red; margin: 0 auto">x</p>`, undefined],
    ["pictures within the mail", `<img alt="x" src="data:image/png;base64,AAAA">`, undefined],
  ])("%s", async (_what, html, wanted) => {
    const plain = (text: string) => text.replaceAll(/["=#]/g, "").replaceAll("</table>", "");
    expect(plain(await shown(html))).toBe(plain(wanted ?? html));
  });

  test("the colours of the body, on what takes its place", async () => {
    const html = await shown(
      `<html><head></head><body bgcolor="#ff0000" text="white" style="margin:0">x</body></html>`,
    );
    expect(html).toBe(`<div bgcolor="#ff0000" style="color:white;background-color:#ff0000;margin:0">x`);
  });
});

describe("what goes", () => {
  test.each([
    ["scripts", "<script>alert(1)</script>a<ScRiPt src=//x></sCrIpT>b", "ab"],
    ["a script within a script's name", "<scr<script>ipt>alert(1)</script>x", "ipt&gt;alert(1)x"],
    ["event attributes", "<p onclick=a() ONLOAD='b()'>x</p>", "<p>x</p>"],
    ["forms, but not their text", "<form action=//x><input name=a><button formaction=//y>go</button></form>", "go"],
    [
      "meta, base, link",
      `<meta http-equiv=refresh content="0;url=//x"><base href=//x><link rel=preconnect href=//x>a`,
      "a",
    ],
    [
      "frames and plug-ins",
      "<iframe srcdoc='<b>'></iframe><object data=//x>o</object><embed src=//x><portal src=//x></portal>a",
      "a",
    ],
    ["drawings and formulas", "<svg><style><img src=//x></style><a href=//x>y</a></svg><math><mi>z</mi></math>a", "a"],
    ["what is parsed as text", "<textarea><img src=//x></textarea><title><b></title><xmp><i></xmp>a", "a"],
    ["a frame's address in a template", "<template shadowrootmode=open><b>x</b></template>a", "a"],
    ["remote pictures", "<img src=http://x/y srcset='//z 2x' width=1 alt=a>", `<img width="1" alt="a">`],
    ["drawings as pictures", "<img src='data:image/svg+xml;base64,AAAA'>", "<img>"],
  ])("%s", async (_what, html, wanted) => {
    expect(await shown(html)).toBe(wanted);
  });

  test.each([
    `background: url(http://x)`,
    `background: URL( "http://x" )`,
    String.raw`background: u\72l(http://x)`,
    String.raw`background: \75\72\6c(http://x)`,
    `background: image-set("http://x" 1x)`,
    `background: -webkit-image-set(url(http://x) 1x)`,
    `content: src("http://x")`,
    `list-style: cross-fade(url(//x), red)`,
  ])("CSS that fetches: %s", async (css) => {
    for (const html of [`<p style='${css}'>x</p>`, `<style>p { ${css} }</style>`]) {
      expect(await shown(html)).not.toMatch(/[^-\w](?:url|src|image-set|cross-fade|-webkit-image-set)\(/i);
    }
  });

  test.each(["@import 'http://x';", "@IMPORT url(//x);", String.raw`@im\70ort "//x";`, "@font-face { src: url(//x) }"])(
    "rules that fetch: %s",
    async (css) => {
      expect(await shown(`<style>${css}</style>`)).not.toMatch(/@(?:import|font-face)|url\(/i);
    },
  );
});

describe("links", () => {
  const hrefOf = async (href: string) => /href="([^"]*)"/.exec(await shown(`<a href="${href}">x</a>`))?.[1];

  test.each([
    "javascript:alert(1)",
    "JaVaScRiPt:x",
    "java&#9;script:x",
    " &#1;javascript:x",
    "data:text/html,x",
    "vbscript:x",
    "file:///x",
    "blob:x",
    "/dashboard",
    "#top",
    "?a",
    "view-source:http://x",
    "http://",
  ])("%j leads nowhere", async (href) => {
    expect(await hrefOf(href)).toBeUndefined();
  });

  test.each([
    ["https://a.example/b?c=1&amp;d", "https://a.example/b?c=1&amp;d"],
    ["//a.example/b", "https://a.example/b"],
    ["mailto:a@b.example?subject=x", "mailto:a@b.example?subject=x"],
    ["https://bank.example@evil.example/", "https://evil.example/"],
    ["https://xn--e1awd7f.example", "https://xn--e1awd7f.example/"],
    ["https://еріс.example", "https://xn--e1aybc.example/"],
  ])("%s opens beside the page", async (href, wanted) => {
    const found = await hrefOf(href);
    if (href.startsWith("https://е")) expect(found).toMatch(/^https:\/\/xn--/);
    else expect(found).toBe(wanted);
    expect(await shown(`<a href="${href}" title="https://bank.example" target=_top rel=opener>x</a>`)).toMatch(
      / target="_blank" rel="noopener noreferrer nofollow" data-leads-to="[^"]+" title="Leads to [^"]+">x<\/a>$/,
    );
  });
});

describe("whatever comes in", () => {
  const NAMES =
    "p b a img style script svg math title template noscript iframe textarea form body table td br font".split(" ");
  const piece = fc.oneof(
    fc.constantFrom(...NAMES.flatMap((name) => [`<${name}>`, `</${name}>`, `<${name}/>`, `<${name} `])),
    fc.constantFrom(
      `onload=x`,
      `href="javascript:x"`,
      `src=//x`,
      `style="a:url(//x)"`,
      ">",
      `"`,
      "'",
      "<!--",
      "-->",
      "<![CDATA[",
      "]]>",
      "<?",
      "&lt;",
      "\0",
    ),
    fc.string({ maxLength: 5 }),
  );

  test("comes out as elements and attributes of the lists alone", async () => {
    const run = fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const html = await shown(pieces.join(""));
      const names = new Set<string>();
      const parser = new Parser({
        onopentag(name, attributes) {
          names.add(name);
          for (const [attribute, value] of Object.entries(attributes)) {
            expect(attribute).toMatch(/^(?:href|target|rel|title|data-leads-to|style|src)$/);
            if (attribute === "href") expect(value).toMatch(/^(?:https?|mailto):/);
            if (attribute === "style") expect(value).not.toMatch(/\burl\(/);
            if (attribute === "src") expect(value).toMatch(/^data:image\//);
          }
        },
      });
      parser.end(html);
      const forbidden = "script svg math title template noscript iframe textarea form body".split(" ");
      expect(forbidden.filter((name) => names.has(name))).toEqual([]);
    });
    await fc.assert(run, { numRuns: 2_000 });
  });

  test("is cut where it is too long, and says so", async () => {
    const { html, shortened } = await safeHtml("<p>x</p>".repeat(300_000));
    expect(shortened).toBe(true);
    expect(html.length).toBe(2 * 1024 * 1024);
  });
});
