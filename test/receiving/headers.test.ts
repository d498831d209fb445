// The bounded header reader: equal to the full parser on what is valid, and quick with what is not.
import fc from "fast-check";
import addressParser from "nodemailer/lib/addressparser";
import PostalMime from "postal-mime";
import { describe, expect, test } from "vitest";
import { readHeaders } from "#server/mime/headers.ts";
import { addressList, summarize } from "#server/receiving/headers.ts";

const word = fc.stringMatching(/^[A-Za-z0-9]{1,12}$/);
const blank = fc.constantFrom(" ", "\t", "  ");
const fold = fc.constantFrom("", "\r\n");
const address = fc.tuple(word, word, word).map(([local, domain, tld]) => `${local}@${domain}.${tld}`);
const encoded = fc
  .tuple(fc.string({ unit: "grapheme", maxLength: 12 }), fc.constantFrom("B", "Q"))
  .map(([text, form]) => {
    const bytes = Buffer.from(text.replace(/\p{Cc}/gu, "").toWellFormed());
    const quoted = [...bytes].map((octet) => `=${octet.toString(16).toUpperCase().padStart(2, "0")}`).join("");
    return `=?utf-8?${form}?${form === "B" ? bytes.toString("base64") : quoted}?=`;
  });
const phrase = fc
  .array(fc.tuple(fc.oneof(word, encoded), blank, fold), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.map(([text, space, line]) => `${text}${line}${space}`).join(""))
  .map((text) => text.trimEnd());
const mailbox = fc.oneof(
  address,
  fc.tuple(word, address).map(([name, addr]) => `"${name}, ${name}" <${addr}>`),
  fc.tuple(encoded, address).map(([name, addr]) => `${name} <${addr}>`),
  fc.tuple(word, address).map(([comment, addr]) => `${addr} (${comment})`),
);
const mailboxes = fc
  .array(fc.tuple(mailbox, fold), { minLength: 1, maxLength: 4 })
  .map((list) => list.map(([each]) => each).join(`,${list[0]?.[1]} `));
const group = fc.tuple(word, mailboxes).map(([name, members]) => `${name}: ${members};`);
const messageId = address.map((id) => `<${id}>`);
const header = fc.oneof(
  fc.tuple(fc.constantFrom("From", "FROM"), mailboxes),
  fc.tuple(fc.constantFrom("To", "Cc", "Reply-To", "to"), fc.oneof(mailboxes, group)),
  fc.tuple(fc.constant("Subject"), phrase),
  fc.tuple(fc.constantFrom("Message-ID", "Message-Id", "In-Reply-To"), messageId),
  fc.tuple(
    fc.constant("References"),
    fc.array(messageId, { minLength: 1, maxLength: 5 }).map((ids) => ids.join("\r\n ")),
  ),
  fc.tuple(fc.constantFrom("Received", "X-Any", "Date"), phrase),
);
const headers = fc.array(header, { maxLength: 12 });

const oneLine = (text: string | undefined) => (text ?? "").replace(/\p{Cc}+/gu, " ").trim();
/** A separator at the end of a name is none of it. */
const withoutEnd = (name: string) => name.replace(/[,;:]$/, "").trimEnd();
const flat = (list: { address?: string; group?: { address: string }[] }[] | undefined) =>
  (list ?? []).flatMap((each) => each.group ?? [each]).flatMap((each) => (each.address ? [each.address] : []));
const ids = (text: string | undefined) => (text?.match(/<[^<>\s]+>/g) ?? []).map((id) => id.slice(1, -1));

