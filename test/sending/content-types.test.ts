// Media types of files that are sent, with parameters, as the relay gets them; and those that could break a header.
import { afterAll, describe, expect, test } from "vitest";
import { readField } from "#server/mime/headers.ts";
import { startReplyRig } from "./reply-rig.ts";

const rig = await startReplyRig();
const reader = await rig.newReader();
afterAll(rig.stop);

const CONTENT = Buffer.from("BEGIN:VCALENDAR\r\nSUMMARY:K\u00f6ln\r\nEND:VCALENDAR\r\n");
const fileOf = (content_type: string, filename = "plan.ics") => ({
  filename,
  content_type,
  content_base64: CONTENT.toString("base64"),
});

/** The header of the part that has the content, unfolded, as the relay got it. */
async function partOf(id: string): Promise<string> {
  const { raw = "" } = await rig.departed(id);
  const unfolded = raw.replace(/\r\n[ \t]+/g, " ");
  const parts = unfolded.split(/\r\n--[^\r\n]+\r\n/).map((part) => part.split("\r\n\r\n"));
  return parts.find(([, body = ""]) => Buffer.from(body, "base64").equals(CONTENT))?.[0] ?? "";
}

describe("202", () => {
  test.each([
    "text/calendar; method=REQUEST; charset=utf-8",
    "text/calendar;charset=UTF-8;method=REPLY",
    'TEXT/Calendar; Method="CANCEL"; component=VEVENT',
    "text/calendar; method=publish",
  ])("an invitation is shown beside the words: %s", async (contentType) => {
    const { status, body } = await reader.send({ to: "ann@else.example", attachments: [fileOf(contentType)] });
    expect(status).toBe(202);
    const header = await partOf(body.id);
    const [type = "", ...parameters] = contentType.split(";").map((each) => each.replaceAll('"', "").trim());
    expect(header.toLowerCase()).toContain(`content-type: ${type.toLowerCase()}`);
    for (const each of parameters) expect(header.toLowerCase().replaceAll('"', "")).toContain(each.toLowerCase());
    expect(header).toContain("Content-Disposition: inline");
  });

  test.each([
    'text/plain; charset="iso-8859-1"; format=flowed',
    "text/csv; header=present",
    "application/vnd.api+json; profile=\"a;b, 'c'\"",
    'text/x-note; title="say \\"hi\\""',
    "application/pdf;  version=1.7  ",
  ])("a file keeps its parameters: %s", async (contentType) => {
    const { status, body } = await reader.send({ to: "ann@else.example", attachments: [fileOf(contentType, "a")] });
    expect(status).toBe(202);
    const header = await partOf(body.id);
    const sent = readField(/^Content-Type: (.*)$/m.exec(header)?.[1], "");
    const given = readField(contentType, "");
    expect(sent.value).toBe(given.value);
    for (const [name, value] of given.parameters) expect([name, sent.parameters.get(name)]).toEqual([name, value]);
    expect(header).toContain("Content-Disposition: attachment");
  });

  test.each([
    ["text in UTF-8", "text/csv", CONTENT, "; charset=utf-8"],
    ["an invitation in UTF-8", "text/calendar; method=REQUEST", CONTENT, "; charset=utf-8"],
    ["text in another charset", "text/plain", Buffer.from([0x4b, 0xf6, 0x6c, 0x6e]), ""],
    ["text in ASCII", "text/plain", Buffer.from("Plain words"), ""],
    ["what is not text", "application/json", CONTENT, ""],
  ])("%s is labelled so only where its letters would be lost", async (_what, content_type, content, charset) => {
    const file = { filename: "f", content_type, content_base64: content.toString("base64") };
    const { body } = await reader.send({ to: "ann@else.example", attachments: [file] });
    const { raw = "" } = await rig.departed(body.id);
    const [essence = ""] = content_type.split(";");
    const type = new RegExp(`^Content-Type: ${essence}[^]*?(?=\\r\\n\\S)`, "gm");
    const last = raw.match(type)?.at(-1) ?? "";
    expect(/; ?charset=[\w-]+/.exec(last.replaceAll('"', ""))?.[0] ?? "").toBe(charset);
  });

  test("in a reply", async () => {
    const id = await reader.receive();
    const { status, body } = await reader.reply(id, {
      text: "Yes",
      attachments: [fileOf("text/calendar; method=REPLY")],
    });
    expect(status).toBe(202);
    expect(await partOf(body.id)).toContain("Content-Type: text/calendar; method=REPLY");
  });
});

test.each([
  "text/plain; charset=utf-8\r\nX-Evil: 1",
  "text/plain;\n charset=utf-8",
  'text/plain; name="a\r\nX-Evil: 1"',
  "text/plain; a=b\0",
  'text/plain; a="unclosed',
  "text/plain; method",
  "text/plain; =x",
  "text/plain; a=b c",
  "text/plain; a=ü",
  "text/plain; a*=utf-8''%c3%bc",
  "text/plain;",
  "text",
  `text/plain; a=${"x".repeat(300)}`,
])("400: %j", async (contentType) => {
  const { status, text } = await reader.send({ to: "ann@else.example", attachments: [fileOf(contentType)] });
  expect([status, text]).toEqual([400, expect.stringContaining("attachments.0.content_type")]);
});