describe("a valid header block", () => {
  test("reads as the full parser reads it", async () => {
    await fc.assert(
      fc.asyncProperty(headers, fc.boolean(), async (lines, hasBody) => {
        const block = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
        const raw = Buffer.from(block + (hasBody ? "\r\nbody: no header\r\n" : ""));
        const full = await PostalMime.parse(raw);
        const read = readHeaders(raw);
        const summary = summarize(read);
        expect(read.lines).toEqual(full.headers.map(({ originalKey, value }) => [originalKey, value]));
        expect(summary).toEqual({
          from: full.from?.address
            ? { address: full.from.address, name: withoutEnd(oneLine(full.from.name)) || null }
            : summary.from && { ...summary.from, address: flat([full.from ?? {}])[0] },
          to: flat(full.to),
          cc: flat(full.cc),
          replyTo: flat(full.replyTo),
          subject: oneLine(full.subject),
          messageId: ids(full.messageId)[0] ?? null,
          inReplyTo: ids(full.inReplyTo)[0] ?? null,
          references: ids(full.references),
          hops: full.headers.filter(({ key }) => key === "received").length,
        });
        expect(raw.subarray(read.bodyStart).toString()).toBe(hasBody ? "body: no header\r\n" : "");
      }),
      { numRuns: 500 },
    );
  });
});

describe("any octets at all", () => {
  test("give text that PostgreSQL can hold", () => {
    const octets = fc.oneof(
      fc.uint8Array({ maxLength: 500 }),
      fc
        .array(
          fc.oneof(
            fc.constantFrom("From:", "Subject: ", "\r\n", "\n", "\r", " ", "<", ">", "=?", "?=", "\0", ":", ";", ","),
            fc.string(),
          ),
        )
        .map((parts) => Buffer.from(parts.join(""))),
    );
    fc.assert(
      fc.property(octets, (bytes) => {
        const summary = summarize(readHeaders(Buffer.from(bytes)));
        const texts = JSON.stringify(summary);
        expect(texts).not.toContain("\\u0000");
        expect(texts).not.toMatch(/\\ud[89a-f]/i);
      }),
      { numRuns: 1_000 },
    );
  });

  test("nor do escapes in encoded words bring what headers cannot hold", () => {
    const raw = "Subject: =?utf-8?q?a=00b=0D=0ABcc:_x?=\r\nFrom: =?utf-8?q?a=00=0Ab?= <a@b.c>\r\n\r\n";
    expect(summarize(readHeaders(Buffer.from(raw)))).toMatchObject({
      subject: "a b Bcc: x",
      from: { address: "a@b.c", name: "a b" },
    });
  });
});

test.each([
  ["joan @ inn.example", ["joan@inn.example"]],
  ["joan (desk) @ (at) inn.example (night), Eve <eve @inn.example>", ["joan@inn.example", "eve@inn.example"]],
  ['"joan reed" @inn.example', ['"joan reed"@inn.example']],
])("recipients with blanks around the @ are read: %s", (to, addresses) => {
  expect(summarize(readHeaders(Buffer.from(`To: ${to}\r\n\r\n`))).to).toEqual(addresses);
});

describe("an author with comments", () => {
  test.each([
    ["before the @", "joan(front desk)@inn.example", "joan@inn.example", "front desk"],
    ["around the @", "joan(a)@(b)inn.example(c)", "joan@inn.example", "a b c"],
    ["beside a full stop", "joan.(x)reed@inn.example", "joan.reed@inn.example", "x"],
    ["in another one", "joan(the (old) desk)@inn.example", "joan@inn.example", "the (old) desk"],
    ["with parentheses that are escaped", "joan(a \\) b \\( c)@inn.example", "joan@inn.example", "a ) b ( c"],
    ["in angle brackets", "Joan(x) <joan(desk)@inn.example (night)>", "joan@inn.example", "Joan"],
    ["before an address in angle brackets", "(desk) <joan@inn.example>", "joan@inn.example", "desk"],
    ["between two names", "Joan(x)Reed <joan@inn.example>", "joan@inn.example", "Joan Reed"],
    ["as a part of a quoted name", '"a(b)c"@inn.example', '"a(b)c"@inn.example', null],
  ])("%s", (_where, from, address, name) => {
    expect(summarize(readHeaders(Buffer.from(`From: ${from}\r\n\r\n`))).from).toEqual({ address, name });
  });

  test.each(["joan(desk", "joan (desk) reed@inn.example eve@inn.example", "<joan(a>b)@inn.example>", "joan(a)b(c"])(
    "%s has no address",
    (from) => {
      expect(summarize(readHeaders(Buffer.from(`From: ${from}\r\n\r\n`))).from).toBeUndefined();
    },
  );
});

// Usual lists take a shorter way than the parser of all lists.
describe("a list of addresses", () => {
  const listOf = (value: string) =>
    addressList({ lines: [["To", value]], bodyStart: 0, charset: "", isRepaired: false }, "to");
  const parsed = (value: string) =>
    addressParser(value, { flatten: true }).flatMap(
      ({ address }) =>
        address
          ?.replace(/[ \t]*@[ \t]*(?!.*@)/, "@")
          .replace(/\t+/g, " ")
          .trim() || [],
    );

  test.each([
    [
      "Mia Oak <mia@oak.example>,\tDr. Elm-Ash <elm.ash+x@ash-tree.example>",
      ["mia@oak.example", "elm.ash+x@ash-tree.example"],
    ],
    ['"Oak. Mia" <mia@oak.example> , fern@fern.example', ["mia@oak.example", "fern@fern.example"]],
    ['"Oak, Mia" <mia@oak.example>, "x@y.example" <fern@fern.example>', ["mia@oak.example", "fern@fern.example"]],
    ["<mia@oak.example>, ", ["mia@oak.example"]],
    ["Trees: mia@oak.example, fern@fern.example;", ["mia@oak.example", "fern@fern.example"]],
  ])("%s is read", (value, addresses) => {
    expect(listOf(value)).toEqual(addresses);
  });

  test("of any pieces is read as the parser of all lists reads it", () => {
    const piece = fc.constantFrom(
      ...'Oak|Mia| |\t|<|>|@|,|;|:|"|(|)|.|-|_|\'|\\|mia@oak.example|<fern@fern.example>|a@b@c|@b|a@|a..b@c..d|A@B|-@-|"Oak, Mia" '.split(
        "|",
      ),
    );
    const value = fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join("").trim());
    fc.assert(
      fc.property(value, (list) => {
        expect(listOf(list)).toEqual(parsed(list));
      }),
      { numRuns: 20_000 },
    );
  });
});

describe("bounds", () => {
  test("64 KiB of header are read, to the last whole line", () => {
    const lines = Array.from({ length: 900 }, (_, i) => `X-${i}: ${"v".repeat(100)}`);
    const { lines: read, bodyStart } = readHeaders(Buffer.from(`${lines.join("\r\n")}\r\n\r\nbody`));
    expect(read.length).toBeLessThan(900);
    expect(read.at(-1)).toEqual([`X-${read.length - 1}`, "v".repeat(100)]);
    expect(bodyStart).toBe(lines.join("\r\n").length + 4);
  });

  test("1,000 lines are read, folded ones too", () => {
    expect(readHeaders(Buffer.from("A: b\r\n".repeat(5_000))).lines).toHaveLength(1_000);
    const folded = readHeaders(Buffer.from(`A: b\r\n${" c\r\n".repeat(5_000)}`));
    expect(folded.lines).toEqual([["A", `b${" c".repeat(999)}`]]);
  });

  test("long lists are cut after a whole address, and read whole on request", () => {
    const to = Array.from({ length: 1_000 }, (_, i) => `user${i}@example.org`);
    const block = readHeaders(Buffer.from(`To: ${to.join(", ")}\r\n\r\n`));
    const short = summarize(block).to;
    expect(short.length).toBeGreaterThan(100);
    expect(short).toEqual(to.slice(0, short.length));
    expect(addressList(block, "to")).toEqual(to);
  });
});
